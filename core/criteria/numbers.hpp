// What regression criteria say of a set of rows as a leaf.
#pragma once
#include "criteria/criterion.hpp"
#include "base/description.hpp"
#include "base/logarithm.hpp"
#include "base/orderless_sum.hpp"

namespace treewright {

/// Every row weighs one.
struct UnitWeights {
    constexpr double operator[](size_t) const { return 1.0; }
};

/// What bounds the terms of sums over a node.
struct NumberRange {
    double low, high, heaviest;  // targets, and weight

    /// The largest weight · |target − centre|, as it is rounded.
    double reach(double centre) const { return heaviest * std::max(high - centre, centre - low); }
};

/// What a row adds to a sum: weight · (target − centre)^power.
template <int power>
double moment(double weight, double target, double centre) {
    if constexpr (power == 0) return weight;
    else if constexpr (power == 1) return weight * (target - centre);
    else return weight * (target - centre) * (target - centre);
}

/// The targets of a node. What is made of them is a sum in no order (base/orderless_sum.hpp), the same whoever adds it up; rows
/// that stand elsewhere (partitions/rows_elsewhere.hpp) are asked for the same ranges and sums.
struct NumberRows {
    std::span<const double> target, weight;  // no weights = every row weighs one

    size_t size() const { return target.size(); }
    bool weighted() const { return !weight.empty(); }
    double weight_of(size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
    /// Call use(weights), with UnitWeights where there are none.
    template <class Use>
    void with_weights(Use&& use) const {
        if (weight.empty()) use(UnitWeights{});
        else use(weight);
    }
    NumberRange range() const {
        NumberRange range{target[0], target[0], 1};
        for (double y : target) {
            range.low = std::min(range.low, y);
            range.high = std::max(range.high, y);
        }
        if (weighted()) range.heaviest = *std::max_element(weight.begin(), weight.end());
        return range;
    }
    /// The sum of a moment, of which no term is larger than `bound`.
    template <int power>
    double sum(double bound, double centre = 0) const {
        double sum = 0;
        with_weights([&](auto weights) {
            sum = orderless_sum(size(), bound, [&](size_t i) { return moment<power>(weights[i], target[i], centre); });
        });
        return sum;
    }
};

/// Weight and mean, and whether all targets are the same.
template <class Rows>
NumberRange describe_mean(const Rows& rows, Description& node) {
    const NumberRange range = rows.range();
    node.pure = range.low == range.high;
    node.weight = rows.weighted() ? rows.template sum<0>(range.heaviest) : static_cast<double>(rows.size());
    node.centre = node.pure ? range.low : rows.template sum<1>(std::fabs(range.reach(0))) / node.weight;
    node.value.assign(1, node.centre);
    return range;
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
