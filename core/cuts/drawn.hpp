// A cut drawn between the smallest and the largest value (extremely randomised trees: Geurts, Ernst & Wehenkel, 2006).
#pragma once
#include <algorithm>
#include <ranges>

#include "base/random.hpp"
#include "base/statistics.hpp"

namespace treewright {

struct DrawnCut {
    double threshold;
    bool missing_left = false;
};

/// Some rows may have no value: they go to a side that is drawn as well. If all others have the same value, only these against
/// those are left.
inline DrawnCut draw_cut(double low, double high, bool some_missing, Random& random) {
    DrawnCut cut{low + random.uniform() * (high - low)};
    if (!(cut.threshold < high)) cut.threshold = low;
    if (low == high) cut.threshold = infinity;
    cut.missing_left = some_missing && random.below(2) == 0;
    return cut;
}

/// How many of the known values, ascending, go left of a threshold.
template <class Value>
size_t rows_left(size_t known, Value&& value, double threshold) {
    const auto places = std::views::iota(size_t{0}, known);
    return static_cast<size_t>(std::ranges::partition_point(places, [&](size_t i) { return value(i) <= threshold; }) -
                               places.begin());
}

}  // namespace treewright
