// The criterion of Kearns and Mansour.
#pragma once
#include "class_scorer.hpp"

namespace treewright {

/// Σ √(q(1 − q)) / 2 over the classes: for two classes √(q(1 − q)), the best of all in theory (Kearns & Mansour, 1996).
struct Sqrt : ClassCriterion {
    static constexpr Traits traits{.name = "sqrt", .bounded = true};

    static double impurity(const Totals& node) {
        double sum = 0;
        for (double n : node.sums) {
            const double q = n / node.weight;
            if (q > 0 && q < 1) sum += std::sqrt(q * (1 - q));
        }
        return sum / 2;
    }
    static double merit(const Totals& node, Branches branches) { return impurity_decrease<Sqrt>(node, branches); }
};
static_assert(Criterion<Sqrt>);

}  // namespace treewright
