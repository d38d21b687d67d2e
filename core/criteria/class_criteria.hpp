// The classification criteria: each is its formula, its source, and the scorer that computes it fast.
#pragma once
#include <array>

#include "../criteria.hpp"

namespace treewright {

struct ClassCriterion {
    static constexpr bool classification = true;
    static constexpr bool asked = false;  // whether a user's function gives the merits
    static double tolerance(const Totals&, double impurity) { return tie_tolerance * impurity + 4e-15; }
};

/// Gini index: the chance that two rows drawn from the node differ in class (Breiman, Friedman, Olshen & Stone, 1984, ch. 4).
struct Gini : ClassCriterion {
    static constexpr std::string_view name = "gini";
    static constexpr bool concave = true;
    template <bool unit>
    using Scorer = GiniScorer<unit>;

    static double impurity(const Totals& node) {
        double squares = 0;
        for (double n : node.sums) squares += n * n;
        return 1 - squares / (node.weight * node.weight);
    }
    static double merit(const Totals& node, Branches branches) { return impurity_decrease<Gini>(node, branches); }
};

/// Entropy of the class in bits; its decrease is the information gain of ID3 (Quinlan, 1986).
struct Entropy : ClassCriterion {
    static constexpr std::string_view name = "entropy";
    static constexpr bool concave = true;
    template <bool unit>
    using Scorer = EntropyScorer<unit>;

    static double impurity(const Totals& node) {
        double bits = 0;
        for (double n : node.sums)
            if (n > 0) bits -= n / node.weight * log2(n / node.weight);
        return bits;
    }
    static double merit(const Totals& node, Branches branches) { return impurity_decrease<Entropy>(node, branches); }
};

/// Share of rows outside the largest class. Concave but not strictly: blind to many useful splits.
struct Error : ClassCriterion {
    static constexpr std::string_view name = "error";
    static constexpr bool concave = true;
    template <bool>
    using Scorer = PlainClassScorer<Error>;

    static double impurity(const Totals& node) { return 1 - *std::max_element(node.sums.begin(), node.sums.end()) / node.weight; }
    static double merit(const Totals& node, Branches branches) { return impurity_decrease<Error>(node, branches); }
};

/// Σ √(q(1 − q)) / 2 over the classes: for two classes √(q(1 − q)), the best of all in theory (Kearns & Mansour, 1996).
struct Sqrt : ClassCriterion {
    static constexpr std::string_view name = "sqrt";
    static constexpr bool concave = true;
    template <bool>
    using Scorer = PlainClassScorer<Sqrt>;

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

/// Information gain over the information of the split itself (Quinlan, 1986).
struct GainRatio : ClassCriterion {
    static constexpr std::string_view name = "gain_ratio";
    static constexpr bool concave = false;
    template <bool>
    using Scorer = PlainClassScorer<GainRatio>;

    static double impurity(const Totals& node) { return Entropy::impurity(node); }
    static double merit(const Totals& node, Branches branches) {
        double information = 0;
        for (const Totals* branch : branches)
            if (branch->weight > 0) information -= branch->weight / node.weight * log2(branch->weight / node.weight);
        if (information <= 0) return 0;
        return Entropy::merit(node, branches) / information;
    }
    static double tolerance(const Totals&, double) { return tie_tolerance; }
};

/// Twoing: P_l·P_r/4 · (Σ |p_l − p_r|)², the best grouping of the classes into two (Breiman et al., 1984, §4.3).
/// With more than two branches: the sum over branches, each against the rest.
struct Twoing : ClassCriterion {
    static constexpr std::string_view name = "twoing";
    static constexpr bool concave = false;
    template <bool unit>
    using Scorer = TwoingScorer<unit>;

    static double impurity(const Totals& node) { return Gini::impurity(node); }
    static double against_rest(const Totals& node, const Totals& branch) {
        const double rest = node.weight - branch.weight;
        if (branch.weight <= 0 || rest <= 0) return 0;
        double difference = 0;
        for (size_t k = 0; k < node.sums.size(); ++k)
            difference += std::fabs(branch.sums[k] / branch.weight - remainder(node.sums[k], branch.sums[k]) / rest);
        return branch.weight * rest / (node.weight * node.weight) * difference * difference / 4;
    }
    static double merit(const Totals& node, Branches branches) {
        if (branches.size() == 2) return against_rest(node, *branches[0]);
        double sum = 0;
        for (const Totals* branch : branches) sum += against_rest(node, *branch);
        return sum;
    }
    static double tolerance(const Totals&, double) { return tie_tolerance; }
};

/// Pearson's chi-square statistic of branch against class (Kass, 1980; Mingers, 1987).
struct ChiSquare : ClassCriterion {
    static constexpr std::string_view name = "chi_square";
    static constexpr bool concave = false;
    template <bool>
    using Scorer = PlainClassScorer<ChiSquare>;

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

/// Hellinger distance between the classes' distributions over the branches, blind to class shares
/// (Cieslak & Chawla, 2008); with more than two classes the mean over pairs.
struct Hellinger : ClassCriterion {
    static constexpr std::string_view name = "hellinger";
    static constexpr bool concave = false;
    template <bool>
    using Scorer = PlainClassScorer<Hellinger>;

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

static_assert(Criterion<Gini> && Criterion<Entropy> && Criterion<Error> && Criterion<Sqrt> && Criterion<GainRatio> &&
              Criterion<Twoing> && Criterion<ChiSquare> && Criterion<Hellinger>);

}  // namespace treewright
