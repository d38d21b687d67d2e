// The values of a categorical feature in the order of what they say of the target.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "criteria/criterion.hpp"

namespace treewright {

/// Up to this many levels in an order, every split on them has a place for all.
inline constexpr size_t few_levels = 64;

/// The places 0, 1, … of keys in ascending order. Keys that are equal but for rounding, on the scale of what they are means of,
/// keep their order.
inline std::vector<size_t> ascending(const std::vector<double>& key, double scale) {
    std::vector<size_t> order(key.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key[a] < key[b]; });
    const double equal = tie_tolerance * scale;
    for (size_t begin = 0, end; begin < order.size(); begin = end) {
        for (end = begin + 1; end < order.size() && key[order[end]] - key[order[end - 1]] <= equal;) ++end;
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return order;
}

/// The codes of the levels that have weight, by the share of the second class, the mean of the target, or the first principal
/// component of the class shares (Coppersmith, Hong & Hosking, 1999); or as they are. `sums` is levels × width, as in Totals.
std::vector<int32_t> order_levels(const std::vector<double>& sums, const std::vector<double>& weight, size_t width,
                                  bool in_order = false);

}  // namespace treewright
