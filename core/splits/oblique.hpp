// Hyperplanes and spheres as splits: from standard units back to the features' own, in few digits.
#pragma once
#include "splits/hyperplane.hpp"
#include "splits/sphere.hpp"

namespace treewright {

/// Σ weight·x in the features' own units, the largest weight being 1.
inline Candidate hyperplane_split(const ScaledRows& rows, const std::vector<double>& weight, int digits) {
    Candidate split;
    split.kind = SplitKind::hyperplane;
    double largest = 0;
    for (size_t c = 0; c < weight.size(); ++c)
        if (const double own = weight[c] / rows.deviation[c]; std::fabs(own) > std::fabs(largest)) largest = own;
    for (size_t c = 0; c < weight.size(); ++c) {
        if (weight[c] == 0) continue;
        split.pool_index.push_back(rows.feature[c]);
        split.pool_value.push_back(rounded(weight[c] / rows.deviation[c] / largest, digits));
    }
    if (!split.pool_index.empty()) split.feature = split.pool_index[0];
    return split;
}

/// Σ scale·(x − centre)² in the features' own units, the largest scale being 1; centres to a like share of their feature's
/// spread.
template <class Sphere>
Candidate sphere_split(const ScaledRows& rows, const Sphere& sphere, int digits) {
    Candidate split;
    split.kind = SplitKind::sphere;
    double narrowest = infinity;
    for (size_t c : sphere.columns) narrowest = std::min(narrowest, rows.deviation[c]);
    for (size_t c : sphere.columns) {
        const double centre = rows.mean[c] + sphere.centre[c] * rows.deviation[c], ratio = narrowest / rows.deviation[c];
        const double places = centre == 0 ? 0.0 : std::floor(log10(std::fabs(centre))) - std::floor(log10(rows.deviation[c]));
        for (int pair = 0; pair < 2; ++pair) split.pool_index.push_back(rows.feature[c]);
        split.pool_value.push_back(rounded(centre, std::clamp(digits + static_cast<int>(places), 1, 17)));
        split.pool_value.push_back(rounded(ratio * ratio, digits));
    }
    if (!split.pool_index.empty()) split.feature = split.pool_index[0];
    return split;
}

}  // namespace treewright
