// Scorers that keep the class weights of both sides.
#pragma once
#include "criterion.hpp"

namespace treewright {

template <bool unit>
struct ClassScorer {
    const LocalRows& rows;
    size_t n_classes;
    double weight, left_weight = 0, right_weight;
    double *left, *right;
    const Totals* total;

    ClassScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : rows(rows_), n_classes(node.sums.size()), weight(node.weight), right_weight(node.weight) {
        scratch.left.assign(n_classes, 0.0);
        scratch.right.assign(node.sums.begin(), node.sums.end());
        left = scratch.left.data();
        right = scratch.right.data();
        total = &node;
    }
    void move_to(const Totals& to) {
        left_weight = to.weight;
        right_weight = weight - to.weight;
        for (size_t k = 0; k < n_classes; ++k) {
            left[k] = to.sums[k];
            right[k] = rest_of(total->sums[k], to.sums[k]);
        }
    }
    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return right_weight; }
    double left_mean() const { return rows.levels->mean(left); }
    double right_mean() const { return rows.levels->mean(right); }
};

class FormulaScorer;
template <class C>
class ConcaveCosts;

/// A class criterion by its formula, known when the engines run: what every scorer must equal. The criteria that have no scorer
/// of their own share one engine this way.
struct Formula {
    static constexpr bool classification = true, by_rows = false, user_defined = false;
    static bool by_pairs(int) { return false; }

    Traits traits;
    double (*impurity)(const Totals&) = nullptr;
    double (*merit)(const Totals&, Branches) = nullptr;
    double (*tolerance)(const Totals&, double) = nullptr;
    double (*merit_of_known)(const Totals&, double, Branches) = nullptr;  // where some rows lack the value; null = the share that
                                                                          // has it times its merit

    using SideCosts = ConcaveCosts<Formula>;
    using TurnScorer = FormulaScorer;
    template <class Use>
    static decltype(auto) with_scorer(int, bool, Use&& use) {
        return use.template operator()<FormulaScorer>();
    }
};

template <class C>
inline constexpr Formula formula_of = [] {
    Formula formula{C::traits, &C::impurity, &C::merit, &C::tolerance};
    if constexpr (requires { &C::merit_of_known; }) formula.merit_of_known = &C::merit_of_known;
    return formula;
}();

/// The formula itself at every cut: O(classes) a candidate.
class FormulaScorer {
public:
    FormulaScorer(const LocalRows& rows, const Totals& node, const Formula& formula)
        : rows_(rows), node_(node), formula_(formula), left_(node.sums.size()), right_(node) {}

    void add(size_t row) {
        const auto k = static_cast<size_t>(rows_.label[row]);
        const double w = rows_.weight_of(row);
        left_.sums[k] = std::max(left_.sums[k] + w, 0.0);  // a weight taken back may leave rounding
        left_.weight += w;
        right_.sums[k] = rest_of(node_.sums[k], left_.sums[k]);
        right_.weight = node_.weight - left_.weight;
    }
    void jump(const Totals& to) {
        left_ = to;
        right_.weight = node_.weight - to.weight;
        for (size_t k = 0; k < left_.sums.size(); ++k) right_.sums[k] = rest_of(node_.sums[k], left_.sums[k]);
    }
    double score() const {
        const Totals* both[] = {&left_, &right_};
        return formula_.merit(node_, Branches(both));
    }
    double merit(double score) const { return score; }
    double score_step(double merit_step) const { return merit_step; }
    double left_weight_now() const { return left_.weight; }
    double right_weight_now() const { return right_.weight; }
    double left_mean() const { return rows_.levels->mean(left_.sums.data()); }
    double right_mean() const { return rows_.levels->mean(right_.sums.data()); }

protected:
    const LocalRows& rows_;
    const Totals& node_;
    const Formula& formula_;
    Totals left_, right_;
};

/// The rows that have the value, valued by merit_of_known.
class KnownScorer : public FormulaScorer {
public:
    KnownScorer(const LocalRows& rows, const Totals& known, double total, const Formula& formula)
        : FormulaScorer(rows, known, formula), total_(total) {}
    double score() const {
        const Totals* both[] = {&left_, &right_};
        return formula_.merit_of_known(node_, total_, Branches(both));
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

/// A scorer of these rows, all on the right.
template <class S, class C>
S make_scorer(const C& criterion, const LocalRows& rows, const Totals& totals, Scratch& scratch) {
    if constexpr (std::is_same_v<C, Formula>) return S(rows, totals, criterion);
    else if constexpr (std::is_same_v<S, FormulaScorer>) return S(rows, totals, formula_of<C>);
    else return S(rows, totals, scratch);
}

/// What two sides cost, in weight times impurity, at cuts between groups of rows, and the least they cost at cuts inside one, for
/// any concave impurity: the rows of a group cost the least if they cost nothing by themselves, and the others cost the less
/// without them.
template <class C>
class ConcaveCosts {
public:
    explicit ConcaveCosts(const C& criterion) : criterion_(criterion) {}
    void start(double) {
        left_.clear();
        right_.clear();
    }
    void add(const Totals& left, const Totals& right) {
        left_.push_back(cost(left));
        right_.push_back(cost(right));
    }
    /// At the cut before a group, or after the last.
    double at(size_t cut) const { return left_[cut] + right_[cut]; }
    double inside(size_t group) const { return left_[group] + right_[group + 1]; }

private:
    double cost(const Totals& side) const { return side.weight > 0 ? side.weight * criterion_.impurity(side) : 0.0; }

    const C& criterion_;
    std::vector<double> left_, right_;
};

}  // namespace treewright
