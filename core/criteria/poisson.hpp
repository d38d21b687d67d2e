// Poisson deviance.
#pragma once
#include <numbers>

#include "criteria/mean_difference.hpp"
#include "criteria/numbers.hpp"

namespace treewright {

template <bool unit>
struct PoissonScorer;

/// Half the Poisson deviance (Breiman et al., 1984; Therneau & Atkinson, 1997). A side of weight w whose targets sum to S saves
/// S·log(S/(w·m)) − S + w·m, where m is the node's mean: written with x = S − w·m, the sum of the centred targets, nothing large
/// cancels.
struct Poisson : NumberCriterion {
    static constexpr Traits traits{.name = "poisson", .classification = false, .bounded = true};
    using PairScorer = PoissonScorer<false>;
    using TurnScorer = PoissonScorer<false>;
    static bool by_pairs(int) { return true; }
    template <class Use>
    static decltype(auto) with_scorer(int, bool unit, Use&& use) {
        return with_unit<PoissonScorer>(unit, use);
    }

    static void describe(const NumberRows& rows, Description& node) {
        describe_mean(rows, node);
        double deviation = 0, correction = 0;
        for (size_t i = 0; i < rows.size(); ++i) {
            if (rows.target[i] > 0) deviation += rows.weight_of(i) * rows.target[i] * log(rows.target[i] / node.centre);
            correction += rows.weight_of(i) * (rows.target[i] - node.centre);
        }
        set_deviation(deviation - correction, node);
    }
    /// A leaf without any event would predict a rate of zero: no such leaf is allowed.
    static double cost(const Description& leaf) { return leaf.value[0] > 0 ? leaf.risk : infinity; }

    /// What a side saves against the mean of the rows that take part. Events are a sum of centred targets and what was taken off,
    /// the mean of the node: below a billionth of that they are its rounding.
    static double saving(double weight, double centred_sum, double mean, double node_mean) {
        const double expected = weight * mean, events = expected + centred_sum;
        return events > 1e-9 * weight * node_mean ? events * log1p(centred_sum / expected) - centred_sum : -infinity;
    }
    static double merit(const Totals& node, Branches branches, double centre) {
        const double shift = node.sums[0] / node.weight;  // where some of the node's rows take no part
        double sum = 0;
        for (const Totals* branch : branches)
            if (branch->weight > 0)
                sum += saving(branch->weight, branch->sums[0] - branch->weight * shift, centre + shift, centre);
        return sum / node.weight;
    }
    static double spread(double, double mean) { return mean; }
    static double saved_bits(double n, double merit, double) { return n * merit / std::numbers::ln2; }

    /// The same for bounds, where a part of the rows may be without events, or of no weight.
    static double largest_saving(double weight, double centred_sum, double mean) {
        const double expected = weight * mean;
        if (!(expected > 0)) return centred_sum > 0 ? infinity : 0.0;
        const double events = expected + centred_sum;
        return events > 0 ? events * log1p(centred_sum / expected) - centred_sum : expected;
    }
    /// What a row saves that is a branch of its own, per unit of its weight; y is its target less the mean.
    static double apart(double y, double mean) { return largest_saving(1, y, mean); }
    /// No cut inside a group of rows has more merit than this: sides save no more than their parts do, the others and the rows of
    /// the group each by itself. `rows_apart` is what these save.
    static double most_inside(const Totals& node, const Totals& left, const Totals& group, double rows_apart, double centre) {
        const double w = node.weight, right = w - left.weight - group.weight;
        const auto saving = [&](double weight, double sum) {
            return weight > 1e-12 * w ? largest_saving(weight, sum, centre) : 0.0;
        };
        return (saving(left.weight, left.sums[0]) + saving(right, node.sums[0] - left.sums[0] - group.sums[0]) + rows_apart -
                saving(w, node.sums[0])) /
               w;
    }
};

template <bool unit>
struct PoissonScorer {
    static constexpr bool uses_rise = true;
    const LocalRows& rows;
    double weight, shift, mean, left_weight = 0, left = 0;

    PoissonScorer(const LocalRows& rows_, const Totals& node, Scratch&)
        : rows(rows_), weight(node.weight), shift(node.sums[0] / node.weight), mean(rows_.centre + shift) {}

    static PairSum pair_of(const LocalRows& rows, size_t row) {
        const double w = unit ? 1.0 : rows.weight[row];
        return {w, unit ? rows.target[row] : w * rows.target[row], 0};
    }
    void add(size_t row) { add(pair_of(rows, row)); }
    void add(const PairSum& group) {
        left_weight += group.weight;
        left += group.amount;
    }
    void jump(const Totals& to) {
        left_weight = to.weight;
        left = to.sums[0];
    }
    void jump(const PairSum& to) {
        left_weight = to.weight;
        left = to.amount;
    }
    double score() const {
        const double sum = left - left_weight * shift;
        return Poisson::saving(left_weight, sum, mean, rows.centre) +
               Poisson::saving(weight - left_weight, -sum, mean, rows.centre);
    }
    /// score() > least, mostly without a logarithm: of expected events e, x more save at most x²/2e, x fewer at most
    /// x²·(1 + x/e)/2e.
    bool beats(double least) const {
        const double sum = left - left_weight * shift, x = std::fabs(sum);
        const double on_left = left_weight * mean, on_right = (weight - left_weight) * mean;
        const double more = sum > 0 ? on_left : on_right, fewer = sum > 0 ? on_right : on_left;
        if (x * x * (1 / more + (1 + x / fewer) / fewer) * (1 + 1e-9) < 2 * least) return false;
        return score() > least;
    }
    /// Whether a cut inside the group that comes next may score as much. The saving is a convex function of weight and events on
    /// the left. What a part of the group adds lies in a hexagon, as no target is below 0: its sum falls by no more than the
    /// mean of its weight, and that of the rest of the group neither.
    bool reaches(const PairSum& group, double enough) const {
        const double fall = group.amount - group.rise, least = -fall / rows.centre;
        const auto corner = [&](double more_weight, double more) {
            const double w = left_weight + more_weight, sum = left + more - w * shift;
            return Poisson::largest_saving(w, sum, mean) + Poisson::largest_saving(weight - w, -sum, mean) >= enough;
        };
        return corner(0, 0) || corner(least, fall) || corner(group.weight, fall) || corner(0, group.rise) ||
               corner(group.weight - least, group.rise) || corner(group.weight, group.amount);
    }
    double merit(double score) const { return score / weight; }
    double score_step(double merit_step) const { return merit_step * weight; }
    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return weight - left_weight; }
    double left_mean() const { return left / left_weight; }
    double right_mean() const { return (shift * weight - left) / (weight - left_weight); }
};
static_assert(Criterion<Poisson> && Scorer<PoissonScorer<true>>);

}  // namespace treewright
