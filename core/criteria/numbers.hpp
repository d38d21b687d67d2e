// What regression criteria say of a set of rows as a leaf.
#pragma once
#include "criteria/criterion.hpp"
#include "base/description.hpp"
#include "base/logarithm.hpp"

namespace treewright {

/// The targets of a node in row order, so that every engine adds them in the same order.
struct NumberRows {
    std::span<const double> target, weight;  // no weights = every row weighs one

    size_t size() const { return target.size(); }
    double weight_of(size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
};

/// Weight and mean, and whether all targets are the same.
inline void describe_mean(const NumberRows& rows, Description& node) {
    double weight = 0, sum = 0, low = rows.target[0], high = low;
    for (size_t i = 0; i < rows.size(); ++i) {
        weight += rows.weight_of(i);
        sum += rows.weight_of(i) * rows.target[i];
        low = std::min(low, rows.target[i]);
        high = std::max(high, rows.target[i]);
    }
    node.weight = weight;
    node.pure = low == high;
    node.centre = node.pure ? low : sum / weight;
    node.value.assign(1, node.centre);
}

/// The total deviation from what the leaf predicts.
inline void set_deviation(double deviation, Description& node) {
    node.risk = node.pure ? 0.0 : std::max(deviation, 0.0);
    node.impurity = node.risk / node.weight;
}

/// Describe a node of a regression tree from its targets.
template <class C>
void describe_numbers(std::span<const double> target, std::span<const double> weight, Description& node) {
    node.count = target.size();
    node.weight = 0;
    if (!target.empty()) C::describe({target, weight}, node);
}

}  // namespace treewright
