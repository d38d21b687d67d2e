// Splits that look at the features alone: the median of the widest one, as in a k-d tree (Friedman, Bentley & Finkel, 1977).
#pragma once
#include "cuts/scan.hpp"

namespace treewright {

/// The cut of a sorted list that comes nearest to halving the weight, the lower of equals; 0 if none is allowed.
template <class Index>
size_t median_cut(const Entry<Index>* list, size_t n, const LocalRows& rows, const CutLimits& limits) {
    double total = 0, below = 0, nearest = infinity;
    for (size_t i = 0; i < n; ++i) total += rows.weight_of(list[i].row);
    size_t best = 0;
    for (size_t i = 0; i + 1 < n; ++i) {
        below += rows.weight_of(list[i].row);
        const size_t left = i + 1;
        if (list[i].rank == list[i + 1].rank || left < limits.min_count || n - left < limits.min_count) continue;
        if (!both_weigh(below, total - below, limits.min_weight)) continue;
        const double distance = std::fabs(below - total / 2);
        if (distance < nearest - tie_tolerance * total) {
            nearest = distance;
            best = left;
        }
    }
    return best;
}

}  // namespace treewright
