// The forms of splits beyond one threshold or one table, for the plain engine: intervals, medians, hyperplanes, spheres.
//
// splits/*.hpp say where to cut; here their finds are valued on the node's own rows, under the policy for missing values of
// the (first) feature, and written as splits. A row that misses any feature of a hyperplane or sphere leaves it unanswered.
#pragma once
#include <map>

#include "builder.hpp"
#include "grow/choice.hpp"
#include "missing.hpp"
#include "significance.hpp"
#include "splits/interval.hpp"
#include "splits/median.hpp"
#include "splits/oblique.hpp"

namespace treewright {

/// Works on the memory of the engine it belongs to.
template <class Engine>
class Forms {
    using C = typename Engine::Criterion;
    using Item = typename Engine::Item;

public:
    explicit Forms(Engine& engine) : e_(engine), criterion_(criterion_of<C>(engine.problem_)) {}

    /// Offer the best split of each form that the recipe asks for; `choice` has those of single features.
    void search(const Item& item, const std::vector<int32_t>& features, SplitChoice& choice) {
        const Recipe& recipe = e_.recipe_;
        if (!recipe.interval && !recipe.median && !recipe.hyperplane && !recipe.sphere) return;
        std::vector<int32_t> numeric;
        for (int32_t f : features)
            if (!e_.feature_at(f).categorical()) numeric.push_back(f);
        if (recipe.interval)
            for (int32_t f : numeric) choice.offer(intervals(item, f, numeric.size()));
        if (recipe.median) choice.offer(median(item, numeric));
        if (recipe.hyperplane || recipe.sphere) oblique(item, numeric, choice);
    }

    /// What an oblique split compares, by row: NaN where a feature is missing, or its value where all are filled in.
    Fill gather(const Item& item, const Candidate& split) {
        Fill fill;
        fill.found = fills(e_.policy_of(split.feature));
        std::map<int32_t, Fill> of;
        if (fill.found)
            for (int32_t f : split.pool_index)
                if (of.emplace(f, Fill{}).second) fill.found &= (of[f] = e_.gather(item, f)).found;
        if (fill.found) fill.value = compared(split, [&](int32_t f) { return of[f].value; });
        e_.value_.resize(item.size());
        for (size_t i = 0; i < item.size(); ++i) {
            e_.value_[i] = compared(split, [&](int32_t f) { return e_.number(item, static_cast<size_t>(f), i); });
            if (std::isnan(e_.value_[i]) && fill.found) e_.value_[i] = fill.value;
        }
        return fill;
    }

private:
    static constexpr size_t most_features = 64;  // of an oblique split: those of the best thresholds

    double middle(size_t at) const { return midpoint(e_.sorted_[at - 1], e_.sorted_[at]); }

    // ---- several intervals ---------------------------------------------------------------------------------------------

    Candidate intervals(const Item& item, int32_t feature, size_t n_features) {
        e_.gather(item, feature);
        const size_t known = e_.sort_values(item);
        const IntervalSearch<C::classification> search(e_.local_, e_.n_classes(), e_.limits(), e_.scratch_);
        const std::vector<size_t> cuts = search.cuts(e_.list_.data(), known);
        if (cuts.empty()) return {};
        Candidate split;
        split.kind = SplitKind::interval;
        split.feature = feature;
        split.n_branches = static_cast<int32_t>(cuts.size()) + 1;
        for (size_t at : cuts) {
            split.pool_index.push_back(static_cast<int32_t>(split.pool_index.size()) + 1);
            split.pool_value.push_back(middle(at));
        }
        const double places = count_cuts(e_.list_.data(), known, known);  // any number of cuts might have been made
        split.rivals = static_cast<double>(n_features) * places * choose(places, static_cast<double>(cuts.size()));
        split.merit = interval_merit(item, feature, cuts, known, split.default_branch);
        return split;
    }
    /// Rows without the value join the heaviest branch, or take no part.
    double interval_merit(const Item& item, int32_t feature, const std::vector<size_t>& cuts, size_t known, int32_t& heaviest) {
        std::vector<std::vector<uint32_t>> rows(cuts.size() + 1);
        std::vector<double> weights(rows.size(), 0.0);
        for (size_t i = 0, b = 0; i < known; ++i) {
            while (b < cuts.size() && i >= cuts[b]) ++b;
            rows[b].push_back(e_.list_[i].row);
            weights[b] += e_.local_.weight_of(e_.list_[i].row);
        }
        heaviest = static_cast<int32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
        const Missing policy = e_.policy_of(feature);
        const double known_weight = std::accumulate(weights.begin(), weights.end(), 0.0);
        double share = 1;
        if (left_out(policy)) share = known_weight / item.totals.weight;
        else
            for (size_t i = known; i < item.size(); ++i) rows[static_cast<size_t>(heaviest)].push_back(e_.list_[i].row);
        if constexpr (C::classification) {
            std::vector<Totals> branch;
            Totals whole(e_.problem_.width());
            for (const std::vector<uint32_t>& of : rows) whole.add(branch.emplace_back(totals(of)));
            std::vector<const Totals*> all;
            for (const Totals& b : branch) all.push_back(&b);
            if constexpr (requires { criterion_.merit_of_known; })
                if (criterion_.merit_of_known && policy == Missing::fractional)
                    return criterion_.merit_of_known(whole, item.totals.weight, all);
            return share * criterion_.merit(whole, all);
        } else {
            std::vector<uint32_t> whole;
            double after = 0;
            for (const std::vector<uint32_t>& of : rows) {
                after += deviation(item, of);
                whole.insert(whole.end(), of.begin(), of.end());
            }
            return (deviation(item, whole) - after) / item.totals.weight;
        }
    }
    Totals totals(const std::vector<uint32_t>& rows) const {
        Totals t(e_.problem_.width());
        t.count = rows.size();
        for (uint32_t row : rows) {
            t.weight += e_.local_.weight_of(row);
            t.sums[static_cast<size_t>(e_.label_[row])] += e_.local_.weight_of(row);
        }
        return t;
    }
    /// What these rows would cost as a leaf, by the criterion; without end where it allows no such leaf.
    double deviation(const Item& item, const std::vector<uint32_t>& rows) const {
        std::vector<double> target, weight;
        for (uint32_t row : rows) {
            target.push_back(e_.problem_.target[item.parts.row[row]]);
            weight.push_back(e_.local_.weight_of(row));
        }
        Description leaf;
        describe_numbers<C>(target, weight, leaf);
        return C::cost(leaf);
    }

    // ---- the median ----------------------------------------------------------------------------------------------------

    double width(const Item& item, int32_t feature) {
        e_.gather(item, feature);
        double low = infinity, high = -infinity;
        for (double value : e_.value_) {
            if (std::isnan(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
        return high - low;
    }
    /// The median of the widest feature that may be cut there.
    Candidate median(const Item& item, const std::vector<int32_t>& numeric) {
        std::vector<std::pair<double, int32_t>> widest;
        for (int32_t f : numeric) widest.emplace_back(-width(item, f), f);
        std::sort(widest.begin(), widest.end());
        for (const auto& [_, feature] : widest) {
            e_.gather(item, feature);
            const size_t known = e_.sort_values(item), at = median_cut(e_.list_.data(), known, e_.local_, e_.limits());
            if (at == 0) continue;
            Candidate split;
            split.feature = feature;
            split.threshold = middle(at);
            split.rivals = 1;
            value_cut(item, at, known, split);
            return split;
        }
        return {};
    }
    /// Merit of the sorted list cut after `at` of its known rows, the others on the better side or taking no part.
    void value_cut(const Item& item, size_t at, size_t known, Candidate& split) {
        const bool take_part = known < item.size() && !left_out(e_.policy_of(split.feature));
        const auto* list = e_.list_.data();
        const size_t n = take_part ? item.size() : known;
        const Totals totals = e_.totals_of(list, n);
        for (const bool missing_left : {false, true}) {
            if (missing_left && !take_part) return;
            auto scorer = started_scorer<typename C::TurnScorer>(criterion_, e_.local_, totals, e_.scratch_, list, n);
            for (size_t i = 0; i < at; ++i) scorer.add(list[i].row);
            for (size_t i = known; i < n && missing_left; ++i) scorer.add(list[i].row);
            const double merit = scorer.merit(scorer.score()) * totals.weight / item.totals.weight;
            if (!(merit > split.merit + criterion_.tolerance(item.totals, item.impurity))) continue;
            split.merit = merit;
            if (take_part) split.default_branch = missing_left ? 0 : 1;
        }
    }

    // ---- hyperplanes and spheres ---------------------------------------------------------------------------------------

    void oblique(const Item& item, const std::vector<int32_t>& numeric, SplitChoice& choice) {
        const double best = choice.found() ? choice.best().merit : -infinity;
        const double candidates = e_.candidates_;  // of single features: what is cut here is counted by its own form
        const std::vector<std::vector<int32_t>> sets = e_.interactions_.sets(numeric, item.groups);
        const auto offer = [&](Candidate&& split, size_t p) {
            const auto n = static_cast<double>(item.size());
            split.rivals = static_cast<double>(sets.size() * p) *  // each number of features has an equal share of the error
                           count_oblique(n, p, split.features().size(), split.kind == SplitKind::sphere);
            choice.offer(std::move(split));
        };
        for (const std::vector<int32_t>& features : sets)
            if (!features.empty()) oblique_on(item, features, best, offer);
        e_.candidates_ = candidates;
    }
    template <class Offer>
    void oblique_on(const Item& item, const std::vector<int32_t>& features, double best, Offer&& offer) {
        std::vector<std::pair<double, int32_t>> by_merit;
        for (int32_t f : features) {
            e_.gather(item, f);
            by_merit.emplace_back(-e_.search_cuts(item, f).merit, f);
        }
        std::sort(by_merit.begin(), by_merit.end());
        if (by_merit.size() > most_features) by_merit.resize(most_features);
        std::vector<int32_t> chosen;
        for (const auto& entry : by_merit) chosen.push_back(entry.second);
        std::sort(chosen.begin(), chosen.end());
        const Recipe& recipe = e_.recipe_;
        const ScaledRows scaled(e_.local_, item.totals, e_.limits(), item.size(), chosen, recipe.feature_costs, item.seed,
                                [&](uint32_t i, int32_t f) { return e_.number(item, static_cast<size_t>(f), i); });
        Monitor& monitor = e_.problem_.monitor;
        // with fewer rows OC1 cuts one feature
        if (recipe.hyperplane && scaled.width() > 1 && item.size() >= 2 * scaled.width()) {
            const auto axis = static_cast<size_t>(std::find(scaled.feature.begin(), scaled.feature.end(), by_merit[0].second) -
                                                  scaled.feature.begin());
            const std::vector<double> weight =
                HyperplaneSearch<C>(criterion_, scaled, item.impurity, item.seed, recipe.threads, monitor)
                    .best(axis < scaled.width() ? axis : 0, recipe.max_terms);
            if (weight.size() - static_cast<size_t>(std::count(weight.begin(), weight.end(), 0.0)) > 1)  // else a threshold
                offer(in_few_digits(item, best, [&](int digits) { return hyperplane_split(scaled, weight, digits); }),
                      features.size());
        }
        if (recipe.sphere && scaled.width() > 0) {
            const auto sphere =
                SphereSearch<C>(criterion_, scaled, item.impurity, recipe.threads, monitor).best(recipe.max_terms);
            offer(in_few_digits(item, 0.0, [&](int digits) { return sphere_split(scaled, sphere, digits); }), features.size());
        }
    }
    /// The split with the fewest digits that lose no more than a thousandth of its lead over `least`.
    template <class Write>
    Candidate in_few_digits(const Item& item, double least, Write&& write) {
        Candidate exact = cut(item, write(17));
        for (int digits = 2; digits < 9 && exact.found(); ++digits)
            if (Candidate shorter = cut(item, write(digits));
                shorter.merit >= exact.merit - 0.001 * std::max(exact.merit - least, 0.0))
                return shorter;
        return exact;
    }
    /// Cut what an oblique split compares where that is best.
    Candidate cut(const Item& item, Candidate split) {
        if (!std::all_of(split.pool_value.begin(), split.pool_value.end(), [](double x) { return std::isfinite(x); })) return {};
        gather(item, split);
        const Candidate found = e_.search_cuts(item, split.feature);
        if (!found.found() || !std::isfinite(found.threshold)) return {};
        double low = -infinity, high = infinity;
        for (double value : e_.value_) {
            if (value <= found.threshold) low = std::max(low, value);
            if (value > found.threshold) high = std::min(high, value);
        }
        split.threshold = shortest_between(low, high);
        split.merit = found.merit;
        split.default_branch = found.default_branch;
        return split;
    }

    Engine& e_;
    const C& criterion_;
};

}  // namespace treewright
