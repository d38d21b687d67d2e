// The regression criteria. Totals hold one sum: of the target less the node's mean (squared error), or of the target itself.
#pragma once
#include "../criteria.hpp"

namespace treewright {

struct NumberCriterion {
    static constexpr bool classification = false;
    static constexpr bool asked = false;
    static double tolerance(const Totals&, double impurity) { return tie_tolerance * impurity; }
};

/// Variance of the target (Breiman et al., 1984, ch. 8). The target is centred at the node, so that sums keep their digits.
struct SquaredError : NumberCriterion {
    static constexpr std::string_view name = "squared_error";
    static constexpr bool concave = true;
    static constexpr bool centred = true;
    template <bool unit>
    using Scorer = MeanDifferenceScorer<unit, false>;

    static double merit(const Totals& node, Branches branches) {
        double sum = -node.sums[0] * node.sums[0] / node.weight;
        for (const Totals* branch : branches)
            if (branch->weight > 0) sum += branch->sums[0] * branch->sums[0] / branch->weight;
        return sum / node.weight;
    }
};

/// Half the Poisson deviance: the decrease of −(Σy)·log(mean) (Breiman et al., 1984; Therneau & Atkinson, 1997).
struct Poisson : NumberCriterion {
    static constexpr std::string_view name = "poisson";
    static constexpr bool concave = true;
    static constexpr bool centred = false;

    /// A branch without any event would predict a rate of zero: no such branch is allowed.
    static double term(double sum, double weight) { return sum > 0 && weight > 0 ? sum * log(sum / weight) : -infinity; }
    static double merit(const Totals& node, Branches branches) {
        double sum = 0;
        for (const Totals* branch : branches)
            if (branch->weight > 0) sum += term(branch->sums[0], branch->weight);
        return (sum - term(node.sums[0], node.weight)) / node.weight;
    }
    template <bool unit>
    struct Scorer {
        const LocalRows& rows;
        double weight, total, base, left_weight = 0, left = 0;

        Scorer(const LocalRows& rows_, const Totals& node, Scratch&)
            : rows(rows_), weight(node.weight), total(node.sums[0]), base(term(node.sums[0], node.weight)) {}
        void add(size_t row) {
            const double w = unit ? 1.0 : rows.weight[row];
            left_weight += w;
            left += w * rows.target[row];
        }
        void jump(const Totals& to) {
            left_weight = to.weight;
            left = to.sums[0];
        }
        double score() const {
            const double right = remainder(total, left);
            return term(left, left_weight) + term(right, weight - left_weight);
        }
        double merit(double score) const { return (score - base) / weight; }
        double tolerance(double impurity) const { return tie_tolerance * impurity * weight + 4e-15 * std::fabs(base); }
        double left_weight_now() const { return left_weight; }
        double right_weight_now() const { return weight - left_weight; }
        double left_mean() const { return left / left_weight; }
        double right_mean() const { return (total - left) / (weight - left_weight); }
    };
};

/// Sums of weights and targets by rank of the target: insert, remove and weighted median in O(log n) (Fenwick, 1994).
class MedianTree {
public:
    MedianTree(std::vector<double>& weights, std::vector<double>& sums, size_t n)
        : n_(n), top_(std::bit_floor(std::max<size_t>(n, 1))), weights_(weights), sums_(sums) {
        weights_.assign(n + 1, 0.0);
        sums_.assign(n + 1, 0.0);
    }
    void add(size_t rank, double weight, double value) {
        total_weight_ += weight;
        total_sum_ += weight * value;
        for (size_t i = rank + 1; i <= n_; i += i & (0 - i)) {
            weights_[i] += weight;
            sums_[i] += weight * value;
        }
    }
    /// The weighted median of what is in the tree; between two numbers where half the weight lies on either side.
    double median(const double* sorted) const {
        const double half = total_weight_ / 2;
        size_t low = 0, high = 0;
        double below = 0, upto = 0;
        for (size_t step = top_; step; step /= 2) {
            if (low + step <= n_ && below + weights_[low + step] < half) below += weights_[low += step];
            if (high + step <= n_ && upto + weights_[high + step] <= half) upto += weights_[high += step];
        }
        low = std::min(low, n_ - 1);
        high = std::min(high, n_ - 1);
        return low == high ? sorted[low] : sorted[low] / 2 + sorted[high] / 2;
    }
    /// Σ w·|y − median| of what is in the tree.
    double absolute_deviation(const double* sorted) const {
        if (total_weight_ <= 0) return 0;
        size_t at = 0;
        double below = 0, below_sum = 0;
        const double half = total_weight_ / 2;
        for (size_t step = top_; step; step /= 2)
            if (at + step <= n_ && below + weights_[at + step] < half) {
                at += step;
                below += weights_[at];
                below_sum += sums_[at];
            }
        const double median = sorted[std::min(at, n_ - 1)];
        return (total_sum_ - below_sum) - median * (total_weight_ - below) + (median * below - below_sum);
    }

private:
    size_t n_, top_;
    std::vector<double>&weights_, &sums_;
    double total_weight_ = 0, total_sum_ = 0;
};

/// Mean absolute deviation from the weighted median, O(log n) a row.
struct AbsoluteError : NumberCriterion {
    static constexpr std::string_view name = "absolute_error";
    static constexpr bool concave = false;  // concave, but a histogram of sums cannot bound it
    static constexpr bool centred = false;

    /// Not a function of sums: subset and multiway splits are scored by Scorer over ordered rows instead.
    static double merit(const Totals&, Branches) { return -infinity; }

    template <bool unit>
    struct Scorer {
        const LocalRows& rows;
        double weight, left_weight = 0, base;
        MedianTree left, right;

        Scorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
            : rows(rows_),
              weight(node.weight),
              left(scratch.fenwick_weight[0], scratch.fenwick_sum[0], rows_.n_targets),
              right(scratch.fenwick_weight[1], scratch.fenwick_sum[1], rows_.n_targets) {}
        /// Rows must first be put on the right, one by one.
        void start(size_t row) { right.add(rank(row), rows.weight_of(row), rows.target[row]); }
        void started() { base = right.absolute_deviation(rows.sorted_target); }
        void add(size_t row) {
            const double w = rows.weight_of(row);
            left.add(rank(row), w, rows.target[row]);
            right.add(rank(row), -w, rows.target[row]);
            left_weight += w;
        }
        double score() const {
            return -left.absolute_deviation(rows.sorted_target) - right.absolute_deviation(rows.sorted_target);
        }
        double merit(double score) const { return (score + base) / weight; }
        double tolerance(double impurity) const { return tie_tolerance * impurity * weight; }
        double left_weight_now() const { return left_weight; }
        double right_weight_now() const { return weight - left_weight; }
        double left_mean() const { return left.median(rows.sorted_target); }
        double right_mean() const { return right.median(rows.sorted_target); }

    private:
        size_t rank(size_t row) const { return static_cast<size_t>(rows.target_rank[row]); }
    };
};

static_assert(Criterion<SquaredError> && Criterion<Poisson> && Criterion<AbsoluteError>);

}  // namespace treewright
