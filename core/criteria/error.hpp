// The error rate.
#pragma once
#include "criteria/class_scorer.hpp"

namespace treewright {

/// Share of rows outside the largest class. Concave but not strictly: blind to many useful splits.
struct Error : ClassCriterion {
    static constexpr Traits traits{.name = "error", .bounded = true};

    static double impurity(const Totals& node) { return 1 - *std::max_element(node.sums.begin(), node.sums.end()) / node.weight; }
    static double merit(const Totals& node, Branches branches) { return impurity_decrease<Error>(node, branches); }
};
static_assert(Criterion<Error>);

}  // namespace treewright
