// Where a cut stands between two neighbouring values.
//
// The midpoint is correctly rounded: it does not overflow, and subnormal values lose nothing before they are added. Between two
// neighbouring numbers it can only be one of them, and then a cut takes the one that keeps them apart. The shortest decimal is
// the number of fewest digits between the two, of several the one nearest to their midpoint.
#pragma once
#include <cmath>
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

/// The number in so many significant digits; 17 keep all of it.
double rounded(double x, int digits);

/// A number in as few digits as tell `low` from `high`: at least the one, below the other, near the middle.
double shortest_between(double low, double high);

/// For the test x ≤ cut: half-way, or at the shortest decimal between the two values.
inline double cut_between(double left, double right, bool shortest) {
    if (!shortest) return midpoint(left, right);
    const double above = std::nextafter(left, right);
    return above < right ? shortest_between(above, right) : left;
}

}  // namespace treewright
