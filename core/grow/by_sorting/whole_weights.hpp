// What a regression node is as a leaf, where weights are small whole numbers such as those of draws: the sums of NumberRows, bit
// for bit, in fewer passes over its rows.
#pragma once
#include "criteria/numbers.hpp"

namespace treewright {

/// Rows as SquaredError::describe_rows asks for them.
class WholeWeightRows {
public:
    WholeWeightRows(const double* target, const double* weight, size_t n) : target_(target), weight_(weight), n_(n) {}

    size_t size() const { return n_; }
    bool weighted() const { return true; }
    const NumberRange& range() const {
        range_ = {target_[0], target_[0], weight_[0]};
        for (size_t i = 0; i < n_; ++i) {
            range_.low = std::min(range_.low, target_[i]);
            range_.high = std::max(range_.high, target_[i]);
            range_.heaviest = std::max(range_.heaviest, weight_[i]);
            total_weight_ += weight_[i];  // exact in any order
        }
        return range_;
    }
    /// The first moment about the mean is asked for after the second: both are added up at once.
    template <int power>
    double sum(double bound, double centre = 0) const {
        if constexpr (power == 0) {
            return total_weight_;
        } else if constexpr (power == 1) {
            if (!about_mean_)
                return orderless_sum(n_, bound, [&](size_t i) { return moment<1>(weight_[i], target_[i], centre); });
            return first_;
        } else {
            about_mean_ = true;
            const double reach = range_.reach(centre);
            if (!(bound < infinity && reach < infinity && bound > 0)) {
                first_ = orderless_sum(n_, reach, [&](size_t i) { return moment<1>(weight_[i], target_[i], centre); });
                return orderless_sum(n_, bound, [&](size_t i) { return moment<2>(weight_[i], target_[i], centre); });
            }
            const SumGrid first_grid(n_, reach), second_grid(n_, bound);
            GridSum first, second;
            for (size_t i = 0; i < n_; ++i) {
                const double once = moment<1>(weight_[i], target_[i], centre);
                first_grid.add(once, first);
                second_grid.add(once * (target_[i] - centre), second);
            }
            first_ = first_grid.total(n_, first);
            return second_grid.total(n_, second);
        }
    }

private:
    const double *target_, *weight_;
    size_t n_;
    // found on the way
    mutable NumberRange range_{};
    mutable double total_weight_ = 0, first_ = 0;
    mutable bool about_mean_ = false;
};

/// A leaf of one row.
inline void describe_one_number(double target, double weight, Description& node) {
    node.count = 1;
    node.weight = weight;
    node.pure = true;
    node.centre = target;
    node.value.assign(1, target);
    node.risk = node.impurity = 0;
}

}  // namespace treewright
