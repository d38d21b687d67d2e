// What the linear equation of a node says of a row: the constant, then term by term, then held to the range of the training
// target.
//
// A term is a coefficient times a number (code −1), or an amount that counts if the feature has one category or position (code ≥
// 0). A value that is missing, or a category that training has not seen, counts as the feature's fill.
#pragma once
#include <algorithm>
#include <span>

#include "predict/router.hpp"

namespace treewright {

struct EquationView {
    std::span<const double> constant;  // of each node
    std::span<const int64_t> begin;    // nodes + 1: where the terms of each node begin
    std::span<const int32_t> feature, code;
    std::span<const double> coefficient;
    std::span<const double> fill;           // of each feature; a position or code of those that have categories
    std::span<const int32_t> n_categories;  // of each feature stored as codes, 0 for others
    double lowest, highest;

    double operator()(size_t node, const RowValues& values, int64_t row) const {
        double sum = constant[node];
        for (auto term = static_cast<size_t>(begin[node]); term < static_cast<size_t>(begin[node + 1]); ++term) {
            const double value = value_of(static_cast<size_t>(feature[term]), values, row);
            if (code[term] < 0) sum += coefficient[term] * value;
            else if (value == code[term]) sum += coefficient[term];
        }
        return sum < lowest ? lowest : sum > highest ? highest : sum;
    }

private:
    double value_of(size_t of, const RowValues& values, int64_t row) const {
        const int64_t at = values.position[of];
        if (n_categories[of] > 0) {
            const int32_t found = values.codes(row, at);
            return found < 0 ? fill[of] : found;
        }
        const double found = values.numbers(row, at);
        return found != found ? fill[of] : found;
    }
};

}  // namespace treewright
