// A node as a leaf.
#pragma once
#include "base/statistics.hpp"

namespace treewright {

/// What a node holds, predicts and costs.
struct Description {
    size_t count = 0;
    double weight = 0, impurity = 0, risk = 0;
    bool pure = true;
    std::vector<double> value;  // class weights, or the predicted number; of several targets those of each side by side
    double centre = 0;          // regression: the mean, taken off the target in searches

    /// As a node without rows; memory is kept.
    void clear() {
        count = 0;
        weight = impurity = risk = centre = 0;
        pure = true;
        value.clear();
    }
};

/// Describe a node by each of its targets: describe_one(target, description). It predicts something for each, and is judged by
/// the mean over them.
template <class DescribeOne>
void describe_each(size_t outputs, DescribeOne&& describe_one, Description& node) {
    const auto n = static_cast<double>(outputs);
    node.pure = true;
    node.impurity = node.risk = 0;
    node.value.assign(outputs, 0.0);
    for (size_t o = 0; o < outputs; ++o) {
        Description one;
        describe_one(o, one);
        node.count = one.count;
        node.weight = one.weight;
        node.pure = node.pure && one.pure;
        node.impurity += one.impurity / n;
        node.risk += one.risk / n;
        if (!one.value.empty()) node.value[o] = one.value[0];
    }
}

/// The class weights of one target among those of all.
inline void take_output(const Totals& all, size_t output, size_t n_classes, Totals& one) {
    const auto at = all.sums.begin() + static_cast<std::ptrdiff_t>(output * n_classes);
    one.weight = all.weight;
    one.count = all.count;
    one.sums.assign(at, at + static_cast<std::ptrdiff_t>(n_classes));
}

}  // namespace treewright
