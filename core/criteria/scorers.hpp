// Incremental scorers: the merit of every cut of a sorted feature in one pass.
#pragma once
#include "../stats.hpp"

namespace treewright {

/// Merits closer than this share of the node's own scale count as equal.
inline constexpr double tie_tolerance = 1e-11;

/// Two classes by Gini, or squared error: both grow with w_l·w_r·(mean_l − mean_r)².
template <bool unit, bool two_classes>
struct MeanDifferenceScorer {
    const LocalRows& rows;
    double weight, total, left_weight = 0, left = 0;
    double factor;

    MeanDifferenceScorer(const LocalRows& rows_, const Totals& node, Scratch&)
        : rows(rows_),
          weight(node.weight),
          total(two_classes ? node.sums[1] : node.sums[0]),
          factor((two_classes ? 2.0 : 1.0) / (node.weight * node.weight)) {}

    void add(size_t row) {
        const double w = unit ? 1.0 : rows.weight[row];
        left_weight += w;
        if constexpr (two_classes) left += unit ? rows.bit[row] : rows.bit[row] * w;
        else left += unit ? rows.target[row] : rows.target[row] * w;
    }
    double score() const {
        const double difference = left * weight - left_weight * total;
        return difference * difference / (left_weight * (weight - left_weight));
    }
    /// score() > bar, without a division.
    bool beats(double bar) const {
        const double difference = left * weight - left_weight * total;
        return difference * difference > bar * (left_weight * (weight - left_weight));
    }
    /// Start from a left side whose totals are known.
    void jump(const Totals& to) {
        left_weight = to.weight;
        left = two_classes ? to.sums[1] : to.sums[0];
    }
    double merit(double score) const { return score * factor; }
    double tolerance(double impurity) const { return tie_tolerance * impurity / factor; }
    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return weight - left_weight; }
    double left_mean() const { return left / left_weight; }
    double right_mean() const { return (total - left) / (weight - left_weight); }
};

/// Keeps the class weights of both sides.
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
            right[k] = remainder(total->sums[k], to.sums[k]);
        }
    }
    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return right_weight; }
    double left_mean() const { return rows.levels->mean(left); }
    double right_mean() const { return rows.levels->mean(right); }
};

/// Gini for any number of classes: the sums of squares of both sides are kept, O(1) a row.
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
    bool beats(double bar) const {
        return left_squares * this->right_weight + right_squares * this->left_weight >
               bar * (this->left_weight * this->right_weight);
    }
    double merit(double score) const { return (score - base) / this->weight; }
    double tolerance(double impurity) const { return (tie_tolerance * impurity + 2e-15) * this->weight; }
};

/// Entropy in bits: Σ n·log2 n of both sides is kept; for unit weights by a table, else with the term of each class.
template <bool unit>
struct EntropyScorer : ClassScorer<unit> {
    const double* logs = nullptr;
    double *left_term = nullptr, *right_term = nullptr;
    double sum = 0, base;

    EntropyScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch) : ClassScorer<unit>(rows_, node, scratch) {
        if constexpr (unit) {
            logs = scratch.logs(node.count);
        } else {
            scratch.left_term.assign(this->n_classes, 0.0);
            scratch.right_term.resize(this->n_classes);
            left_term = scratch.left_term.data();
            right_term = scratch.right_term.data();
            for (size_t k = 0; k < this->n_classes; ++k) right_term[k] = n_log_n(node.sums[k]);
        }
        for (double n : node.sums) sum += x_log_x(n);
        base = sum - x_log_x(node.weight);
    }
    double n_log_n(double n) const {
        if constexpr (unit) return logs[static_cast<size_t>(n)];
        else return n > 1e-13 * this->weight ? n * log2(n) : 0.0;
    }
    void add(size_t row) {
        const auto k = static_cast<size_t>(this->rows.label[row]);
        const double w = unit ? 1.0 : this->rows.weight[row];
        double &l = this->left[k], &r = this->right[k];
        if constexpr (unit) {
            sum += (n_log_n(l + w) - n_log_n(l)) + (n_log_n(r - w) - n_log_n(r));
        } else {
            const double left_before = std::exchange(left_term[k], n_log_n(l + w));
            const double right_before = std::exchange(right_term[k], n_log_n(r - w));
            sum += (left_term[k] - left_before) + (right_term[k] - right_before);
        }
        l += w;
        r -= w;
        this->left_weight += w;
        this->right_weight -= w;
    }
    void jump(const Totals& to) {
        this->move_to(to);
        sum = 0;
        for (size_t k = 0; k < this->n_classes; ++k) {
            const double left_now = n_log_n(this->left[k]), right_now = n_log_n(this->right[k]);
            sum += left_now + right_now;
            if constexpr (!unit) {
                left_term[k] = left_now;
                right_term[k] = right_now;
            }
        }
    }
    double score() const { return sum - n_log_n(this->left_weight) - n_log_n(this->right_weight); }
    double merit(double score) const { return (score - base) / this->weight; }
    double tolerance(double impurity) const { return (tie_tolerance * impurity + 2e-15 * log2(this->weight + 2)) * this->weight; }
};

/// Twoing for any number of classes, O(log classes) a row. With N rows, L of them left, l of class k's n rows left, its formula
/// is (N·Σl − L·Σn)² / (N²·L·R), summed over the superclass of all k with l/n > L/N. A class leaves the superclass when L/N has
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
        settle();
    }
    /// Let go of the classes that L/N has overtaken.
    void settle() {
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
        if (heap.empty()) inside_left = inside = 0;  // no dust
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
    double tolerance(double) const { return tie_tolerance; }
    double right_mean() const {
        std::vector<double> rest(this->n_classes);
        for (size_t k = 0; k < rest.size(); ++k) rest[k] = remainder(of(k), this->left[k]);
        return this->rows.levels->mean(rest.data());
    }
};

/// Any class criterion by its own definition, O(classes) a candidate.
template <class C>
struct PlainClassScorer {
    const LocalRows& rows;
    const Totals& node;
    Totals left, right;

    PlainClassScorer(const LocalRows& rows_, const Totals& node_, Scratch&)
        : rows(rows_), node(node_), left(node_.sums.size()), right(node_) {}

    void add(size_t row) {
        const auto k = static_cast<size_t>(rows.label[row]);
        const double w = rows.weight_of(row);
        left.sums[k] = std::max(left.sums[k] + w, 0.0);  // a weight taken back may leave dust
        left.weight += w;
        right.sums[k] = remainder(node.sums[k], left.sums[k]);
        right.weight = node.weight - left.weight;
    }
    void jump(const Totals& to) {
        left = to;
        right.weight = node.weight - to.weight;
        for (size_t k = 0; k < left.sums.size(); ++k) right.sums[k] = remainder(node.sums[k], left.sums[k]);
    }
    double score() const {
        const Totals* both[] = {&left, &right};
        return C::merit(node, both);
    }
    double merit(double score) const { return score; }
    double tolerance(double impurity) const { return C::tolerance(node, impurity); }
    double left_weight_now() const { return left.weight; }
    double right_weight_now() const { return right.weight; }
    double left_mean() const { return rows.levels->mean(left.sums.data()); }
    double right_mean() const { return rows.levels->mean(right.sums.data()); }
};

}  // namespace treewright
