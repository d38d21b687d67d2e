// Growing the large nodes of a tree by histograms.
#include "grow/histogram/finder.hpp"
#include "grow/offers.hpp"
#include "grow/subtrees.hpp"

namespace treewright {

size_t cached_rows(const Problem& problem) {
    const size_t n_features = problem.n_features() - (problem.bits ? problem.bits->size() : 0);
    constexpr size_t cache = 1'300'000;
    return std::clamp<size_t>(cache / (8 * std::max<size_t>(n_features, 1)), 1024, 8192);
}

bool use_histograms(const Problem& problem) {
    return problem.formula->traits.bounded && offers::histogram.holds(problem.recipe.demands()) &&
           problem.recipe.ties != Ties::last && problem.table.n_rows > cached_rows(problem);
}

std::vector<Subtree<Parts>> grow_large_nodes(const Problem& problem, Parts&& rows, size_t small, Builder& out) {
    HistogramFinder finder(problem, rows.weight.empty(), small);
    return Driver(problem, finder, out).grow(finder.root(std::move(rows)));
}

}  // namespace treewright
