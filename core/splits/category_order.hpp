// The values of a categorical feature in the order of what they say of the target.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

/// Up to this many levels in an order, every split on them has a place for all.
inline constexpr size_t few_levels = 64;

/// The places 0, 1, … of keys in ascending order. Keys that are equal but for rounding, on the scale of what they are means of,
/// keep their order.
std::vector<size_t> ascending(const std::vector<double>& key, double scale);

/// The codes of the levels that have weight, by the share of the second class, the mean of the target, or the first principal
/// component of the class shares, or of the means of several targets (Coppersmith, Hong & Hosking, 1999); or as they are. `sums`
/// is levels × width, as in Totals; `n_classes` are those of one target, 0 of numbers.
std::vector<int32_t> order_levels(const std::vector<double>& sums, const std::vector<double>& weight, size_t width, bool in_order,
                                  size_t n_classes);

}  // namespace treewright
