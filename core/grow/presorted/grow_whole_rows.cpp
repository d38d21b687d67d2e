// Growing a tree whose rows are whole.
#include <optional>

#include "grow/choose_finder.hpp"
#include "grow/offers.hpp"
#include "grow/presorted/finder.hpp"
#include "grow/subtrees.hpp"

namespace treewright {

namespace {

/// Two-valued features are counted as bits where every row weighs one.
bool use_bits(const GrowTask& task, bool unit) {
    return task.n_classes && unit && offers::bits.holds(task.recipe.demands()) &&
           static_cast<size_t>(task.n_classes) <= BitTable::most_classes && task.table.n_rows >= 256;
}

}  // namespace

TreeArrays grow_whole_rows(GrowTask task, const std::vector<double>& weight) {
    std::optional<BitTable> bits;
    if (use_bits(task, weight.empty())) {
        bits.emplace(task.table, task.recipe.threads);
        if (bits->size() > 0) task.bits = &*bits;
    }
    if (use_histograms(task)) {
        const auto make = [&]<class Finder>(Finder*) { return std::make_unique<Finder>(task, weight); };
        return grow_by_histograms<PresortedFinder<uint16_t>, PresortedFinder<uint32_t>>(task, all_rows(task, weight),
                                                                                        cached_rows(task), make);
    }
    const RowShares rows = all_rows(task, {});  // lists have the weights of the table
    if (task.table.n_rows <= most_narrow_rows) {
        PresortedFinder<uint16_t> finder(task, weight);
        return grow_with(task, rows, finder);
    }
    PresortedFinder<uint32_t> finder(task, weight);
    return grow_with(task, rows, finder);
}

}  // namespace treewright
