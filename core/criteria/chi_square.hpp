// Pearson's chi-square statistic.
#pragma once
#include "criteria/gini.hpp"

namespace treewright {

/// The statistic of branch against class (Kass, 1980; Mingers, 1987).
struct ChiSquare : ClassCriterion {
    static constexpr Traits traits{.name = "chi_square", .decrease = false};

    static double impurity(const Totals& node) { return Gini::impurity(node); }
    static double merit(const Totals& node, Branches branches) {
        double sum = 0;
        for (const Totals* branch : branches) {
            if (branch->weight <= 0) continue;
            for (size_t k = 0; k < node.sums.size(); ++k) {
                const double expected = node.sums[k] * (branch->weight / node.weight);
                if (expected > 0) sum += (branch->sums[k] - expected) * (branch->sums[k] - expected) / expected;
            }
        }
        return sum;
    }
    static double tolerance(const Totals& node, double) { return tie_tolerance * node.weight; }
};
static_assert(Criterion<ChiSquare>);

}  // namespace treewright
