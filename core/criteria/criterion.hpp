// What a criterion is, and what its scorer does.
//
// A criterion says how impure a set of rows is and what a split of it is worth: its merit, larger is better. It is one file: the
// formula, how near merits are equal, its scorer, and the bound on what a cut inside a group of rows can be worth. A scorer is
// the same merit in incremental form: rows move one by one from the right branch to the left, and score() values the cut as it
// stands, on any scale that merit(score) turns into the merit.
#pragma once
#include <concepts>
#include <string_view>

#include "base/statistics.hpp"

namespace treewright {

/// Merits nearer than this share of the node's own impurity are equal: engines add in different orders, and round differently by
/// about 1e-15 of it.
inline constexpr double tie_tolerance = 1e-11;

/// The branches of one split as a table of totals.
using Branches = std::span<const Totals* const>;

/// What finders ask of a criterion while they run.
struct Traits {
    std::string_view name;
    bool classification = true;
    bool bounded = false;    // a bound holds for cuts inside a group of rows: histograms and bounded scans serve
    bool decrease = true;    // the merit is the decrease of the impurity
    bool log_table = false;  // its scorer of rows that all weigh one reads a LogTable
    bool by_rows = false;    // no function of sums: categories are valued by moving rows
    bool centred = true;     // targets are taken less the node's mean, so that sums keep their digits
};

template <class S>
concept Scorer = requires(S scorer, const S at, size_t row, double x) {
    scorer.add(row);                               // the row goes from right to left
    { at.score() } -> std::same_as<double>;        // of the cut as it stands
    { at.merit(x) } -> std::same_as<double>;       // of a score
    { at.score_step(x) } -> std::same_as<double>;  // a difference of merits as one of scores
    { at.left_weight_now() } -> std::same_as<double>;
    { at.right_weight_now() } -> std::same_as<double>;
    { at.left_mean() } -> std::same_as<double>;  // what the left branch would predict, under monotone constraints
    { at.right_mean() } -> std::same_as<double>;
};

template <class C>
concept Criterion = requires(const C& criterion, const Totals& node) {
    { criterion.traits } -> std::convertible_to<Traits>;
    { criterion.tolerance(node, 0.5) } -> std::same_as<double>;  // merits of a node that are nearer are equal
};

/// Impurity of the node less the mean impurity of its branches, by weight.
template <class Impurity>
double impurity_decrease(const Totals& node, Branches branches) {
    double after = 0;
    for (const Totals* branch : branches)
        if (branch->weight > 0) after += branch->weight * Impurity::impurity(*branch);
    return Impurity::impurity(node) - after / node.weight;
}

/// Call use.template operator()<S>() with the scorer for rows that all weigh one, or for any.
template <template <bool> class S, class Use>
decltype(auto) with_unit(bool unit, Use&& use) {
    return unit ? use.template operator()<S<true>>() : use.template operator()<S<false>>();
}

/// What the classification criteria share.
struct ClassCriterion {
    static constexpr bool classification = true;
    /// Whether weight and one sum of each side tell the merit.
    static bool by_pairs(int) { return false; }
    static double tolerance(const Totals&, double impurity) { return tie_tolerance * impurity + 4e-15; }
};

/// What the regression criteria share. Totals hold one sum, that of the target.
struct NumberCriterion {
    static constexpr bool classification = false;
    static bool by_pairs(int) { return false; }
    static double tolerance(const Totals&, double impurity) { return tie_tolerance * impurity; }
    /// How far the targets of a node are from its mean, roughly: the scale on which means of some of them are equal.
    static double spread(double impurity, double) { return std::sqrt(impurity); }
};

/// The same of those to which weight and sum of each side tell the merit.
template <template <bool> class Scorer>
struct PairCriterion : NumberCriterion {
    using PairScorer = Scorer<false>;
    using TurnScorer = Scorer<false>;
    static bool by_pairs(int) { return true; }
    template <class Use>
    static decltype(auto) with_scorer(int, bool unit, Use&& use) {
        return with_unit<Scorer>(unit, use);
    }
};

}  // namespace treewright
