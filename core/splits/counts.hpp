// How many splits of a form there are to choose from: what it takes to name one, and what a test of it must be corrected for.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace treewright {

/// Ways to choose k of n: whole as long as they are below 2^53.
inline double choose(double n, double k) {
    if (k > n) return 0;
    k = std::min(k, n - k);
    double ways = 1;
    for (double i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
    return ways;
}

/// Ways to part n things into three to `most` groups (Stirling numbers of the second kind).
inline double count_partitions(size_t n, size_t most) {
    most = std::min(most, n);
    std::vector<double> ways(most + 1, 0.0);  // by groups
    ways[0] = 1;
    for (size_t things = 1; things <= n; ++things) {
        for (size_t groups = most; groups > 0; --groups)
            ways[groups] = std::min(static_cast<double>(groups) * ways[groups] + ways[groups - 1], 1e300);
        ways[0] = 0;
    }
    double all = 0;
    for (size_t groups = 3; groups <= most; ++groups) all += ways[groups];
    return all;
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
