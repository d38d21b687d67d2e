// The Criterion concept, and the explicit list of all criteria.
//
// A criterion says how impure a set of rows is and what a split of it is worth (its merit, larger is better).
// `Scorer<unit>` is the same merit in incremental form: rows move one by one from the right branch to the left,
// and score() values the cut as it stands, on any scale that merit(score) turns into the merit.
#pragma once
#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>

#include "stats.hpp"

namespace treewright {

/// The branches of one split as a table of totals.
using Branches = std::span<const Totals* const>;

template <class C>
concept Criterion = requires(const Totals& node, Branches branches) {
    { C::name } -> std::convertible_to<std::string_view>;
    { C::classification } -> std::convertible_to<bool>;
    { C::concave } -> std::convertible_to<bool>;  // merit = decrease of a concave impurity: histogram bounds hold
    { C::merit(node, branches) } -> std::same_as<double>;
    typename C::template Scorer<true>;
    typename C::template Scorer<false>;
};

/// Impurity of the node less the mean impurity of its branches, by weight.
template <class Impurity>
double impurity_decrease(const Totals& node, Branches branches) {
    double after = 0;
    for (const Totals* branch : branches)
        if (branch->weight > 0) after += branch->weight * Impurity::impurity(*branch);
    return Impurity::impurity(node) - after / node.weight;
}

}  // namespace treewright

#include "criteria/scorers.hpp"
#include "criteria/class_criteria.hpp"
#include "criteria/number_criteria.hpp"

namespace treewright {

/// Call use.template operator()<C>() with the criterion of that name: names are resolved once per call.
template <class Use>
decltype(auto) with_criterion(std::string_view name, Use&& use) {
    if (name == Gini::name) return use.template operator()<Gini>();
    if (name == Entropy::name) return use.template operator()<Entropy>();
    if (name == Error::name) return use.template operator()<Error>();
    if (name == Sqrt::name) return use.template operator()<Sqrt>();
    if (name == GainRatio::name) return use.template operator()<GainRatio>();
    if (name == Twoing::name) return use.template operator()<Twoing>();
    if (name == ChiSquare::name) return use.template operator()<ChiSquare>();
    if (name == Hellinger::name) return use.template operator()<Hellinger>();
    if (name == SquaredError::name) return use.template operator()<SquaredError>();
    if (name == AbsoluteError::name) return use.template operator()<AbsoluteError>();
    if (name == Poisson::name) return use.template operator()<Poisson>();
    throw std::invalid_argument("unknown criterion '" + std::string(name) + "'");
}

}  // namespace treewright
