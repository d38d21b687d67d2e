// What a split with a pool asks of a row: one definition for growing and for routing, so that both agree to the bit.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace treewright {

/// The pool of one split, laid out as ARCHITECTURE.md says for its kind.
struct Pool {
    std::span<const int32_t> index;
    std::span<const double> value;
};

/// Hyperplane: Σ weight·x over the pool's (feature, weight); NaN if one of them is missing.
template <class Number>
double weighted_sum(const Pool& pool, Number&& x) {
    double total = 0;
    for (size_t i = 0; i < pool.index.size(); ++i) total += pool.value[i] * x(pool.index[i]);
    return total;
}

/// Sphere: Σ scale·(x − centre)² over the pool's pairs (feature, centre), (feature, scale).
template <class Number>
double squared_distance(const Pool& pool, Number&& x) {
    double total = 0;
    for (size_t i = 0; i + 1 < pool.index.size(); i += 2) {
        const double distance = x(pool.index[i]) - pool.value[i];
        total += pool.value[i + 1] * distance * distance;
    }
    return total;
}

/// Intervals: the number of the pool's ascending cuts that lie below x; −1 if x is missing.
inline int32_t interval_of(const Pool& pool, double x) {
    if (std::isnan(x)) return -1;
    return static_cast<int32_t>(std::lower_bound(pool.value.begin(), pool.value.end(), x) - pool.value.begin());
}

}  // namespace treewright
