// The criterion of Kearns and Mansour.
#pragma once
#include "criteria/class_scorer.hpp"

namespace treewright {

/// Σ √(q(1 − q)) / 2 over the classes: for two classes √(q(1 − q)), the best of all in theory (Kearns & Mansour, 1996).
struct Sqrt : ClassCriterion {
    static constexpr Traits traits{.name = "sqrt", .bounded = true};

    static double impurity(const Totals& node) {
        double sum = 0;
        for (double n : node.sums) {
            const double rest = node.weight - n;
            if (n > nothing * node.weight && rest > nothing * node.weight) sum += std::sqrt(n * rest);
        }
        return sum / (2 * node.weight);
    }
    static double merit(const Totals& node, Branches branches) { return impurity_decrease<Sqrt>(node, branches); }
    /// The root makes more of rounding than other criteria do: a hundred times at a ten-thousandth of the weight.
    static double tolerance(const Totals&, double impurity) { return 100 * tie_tolerance * impurity + 4e-15; }

private:
    static constexpr double nothing = 1e-11;  // a class of less weight is what rounding leaves of it
};
static_assert(Criterion<Sqrt>);

}  // namespace treewright
