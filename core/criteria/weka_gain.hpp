// Information gain by the arithmetic of Weka's Id3, for the preset that grows its trees.
#pragma once
#include <numbers>

#include "../criteria.hpp"

namespace treewright {

/// Weka's Id3 compares gains to the last bit: in its order of operations, and without a tolerance, its feature wins a tie.
struct WekaGain : ClassCriterion {
    static constexpr std::string_view name = "weka_gain";
    static constexpr bool concave = false;  // to the last bit no bound holds
    template <bool>
    using Scorer = PlainClassScorer<WekaGain>;

    static double impurity(const Totals& node) { return Entropy::impurity(node); }
    static double merit(const Totals& node, Branches branches) {
        double gain = bits(node);
        for (const Totals* branch : branches)
            if (branch->weight > 0) gain -= branch->weight / node.weight * bits(*branch);
        return gain;
    }
    static double tolerance(const Totals&, double) { return 0; }

private:
    static double log2(double x) { return treewright::log(x) / std::numbers::ln2; }
    static double bits(const Totals& rows) {
        double sum = 0;
        for (double n : rows.sums)
            if (n > 0) sum -= n * log2(n);
        return sum / rows.weight + log2(rows.weight);
    }
};

static_assert(Criterion<WekaGain>);

}  // namespace treewright
