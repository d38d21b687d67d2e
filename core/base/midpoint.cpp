#include "base/midpoint.hpp"

#include <charconv>

namespace treewright {

double rounded(double x, int digits) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, digits - 1).ptr;
    std::from_chars(text, end, x);
    return x;
}

double shortest_between(double low, double high) {
    const double middle = midpoint(low, high);
    for (int digits = 1; digits < 17; ++digits)
        if (const double x = rounded(middle, digits); x >= low && x < high) return x;
    return middle;
}

}  // namespace treewright
