// Cuts valued by the branches as they will be, where rows without a value go down both with a share of their weight.
#pragma once
#include <array>

#include "criteria/formula.hpp"

namespace treewright {

/// The rows that have the value move from right to left; those that do not follow by the share of the weight on each side.
template <class C>
class SharedCountsScorer {
public:
    SharedCountsScorer(const C& criterion, const LocalRows& rows, const Totals& node, const Totals& known)
        : criterion_(criterion), rows_(rows), node_(node), known_(known), left_(node.sums.size()), branch_{left_, left_} {}

    void add(size_t row) { add_row<C::classification>(rows_, row, left_); }
    double score() const {
        const double share = left_.weight / known_.weight;
        Totals &left = branch_[0], &right = branch_[1];
        left.weight = share * node_.weight;
        right.weight = node_.weight - left.weight;
        for (size_t k = 0; k < left.sums.size(); ++k) {
            left.sums[k] = left_.sums[k] + share * (node_.sums[k] - known_.sums[k]);
            right.sums[k] = C::classification ? rest_of(node_.sums[k], left.sums[k]) : node_.sums[k] - left.sums[k];
        }
        const Totals* both[] = {&left, &right};
        if constexpr (C::classification) return criterion_.merit(node_, Branches(both));
        else return criterion_.merit(node_, Branches(both), rows_.centre);
    }
    double merit(double score) const { return score; }
    double score_step(double merit_step) const { return merit_step; }
    double left_weight_now() const { return left_.weight / known_.weight * node_.weight; }
    double right_weight_now() const { return node_.weight - left_weight_now(); }
    double left_mean() const { return left_.sums[0] / left_.weight; }  // such trees have no monotone constraints
    double right_mean() const { return (known_.sums[0] - left_.sums[0]) / (known_.weight - left_.weight); }

private:
    const C& criterion_;
    const LocalRows& rows_;
    const Totals &node_, &known_;
    Totals left_;                           // of the rows that have the value
    mutable std::array<Totals, 2> branch_;  // as the cut would make them
};

}  // namespace treewright
