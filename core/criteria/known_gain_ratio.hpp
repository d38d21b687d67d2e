// Gain ratio where some rows lack the value.
#pragma once
#include "../criteria.hpp"

namespace treewright {

/// Gain ratio as C4.5 has it: rows without the value gain nothing and are a branch of their own (Quinlan, 1993, ch. 3).
struct KnownGainRatio {
    static double merit(double gain, double known, double total, std::span<const double> branches) {
        double information = 0;
        const auto add = [&](double weight) {
            if (weight > 0) information -= weight / total * log2(weight / total);
        };
        for (double weight : branches) add(weight);
        add(total - known > 1e-12 * total ? total - known : 0.0);
        return information > 0 ? known / total * gain / information : 0.0;
    }
    /// Scores the cuts of a sorted feature.
    struct Scorer : PlainClassScorer<Entropy> {
        double total;
        Scorer(const LocalRows& rows_, const Totals& known, double total_, Scratch& scratch)
            : PlainClassScorer<Entropy>(rows_, known, scratch), total(total_) {}
        double score() const {
            const double branches[] = {left.weight, right.weight};
            return KnownGainRatio::merit(PlainClassScorer<Entropy>::score(), node.weight, total, branches);
        }
        double tolerance(double) const { return tie_tolerance; }
    };
};

}  // namespace treewright
