// The best split of one feature in the plain engine: on a list handed down, on values sorted anew, or on categories.
#pragma once
#include <optional>
#include <set>

#include "grow/presorted/shared_rows.hpp"
#include "random.hpp"
#include "significance.hpp"
#include "splits/categorical.hpp"
#include "splits/row_groups.hpp"

namespace treewright {

template <class C, class Index>
class ListSearch : protected ListRows<C, Index> {
    using Rows = ListRows<C, Index>;

protected:
    using typename Rows::List;
    using Item = typename Rows::Node;
    using Rows::feature_at, Rows::policy_of, Rows::number, Rows::gather, Rows::sort_values, Rows::by_pairs, Rows::totals_of;
    using Rows::problem_, Rows::recipe_, Rows::table_, Rows::local_, Rows::label_, Rows::target_, Rows::value_, Rows::sorted_,
        Rows::list_, Rows::pair_;

    explicit ListSearch(const Problem& problem)
        : Rows(problem),
          criterion_(criterion_of<C>(problem)),
          scratch_(problem.n_log_n),
          categories_{table_, recipe_, problem.n_classes, problem.label, problem.target, problem.total_weight, problem.monitor},
          classes_(criterion_) {
        categories_.formula = problem.formula;
    }

    /// Whether the order of a feature's values stays the same from node to node.
    bool keeps_order(size_t feature) const {
        return (recipe_.threshold || recipe_.hyperplane) && !table_.features[feature].categorical() && !fills(policy_of(feature));
    }

    /// The best split of a feature; need not be found if its merit is below `least`.
    Candidate search(const Item& item, int32_t feature, double least) {
        if (keeps_order(static_cast<size_t>(feature))) return search_list(item, feature, least);
        gather(item, feature);
        if (!feature_at(feature).categorical())
            return recipe_.threshold || recipe_.hyperplane ? search_cuts(item, feature, least) : Candidate{};
        if constexpr (C::by_rows) return search_groups(item, feature);
        else return search_categories(item, feature);
    }
    /// The best cut of the values gathered.
    Candidate search_cuts(const Item& item, int32_t feature, double least = -infinity) {
        const size_t n = item.size(), known = sort_values(item);
        if (list_[0].rank == list_[n - 1].rank) return {};
        if (counting()) candidates_ += count_cuts(list_.data(), known, left_out(policy_of(feature)) ? known : n);
        Cut cut;
        Candidate candidate = best_cut(item, feature, list_.data(), known, least, value_sorted(), cut);
        if (!candidate.found() || recipe_.random_cuts) return candidate;
        candidate.threshold = cut.position == known ? infinity : midpoint(sorted_[cut.position - 1], sorted_[cut.position]);
        return candidate;
    }

    CutLimits limits() const {
        CutLimits limits;
        limits.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits.min_weight = recipe_.min_weight_leaf;
        limits.last_of_ties = recipe_.ties == Ties::last;
        return limits;
    }

    const C& criterion_;
    Scratch scratch_;
    double candidates_ = 0;  // looked at in the node in hand, where significance asks

private:
    bool counting() const { return recipe_.significance < 1; }

    // ---- cuts --------------------------------------------------------------------------------------------------------

    Candidate search_list(const Item& item, int32_t feature, double least) {
        std::span<const List> list = item.lists.of(static_cast<size_t>(feature));
        const size_t known = list.size();
        if (known == 0) return {};
        if (known < item.size() && !left_out(policy_of(feature))) {  // the rows without the value take a side
            list_.assign(list.begin(), list.end());
            for (size_t i = 0; i < item.size(); ++i)
                if (std::isnan(number(item, static_cast<size_t>(feature), i)))
                    list_.push_back({List::missing, static_cast<Index>(i)});
            list = list_;
        }
        if (list.front().rank == list.back().rank) return {};
        if (counting()) candidates_ += count_cuts(list.data(), known, list.size());
        Cut cut;
        const auto value = [&](size_t i) { return number(item, static_cast<size_t>(feature), list[i].row); };
        Candidate candidate = best_cut(item, feature, list.data(), known, least, value, cut);
        if (!candidate.found()) return {};
        candidate.position = cut.position;
        if (recipe_.random_cuts) return candidate;
        candidate.threshold = cut.position == known ? infinity : midpoint(value(cut.position - 1), value(cut.position));
        return candidate;
    }
    auto value_sorted() const {
        return [this](size_t i) { return sorted_[i]; };
    }
    /// The best cut of a sorted list, or one that is drawn, given its known rows; those behind them have no value. value(i) is
    /// that of the i-th.
    template <class Value>
    Candidate best_cut(const Item& item, int32_t feature, const List* list, size_t known, double least, Value&& value, Cut& cut) {
        if (known == 0) return {};
        const bool take_part = known < item.size() && !left_out(policy_of(feature));
        const double tolerance = criterion_.tolerance(item.totals, item.impurity);
        if constexpr (requires { criterion_.merit_of_known; })
            if (criterion_.merit_of_known && policy_of(feature) == Missing::fractional) {
                const Totals totals = totals_of(list, known);
                KnownScorer scorer(local_, totals, item.totals.weight, criterion_);
                if (recipe_.random_cuts) return drawn_cut(item, feature, list, known, known, scorer, value, cut);
                cut_.start(tolerance, limits().last_of_ties);
                scan(list, known, 0, known, false, false, scorer, limits(), cut_);
                return found_cut(feature, scorer, 1, cut);
            }
        if constexpr (may_be_bounded<C>)
            if (criterion_.traits.bounded && !take_part && !recipe_.random_cuts && !recipe_.plain && recipe_.ties != Ties::last)
                return bounded_cut(item, feature, std::span(list, known), least, tolerance, cut);
        return C::with_scorer(problem_.n_classes, local_.weight == nullptr, [&]<class Scorer>() {
            return best_cut_by<Scorer>(item, feature, list, known, take_part, value, tolerance, cut);
        });
    }
    /// The best cut that a scan has left in cut_, as a split; `share` of the node's weight took part.
    template <class Scorer>
    Candidate found_cut(int32_t feature, const Scorer& scorer, double share, Cut& cut) {
        Candidate candidate;
        if (!cut_.found()) return candidate;
        cut = cut_.get();
        candidate.merit = scorer.merit(cut_.merit()) * share;
        candidate.feature = feature;
        return candidate;
    }
    /// The best cut of known rows, found by bounds.
    Candidate bounded_cut(const Item& item, int32_t feature, std::span<const List> list, double least, double tolerance,
                          Cut& cut) {
        if constexpr (requires { typename C::PairScorer; })
            if (by_pairs()) {
                const Totals totals = pairs_.sum(list, pair_, C::classification);
                const double share = totals.weight / item.totals.weight;
                const typename C::PairScorer scorer(local_, totals, scratch_);
                const double step = scorer.score_step(tolerance / share);
                cut_.start(step);
                pairs_.scan(list, pair_, scorer, scorer.score_step(least / share), limits(), step, cut_);
                return found_cut(feature, scorer, share, cut);
            }
        if constexpr (C::classification) {
            const Totals totals = classes_.sum(list, local_, problem_.width());
            const double share = totals.weight / item.totals.weight;
            return C::with_scorer(problem_.n_classes, local_.weight == nullptr, [&]<class Scorer>() {
                Scorer scorer = make_scorer<Scorer>(criterion_, local_, totals, scratch_);
                cut_.start(scorer.score_step(tolerance / share));
                classes_.scan(list, totals, scorer, least / share, limits(), tolerance / share, cut_);
                return found_cut(feature, scorer, share, cut);
            });
        } else {
            return {};
        }
    }
    template <class Scorer, class Value>
    Candidate best_cut_by(const Item& item, int32_t feature, const List* list, size_t known, bool take_part, Value&& value,
                          double tolerance, Cut& cut) {
        const size_t n = take_part ? item.size() : known;
        const Totals totals = n < item.size() ? totals_of(list, n) : item.totals;
        const double share = totals.weight / item.totals.weight;
        Scorer made = started_scorer<Scorer>(criterion_, local_, totals, scratch_, list, n);
        if (recipe_.random_cuts) {
            Candidate drawn = drawn_cut(item, feature, list, known, n, made, value, cut);
            if (drawn.found()) drawn.merit *= share;
            return drawn;
        }
        cut_.start(made.score_step(tolerance / share), limits().last_of_ties);
        scan(list, known, 0, n, take_part, false, made, limits(), cut_);
        if (take_part) {
            Scorer left = started_scorer<Scorer>(criterion_, local_, totals, scratch_, list, n);
            for (size_t i = known; i < n; ++i) left.add(list[i].row);
            scan(list, known, n - known, n, false, true, left, limits(), cut_);
        }
        Candidate candidate = found_cut(feature, made, share, cut);
        if (take_part) candidate.default_branch = cut.missing_left ? 0 : 1;
        return candidate;
    }

    /// A cut drawn between the smallest and the largest of the known values (extremely randomised trees: Geurts, Ernst &
    /// Wehenkel, 2006). Of the n rows that take part those without a value go to a side that is drawn as well.
    template <class Scorer, class Value>
    Candidate drawn_cut(const Item& item, int32_t feature, const List* list, size_t known, size_t n, Scorer& made, Value&& value,
                        Cut& cut) {
        Random random(child_seed(item.seed, ~static_cast<uint64_t>(feature)));  // no branch has this number
        const double low = value(0), high = value(known - 1);
        double threshold = low + random.uniform() * (high - low);
        if (!(threshold < high)) threshold = low;
        if (low == high) threshold = infinity;  // only known against missing is left
        cut.missing_left = known < n && random.below(2) == 0;
        const size_t already = cut.missing_left ? n - known : 0;
        for (size_t i = known; i < known + already; ++i) made.add(list[i].row);
        size_t left = 0;
        while (left < known && value(left) <= threshold) made.add(list[left++].row);
        const CutLimits rules = limits();
        if (left + already < rules.min_count || n - left - already < rules.min_count || !rules.allow(made)) return {};
        cut.position = left;
        Candidate candidate;
        candidate.merit = made.merit(made.score());
        candidate.feature = feature;
        candidate.threshold = threshold;
        if (known < n) candidate.default_branch = cut.missing_left ? 0 : 1;
        return candidate;
    }

    // ---- categories --------------------------------------------------------------------------------------------------

    Candidate search_categories(const Item& item, int32_t feature) {
        counter_.count(
            static_cast<size_t>(feature_at(feature).n_categories), problem_.width(), local_,
            [&](auto&& use) {
                for (size_t i = 0; i < item.size(); ++i) use(std::isnan(value_[i]) ? -1 : static_cast<int32_t>(value_[i]), i);
            },
            levels_);
        if (levels_.size() + (levels_.missing.count > 0) < 2) return {};
        const bool without = left_out(policy_of(feature));
        if (counting()) candidates_ += count_groupings(recipe_, levels_.size() + (levels_.missing.count > 0 && !without));
        Candidate candidate = CategorySearch<C>(categories_, levels_, item.totals, item.impurity, feature).best();
        if (!candidate.found()) return candidate;
        if (without) candidate.default_branch = -1;
        if constexpr (requires { criterion_.merit_of_known; })
            if (criterion_.merit_of_known && policy_of(feature) == Missing::fractional)
                candidate.merit = merit_of_known(item, candidate);
        return candidate;
    }
    double merit_of_known(const Item& item, const Candidate& candidate) const {
        std::vector<Totals> branch(static_cast<size_t>(candidate.n_branches), Totals(problem_.width()));
        for (size_t level = 0; level < levels_.size(); ++level)
            levels_.add_to(branch[static_cast<size_t>(candidate.branch_of(levels_.code[level]))], level);
        std::vector<const Totals*> all;
        for (const Totals& b : branch) all.push_back(&b);
        return criterion_.merit_of_known(levels_.known, item.totals.weight, all);
    }
    /// Absolute error is not a function of sums: groups of categories are valued by moving rows.
    Candidate search_groups(const Item& item, int32_t feature) {
        return C::with_scorer(problem_.n_classes, local_.weight == nullptr,
                              [&]<class Scorer>() { return best_groups<Scorer>(item, feature); });
    }
    template <class Scorer>
    Candidate best_groups(const Item& item, int32_t feature) {
        GroupSearch<C, Scorer, Index> groups(categories_, local_, scratch_, item.totals, item.impurity, limits(), feature);
        const bool without = left_out(policy_of(feature));
        std::set<int32_t> present;
        for (size_t i = 0; i < item.size(); ++i) {
            const int32_t code = std::isnan(value_[i]) ? -1 : static_cast<int32_t>(value_[i]);
            if (code < 0 && without) continue;
            if (counting()) present.insert(code);
            groups.add(code, static_cast<Index>(i));
        }
        if (groups.constant()) return {};
        if (counting()) candidates_ += count_groupings(recipe_, present.size());
        Candidate candidate = groups.best();
        if (without) candidate.default_branch = -1;
        return candidate;
    }

    Problem categories_;  // with a category for missing ones where that is the policy
    LevelCounter counter_;
    Levels levels_;
    BestCut cut_;
    PairScanFor<C> pairs_;
    ClassScanFor<C> classes_;
};

}  // namespace treewright
