// The score of two numbers a side: weight and sum. Two classes by Gini and squared error grow with w_l·w_r·(mean_l − mean_r)².
#pragma once
#include "criteria/criterion.hpp"

namespace treewright {

/// A group of consecutive rows: its weight, what it adds to the sum of the left side, and what those of its rows add that add
/// a positive amount.
struct PairSum {
    double weight = 0, amount = 0, rise = 0;

    void add(const PairSum& next) {
        weight += next.weight;
        amount += next.amount;
    }
};

/// Scorers that need no more of the left side than its weight and its sum.
template <class S>
concept OfPairs = requires(const S at, const PairSum& group, double enough) {
    { at.reaches(group, enough) } -> std::same_as<bool>;
};

/// `two_classes`: the amount of a row is its weight if it is of the second class, else 0; or else its weight times its target.
template <bool unit, bool two_classes>
struct MeanDifferenceScorer {
    static constexpr bool uses_rise = !two_classes;  // in reaches()
    const LocalRows& rows;
    double weight, total, left_weight = 0, left = 0;
    double factor;

    MeanDifferenceScorer(const LocalRows& rows_, const Totals& node, Scratch&)
        : rows(rows_),
          weight(node.weight),
          total(two_classes ? node.sums[1] : node.sums[0]),
          factor((two_classes ? 2.0 : 1.0) / (node.weight * node.weight)) {}

    /// What a row adds to the left side.
    static PairSum pair_of(const LocalRows& rows, size_t row) {
        const double w = unit ? 1.0 : rows.weight[row];
        if constexpr (two_classes) return {w, unit ? static_cast<double>(rows.bit[row]) : rows.bit[row] * w, 0};
        else return {w, unit ? rows.target[row] : rows.target[row] * w, 0};
    }
    void add(size_t row) { add(pair_of(rows, row)); }
    void add(const PairSum& group) {
        left_weight += group.weight;
        left += group.amount;
    }
    double score() const {
        const double difference = left * weight - left_weight * total;
        return difference * difference / (left_weight * (weight - left_weight));
    }
    /// score() > least, without a division.
    bool beats(double least) const {
        const double difference = left * weight - left_weight * total;
        return difference * difference > least * (left_weight * (weight - left_weight));
    }
    /// Start from a left side whose totals are known.
    void jump(const Totals& to) {
        left_weight = to.weight;
        left = two_classes ? to.sums[1] : to.sums[0];
    }
    void jump(const PairSum& to) {
        left_weight = to.weight;
        left = to.amount;
    }
    /// Whether a cut inside the group that comes next may score as much. The score is a convex function of weight and sum on the
    /// left, so that it is largest at a corner of the box of what a part of the group may add to them. Where a side is empty,
    /// only sums of one sign bound it.
    bool reaches(const PairSum& group, double enough) const {
        const auto corner = [&](double more_weight, double more) {
            const double w = left_weight + more_weight, room = w * (weight - w);
            const double difference = (left + more) * weight - w * total;
            return difference * difference >= enough * room && (room > 0 || difference != 0);
        };
        if (!(enough > 0)) return true;  // no score is negative
        if (corner(0, 0) || corner(group.weight, group.amount)) return true;
        if constexpr (two_classes) {  // the rows of one class come first
            return corner(group.weight - group.amount, 0) || corner(group.amount, group.amount);
        } else {
            const double fall = group.amount - group.rise;
            return corner(0, fall) || corner(0, group.rise) || corner(group.weight, fall) || corner(group.weight, group.rise);
        }
    }
    double merit(double score) const { return score * factor; }
    double score_step(double merit_step) const { return merit_step * (weight * weight) / (two_classes ? 2 : 1); }
    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return weight - left_weight; }
    double left_mean() const { return left / left_weight; }
    double right_mean() const { return (total - left) / (weight - left_weight); }
};

}  // namespace treewright
