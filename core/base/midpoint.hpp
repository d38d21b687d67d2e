// Where a cut stands between two neighbouring values.
//
// The midpoint is correctly rounded: it does not overflow, and subnormal values lose nothing before they are added. Between two
// neighbouring numbers it can only be one of them, and then a cut takes the one that keeps them apart.
#pragma once
#include <numeric>

namespace treewright {

/// For the test x ≤ cut: left ≤ cut < right, given left < right.
inline double midpoint(double left, double right) {
    const double middle = std::midpoint(left, right);
    return middle < right ? middle : left;
}

/// For the test x < cut: left < cut ≤ right.
inline double midpoint_above(double left, double right) {
    const double middle = std::midpoint(left, right);
    return left < middle ? middle : right;
}

}  // namespace treewright
