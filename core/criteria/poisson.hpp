// Poisson deviance.
#pragma once
#include <numbers>

#include "criteria/mean_difference.hpp"
#include "criteria/numbers.hpp"

namespace treewright {

template <bool unit>
struct PoissonScorer;

/// log(y / mean): most targets are small counts, and the logarithm of each is worked out once.
class LogOfRatios {
public:
    explicit LogOfRatios(double mean) : mean_(mean) {}
    double operator()(double y) {
        const auto count = y < 32 ? static_cast<uint32_t>(y) : 0;
        if (count == 0 || count != y) return log(y / mean_);
        if (!(known_ >> count & 1)) {
            known_ |= uint32_t{1} << count;
            of_[count] = log(y / mean_);
        }
        return of_[count];
    }

private:
    double mean_;
    uint32_t known_ = 0;  // a bit for each count
    double of_[32];
};

/// Half the Poisson deviance (Breiman et al., 1984; Therneau & Atkinson, 1997). A side of weight w whose targets sum to S saves
/// S·log(S/(w·m)) − S + w·m, where m is the node's mean: written with x = S − w·m, the sum of the centred targets, nothing large
/// cancels.
struct Poisson : PairCriterion<PoissonScorer> {
    static constexpr Traits traits{.name = "poisson", .classification = false, .bounded = true};

    static void describe(const NumberRows& rows, Description& node) {
        const NumberRange range = describe_mean(rows, node);
        if (node.pure) return set_deviation(0, node);
        const double mean = node.centre;
        // x·log(x/m) lies between -m/e and its value at the largest x
        const double most = range.heaviest * range.high * (1 + log(range.high / mean));
        LogOfRatios log_of(mean);
        rows.with_weights([&](auto weight) {
            const double deviation = orderless_sum(rows.size(), most * (1 + 1e-9), [&](size_t i) {
                return rows.target[i] > 0 ? weight[i] * rows.target[i] * log_of(rows.target[i]) : 0.0;
            });
            const double correction =
                orderless_sum(rows.size(), range.reach(mean), [&](size_t i) { return weight[i] * (rows.target[i] - mean); });
            set_deviation(deviation - correction, node);
        });
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
        return saving_of_both(left_weight, weight - left_weight, left - left_weight * shift, mean, rows.centre);
    }
    /// Whether score() may be more than that, told without a logarithm or a division. Of e expected events, with u = x/e, x more
    /// save at most e·u²·(3 + u)/(6 + 4u), as log(1 + u) ≤ u·(6 + u)/(6 + 4u), and x fewer at most e·(u²/2 + u³/6 + u⁴/3), as the
    /// coefficients of their series, 1/k(k − 1), add up to 1. Hence neither saves more than e·u²: most cuts are refused by that.
    bool may_beat(double least) const {
        const double sum = left - left_weight * shift, right_weight = weight - left_weight;
        if (sum * sum * (weight * (1 + 1e-9)) < least * mean * (left_weight * right_weight)) return false;
        const double x = std::fabs(sum), on_left = left_weight * mean, on_right = right_weight * mean;
        const double e = sum > 0 ? on_left : on_right, f = sum > 0 ? on_right : on_left;  // where there are more, and fewer
        const double more = e * (6 * e + 4 * x), fewer = 6 * f * f * f;
        const double most = x * x * ((3 * e + x) * fewer + (3 * f * f + x * f + 2 * x * x) * more);
        return !(most * (1 + 1e-9) < least * (more * fewer));  // what overflows is looked at
    }
    /// score() > least.
    bool beats(double least) const { return may_beat(least) && score() > least; }
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

private:
    /// It is given numbers alone: a scorer that is not looked at as a whole moves in registers.
    [[gnu::noinline]] static double saving_of_both(double on_left, double on_right, double sum, double mean, double centre) {
        return Poisson::saving(on_left, sum, mean, centre) + Poisson::saving(on_right, -sum, mean, centre);
    }
};
static_assert(Criterion<Poisson> && Scorer<PoissonScorer<true>>);

}  // namespace treewright
