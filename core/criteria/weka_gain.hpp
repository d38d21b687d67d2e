// Information gain by the arithmetic of Weka's Id3, for the preset that grows its trees.
#pragma once
#include <numbers>

#include "criteria/entropy.hpp"

namespace treewright {

/// Weka's Id3 compares gains to the last bit: in its order of operations, and without a tolerance, its feature wins a tie. To
/// the last bit no bound holds.
struct WekaGain : ClassCriterion {
    static constexpr Traits traits{.name = "weka_gain"};

    static double impurity(const Totals& node) { return Entropy::impurity(node); }
    static double merit(const Totals& node, Branches branches) {
        double gain = bits(node);
        for (const Totals* branch : branches)
            if (branch->weight > 0) gain -= branch->weight / node.weight * bits(*branch);
        return gain;
    }
    static double tolerance(const Totals&, double) { return 0; }

private:
    static double weka_log2(double x) { return log(x) / std::numbers::ln2; }
    static double bits(const Totals& rows) {
        double sum = 0;
        for (double n : rows.sums)
            if (n > 0) sum -= n * weka_log2(n);
        return sum / rows.weight + weka_log2(rows.weight);
    }
};
static_assert(Criterion<WekaGain>);

}  // namespace treewright
