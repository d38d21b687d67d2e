// The most that a split of few rows can be worth, whatever their features say: who finds as much need not look further.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace treewright {

/// Rows up to which that is worth knowing. Of more, hardly a feature parts them in the very best way.
inline constexpr size_t few_rows = 8;

/// The largest decrease of the variance of at most few_rows numbers by two groups of them. Of all groups of one size those of the
/// least or of the largest numbers have the mean farthest from that of the others.
inline double most_variance_between(std::span<const double> given) {
    std::array<double, few_rows> number;
    const size_t n = given.size();
    double total = 0;
    for (size_t i = 0; i < n; ++i) {
        size_t at = i;
        for (; at > 0 && number[at - 1] > given[i]; --at) number[at] = number[at - 1];
        number[at] = given[i];
        total += given[i];
    }
    const auto weight = static_cast<double>(n);
    double most = 0, left = 0, left_weight = 0;
    for (size_t i = 0; i + 1 < n; ++i) {
        left += number[i];
        left_weight += 1;
        const double difference = left * weight - left_weight * total;
        most = std::max(most, difference * difference / (left_weight * (weight - left_weight)));
    }
    return most / (weight * weight);
}

/// The largest decrease of the Gini index by two groups of rows, of which so many are of each class; it is convex in the rows of
/// each class that go left, and so largest where classes stay whole. Classes of one row are alike, so that only their number on
/// the left counts.
inline double most_gini_between(std::span<const double> count, double weight) {
    std::array<double, few_rows / 2> larger;  // classes of more than one row
    size_t n_larger = 0;
    double ones = 0, squares = 0;
    for (const double n : count) {
        if (n > 1) larger[n_larger++] = n;
        else ones += n;
        squares += n * n;
    }
    double most = 0;
    for (size_t gone = 0; gone < size_t{1} << n_larger; ++gone) {
        double left = 0, left_squares = 0;
        for (size_t k = 0; k < n_larger; ++k)
            if (gone >> k & 1) {
                left += larger[k];
                left_squares += larger[k] * larger[k];
            }
        for (double more = 0; more <= ones; ++more, ++left, ++left_squares)
            if (left > 0 && left < weight)
                most = std::max(most, left_squares / left + (squares - left_squares) / (weight - left));
    }
    return (most - squares / weight) / weight;
}

}  // namespace treewright
