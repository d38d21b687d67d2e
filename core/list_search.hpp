// The best split of one feature in the plain engine: on a list handed down, on values sorted anew, or on categories.
#pragma once
#include <optional>
#include <set>

#include "criteria/known_gain_ratio.hpp"
#include "list_rows.hpp"
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
          categories_{table_, recipe_, problem.n_classes, problem.label, problem.target, problem.total_weight, problem.monitor} {}

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
        if constexpr (std::is_same_v<C, AbsoluteError>) return search_groups(item, feature);
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
        if constexpr (C::concave)
            if (!take_part && !recipe_.random_cuts && !recipe_.plain && recipe_.ties != Ties::last)
                if (const auto candidate = bounded_cut(item, feature, std::span(list, known), least, cut)) return *candidate;
        const bool unit = local_.weight == nullptr;
        if constexpr (std::is_same_v<C, GainRatio>)
            if (policy_of(feature) == Missing::fractional) {
                const Totals totals = totals_of(list, known);
                KnownGainRatio::Scorer scorer(local_, totals, item.totals.weight, scratch_);
                if (recipe_.random_cuts) return drawn_cut(item, feature, list, known, known, scorer, value, cut);
                scan(list, known, 0, known, false, false, scorer, limits(), scorer.tolerance(item.impurity), cut);
                Candidate candidate;
                candidate.merit = cut.score;
                candidate.feature = cut.found() ? feature : -1;
                return candidate;
            }
        if constexpr (std::is_same_v<C, Gini>)
            if (problem_.n_classes == 2)
                return unit ? best_cut_by<MeanDifferenceScorer<true, true>>(item, feature, list, known, take_part, value, cut)
                            : best_cut_by<MeanDifferenceScorer<false, true>>(item, feature, list, known, take_part, value, cut);
        return unit ? best_cut_by<typename C::template Scorer<true>>(item, feature, list, known, take_part, value, cut)
                    : best_cut_by<typename C::template Scorer<false>>(item, feature, list, known, take_part, value, cut);
    }
    /// The best cut of known rows, found by bounds; nothing where they do not serve.
    std::optional<Candidate> bounded_cut(const Item& item, int32_t feature, std::span<const List> list, double least, Cut& cut) {
        Candidate candidate;
        const auto settle = [&](const auto& scorer, const Totals& totals) {
            candidate.merit = scorer.merit(cut.score) * totals.weight / item.totals.weight;
            candidate.feature = cut.found() ? feature : -1;
            return candidate;
        };
        if constexpr (std::is_same_v<C, Gini> || std::is_same_v<C, SquaredError>)
            if (by_pairs()) {
                const Totals totals = pairs_.sum(list, pair_);
                const MeanDifferenceScorer<false, C::classification> scorer(local_, totals, scratch_);
                pairs_.scan(list, pair_, scorer, least * item.totals.weight / totals.weight, limits(),
                            scorer.tolerance(item.impurity), cut);
                return settle(scorer, totals);
            }
        if constexpr (C::classification) {
            const Totals totals = classes_.sum(list, local_, problem_.width());
            const auto by = [&]<class Scorer>(Scorer scorer) {
                classes_.scan(list, totals, scorer, least * item.totals.weight / totals.weight, limits(),
                              scorer.tolerance(item.impurity), cut);
                return settle(scorer, totals);
            };
            return local_.weight ? by(typename C::template Scorer<false>(local_, totals, scratch_))
                                 : by(typename C::template Scorer<true>(local_, totals, scratch_));
        }
        return {};
    }
    template <class Scorer, class Value>
    Candidate best_cut_by(const Item& item, int32_t feature, const List* list, size_t known, bool take_part, Value&& value,
                          Cut& cut) {
        const size_t n = take_part ? item.size() : known;
        const Totals totals = n == item.size() ? item.totals : totals_of(list, n);
        const Scorer made = started_scorer<Scorer>(local_, totals, scratch_, list, n);
        Candidate candidate;
        if (recipe_.random_cuts) {
            Scorer drawing = made;
            candidate = drawn_cut(item, feature, list, known, n, drawing, value, cut);
            candidate.merit *= totals.weight / item.totals.weight;
            return candidate;
        }
        const double tolerance = made.tolerance(item.impurity);
        scan(list, known, 0, n, take_part, false, made, limits(), tolerance, cut);
        if (take_part) {
            Scorer left = started_scorer<Scorer>(local_, totals, scratch_, list, n);
            for (size_t i = known; i < n; ++i) left.add(list[i].row);
            scan(list, known, n - known, n, false, true, left, limits(), tolerance, cut);
            candidate.default_branch = cut.missing_left ? 0 : 1;
        }
        candidate.merit = made.merit(cut.score) * totals.weight / item.totals.weight;
        candidate.feature = cut.found() ? feature : -1;
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
        if constexpr (std::is_same_v<C, GainRatio>)
            if (policy_of(feature) == Missing::fractional) candidate.merit = known_gain_ratio(item, candidate);
        return candidate;
    }
    double known_gain_ratio(const Item& item, const Candidate& candidate) const {
        std::vector<Totals> branch(static_cast<size_t>(candidate.n_branches), Totals(problem_.width()));
        for (size_t level = 0; level < levels_.size(); ++level)
            levels_.add_to(branch[static_cast<size_t>(candidate.branch_of(levels_.code[level]))], level);
        std::vector<const Totals*> all;
        std::vector<double> weights;
        for (const Totals& b : branch) {
            all.push_back(&b);
            weights.push_back(b.weight);
        }
        return KnownGainRatio::merit(Entropy::merit(levels_.known, all), levels_.known.weight, item.totals.weight, weights);
    }
    /// Absolute error is not a function of sums: groups of categories are valued by moving rows.
    Candidate search_groups(const Item& item, int32_t feature) {
        const bool unit = local_.weight == nullptr;
        return unit ? best_groups<typename C::template Scorer<true>>(item, feature)
                    : best_groups<typename C::template Scorer<false>>(item, feature);
    }
    template <class Scorer>
    Candidate best_groups(const Item& item, int32_t feature) {
        GroupSearch<Scorer, Index> groups(categories_, local_, scratch_, item.totals, item.impurity, limits(), feature);
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

    const Problem categories_;  // with a category for missing ones where that is the policy
    LevelCounter counter_;
    Levels levels_;
    PairScan<C::classification> pairs_;
    ClassScan<C> classes_;
};

}  // namespace treewright
