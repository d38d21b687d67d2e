// Which recipes each engine grows: those whose demands it offers. What is not named here goes to the engines that name nothing.
#pragma once
#include "base/recipe.hpp"

namespace treewright::offers {

/// What the driver does for every engine, and what changes no search.
inline constexpr Choices of_the_driver{Choice::criterion,         Choice::threads,
                                       Choice::random_state,      Choice::max_depth,
                                       Choice::min_samples_split, Choice::min_samples_leaf,
                                       Choice::min_weight_leaf,   Choice::min_weight_split,
                                       Choice::min_merit,         Choice::min_impurity_decrease};

/// Presorted lists of whole rows: all but policies for missing values by feature, and forms of splits that look at more than
/// one cut or one table.
inline constexpr Choices presorted =
    Choices::all().without({Choice::policies, Choice::interval, Choice::hyperplane, Choice::sphere, Choice::median});

/// Lists of rows that may be shared over branches: all but what asks about the tree as a whole, a user, or several targets.
inline constexpr Choices shared_rows = Choices::all().without({Choice::monotonic, Choice::function, Choice::n_outputs});

/// Histograms with exact refinement.
inline constexpr Choices histogram = of_the_driver.with(
    {Choice::threshold,      Choice::subset,          Choice::multiway,        Choice::one_vs_rest,     Choice::observed_cuts,
     Choice::missing,        Choice::policies,        Choice::max_surrogates,  Choice::use_surrogates,  Choice::ties,
     Choice::category_order, Choice::max_bins,        Choice::max_competitors, Choice::class_factor,    Choice::search_factor,
     Choice::costs,          Choice::interaction,     Choice::feature_costs,   Choice::significance,    Choice::complexity,
     Choice::min_gain,       Choice::category_search, Choice::max_groups,      Choice::fair_categories, Choice::short_cuts,
     Choice::max_features});

/// Histograms of partitions. Rows without a value are sent to the better side, so that surrogates make no difference.
inline constexpr Choices partitions = of_the_driver.with(
    {Choice::threshold,      Choice::subset,         Choice::multiway,        Choice::one_vs_rest,  Choice::ties,
     Choice::category_order, Choice::class_factor,   Choice::search_factor,   Choice::costs,        Choice::feature_costs,
     Choice::complexity,     Choice::min_gain,       Choice::category_search, Choice::max_groups,   Choice::fair_categories,
     Choice::short_cuts,     Choice::max_surrogates, Choice::use_surrogates,  Choice::max_features, Choice::random_cuts});

/// Two-valued features as bits, inside presorted lists and histograms.
inline constexpr Choices bits = presorted.without(
    {Choice::threshold, Choice::random_cuts, Choice::plain, Choice::monotonic, Choice::function, Choice::n_outputs});

/// Sorting anew what each node has drawn.
inline constexpr Choices by_sorting = of_the_driver.with(
    {Choice::max_features, Choice::random_cuts, Choice::missing, Choice::ties, Choice::category_order, Choice::n_outputs});

/// Sparse tables: numbers alone, by cuts of one feature. What is said of categories and surrogates finds none.
inline constexpr Choices sparse = of_the_driver.with(
    {Choice::max_features,    Choice::random_cuts, Choice::missing,        Choice::ties,           Choice::class_factor,
     Choice::search_factor,   Choice::costs,       Choice::feature_costs,  Choice::order,          Choice::max_leaf_nodes,
     Choice::max_nodes,       Choice::enough_risk, Choice::complexity,     Choice::min_gain,       Choice::short_cuts,
     Choice::subset,          Choice::multiway,    Choice::one_vs_rest,    Choice::category_order, Choice::category_search,
     Choice::fair_categories, Choice::max_groups,  Choice::max_surrogates, Choice::use_surrogates});

}  // namespace treewright::offers
