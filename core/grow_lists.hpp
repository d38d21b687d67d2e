// Growing with a policy for missing values for each feature, as a template over criteria.
// Each grow_lists_*.cpp instantiates it for its criteria.
#pragma once
#include "engine.hpp"
#include "grow/presorted/shared_finder.hpp"

namespace treewright {

namespace {

/// Whether the trunk knows what to do with every missing value: none is filled in or a category of its own, and no split is
/// tested on rows that it shares.
bool trunk_knows(const Recipe& recipe) {
    return recipe.significance >= 1 &&
           std::ranges::none_of(recipe.policies, [](Missing policy) { return fills(policy) || policy == Missing::value; });
}

/// Rows of a graft. Shared rows are loaded into several: fewer and larger ones pay for what leaves the cache (measured).
inline size_t graft_rows(const Problem& problem) {
    const size_t most = block_rows(problem);
    return problem.recipe.shares() ? std::min(8 * most, small_block) : most;
}

template <class C, class Scorer>
TreeArrays grow_with_trunk(const Problem& problem, Parts&& rows) {
    using Small = Lists<C, std::conditional_t<is_plain<Scorer>, uint32_t, uint16_t>>;
    const auto make = [&]<class Engine>(Engine*) { return std::make_unique<Engine>(problem); };
    return grow_trunk<C, Scorer, Small, Lists<C, uint32_t>>(problem, std::move(rows), graft_rows(problem), make);
}

/// The trunk's own scorers for rows of these weights.
template <class C>
TreeArrays grow_with_trunk(const Problem& problem, Parts&& rows) {
    return C::with_scorer(problem.n_classes, rows.weight.empty(),
                          [&]<class Scorer>() { return grow_with_trunk<C, Scorer>(problem, std::move(rows)); });
}

}  // namespace

template <class C>
TreeArrays grow_lists(const Problem& given, const std::vector<double>& weight) {
    const double lightest = weight.empty() ? 1.0 : *std::ranges::min_element(weight);
    const Recipe recipe = given.recipe.shares() ? with_least_weights(given.recipe, lightest) : given.recipe;
    Problem problem{given.table, recipe, given.n_classes, given.label, given.target, given.total_weight, given.monitor};
    problem.formula = given.formula;
    problem.n_log_n = given.n_log_n;
    Parts rows = all_rows(problem, weight);
    if (weight.empty() && (recipe.shares() || recipe.forms())) rows.weight.assign(rows.size(), 1.0);
    if constexpr (may_be_bounded<C>)
        if (trunk_knows(recipe) && use_trunk<C>(problem)) return grow_with_trunk<C>(problem, std::move(rows));
    Builder out(problem.width());
    Lists<C, uint32_t> lists(problem);
    lists.load(rows, out);
    Driver(problem, lists, out).grow(lists.root(0, Random(recipe.random_state).next()));
    return assemble(out, {});
}

}  // namespace treewright
