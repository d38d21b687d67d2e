// Splits that look at more than one cut or one table: intervals, medians, hyperplanes, spheres; for rows that may be shared.
//
// splits/*.hpp say where to cut; here their finds are valued on the node's own rows, under the policy for missing values of
// the (first) feature, and written as splits. A row that misses any feature of a hyperplane or sphere leaves it unanswered.
#pragma once
#include <map>

#include "base/builder.hpp"
#include "grow/choice.hpp"
#include "grow/presorted/shared_rows.hpp"
#include "grow/missing_policy.hpp"
#include "grow/significance.hpp"
#include "splits/best_intervals.hpp"
#include "splits/interval.hpp"
#include "splits/median.hpp"
#include "splits/oblique.hpp"

namespace treewright {

/// Works on the memory of the finder it belongs to.
template <class Finder>
class CompoundSplits {
    using Item = typename Finder::Item;

public:
    explicit CompoundSplits(Finder& finder)
        : finder_(finder), rows_(finder.rows_), task_(finder.task_), criterion_(*finder.task_.formula) {}

    /// Offer the best split of each form that the recipe asks for; `choice` has those of single features.
    void search(const Item& item, const std::vector<int32_t>& features, SplitChoice& choice) {
        const Recipe& recipe = task_.recipe;
        if (!recipe.forms()) return;
        std::vector<int32_t> numeric;
        for (int32_t f : features)
            if (!rows_.feature_at(f).categorical()) numeric.push_back(f);
        if (recipe.interval)
            for (int32_t f : numeric) {
                if (item.size() > most_narrow_rows) task_.monitor.poll(0);
                choice.offer(intervals(item, f, numeric.size()));
            }
        if (recipe.median) choice.offer(median(item, numeric));
        if (recipe.hyperplane || recipe.sphere) oblique(item, numeric, choice);
    }

    /// What an oblique split compares, by row: NaN where a feature is missing, or its value where all are filled in.
    Fill gather(const Item& item, const Candidate& split) {
        Fill fill;
        fill.found = fills(rows_.policy_of(split.feature));
        std::map<int32_t, Fill> of;
        if (fill.found)
            for (int32_t f : split.pool_index)
                if (of.emplace(f, Fill{}).second) fill.found &= (of[f] = rows_.gather(item, f)).found;
        if (fill.found) fill.value = compared(split, [&](int32_t f) { return of[f].value; });
        rows_.values().resize(item.size());
        for (size_t i = 0; i < item.size(); ++i) {
            rows_.values()[i] = compared(split, [&](int32_t f) { return rows_.number(item, static_cast<size_t>(f), i); });
            if (std::isnan(rows_.values()[i]) && fill.found) rows_.values()[i] = fill.value;
        }
        return fill;
    }

private:
    static constexpr size_t most_features = 64;  // of an oblique split: those of the best thresholds

    double middle(size_t at) const { return cut_between(rows_.sorted()[at - 1], rows_.sorted()[at], task_.recipe.short_cuts); }

    // ---- several intervals ---------------------------------------------------------------------------------------------

    Candidate intervals(const Item& item, int32_t feature, size_t n_features) {
        rows_.gather(item, feature);
        const size_t known = rows_.sort_values(item);
        const std::vector<size_t> cuts = task_.recipe.max_intervals > 0 ? best_cuts(item, known)
                                         : task_.n_classes              ? cuts_of<true>(known)
                                                                        : cuts_of<false>(known);
        if (cuts.empty()) return {};
        Candidate split;
        split.kind = SplitKind::interval;
        split.feature = feature;
        split.n_branches = static_cast<int32_t>(cuts.size()) + 1;
        for (size_t at : cuts) {
            split.pool_index.push_back(static_cast<int32_t>(split.pool_index.size()) + 1);
            split.pool_value.push_back(middle(at));
        }
        const double places = count_cuts(rows_.list().data(), known, known);  // any number of cuts might have been made
        split.rivals = static_cast<double>(n_features) * places * choose(places, static_cast<double>(cuts.size()));
        split.merit = interval_merit(item, feature, cuts, known, split.default_branch);
        return split;
    }
    template <bool classes>
    std::vector<size_t> cuts_of(size_t known) {
        const IntervalSearch<classes> search(rows_.local(), rows_.n_classes(), finder_.limits_, scratch_);
        return search.cuts(rows_.list().data(), known);
    }
    std::vector<size_t> best_cuts(const Item& item, size_t known) {
        const std::vector<Entry<uint32_t>>& list = rows_.list();
        const auto impurity = [&](const Totals& part) { return criterion_.impurity(part); };
        const auto poll = [&] { task_.monitor.poll(0); };
        const BestIntervals search(std::span<const Entry<uint32_t>>(list).first(known), rows_.local(), rows_.n_classes(),
                                   finder_.limits_, poll);
        const auto most = static_cast<size_t>(task_.recipe.max_intervals);
        return task_.n_classes ? search.cuts(most, impurity, criterion_.tolerance(item.totals, item.impurity))
                               : search.cuts(most, tie_tolerance * item.impurity);
    }
    /// Rows without the value join the heaviest branch, or all branches by their shares, or take no part.
    double interval_merit(const Item& item, int32_t feature, const std::vector<size_t>& cuts, size_t known, int32_t& heaviest) {
        std::vector<RowShares> branch(cuts.size() + 1);  // by rows of the node
        std::vector<double> weights(branch.size(), 0.0);
        const auto add = [&](RowShares& to, size_t i, double share) {
            const uint32_t row = rows_.list()[i].row;
            to.row.push_back(row);
            to.weight.push_back(share * rows_.local().weight_of(row));
            return to.weight.back();
        };
        for (size_t i = 0, b = 0; i < known; ++i) {
            while (b < cuts.size() && i >= cuts[b]) ++b;
            weights[b] += add(branch[b], i, 1.0);
        }
        heaviest = static_cast<int32_t>(first_largest(weights));
        const Missing policy = rows_.policy_of(feature);
        const double known_weight = std::accumulate(weights.begin(), weights.end(), 0.0);
        double share = 1;
        RowShares whole;
        if (policy == Missing::fractional_counts) {
            for (size_t i = known; i < item.size(); ++i)
                for (size_t b = 0; b < branch.size(); ++b) add(branch[b], i, weights[b] / known_weight);
        } else if (left_out(policy)) {
            share = known_weight / item.totals.weight;
        } else {
            for (size_t i = known; i < item.size(); ++i) add(branch[static_cast<size_t>(heaviest)], i, 1.0);
        }
        for (size_t i = 0; i < (share < 1 ? known : item.size()); ++i) add(whole, i, 1.0);
        if (task_.n_classes) {
            std::vector<Totals> parts;
            for (const RowShares& of : branch) parts.push_back(totals(of));
            std::vector<const Totals*> all;
            for (const Totals& part : parts) all.push_back(&part);
            if (criterion_.merit_of_known && policy == Missing::fractional)
                return criterion_.merit_of_known(totals(whole), item.totals.weight, all);
            return share * criterion_.merit(totals(whole), all);
        }
        double after = 0;
        for (const RowShares& of : branch) after += deviation(item, of);
        return (deviation(item, whole) - after) / item.totals.weight;
    }
    Totals totals(const RowShares& rows) const {
        Totals t(task_.width());
        t.count = rows.size();
        for (size_t i = 0; i < rows.size(); ++i) {
            t.weight += rows.weight[i];
            t.sums[rows_.label(rows.row[i])] += rows.weight[i];
        }
        return t;
    }
    /// What these rows would cost as a leaf, by the criterion; without end where it allows no such leaf.
    double deviation(const Item& item, const RowShares& rows) const {
        std::vector<double> target;
        for (uint32_t row : rows.row) target.push_back(task_.target[item.parts.row[row]]);
        Description leaf;
        describe_numbers(task_, target, rows.weight, leaf);
        return criterion_.cost(leaf);
    }

    // ---- the median ----------------------------------------------------------------------------------------------------

    double width(const Item& item, int32_t feature) {
        rows_.gather(item, feature);
        double low = infinity, high = -infinity;
        for (double value : rows_.values()) {
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
            rows_.gather(item, feature);
            const size_t known = rows_.sort_values(item),
                         at = median_cut(rows_.list().data(), known, rows_.local(), finder_.limits_);
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
        const bool without = left_out(rows_.policy_of(split.feature)), take_part = known < item.size() && !without;
        const NodeView node = finder_.view(item);
        CutTask<uint32_t> task{std::span<const Entry<uint32_t>>(rows_.list()).first(take_part ? item.size() : known), known,
                               no_limits, without};
        task.by_shares = rows_.policy_of(split.feature) == Missing::fractional_counts;
        for (const bool missing_left : {false, true}) {
            if (missing_left && !take_part) return;
            const double merit = finder_.kernel_->merit_of_cut(node, task, {at, missing_left}, split.threshold);
            if (!(merit > split.merit + node.tolerance)) continue;
            split.merit = merit;
            if (take_part) split.default_branch = missing_left ? 0 : 1;
        }
    }
    /// The best cut of the values gathered.
    Candidate best_cut(const Item& item, int32_t feature) {
        Random random(item.seed);
        return finder_.cut_values(finder_.view(item), item, feature, -infinity, random);
    }

    // ---- hyperplanes and spheres ---------------------------------------------------------------------------------------

    void oblique(const Item& item, const std::vector<int32_t>& numeric, SplitChoice& choice) {
        const double best = choice.found() ? choice.best().merit : -infinity;
        const double candidates = finder_.n_candidates_;  // of single features: what is cut here is counted by its own form
        const std::vector<std::vector<int32_t>> sets = finder_.interactions_.sets(numeric, item.groups);
        const auto offer = [&](Candidate&& split, size_t p) {
            const auto n = static_cast<double>(item.size());
            split.rivals = static_cast<double>(sets.size() * p) *  // each number of features has an equal share of the error
                           count_oblique(n, p, split.features().size(), split.kind == SplitKind::sphere);
            choice.offer(std::move(split));
        };
        for (const std::vector<int32_t>& features : sets)
            if (!features.empty()) oblique_on(item, features, best, offer);
        finder_.n_candidates_ = candidates;
    }
    template <class Offer>
    void oblique_on(const Item& item, const std::vector<int32_t>& features, double best, Offer&& offer) {
        std::vector<std::pair<double, int32_t>> by_merit;
        for (int32_t f : features) {
            rows_.gather(item, f);
            by_merit.emplace_back(-best_cut(item, f).merit, f);
        }
        std::sort(by_merit.begin(), by_merit.end());
        if (by_merit.size() > most_features) by_merit.resize(most_features);
        std::vector<int32_t> chosen;
        for (const auto& entry : by_merit) chosen.push_back(entry.second);
        std::sort(chosen.begin(), chosen.end());
        const Recipe& recipe = task_.recipe;
        const ScaledRows scaled(rows_.local(), item.totals, finder_.limits_, item.size(), chosen, recipe.feature_costs, item.seed,
                                [&](uint32_t i, int32_t f) { return rows_.number(item, static_cast<size_t>(f), i); });
        Monitor& monitor = task_.monitor;
        // with fewer rows OC1 cuts one feature
        if (recipe.hyperplane && scaled.width() > 1 && item.size() >= 2 * scaled.width()) {
            const auto axis = static_cast<size_t>(std::find(scaled.feature.begin(), scaled.feature.end(), by_merit[0].second) -
                                                  scaled.feature.begin());
            const std::vector<double> weight =
                HyperplaneSearch(*finder_.kernel_, scaled, item.impurity, item.seed, recipe.threads, monitor)
                    .best(axis < scaled.width() ? axis : 0, recipe.max_terms);
            if (weight.size() - static_cast<size_t>(std::count(weight.begin(), weight.end(), 0.0)) > 1)  // else a threshold
                offer(in_few_digits(item, best, [&](int digits) { return hyperplane_split(scaled, weight, digits); }),
                      features.size());
        }
        if (recipe.sphere && scaled.width() > 0) {
            const auto sphere = SphereSearch(*finder_.kernel_, scaled, item.impurity,
                                             criterion_.tolerance(scaled.totals, item.impurity), recipe.threads, monitor)
                                    .best(recipe.max_terms);
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
        const Candidate found = best_cut(item, split.feature);
        if (!found.found() || !std::isfinite(found.threshold)) return {};
        double low = -infinity, high = infinity;
        for (double value : rows_.values()) {
            if (value <= found.threshold) low = std::max(low, value);
            if (value > found.threshold) high = std::min(high, value);
        }
        split.threshold = shortest_between(low, high);
        split.merit = found.merit;
        split.default_branch = found.default_branch;
        return split;
    }

    static constexpr CutLimits no_limits{};

    Finder& finder_;
    SharedRows<uint32_t>& rows_;
    const GrowTask& task_;
    const Formula& criterion_;
    Scratch scratch_;
};

}  // namespace treewright
