// A split of two sides as CART and surrogates find it: which side takes the lower numbers is part of the split.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

/// Where a split sends a row; `none` if it does not answer: the value is missing, or a category was not seen at the node.
enum class Side : int8_t { left = -1, none = 0, right = 1 };

inline Side opposite(Side side) { return static_cast<Side>(-static_cast<int8_t>(side)); }

/// A split on one feature: numbers below `cut` go to the side `below`, others to the opposite one; a category goes to side[code].
struct TwoSidedSplit {
    int32_t feature = -1;
    double score = 0;     // its improvement; of a surrogate the agreement
    size_t rows = 0;      // that it was judged on; of a surrogate those that it sent
    double adjusted = 0;  // agreement of a surrogate above that of sending every row with the majority
    double cut = 0;
    Side below = Side::left;
    std::vector<Side> side;  // by code
};

}  // namespace treewright
