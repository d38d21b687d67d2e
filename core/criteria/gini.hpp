// The Gini index.
#pragma once
#include "criteria/class_scorer.hpp"
#include "criteria/few_rows.hpp"
#include "criteria/mean_difference.hpp"

namespace treewright {

/// The sums of squares of both sides are kept, O(1) a row for any number of classes. What is subtracted from keeps the rounding
/// of what it was: where little is left of the squares on the right, they are added up anew.
struct GiniScorer : ClassScorer<false> {
    double left_squares = 0, right_squares = 0, base, little;

    GiniScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch) : ClassScorer<false>(rows_, node, scratch) {
        sum_right_squares();
        base = right_squares / weight;
    }
    void sum_right_squares() {
        right_squares = 0;
        for (size_t k = 0; k < n_classes; ++k) right_squares += right[k] * right[k];
        little = right_squares / 1024;
    }
    void add(size_t row) {
        const auto k = static_cast<size_t>(rows.label[row]);
        const double w = rows.weight[row];
        left_squares += w * (2 * left[k] + w);
        right_squares -= w * (2 * right[k] - w);
        left[k] += w;
        right[k] -= w;
        left_weight += w;
        right_weight -= w;
        if (right_squares < little) sum_right_squares();
    }
    void jump(const Totals& to) {
        move_to(to);
        left_squares = 0;
        for (size_t k = 0; k < n_classes; ++k) left_squares += left[k] * left[k];
        sum_right_squares();
    }
    double score() const { return left_squares / left_weight + right_squares / right_weight; }
    bool beats(double least) const {
        return left_squares * right_weight + right_squares * left_weight > least * (left_weight * right_weight);
    }
    double merit(double score) const { return (score - base) / weight; }
    double score_step(double merit_step) const { return merit_step * weight; }
};

/// The same of rows that all weigh one, in whole numbers. With l of a class's n rows on the left the squares on the right are
/// Σ(n − l)² = Σn² − 2·Σn·l + Σl²: a row adds its n to the one sum and 2·l + 1 to the other.
struct UnitGiniScorer {
    const LocalRows& rows;
    const double* total;
    int32_t* left;
    size_t n_classes;
    double weight, left_weight = 0, squares = 0, shared = 0, base;  // Σn², Σn·l
    int64_t left_squares = 0;

    UnitGiniScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : rows(rows_), total(node.sums.data()), n_classes(node.sums.size()), weight(node.weight) {
        scratch.whole.assign(n_classes, 0);
        left = scratch.whole.data();
        double sum[4] = {0, 0, 0, 0};  // whole numbers, which may be added in any order
        for (size_t k = 0; k < n_classes; ++k) sum[k % 4] += total[k] * total[k];
        squares = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        base = squares / weight;
    }
    void add(size_t row) {
        const auto k = static_cast<size_t>(rows.label[row]);
        left_squares += 2 * left[k]++ + 1;
        shared += total[k];
        left_weight += 1;
    }
    void jump(const Totals& to) {
        left_weight = to.weight;
        left_squares = 0;
        shared = 0;
        for (size_t k = 0; k < n_classes; ++k) {
            left[k] = static_cast<int32_t>(to.sums[k]);
            left_squares += int64_t{left[k]} * left[k];
            shared += total[k] * to.sums[k];
        }
    }
    double right_squares() const { return (squares - 2 * shared) + static_cast<double>(left_squares); }
    double score() const { return static_cast<double>(left_squares) / left_weight + right_squares() / right_weight_now(); }
    bool beats(double least) const {
        const double right_weight = right_weight_now();
        return static_cast<double>(left_squares) * right_weight + right_squares() * left_weight >
               least * (left_weight * right_weight);
    }
    double merit(double score) const { return (score - base) / weight; }
    double score_step(double merit_step) const { return merit_step * weight; }
    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return weight - left_weight; }
    double left_mean() const {
        return mean([&](size_t k) { return static_cast<double>(left[k]); });
    }
    double right_mean() const {
        return mean([&](size_t k) { return total[k] - left[k]; });
    }

private:
    template <class Count>
    double mean(Count&& count) const {
        std::vector<double> counts(n_classes);
        for (size_t k = 0; k < n_classes; ++k) counts[k] = count(k);
        return rows.levels->mean(counts.data());
    }
};

template <bool unit>
using TwoClassScorer = MeanDifferenceScorer<unit, true>;

/// The chance that two rows drawn from the node differ in class (Breiman, Friedman, Olshen & Stone, 1984, ch. 4).
struct Gini : ClassCriterion {
    static constexpr Traits traits{.name = "gini", .bounded = true};
    using SideCosts = ConcaveCosts<Gini>;
    using PairScorer = MeanDifferenceScorer<false, true>;
    using TurnScorer = GiniScorer;
    static bool by_pairs(int n_classes) { return n_classes == 2; }
    template <class Use>
    static decltype(auto) with_scorer(int n_classes, bool unit, Use&& use) {
        if (n_classes == 2) return with_unit<TwoClassScorer>(unit, use);
        return unit ? use.template operator()<UnitGiniScorer>() : use.template operator()<GiniScorer>();
    }

    static double impurity(const Totals& node) {
        double squares = 0;
        for (double n : node.sums) squares += n * n;
        return 1 - squares / (node.weight * node.weight);
    }
    static double merit(const Totals& node, Branches branches) { return impurity_decrease<Gini>(node, branches); }
    static double most_of_few_classes(std::span<const double> count, double weight) { return most_gini_between(count, weight); }
};

static_assert(Criterion<Gini> && Scorer<GiniScorer> && Scorer<UnitGiniScorer> && Scorer<MeanDifferenceScorer<true, true>>);

}  // namespace treewright
