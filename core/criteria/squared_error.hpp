// Squared error: the variance of the target.
#pragma once
#include "criteria/few_rows.hpp"
#include "criteria/mean_difference.hpp"
#include "criteria/numbers.hpp"

namespace treewright {

template <bool unit>
using SquaredErrorScorer = MeanDifferenceScorer<unit, false>;

/// Breiman et al., 1984, ch. 8.
struct SquaredError : PairCriterion<SquaredErrorScorer> {
    static constexpr Traits traits{.name = "squared_error", .classification = false, .bounded = true};

    static void describe(const NumberRows& rows, Description& node) { describe_rows(rows, node); }
    /// The same of rows that stand elsewhere.
    template <class Rows>
    static void describe_rows(const Rows& rows, Description& node) {
        const NumberRange range = describe_mean(rows, node);
        if (node.pure) return set_deviation(0, node);
        const double mean = node.centre, most = std::max(range.high - mean, mean - range.low);
        double deviation = rows.template sum<2>(range.reach(mean) * most, mean);
        // what the rounding of the mean adds; of rows that weigh one it is less than the last bit but for narrow ranges
        const double units = std::fabs(mean) / (range.high - range.low);
        if (rows.weighted() || units * units * static_cast<double>(rows.size()) > 1e12) {
            const double correction = rows.template sum<1>(range.reach(mean), mean);
            deviation -= correction * correction / node.weight;
        }
        set_deviation(deviation, node);
    }
    /// The total deviation of a leaf.
    static double cost(const Description& leaf) { return leaf.risk; }
    static double merit(const Totals& node, Branches branches, double) {
        double sum = -node.sums[0] * node.sums[0] / node.weight;
        for (const Totals* branch : branches)
            if (branch->weight > 0) sum += branch->sums[0] * branch->sums[0] / branch->weight;
        return sum / node.weight;
    }
    static double most_of_few_numbers(std::span<const double> target) { return most_variance_between(target); }
    /// What a split saves in telling n targets, in bits: normal errors about the mean.
    static double saved_bits(double n, double merit, double impurity) {
        return -n * log2(std::max(1 - merit / impurity, 1e-12)) / 2;
    }

    /// What a row saves that is a branch of its own, per unit of its weight; y is its target less the mean.
    static double apart(double y, double) { return y * y; }
    /// No cut inside a group of rows has more merit than this. `rows_apart` is what the rows of the group save each by itself.
    static double most_inside(const Totals& node, const Totals& left, const Totals& group, double rows_apart, double) {
        const double w = node.weight, after = left.weight + group.weight, right = w - after;
        const double right_sum = node.sums[0] - left.sums[0] - group.sums[0];
        // sides save no more than their parts do: the others, and the rows of the group each by itself
        const auto saving = [&](double sum, double weight) { return weight > 1e-12 * w ? sum * sum / weight : 0.0; };
        double most = saving(left.sums[0], left.weight) + saving(right_sum, right) + rows_apart - saving(node.sums[0], w);
        // and a part of the group strays from its mean by no more than Cauchy and Schwarz allow
        const double within = std::max(0.0, rows_apart - group.sums[0] * group.sums[0] / group.weight);
        const auto offset = [&](double sum, double weight) { return std::fabs(sum - weight * (node.sums[0] / w)); };
        const double reach = std::max(offset(left.sums[0], left.weight), offset(left.sums[0] + group.sums[0], after)) +
                             std::sqrt(group.weight * within) / 2;
        const double room = std::min(left.weight * (w - left.weight), after * right);
        if (room > 0) most = std::min(most, reach * reach / room * w);
        return most / w;
    }
};
static_assert(Criterion<SquaredError> && Scorer<MeanDifferenceScorer<true, false>>);

}  // namespace treewright
