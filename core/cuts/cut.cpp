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

}  // namespace treewright
