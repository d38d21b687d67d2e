// A list cut into the cheapest runs, by a dynamic programme (Fisher, 1958).
//
// With cost(i, j) that of entries i … j − 1 as one run, the least cost of the first j entries in m runs is
// least(m, j) = min over i of least(m − 1, i) + cost(i, j). Each pair is valued once: n²/2 calls.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace treewright {

/// Where to cut n entries into two or more runs, at most `most`: how many stand before each cut. Costs nearer than `equal` are
/// the same: then the fewest and the lowest cuts. A run of infinite cost is not allowed; empty if there is no way.
template <class Cost, class Poll>
std::vector<size_t> cheapest_runs(size_t n, size_t most, double equal, Cost&& cost, Poll&& poll) {
    constexpr double none = std::numeric_limits<double>::infinity();
    most = std::min(most, n);
    if (most < 2) return {};
    std::vector<std::vector<double>> least(most + 1, std::vector<double>(n + 1, none));
    std::vector<std::vector<size_t>> from(most + 1, std::vector<size_t>(n + 1, 0));
    least[0][0] = 0;
    for (size_t j = 1; j <= n; ++j) {
        if (j % 64 == 0) poll();
        for (size_t i = 0; i < j; ++i) {
            const double own = cost(i, j);
            if (own == none) continue;
            for (size_t m = i == 0 ? 1 : 2; m <= std::min(most, i + 1); ++m) {
                const double all = least[m - 1][i] + own;
                if (all == none || !(least[m][j] == none || all < least[m][j] - equal)) continue;
                least[m][j] = all;
                from[m][j] = i;
            }
        }
    }
    double bottom = none;
    for (size_t m = 2; m <= most; ++m) bottom = std::min(bottom, least[m][n]);
    if (bottom == none) return {};
    size_t chosen = 2;
    while (!(least[chosen][n] <= bottom + equal)) ++chosen;
    std::vector<size_t> cuts;
    for (size_t m = chosen, j = n; m > 1; --m) cuts.push_back(j = from[m][j]);
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
}

}  // namespace treewright
