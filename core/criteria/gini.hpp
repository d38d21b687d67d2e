// The Gini index.
#pragma once
#include "criteria/class_scorer.hpp"
#include "criteria/mean_difference.hpp"

namespace treewright {

/// The sums of squares of both sides are kept, O(1) a row for any number of classes.
template <bool unit>
struct GiniScorer : ClassScorer<unit> {
    double left_squares = 0, right_squares = 0, base;

    GiniScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch) : ClassScorer<unit>(rows_, node, scratch) {
        for (double n : node.sums) right_squares += n * n;
        base = right_squares / this->weight;
    }
    void add(size_t row) {
        const auto k = static_cast<size_t>(this->rows.label[row]);
        const double w = unit ? 1.0 : this->rows.weight[row];
        left_squares += w * (2 * this->left[k] + w);
        right_squares -= w * (2 * this->right[k] - w);
        this->left[k] += w;
        this->right[k] -= w;
        this->left_weight += w;
        this->right_weight -= w;
    }
    void jump(const Totals& to) {
        this->move_to(to);
        left_squares = right_squares = 0;
        for (size_t k = 0; k < this->n_classes; ++k) {
            left_squares += this->left[k] * this->left[k];
            right_squares += this->right[k] * this->right[k];
        }
    }
    double score() const { return left_squares / this->left_weight + right_squares / this->right_weight; }
    bool beats(double least) const {
        return left_squares * this->right_weight + right_squares * this->left_weight >
               least * (this->left_weight * this->right_weight);
    }
    double merit(double score) const { return (score - base) / this->weight; }
    double score_step(double merit_step) const { return merit_step * this->weight; }
};

template <bool unit>
using TwoClassScorer = MeanDifferenceScorer<unit, true>;

/// The chance that two rows drawn from the node differ in class (Breiman, Friedman, Olshen & Stone, 1984, ch. 4).
struct Gini : ClassCriterion {
    static constexpr Traits traits{.name = "gini", .bounded = true};
    using SideCosts = ConcaveCosts<Gini>;
    using PairScorer = MeanDifferenceScorer<false, true>;
    using TurnScorer = GiniScorer<false>;
    static bool by_pairs(int n_classes) { return n_classes == 2; }
    template <class Use>
    static decltype(auto) with_scorer(int n_classes, bool unit, Use&& use) {
        return n_classes == 2 ? with_unit<TwoClassScorer>(unit, use) : with_unit<GiniScorer>(unit, use);
    }

    static double impurity(const Totals& node) {
        double squares = 0;
        for (double n : node.sums) squares += n * n;
        return 1 - squares / (node.weight * node.weight);
    }
    static double merit(const Totals& node, Branches branches) { return impurity_decrease<Gini>(node, branches); }
};

static_assert(Criterion<Gini> && Scorer<GiniScorer<true>> && Scorer<MeanDifferenceScorer<true, true>>);

}  // namespace treewright
