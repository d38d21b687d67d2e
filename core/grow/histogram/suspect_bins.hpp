// Which bins may hide a better cut than those between bins, and which feature wins: the rules of whoever grows by histograms.
#pragma once
#include <numeric>
#include <optional>

#include "cuts/best.hpp"
#include "cuts/bounded.hpp"
#include "cuts/cut.hpp"
#include "grow/feature_draw.hpp"
#include "grow/grow_task.hpp"
#include "grow/histogram/bins.hpp"

namespace treewright {

/// A cut of this feature with less merit than this does not matter. The best of a feature may be one tolerance below its
/// largest merit, the feature that wins one below the best of another, and that one below the largest merit of all.
inline double least_useful(const Recipe& recipe, size_t feature, double best, double tolerance) {
    const double price = recipe.feature_costs.empty() ? 1.0 : recipe.feature_costs[feature];
    return best * price - 3 * tolerance * std::max(price, 1.0);
}

/// No cut inside a bin has more merit: bounds round by 1e-15 of their parts, in another order than scores do.
inline double safe_bound(const GrowTask& task, const NodeView& node, const BinnedFeature& feature, double bound) {
    return feature.share * (bound * (1 + bound_safety) + bound_safety * (task.n_classes ? 1e-5 : node.impurity));
}

/// The features in the order in which the first of equals wins.
inline std::vector<int32_t> order_of_features(const Recipe& recipe, size_t n_features, uint64_t seed) {
    std::vector<int32_t> features(n_features);
    std::iota(features.begin(), features.end(), 0);
    if (recipe.ties == Ties::random) FeatureOrder().apply(features, seed);
    return features;
}

/// Of features in their order the one with the best split, if any has one; merits are by feature.
inline std::optional<size_t> best_feature(const Recipe& recipe, const std::vector<int32_t>& features,
                                          std::span<const double> merits, double tolerance) {
    Best<size_t> best(tolerance);
    for (int32_t f : features) best.offer(recipe.merit_per_cost(merits[static_cast<size_t>(f)], f), static_cast<size_t>(f));
    return best.found() ? std::optional(best.get()) : std::nullopt;
}

}  // namespace treewright
