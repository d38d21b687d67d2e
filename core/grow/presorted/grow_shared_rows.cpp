// Growing a tree whose rows may be shared over branches.
#include "grow/choose_finder.hpp"
#include "grow/presorted/shared_finder.hpp"
#include "grow/subtrees.hpp"

namespace treewright {

namespace {

/// Whether histograms know what to do with every missing value: none is filled in, a category of its own or counted by
/// shares, and no split is tested on rows that it shares.
bool histograms_know(const Recipe& recipe) {
    return recipe.significance >= 1 && std::ranges::none_of(recipe.policies, [](Missing policy) {
               return fills(policy) || policy == Missing::value || policy == Missing::fractional_counts;
           });
}

}  // namespace

TreeArrays grow_shared_rows(const GrowTask& given, const std::vector<double>& weight) {
    const double lightest = weight.empty() ? 1.0 : *std::ranges::min_element(weight);
    const Recipe recipe = given.recipe.shares() ? with_least_weights(given.recipe, lightest) : given.recipe;
    GrowTask task = given.with(recipe);
    task.lightest = lightest;
    task.rankings = nullptr;
    RowShares rows = all_rows(task, weight);
    if (weight.empty() && (recipe.shares() || recipe.forms())) rows.weight.assign(rows.size(), 1.0);
    const bool unit = rows.weight.empty();
    if (histograms_know(recipe) && use_histograms(task)) {
        // shared rows are loaded into several subtrees: fewer and larger ones pay for what leaves the cache (measured)
        const size_t most = cached_rows(task), small = recipe.shares() ? std::min(8 * most, most_narrow_rows) : most;
        const auto make = [&]<class Finder>(Finder*) { return std::make_unique<Finder>(task, unit); };
        return grow_by_histograms<SharedRowsFinder<uint16_t>, SharedRowsFinder<uint32_t>>(task, std::move(rows), small, make);
    }
    SharedRowsFinder<uint32_t> finder(task, unit);
    return grow_with(task, rows, finder);
}

}  // namespace treewright
