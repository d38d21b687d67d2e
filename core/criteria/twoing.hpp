// Twoing.
#pragma once
#include "criteria/formula.hpp"
#include "criteria/gini.hpp"

namespace treewright {

/// Any number of classes, O(log classes) a row. With N rows, L of them left, l of class k's n rows left, the formula is
/// (N·Σl − L·Σn)² / (N²·L·R), summed over the superclass of all k with l/n > L/N. A class leaves the superclass when L/N has
/// risen to its l/n, so a heap knows which is next; it comes in again only with a row of its own.
template <bool unit>
struct TwoingScorer : ClassScorer<unit> {
    std::vector<std::pair<double, uint32_t>>&
        heap;                            // classes of the superclass, the smallest l/n on top, or what that was before
    double inside_left = 0, inside = 0;  // Σl and Σn of the superclass

    TwoingScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : ClassScorer<unit>(rows_, node, scratch), heap(scratch.heap) {
        heap.clear();
    }

    double of(size_t k) const { return this->total->sums[k]; }
    bool is_inside(size_t k) const { return this->left[k] * this->weight > of(k) * this->left_weight; }
    void enter(size_t k) {
        heap.emplace_back(this->left[k] / of(k), static_cast<uint32_t>(k));
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
    }
    void add(size_t row) {
        const auto k = static_cast<size_t>(this->rows.label[row]);
        const double w = unit ? 1.0 : this->rows.weight[row];
        const bool was_inside = this->right[k] < 0;  // the sign of `right`, else unused here, marks the superclass
        this->left[k] += w;
        this->left_weight += w;
        this->right_weight -= w;
        if (was_inside) {
            inside_left += w;
        } else if (is_inside(k)) {
            this->right[k] = -1;
            inside_left += this->left[k];
            inside += of(k);
            enter(k);
        }
        drop_overtaken();
    }
    /// Let go of the classes that L/N has overtaken.
    void drop_overtaken() {
        const double share = this->left_weight / this->weight;
        while (!heap.empty() && heap.front().first <= share) {
            const size_t k = heap.front().second;
            std::pop_heap(heap.begin(), heap.end(), std::greater<>());
            heap.pop_back();
            if (is_inside(k) && this->left[k] / of(k) > share) {
                enter(k);
                continue;
            }
            this->right[k] = 1;
            inside_left -= this->left[k];
            inside -= of(k);
        }
        if (heap.empty()) inside_left = inside = 0;  // nothing is left of rounding
    }
    void jump(const Totals& to) {
        this->move_to(to);
        heap.clear();
        inside_left = inside = 0;
        for (size_t k = 0; k < this->n_classes; ++k) {
            this->right[k] = is_inside(k) ? -1 : 1;
            if (!is_inside(k)) continue;
            inside_left += this->left[k];
            inside += of(k);
            enter(k);
        }
    }
    double score() const {
        const double difference = (inside_left * this->weight - inside * this->left_weight) / this->weight;
        return difference * difference / (this->left_weight * this->right_weight);
    }
    double merit(double score) const { return score; }
    double score_step(double merit_step) const { return merit_step; }
    double right_mean() const {
        std::vector<double> rest(this->n_classes);
        for (size_t k = 0; k < rest.size(); ++k) rest[k] = rest_of(of(k), this->left[k]);
        return this->rows.levels->mean(rest.data());
    }
};

/// P_l·P_r/4 · (Σ |p_l − p_r|)², the best grouping of the classes into two (Breiman et al., 1984, §4.3). With more than two
/// branches: the sum over branches, each against the rest.
struct Twoing : ClassCriterion {
    static constexpr Traits traits{.name = "twoing", .decrease = false};
    using TurnScorer = FormulaScorer;  // a heap cannot take back
    template <class Use>
    static decltype(auto) with_scorer(int, bool unit, Use&& use) {
        return with_unit<TwoingScorer>(unit, use);
    }

    static double impurity(const Totals& node) { return Gini::impurity(node); }
    static double merit(const Totals& node, Branches branches) {
        if (branches.size() == 2) return against_rest(node, *branches[0]);
        double sum = 0;
        for (const Totals* branch : branches) sum += against_rest(node, *branch);
        return sum;
    }
    static double tolerance(const Totals&, double) { return tie_tolerance; }

private:
    static double against_rest(const Totals& node, const Totals& branch) {
        const double rest = node.weight - branch.weight;
        if (branch.weight <= 0 || rest <= 0) return 0;
        double difference = 0;
        for (size_t k = 0; k < node.sums.size(); ++k)
            difference += std::fabs(branch.sums[k] / branch.weight - rest_of(node.sums[k], branch.sums[k]) / rest);
        return branch.weight * rest / (node.weight * node.weight) * difference * difference / 4;
    }
};
static_assert(Criterion<Twoing> && Scorer<TwoingScorer<true>>);

}  // namespace treewright
