// The gain ratio.
#pragma once
#include "criteria/entropy.hpp"

namespace treewright {

/// Information gain over the information of the split itself (Quinlan, 1986).
struct GainRatio : ClassCriterion {
    static constexpr Traits traits{.name = "gain_ratio", .decrease = false};

    static double impurity(const Totals& node) { return Entropy::impurity(node); }
    static double merit(const Totals& node, Branches branches) {
        double information = 0;
        for (const Totals* branch : branches) add_information(branch->weight / node.weight, information);
        return information > 0 ? Entropy::merit(node, branches) / information : 0.0;
    }
    static double tolerance(const Totals&, double) { return tie_tolerance; }

    /// Where rows without the value are shared over the branches: they gain nothing, and are a branch of their own in the
    /// information of the split, as C4.5 has it (Quinlan, 1993, ch. 3). `known` are the rows with the value.
    static double merit_of_known(const Totals& known, double total, Branches branches) {
        double information = 0;
        for (const Totals* branch : branches) add_information(branch->weight / total, information);
        if (total - known.weight > 1e-12 * total) add_information((total - known.weight) / total, information);
        return information > 0 ? known.weight / total * Entropy::merit(known, branches) / information : 0.0;
    }

private:
    static void add_information(double share, double& information) {
        if (share > 0) information -= share * log2(share);
    }
};
static_assert(Criterion<GainRatio>);

}  // namespace treewright
