// Growing a tree whose rows are whole.
#include <optional>

#include "grow/choose_finder.hpp"
#include "grow/offers.hpp"
#include "grow/presorted/finder.hpp"
#include "grow/subtrees.hpp"

namespace treewright {

namespace {

/// Two-valued features are counted as bits where every row weighs one.
bool use_bits(const Problem& problem, bool unit) {
    return problem.n_classes && unit && offers::bits.holds(problem.recipe.demands()) &&
           static_cast<size_t>(problem.n_classes) <= BitTable::most_classes && problem.table.n_rows >= 256;
}

}  // namespace

TreeArrays grow_whole_rows(Problem problem, const std::vector<double>& weight) {
    std::optional<BitTable> bits;
    if (use_bits(problem, weight.empty())) {
        bits.emplace(problem.table, problem.recipe.threads);
        if (bits->size() > 0) problem.bits = &*bits;
    }
    if (use_histograms(problem)) {
        const auto make = [&]<class Finder>(Finder*) { return std::make_unique<Finder>(problem, weight); };
        return grow_by_histograms<PresortedFinder<uint16_t>, PresortedFinder<uint32_t>>(problem, all_rows(problem, weight),
                                                                                        cached_rows(problem), make);
    }
    const Parts rows = all_rows(problem, {});  // lists have the weights of the table
    if (problem.table.n_rows <= most_narrow_rows) {
        PresortedFinder<uint16_t> finder(problem, weight);
        return grow_with(problem, rows, finder);
    }
    PresortedFinder<uint32_t> finder(problem, weight);
    return grow_with(problem, rows, finder);
}

}  // namespace treewright
