// Scorers that keep the class weights of both sides.
#pragma once
#include "criteria/criterion.hpp"

namespace treewright {

template <bool unit>
struct ClassScorer {
    const LocalRows& rows;
    size_t n_classes;
    double weight, left_weight = 0, right_weight;
    double *left, *right;
    const Totals* total;

    ClassScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : rows(rows_), n_classes(node.sums.size()), weight(node.weight), right_weight(node.weight) {
        scratch.left.assign(n_classes, 0.0);
        scratch.right.assign(node.sums.begin(), node.sums.end());
        left = scratch.left.data();
        right = scratch.right.data();
        total = &node;
    }
    void move_to(const Totals& to) {
        left_weight = to.weight;
        right_weight = weight - to.weight;
        for (size_t k = 0; k < n_classes; ++k) {
            left[k] = to.sums[k];
            right[k] = rest_of(total->sums[k], to.sums[k]);
        }
    }
    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return right_weight; }
    double left_mean() const { return rows.levels->mean(left); }
    double right_mean() const { return rows.levels->mean(right); }
};

/// What two sides cost, in weight times impurity, at cuts between groups of rows, and the least they cost at cuts inside one, for
/// any concave impurity: the rows of a group cost the least if they cost nothing by themselves, and the others cost the less
/// without them.
template <class C>
class ConcaveCosts {
public:
    explicit ConcaveCosts(const C& criterion) : criterion_(criterion) {}
    void start(double) {
        left_.clear();
        right_.clear();
    }
    void add(const Totals& left, const Totals& right) {
        left_.push_back(cost(left));
        right_.push_back(cost(right));
    }
    /// At the cut before a group, or after the last.
    double at(size_t cut) const { return left_[cut] + right_[cut]; }
    double inside(size_t group) const { return left_[group] + right_[group + 1]; }

private:
    double cost(const Totals& side) const { return side.weight > 0 ? side.weight * criterion_.impurity(side) : 0.0; }

    const C& criterion_;
    std::vector<double> left_, right_;
};

}  // namespace treewright
