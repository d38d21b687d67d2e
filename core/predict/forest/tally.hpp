// Adds up what leaves say of a row.
#pragma once
#include <algorithm>

#include "forest/forest.hpp"

namespace treewright {

inline constexpr double same_weight =
    1e-11;  // weights of classes that differ by less, as a share of them, are equal (decision.py)

/// Adds up what leaves say.
template <class Number>
struct Tally {
    const Number* value;
    size_t width, all_targets;
    Vote how;

    Tally(const Number* value_, const ForestView& forest, Vote how_)
        : value(value_), width(forest.width_of_one()), all_targets(forest.width), how(how_) {}
    void add(size_t node, double* to) const {
        for (size_t begin = 0; begin < all_targets; begin += width) add_one(value + node * all_targets + begin, to + begin);
    }

private:
    void add_one(const Number* at, double* to) const {
        if (how == Vote::sum) {
            *to += static_cast<double>(*at);
        } else if (how == Vote::hard) {
            const double enough = static_cast<double>(*std::max_element(at, at + width)) * (1 - same_weight);
            to[std::find_if(at, at + width, [&](Number n) { return static_cast<double>(n) >= enough; }) - at] += 1.0;
        } else if (width == 2) {
            const double first = static_cast<double>(at[0]), second = static_cast<double>(at[1]), all = first + second;
            to[0] += first / all;
            to[1] += second / all;
        } else {
            double all = 0;
            for (size_t k = 0; k < width; ++k) all += static_cast<double>(at[k]);
            for (size_t k = 0; k < width; ++k) to[k] += static_cast<double>(at[k]) / all;
        }
    }
};

}  // namespace treewright
