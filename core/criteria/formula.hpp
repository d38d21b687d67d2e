// A criterion by pointers to its formulas, and the scorer that values every cut by them.
#pragma once
#include "criteria/class_scorer.hpp"
#include "criteria/numbers.hpp"

namespace treewright {

class FormulaScorer;
struct GroupedCut;

/// How a criterion values the best two groups of classes (criteria/superclasses.hpp).
struct SuperclassRule {
    double (*most)(const GroupedCut&);
    bool is_information;  // no more than what the branches tell of the class
};

/// A criterion by its formulas, known when the finders run. Class criteria that have no scorer of their own share one kernel
/// this way, and every scorer must equal it.
struct Formula {
    static constexpr bool classification = true;
    static bool by_pairs(int) { return false; }

    Traits traits;
    double (*tolerance)(const Totals&, double) = nullptr;
    // of classes
    double (*impurity)(const Totals&) = nullptr;
    double (*merit)(const Totals&, Branches) = nullptr;
    double (*merit_of_known)(const Totals&, double, Branches) = nullptr;  // where some rows lack the value; null = the share that
                                                                          // has it times its merit
    const SuperclassRule* superclasses = nullptr;
    double (*most_of_few_classes)(std::span<const double> count, double weight) = nullptr;  // see few_rows.hpp; null = not known
    // of numbers
    void (*describe)(const NumberRows&, Description&) = nullptr;
    double (*cost)(const Description&) = nullptr;
    double (*most_of_few_numbers)(std::span<const double> target) = nullptr;

    using SideCosts = ConcaveCosts<Formula>;
    using TurnScorer = FormulaScorer;
    template <class Use>
    static decltype(auto) with_scorer(int, bool, Use&& use) {
        return use.template operator()<FormulaScorer>();
    }
};

template <class C>
inline constexpr Formula formula_of = [] {
    Formula formula{C::traits, &C::tolerance};
    if constexpr (requires { &C::impurity; }) formula.impurity = &C::impurity;
    if constexpr (C::classification && requires { &C::merit; }) formula.merit = &C::merit;
    if constexpr (requires { &C::merit_of_known; }) formula.merit_of_known = &C::merit_of_known;
    if constexpr (requires { &C::superclasses; }) formula.superclasses = &C::superclasses;
    if constexpr (requires { &C::most_of_few_classes; }) formula.most_of_few_classes = &C::most_of_few_classes;
    if constexpr (requires { &C::most_of_few_numbers; }) formula.most_of_few_numbers = &C::most_of_few_numbers;
    if constexpr (requires { &C::describe; }) formula.describe = &C::describe;
    if constexpr (requires { &C::cost; }) formula.cost = &C::cost;
    return formula;
}();

/// The class weights of both sides of a cut, which a criterion values by its formula: O(classes) a candidate.
template <class C>
class BothSides {
public:
    BothSides(const LocalRows& rows, const Totals& node, const C& criterion)
        : rows_(rows), node_(node), criterion_(criterion), left_(node.sums.size()), right_(node) {}

    void jump(const Totals& to) {
        left_ = to;
        right_.weight = node_.weight - to.weight;
        for (size_t k = 0; k < left_.sums.size(); ++k) right_.sums[k] = rest_of(node_.sums[k], left_.sums[k]);
    }
    double left_weight_now() const { return left_.weight; }
    double right_weight_now() const { return right_.weight; }
    double score() const {
        const Totals* both[] = {&left_, &right_};
        return criterion_.merit(node_, Branches(both));
    }
    double merit(double score) const { return score; }
    double score_step(double merit_step) const { return merit_step; }

protected:
    /// A row of this class goes left.
    void move(size_t k, double w) {
        left_.sums[k] = std::max(left_.sums[k] + w, 0.0);  // a weight taken back may leave rounding
        right_.sums[k] = rest_of(node_.sums[k], left_.sums[k]);
    }
    void move_weight(double w) {
        left_.weight += w;
        right_.weight = node_.weight - left_.weight;
    }

    const LocalRows& rows_;
    const Totals& node_;
    const C& criterion_;
    Totals left_, right_;
};

/// The formula itself at every cut.
class FormulaScorer : public BothSides<Formula> {
public:
    using BothSides::BothSides;

    void add(size_t row) {
        const double w = rows_.weight_of(row);
        move(static_cast<size_t>(rows_.label[row]), w);
        move_weight(w);
    }
    double left_mean() const { return rows_.levels->mean(left_.sums.data()); }
    double right_mean() const { return rows_.levels->mean(right_.sums.data()); }
};

/// The rows that have the value, valued by merit_of_known.
class KnownScorer : public FormulaScorer {
public:
    KnownScorer(const LocalRows& rows, const Totals& known, double total, const Formula& formula)
        : FormulaScorer(rows, known, formula), total_(total) {}
    double score() const {
        const Totals* both[] = {&left_, &right_};
        return criterion_.merit_of_known(node_, total_, Branches(both));
    }

private:
    double total_;
};
static_assert(Criterion<Formula> && Scorer<FormulaScorer> && Scorer<KnownScorer>);

/// A criterion: known when the engines are compiled, or by its formula.
template <class C>
const C& chosen(const Formula* formula) {
    static constexpr C known{};
    if constexpr (std::is_same_v<C, Formula>) return *formula;
    else return known;
}

/// Whether a criterion has bounds, or may have, if only running tells.
template <class C>
inline constexpr bool may_be_bounded = C::traits.bounded;
template <>
inline constexpr bool may_be_bounded<Formula> = true;

/// Whether categories are valued by moving rows.
template <class C>
inline constexpr bool goes_by_rows = C::traits.by_rows;
template <>
inline constexpr bool goes_by_rows<Formula> = false;

/// A scorer of these rows, all on the right.
template <class S, class C>
S make_scorer(const C& criterion, const LocalRows& rows, const Totals& totals, Scratch& scratch) {
    if constexpr (std::is_constructible_v<S, const LocalRows&, const Totals&, const C&>) return S(rows, totals, criterion);
    else if constexpr (std::is_constructible_v<S, const LocalRows&, const Totals&, const C&, Scratch&>)
        return S(rows, totals, criterion, scratch);
    else if constexpr (std::is_same_v<S, FormulaScorer>) return S(rows, totals, formula_of<C>);
    else return S(rows, totals, scratch);
}

}  // namespace treewright
