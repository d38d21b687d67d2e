// How many splits of a form there are to choose from: what it takes to name one, and what a test of it must be corrected for.
#pragma once
#include <algorithm>
#include <cstddef>

namespace treewright {

/// Ways to choose k of n: whole as long as they are below 2^53.
inline double choose(double n, double k) {
    if (k > n) return 0;
    k = std::min(k, n - k);
    double ways = 1;
    for (double i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
    return ways;
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
