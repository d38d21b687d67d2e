// Growing the large nodes of a tree by histograms.
#include "grow/histogram/finder.hpp"
#include "grow/offers.hpp"
#include "grow/subtrees.hpp"

namespace treewright {

size_t cached_rows(const GrowTask& task) {
    const size_t n_features = task.n_features() - (task.bits ? task.bits->size() : 0);
    constexpr size_t cache = 1'300'000;
    return std::clamp<size_t>(cache / (8 * std::max<size_t>(n_features, 1)), 1024, 8192);
}

bool use_histograms(const GrowTask& task) {
    const bool counts_drawn_candidates = task.recipe.max_features > 0 && task.recipe.significance < 1;
    return task.formula->traits.bounded && offers::histogram.holds(task.recipe.demands()) && task.recipe.ties != Ties::last &&
           !counts_drawn_candidates && task.table.n_rows > cached_rows(task);
}

std::vector<Subtree<RowShares>> grow_large_nodes(const GrowTask& task, RowShares&& rows, size_t small, Builder& out) {
    HistogramFinder finder(task, rows.weight.empty(), small);
    return Driver(task, finder, out).grow(finder.root(std::move(rows)));
}

}  // namespace treewright
