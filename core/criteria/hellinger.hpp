// Hellinger distance.
#pragma once
#include "criteria/gini.hpp"

namespace treewright {

/// The distance between the classes' distributions over the branches, blind to class shares (Cieslak & Chawla, 2008); with more
/// than two classes the mean over pairs.
struct Hellinger : ClassCriterion {
    static constexpr Traits traits{.name = "hellinger", .decrease = false};

    static double impurity(const Totals& node) { return Gini::impurity(node); }
    static double merit(const Totals& node, Branches branches) {
        double sum = 0;
        int pairs = 0;
        for (size_t i = 0; i < node.sums.size(); ++i)
            for (size_t j = i + 1; j < node.sums.size(); ++j) {
                if (node.sums[i] <= 0 || node.sums[j] <= 0) continue;
                double squares = 0;
                for (const Totals* branch : branches) {
                    const double difference =
                        std::sqrt(branch->sums[i] / node.sums[i]) - std::sqrt(branch->sums[j] / node.sums[j]);
                    squares += difference * difference;
                }
                sum += std::sqrt(squares);
                ++pairs;
            }
        return pairs ? sum / pairs : 0.0;
    }
    static double tolerance(const Totals&, double) { return tie_tolerance; }
};
static_assert(Criterion<Hellinger>);

}  // namespace treewright
