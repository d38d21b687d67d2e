// Surrogates: splits on other features that send rows the way the split of a node does, ranked by how often they agree
// (Breiman, Friedman, Olshen & Stone, 1984, §5.3).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "splits/two_sided.hpp"

namespace treewright {

/// How agreement is counted.
struct SurrogateRules {
    int max_surrogates = 5;
    bool of_both_known = false;  // share of the rows with both features known (the book), else of all with the split's known
    bool rpart = false;          // refuse a categorical surrogate that errs less than twice, as rpart does by oversight
};

/// What the split of a node does: the signed weight of a row is +weight if it goes left, −weight if right, 0 if the split does
/// not answer; and the sums.
struct PrimarySides {
    std::span<const double> signed_weight;
    double left_weight = 0, right_weight = 0, other_weight = 0;  // the last in branches beyond two, none of them larger
    double tolerance = 0;                                        // sums that differ by no more are equal: rounding

    double total() const { return left_weight + right_weight + other_weight; }
    double majority() const { return std::max(left_weight, right_weight); }
};

/// What a surrogate achieves on the rows it knows.
struct Agreement {
    double weight = 0, majority = 0, total = 0;
    bool found = false;
};

/// The number of rows below a cut, and the sum of their signed weights.
struct CutSum {
    double sum = 0;
    size_t place = 0;
};

/// Which side the rows below the cut of a surrogate go to, given the sums of all weights and signed weights, and the cuts of the
/// highest and the lowest sum.
inline Agreement choose_direction(double total, double sum, CutSum highest, CutSum lowest, double tolerance, size_t& place,
                                  Side& below) {
    const double to_left = 0.5 * total + 0.5 * sum, to_right = 0.5 * total - 0.5 * sum;
    const double straight = to_right + highest.sum, reversed = to_left - lowest.sum;
    const bool reverse = reversed > straight + tolerance ||  // of equals the lower cut
                         (reversed >= straight - tolerance && lowest.place < highest.place);
    Agreement best;
    best.total = total;
    best.majority = std::max(to_left, to_right);
    best.weight = reverse ? reversed : straight;
    best.found = best.weight > best.majority + tolerance;
    place = reverse ? lowest.place : highest.place;
    below = reverse ? Side::right : Side::left;
    return best;
}

/// The best cut of a feature whose n known rows stand in order: row(i) is the i-th, new_value(i) tells whether a cut may stand
/// before it. Gives `place`, the rows below the cut. At least two rows must go each way.
///
/// With S the sum of the signed weights below a cut, sending those rows left agrees with the split on right + S, sending them
/// right on left − S, where left and right are the weights of all: the best cut is where S is largest or smallest.
template <class Row, class NewValue>
Agreement agreeing_cut(size_t n, Row&& row, NewValue&& new_value, const PrimarySides& primary, size_t& place, Side& below) {
    const auto answered = [&](size_t i) { return primary.signed_weight[row(i)] != 0; };
    size_t first = 0, last = n;
    for (int rows = 0; first < n && rows < 2; ++first) rows += answered(first);
    for (int rows = 0; last > 0 && rows < 2; --last) rows += answered(last - 1);
    double sum = 0, total = 0, highest = 0, lowest = 0;
    size_t at_highest = 0, at_lowest = 0, i = 0;
    const auto pass = [&] {
        const double weight = primary.signed_weight[row(i++)];
        sum += weight;
        total += std::fabs(weight);
    };
    while (i < first) pass();
    while (i < n && i <= last) {
        if (new_value(i)) {
            if (sum > highest + primary.tolerance) {
                highest = sum;
                at_highest = i;
            } else if (sum < lowest - primary.tolerance) {
                lowest = sum;
                at_lowest = i;
            }
        }
        pass();
    }
    while (i < n) pass();
    return choose_direction(total, sum, {highest, at_highest}, {lowest, at_lowest}, primary.tolerance, place, below);
}

/// Each category goes the way most of its rows go, ties with the majority of all. each(use) calls use(code, row) for the known
/// rows.
template <class Each>
Agreement agreeing_groups(size_t n_codes, Each&& each, const PrimarySides& primary, bool rpart, std::vector<Side>& side) {
    struct Tally {
        double weight = 0;
        size_t count = 0;
    };
    std::vector<std::array<Tally, 2>> of(n_codes);
    std::array<double, 2> all{};
    each([&](size_t code, uint32_t row) {
        const double weight = primary.signed_weight[row];
        if (weight == 0) return;
        Tally& tally = of[code][weight < 0];
        tally.weight += std::fabs(weight);
        ++tally.count;
        all[weight < 0] += std::fabs(weight);
    });
    const bool majority_right = !(all[0] > all[1]);
    std::array<size_t, 2> sent{}, hits_and_misses{};
    Agreement best;
    side.assign(n_codes, Side::none);
    for (size_t code = 0; code < n_codes; ++code) {
        const auto& [to_left, to_right] = of[code];
        if (to_left.count + to_right.count == 0) continue;
        const bool goes_right = to_left.weight == to_right.weight ? majority_right : to_left.weight < to_right.weight;
        side[code] = goes_right ? Side::right : Side::left;
        best.weight += of[code][goes_right].weight;
        sent[goes_right] += to_left.count + to_right.count;
        hits_and_misses[0] += of[code][goes_right].count;
        hits_and_misses[1] += of[code][!goes_right].count;
    }
    best.majority = std::max(all[0], all[1]);
    best.total = all[0] + all[1];
    best.found = std::ranges::all_of(rpart ? hits_and_misses : sent, [](size_t rows) { return rows >= 2; });
    return best;
}

/// For a split of many branches: each category goes where most of its rows go. each(use) calls use(code, branch, weight) for
/// the rows that both answer.
template <class Each>
Agreement agreeing_branches(size_t n_codes, size_t n_branches, Each&& each, std::vector<std::pair<int32_t, int32_t>>& table) {
    std::vector<double> weight(n_codes * n_branches, 0.0), to(n_branches, 0.0);
    each([&](size_t code, size_t branch, double w) {
        weight[code * n_branches + branch] += w;
        to[branch] += w;
    });
    Agreement best;
    best.majority = *std::max_element(to.begin(), to.end());
    best.total = std::accumulate(to.begin(), to.end(), 0.0);
    table.clear();
    for (size_t code = 0; code < n_codes; ++code) {
        const auto first = weight.begin() + static_cast<int64_t>(code * n_branches);
        const auto most = std::max_element(first, first + static_cast<int64_t>(n_branches));
        if (!(*most > 0)) continue;
        best.weight += *most;
        table.emplace_back(static_cast<int32_t>(code), static_cast<int32_t>(most - first));
    }
    best.found = table.size() > 1;
    return best;
}

/// Put a split into a list that stays sorted by score, ties in the order they came; the list keeps at most `most`.
/// rpart has an error: a new first of a full list of two removes both others.
inline void insert_by_score(std::vector<TwoSidedSplit>& list, TwoSidedSplit&& split, size_t most, bool rpart) {
    const double tolerance = rpart ? 0 : 1e-11 * std::fabs(split.score);
    auto at = std::ranges::find_if(list, [&](const TwoSidedSplit& other) { return split.score > other.score + tolerance; });
    if (at == list.end() && list.size() >= most) return;
    if (rpart && most == 2 && list.size() == 2 && at == list.begin()) {
        list.clear();
        at = list.end();
    }
    list.insert(at, std::move(split));
    if (list.size() > most) list.pop_back();
}

/// Rate one feature as a surrogate, and keep it if it does better than following the majority.
inline void offer_surrogate(TwoSidedSplit&& split, const Agreement& agreement, const PrimarySides& primary,
                            const SurrogateRules& rules, std::vector<TwoSidedSplit>& kept) {
    if (!agreement.found) return;
    const double total = rules.of_both_known ? agreement.total : primary.total();
    const double majority = (rules.of_both_known ? agreement.majority : primary.majority()) / total;
    split.score = agreement.weight / total;
    split.adjusted = (split.score - majority) / (1 - majority);
    if (split.adjusted > 1e-10) insert_by_score(kept, std::move(split), static_cast<size_t>(rules.max_surrogates), rules.rpart);
}

/// An agreement, by weight, that does not come up to this is not kept: it must beat the majority, and the last of a full list.
inline double least_agreement(const PrimarySides& primary, const SurrogateRules& rules, const std::vector<TwoSidedSplit>& kept) {
    const bool full = kept.size() >= static_cast<size_t>(rules.max_surrogates);
    const double least = full ? std::max(primary.majority(), kept.back().score * primary.total()) : primary.majority();
    return least - 1e-9 * primary.total();
}

}  // namespace treewright
