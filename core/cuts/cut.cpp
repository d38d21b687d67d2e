#include "cuts/cut.hpp"

#include "base/midpoint.hpp"

namespace treewright {

template class Best<Cut>;

double CutLimits::between(size_t left_row, size_t right_row) const {
    return cut_between(value(left_row), value(right_row), short_cuts);
}

MissingSides CutLimits::larger(size_t left, size_t right, double left_weight, double right_weight) const {
    if (!by_weight) return {left > right, right >= left};
    return {left_weight >= right_weight * (1 - equal_weights),
            right_weight != left_weight && right_weight >= left_weight * (1 - equal_weights)};
}

bool AllowedCuts::hold_where_it_stands(const CutSides& at, size_t left) {
    if (!limits_.allow(at)) return false;
    if (!limits_.cuts || limits_.cuts->free()) return true;
    if (!bounds_) bounds_.emplace(*limits_.cuts);
    const auto missing = [&] {
        if (known_ < total_) return MissingSides{missing_left_, !missing_left_};
        return limits_.larger(left, total_ - left, at.left_weight, at.right_weight);
    };
    if (left == known_) return limits_.cuts->allow(at.left, at.right, infinity, missing());
    return bounds_->allow(at.left, at.right, left, known_ - 1, missing,
                          [&](size_t rows) { return limits_.between(row_(list_, rows - 1), row_(list_, rows)); });
}

}  // namespace treewright
