// Where a cut stands between two neighbouring values.
//
// The midpoint is correctly rounded: it does not overflow, and subnormal values lose nothing before they are added. Between two
// neighbouring numbers it can only be one of them, and then a cut takes the one that keeps them apart. The shortest decimal is
// the number of fewest digits between the two, of several the one nearest to their midpoint.
#pragma once
#include <charconv>
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
inline double rounded(double x, int digits) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, digits - 1).ptr;
    std::from_chars(text, end, x);
    return x;
}

/// A number in as few digits as tell `low` from `high`: at least the one, below the other, near the middle.
inline double shortest_between(double low, double high) {
    const double middle = midpoint(low, high);
    for (int digits = 1; digits < 17; ++digits)
        if (const double x = rounded(middle, digits); x >= low && x < high) return x;
    return middle;
}

/// For the test x ≤ cut: half-way, or at the shortest decimal between the two values.
inline double cut_between(double left, double right, bool shortest) {
    if (!shortest) return midpoint(left, right);
    const double above = std::nextafter(left, right);
    return above < right ? shortest_between(above, right) : left;
}

}  // namespace treewright
