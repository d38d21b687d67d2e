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

/// Rows that all weigh one, given in the order in which they go left: O(1) a row. Taken out of the sorted targets one by one,
/// from either end, they leave what stands on the right and on the left of every cut; the median moves by one place at most.
struct UnitAbsoluteErrorScorer {
    const LocalRows& rows;
    Scratch& scratch;
    double weight;
    size_t n = 0, left = 0;

    UnitAbsoluteErrorScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch_)
        : rows(rows_), scratch(scratch_), weight(node.weight) {
        scratch.whole.clear();
    }
    void start(size_t row) { scratch.whole.push_back(rows.target_rank[row]); }
    void started() {
        n = scratch.whole.size();
        scratch.left.assign(n + 1, 0.0);  // what both sides of a cut deviate together
        if (rows.levels) {
            scratch.left_term.resize(n + 1);  // medians, under monotone constraints
            scratch.right_term.resize(n + 1);
        }
        take_out([&](size_t i) { return i; }, [&](size_t taken) { return taken; }, scratch.right_term);
        take_out([&](size_t i) { return n - 1 - i; }, [&](size_t taken) { return n - taken; }, scratch.left_term);
    }
    void add(size_t) { ++left; }
    double score() const { return -scratch.left[left]; }
    double merit(double score) const { return (score + scratch.left[0]) / weight; }
    double score_step(double merit_step) const { return merit_step * weight; }
    double left_weight_now() const { return static_cast<double>(left); }
    double right_weight_now() const { return static_cast<double>(n - left); }
    double left_mean() const { return scratch.left_term[left]; }
    double right_mean() const { return scratch.right_term[left]; }

private:
    /// Take rows out in the order of which(i), and add what the others deviate to the cut that cut(taken) names.
    template <class Which, class Cut>
    void take_out(Which&& which, Cut&& cut, std::vector<double>& medians) {
        const double* sorted = rows.sorted_target;
        link();
        std::vector<RankLink>& link = scratch.links;
        size_t count = n, below = (n - 1) / 2;  // of the median, which of two is the lower
        int32_t middle = link[0].next;          // link r + 1 is that of rank r, link 0 the ends'
        for (size_t i = 0; i < below; ++i) middle = link[static_cast<size_t>(middle)].next;
        const auto at = [&](int32_t place) { return sorted[place - 1]; };
        double sum_below = 0, sum_above = 0;
        for (int32_t r = link[0].next; r != 0; r = link[static_cast<size_t>(r)].next) {
            if (r < middle) sum_below += at(r);
            else if (r > middle) sum_above += at(r);
        }
        for (size_t taken = 0;; ++taken) {
            const double median = at(middle);
            scratch.left[cut(taken)] +=
                (median * static_cast<double>(below) - sum_below) + (sum_above - median * static_cast<double>(count - 1 - below));
            if (rows.levels)
                medians[cut(taken)] = count % 2 ? median : median / 2 + at(link[static_cast<size_t>(middle)].next) / 2;
            if (count == 1) return;
            const int32_t out = scratch.whole[which(taken)] + 1;
            const RankLink beside = link[static_cast<size_t>(out)];
            link[static_cast<size_t>(beside.before)].next = beside.next;
            link[static_cast<size_t>(beside.next)].before = beside.before;
            const size_t wanted = (--count - 1) / 2;
            if (out == middle) {
                middle = wanted == below ? beside.next : beside.before;
                (wanted == below ? sum_above : sum_below) -= at(middle);
            } else if (out < middle) {
                sum_below -= at(out);
                if (below - 1 < wanted) {
                    sum_below += median;
                    middle = link[static_cast<size_t>(middle)].next;
                    sum_above -= at(middle);
                }
            } else {
                sum_above -= at(out);
                if (below > wanted) {
                    sum_above += median;
                    middle = link[static_cast<size_t>(middle)].before;
                    sum_below -= at(middle);
                }
            }
            below = wanted;
        }
    }
    /// Every row that takes part to those next to it in the order of targets.
    void link() {
        std::vector<RankLink>& link = scratch.links;
        const auto ends = static_cast<int32_t>(rows.n_targets) + 1;
        link.resize(static_cast<size_t>(ends));
        if (n == rows.n_targets) {
            for (int32_t r = 0; r < ends; ++r) link[static_cast<size_t>(r)] = {r - 1, r + 1 == ends ? 0 : r + 1};
            link[0].before = ends - 1;
            return;
        }
        for (RankLink& one : link) one.before = -1;
        for (int32_t rank : scratch.whole) link[static_cast<size_t>(rank) + 1].before = 0;
        int32_t last = 0;
        for (int32_t r = 1; r < ends; ++r) {
            if (link[static_cast<size_t>(r)].before < 0) continue;
            link[static_cast<size_t>(r)].before = last;
            link[static_cast<size_t>(last)].next = r;
            last = r;
        }
        link[static_cast<size_t>(last)].next = 0;
        link[0].before = last;
    }
};

/// Mean absolute deviation from the weighted median.
struct AbsoluteError : NumberCriterion {
    static constexpr Traits traits{.name = "absolute_error", .classification = false, .by_rows = true};
    using TurnScorer = AbsoluteErrorScorer;
    template <class Use>
    static decltype(auto) with_scorer(int, bool unit, Use&& use) {
        return unit ? use.template operator()<UnitAbsoluteErrorScorer>() : use.template operator()<AbsoluteErrorScorer>();
    }

    static void describe(const NumberRows& rows, Description& node) {
        const NumberRange range = describe_mean(rows, node);
        const size_t n = rows.size();
        const double median = node.pure             ? range.low
                              : rows.weight.empty() ? median_of(rows.target)
                                                    : weighted_median(rows, node.weight);
        set_deviation(orderless_sum(n, range.reach(median),
                                    [&](size_t i) { return rows.weight_of(i) * std::fabs(rows.target[i] - median); }),
                      node);
        node.value.assign(1, median);
    }
    static double cost(const Description& leaf) { return leaf.risk; }
    static double spread(double impurity, double) { return impurity; }
    static double median_of(std::span<const double> target) {
        std::vector<double> values(target.begin(), target.end());
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
        std::nth_element(values.begin(), middle, values.end());
        return values.size() % 2 ? *middle : *middle / 2 + *std::min_element(middle + 1, values.end()) / 2;
    }
    /// Between two numbers where half the weight lies on either side.
    static double weighted_median(const NumberRows& rows, double weight) {
        const size_t n = rows.size();
        std::vector<std::pair<double, double>> sorted(n);
        for (size_t i = 0; i < n; ++i) sorted[i] = {rows.target[i], rows.weight[i]};
        std::sort(sorted.begin(), sorted.end());
        double below = 0;
        for (size_t i = 0; i < n; ++i) {
            below += sorted[i].second;
            if (below < weight * (0.5 - rounding_share)) continue;
            const bool half = below <= weight * (0.5 + rounding_share) && i + 1 < n;
            return half ? sorted[i].first / 2 + sorted[i + 1].first / 2 : sorted[i].first;
        }
        return sorted[n - 1].first;
    }
    /// Errors of Laplace's about the median.
    static double saved_bits(double n, double merit, double impurity) { return -n * log2(std::max(1 - merit / impurity, 1e-12)); }
};
static_assert(Criterion<AbsoluteError> && Scorer<AbsoluteErrorScorer> && Scorer<UnitAbsoluteErrorScorer>);

}  // namespace treewright
