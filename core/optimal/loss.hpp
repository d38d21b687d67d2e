// What rows cost, in whole units, so that every sum is exact and the same in any order and on any machine.
#pragma once
#include <span>
#include <vector>

#include "optimal/plan.hpp"

namespace treewright::optimal {

/// How the cost of a leaf follows from its rows.
enum class LossKind : uint8_t {
    pair,     // two classes, rows of a class cost the same: counts of bits
    counts,   // more classes, rows of a class cost the same
    prices,   // every row has a cost for each label
    squares,  // squared error
};

/// What is to be predicted, borrowed from the caller.
struct TargetView {
    int n_classes = 0;  // 0 = a number
    const int32_t* label = nullptr;
    const double* number = nullptr;
    const double* weight = nullptr;  // null = every row weighs one
};

struct LossOptions {
    std::vector<double> class_factor;  // on the weight of each class; empty = none
    std::vector<double> costs;         // predicting a class (column) where another is true (row); empty = 1 for every mistake
    double alpha = 0;                  // price of a leaf, per unit of the total weight
};

/// Costs of a table's rows. A leaf costs the least of the sums over its rows by label, or the squares about its mean.
///
/// A cost c is stored as round(c · scale). The scale is a power of two that keeps all sums below 2^46 (2^54 for squares), so that
/// whole numbers stay whole; trees that differ by less than rounding makes of it (`noise`) are equal. A class whose factor is
/// less than a millionth (2^-20) of the largest counts as nothing: trees would only chase rows that weigh nothing. A leaf costs
/// `leaf_price`: alpha, and a little more, so that of equal trees the one of fewest leaves is best.
class Loss {
public:
    Loss(const TargetView& target, size_t n_rows, const LossOptions& options);

    LossKind kind() const { return kind_; }
    int n_classes() const { return n_classes_; }
    /// Numbers that are summed up over rows: one for each class, label, or weight and sum.
    int width() const { return width_; }
    bool uniform() const { return uniform_; }
    int32_t label(size_t row) const { return label_[row]; }
    const int32_t* labels() const { return label_; }
    /// Class by label: cost of a row of the class, if leaves say the label.
    const Cost* price() const { return price_.data(); }
    /// Of a row of a class that is not recognised, where that depends on its class alone.
    const Cost* mistake() const { return mistake_.data(); }
    const Cost* row_prices(size_t row) const { return row_price_.data() + row * static_cast<size_t>(n_classes_); }
    Cost weight(size_t row) const { return weight_.empty() ? 1 : weight_[row]; }
    bool unit_weights() const { return weight_.empty(); }
    Cost sum(size_t row) const { return sum_[row]; }
    /// What is added to the cost of a leaf for each of its rows: its square, else nothing.
    Cost square(size_t row) const { return square_.empty() ? 0 : square_[row]; }
    /// No tree gets dearer by more than this if the row is added.
    Cost most(size_t row) const { return most_[row]; }
    /// The same for all rows, where mistakes cost the same whatever the classes; else 0.
    Cost each() const { return each_; }

    /// Cost of a leaf whose rows sum up to these numbers, less the squares of its rows.
    Cost score(const Cost* sums) const {
        if (kind_ == LossKind::squares) return square_score(sums[0], sums[1]);
        if (kind_ == LossKind::prices) return least(sums);
        if (uniform_) {
            Cost total = 0, largest = 0;
            for (int k = 0; k < n_classes_; ++k) {
                const Cost mine = sums[k] * mistake_[static_cast<size_t>(k)];
                total += mine;
                if (mine > largest) largest = mine;
            }
            return total - largest;
        }
        Cost best = endless;
        for (int label = 0; label < n_classes_; ++label) {
            Cost cost = 0;
            for (int k = 0; k < n_classes_; ++k) cost += sums[k] * price_[static_cast<size_t>(k * n_classes_ + label)];
            if (cost < best) best = cost;
        }
        return best;
    }
    Cost square_score(Cost weight, Cost sum) const {
        if (weight == 0) return 0;
        const auto s = static_cast<double>(sum);
        return -static_cast<Cost>(s * s / static_cast<double>(weight) * square_scale_);
    }
    /// Add a row to sums.
    void add(size_t row, Cost* sums) const {
        if (kind_ == LossKind::squares) {
            sums[0] += weight(row);
            sums[1] += sum_[row];
        } else if (kind_ == LossKind::prices) {
            const Cost* prices = row_prices(row);
            for (int k = 0; k < n_classes_; ++k) sums[k] += prices[k];
        } else {
            ++sums[label_[row]];
        }
    }

    /// A unit of leaves: what a split costs.
    Cost leaf_price() const { return leaf_price_; }
    /// The part of it that only decides among equals.
    Cost tie_price() const { return noise_ ? 4 * noise_ : 1; }
    /// What rounding may make of equal costs: nothing, if costs of classes are whole numbers of units.
    Cost noise() const { return noise_; }
    double square_scale() const { return square_scale_; }
    double total_weight() const { return total_weight_; }
    /// The objective that a cost means, without the price of the first leaf.
    double objective(Cost cost) const { return static_cast<double>(cost) / scale_ / total_weight_; }

private:
    void read_classes(const TargetView& target, size_t n_rows, const LossOptions& options);
    void read_numbers(const TargetView& target, size_t n_rows);
    void price_leaves(double alpha);
    Cost price_of(double cost, size_t n_rows);
    Cost least(const Cost* sums) const {
        Cost best = sums[0];
        for (int k = 1; k < n_classes_; ++k)
            if (sums[k] < best) best = sums[k];
        return best;
    }

    LossKind kind_ = LossKind::pair;
    int n_classes_ = 0, width_ = 0;
    bool uniform_ = true;
    const int32_t* label_ = nullptr;
    std::vector<Cost> price_, mistake_, row_price_, weight_, sum_, square_, most_;
    Cost leaf_price_ = 1, each_ = 0, noise_ = 0;
    double scale_ = 1, square_scale_ = 1, total_weight_ = 0;
};

}  // namespace treewright::optimal
