// Absolute error.
#pragma once
#include <bit>

#include "criteria/numbers.hpp"

namespace treewright {

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
        const double least = total_weight_ * (0.5 - rounding_share), most = total_weight_ * (0.5 + rounding_share);
        size_t low = 0, high = 0;
        double below = 0, upto = 0;
        for (size_t step = top_; step; step /= 2) {
            if (low + step <= n_ && below + weights_[low + step] < least) below += weights_[low += step];
            if (high + step <= n_ && upto + weights_[high + step] <= most) upto += weights_[high += step];
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

/// O(log n) a row. Rows must first be put on the right, one by one.
struct AbsoluteErrorScorer {
    const LocalRows& rows;
    double weight, left_weight = 0, base = 0;
    MedianTree left, right;

    AbsoluteErrorScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : rows(rows_),
          weight(node.weight),
          left(scratch.fenwick_weight[0], scratch.fenwick_sum[0], rows_.n_targets),
          right(scratch.fenwick_weight[1], scratch.fenwick_sum[1], rows_.n_targets) {}

    void start(size_t row) { right.add(rank(row), rows.weight_of(row), rows.target[row]); }
    void started() { base = right.absolute_deviation(rows.sorted_target); }
    void add(size_t row) {
        const double w = rows.weight_of(row);
        left.add(rank(row), w, rows.target[row]);
        right.add(rank(row), -w, rows.target[row]);
        left_weight += w;
    }
    double score() const { return -left.absolute_deviation(rows.sorted_target) - right.absolute_deviation(rows.sorted_target); }
    double merit(double score) const { return (score + base) / weight; }
    double score_step(double merit_step) const { return merit_step * weight; }
    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return weight - left_weight; }
    double left_mean() const { return left.median(rows.sorted_target); }
    double right_mean() const { return right.median(rows.sorted_target); }

private:
    size_t rank(size_t row) const { return static_cast<size_t>(rows.target_rank[row]); }
};

/// Mean absolute deviation from the weighted median.
struct AbsoluteError : NumberCriterion {
    static constexpr Traits traits{.name = "absolute_error", .classification = false, .by_rows = true};
    using TurnScorer = AbsoluteErrorScorer;
    template <class Use>
    static decltype(auto) with_scorer(int, bool, Use&& use) {
        return use.template operator()<AbsoluteErrorScorer>();
    }

    static void describe(const NumberRows& rows, Description& node) {
        describe_mean(rows, node);
        const size_t n = rows.size();
        std::vector<std::pair<double, double>> sorted(n);
        for (size_t i = 0; i < n; ++i) sorted[i] = {rows.target[i], rows.weight_of(i)};
        std::sort(sorted.begin(), sorted.end());
        double below = 0, median = sorted[n - 1].first, deviation = 0;
        for (size_t i = 0; i < n; ++i) {
            below += sorted[i].second;
            if (below >= node.weight * (0.5 - rounding_share)) {
                median = sorted[i].first;
                if (below <= node.weight * (0.5 + rounding_share) && i + 1 < n) median = median / 2 + sorted[i + 1].first / 2;
                break;
            }
        }
        for (size_t i = 0; i < n; ++i) deviation += rows.weight_of(i) * std::fabs(rows.target[i] - median);
        set_deviation(deviation, node);
        node.value.assign(1, median);
    }
    static double cost(const Description& leaf) { return leaf.risk; }
    static double spread(double impurity, double) { return impurity; }
    /// Errors of Laplace's about the median.
    static double saved_bits(double n, double merit, double impurity) { return -n * log2(std::max(1 - merit / impurity, 1e-12)); }
};
static_assert(Criterion<AbsoluteError> && Scorer<AbsoluteErrorScorer>);

}  // namespace treewright
