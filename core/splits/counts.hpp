// How many splits of a form there are to choose from: what it takes to name one, and what a test of it must be corrected for.
#pragma once
#include <cmath>
#include <cstddef>

namespace treewright {

/// Ways to choose k of n.
inline double choose(double n, double k) {
    return k > n ? 0.0 : std::round(std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)));
}

/// Ways in which a plane can part n rows of so many dimensions (Cover, 1965).
inline double count_partings(double n, size_t dimensions) {
    double ways = -1;
    for (size_t i = 0; i <= dimensions; ++i) ways += choose(n - 1, static_cast<double>(i));
    return ways;
}

/// Ways in which planes on k of p features can part n rows. A sphere is a plane in one more dimension, the sum of squares.
inline double count_oblique(double n, size_t p, size_t k, bool sphere) {
    return choose(static_cast<double>(p), static_cast<double>(k)) * count_partings(n, k + sphere);
}

}  // namespace treewright
