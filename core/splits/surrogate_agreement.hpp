// Surrogates: splits on other features that send rows the way the split of a node does, ranked by how often they agree
// (Breiman, Friedman, Olshen & Stone, 1984, §5.3).
#pragma once
#include <array>

#include "../programs/cart/search.hpp"

namespace treewright::cart {

/// How agreement is counted.
struct SurrogateRules {
    int max_surrogates = 5;
    bool of_both_known = false;  // share of the rows with both features known (the book), else of all with the split's known
    bool rpart = false;          // refuse a categorical surrogate that errs less than twice, as rpart does by oversight
};

/// What the split itself does: by row +weight if it goes left, −weight if right, 0 if the split does not answer; and the sums.
struct Ways {
    std::span<const double> pull;
    double left_weight = 0, right_weight = 0, elsewhere = 0;  // the last in branches beyond two, none of them larger
    double slack = 0;                                         // sums of pulls that differ by no more are equal: rounding

    double total() const { return left_weight + right_weight + elsewhere; }
    double majority() const { return std::max(left_weight, right_weight); }
};

/// What a surrogate achieves on the rows it knows.
struct Agreement {
    double weight = 0, majority = 0, total = 0;
    bool found = false;
};

/// A cut, and the sum of the pulls below it.
struct Extreme {
    double sum = 0;
    size_t place = 0;
};

/// Which way round the surrogate runs, given the sums of all pulls and of those below its best cuts.
inline Agreement settle(double total, double sum, Extreme highest, Extreme lowest, double slack, size_t& place, int8_t& below) {
    const double to_left = (total + sum) / 2, to_right = (total - sum) / 2;
    const double straight = to_right + highest.sum, turned = to_left - lowest.sum;
    const bool turn = turned > straight + slack ||  // of equals the lower cut
                      (turned >= straight - slack && lowest.place < highest.place);
    Agreement best;
    best.total = total;
    best.majority = std::max(to_left, to_right);
    best.weight = turn ? turned : straight;
    best.found = best.weight > best.majority + slack;
    place = turn ? lowest.place : highest.place;
    below = turn ? right : left;
    return best;
}

/// The best cut of a feature whose n known rows stand in order: row(i) is the i-th, new_value(i) tells whether a cut may stand
/// before it. Gives `place`, the rows below the cut. At least two rows must go each way.
///
/// With S the sum of the pulls below a cut, sending those rows left agrees with the split on right + S, sending them right on
/// left − S, where left and right are the weights of all: the best cut is where S is largest or smallest.
template <class Row, class NewValue>
Agreement agreeing_cut(size_t n, Row&& row, NewValue&& new_value, const Ways& ways, size_t& place, int8_t& below) {
    const auto answered = [&](size_t i) { return ways.pull[row(i)] != 0; };
    size_t first = 0, last = n;
    for (int rows = 0; first < n && rows < 2; ++first) rows += answered(first);
    for (int rows = 0; last > 0 && rows < 2; --last) rows += answered(last - 1);
    double sum = 0, total = 0, highest = 0, lowest = 0;
    size_t at_highest = 0, at_lowest = 0, i = 0;
    const auto pass = [&] {
        const double pull = ways.pull[row(i++)];
        sum += pull;
        total += std::fabs(pull);
    };
    while (i < first) pass();
    while (i < n && i <= last) {
        if (new_value(i)) {
            if (sum > highest + ways.slack) {
                highest = sum;
                at_highest = i;
            } else if (sum < lowest - ways.slack) {
                lowest = sum;
                at_lowest = i;
            }
        }
        pass();
    }
    while (i < n) pass();
    return settle(total, sum, {highest, at_highest}, {lowest, at_lowest}, ways.slack, place, below);
}

/// Each category goes the way most of its rows go, ties with the majority of all. each(use) calls use(code, row) for the known
/// rows.
template <class Each>
Agreement agreeing_groups(size_t n_codes, Each&& each, const Ways& ways, bool rpart, std::vector<int8_t>& side) {
    struct Tally {
        double weight = 0;
        size_t count = 0;
    };
    std::vector<std::array<Tally, 2>> of(n_codes);
    std::array<double, 2> all{};
    each([&](size_t code, uint32_t row) {
        const double pull = ways.pull[row];
        if (pull == 0) return;
        Tally& tally = of[code][pull < 0];
        tally.weight += std::fabs(pull);
        ++tally.count;
        all[pull < 0] += std::fabs(pull);
    });
    const bool majority_right = !(all[0] > all[1]);
    std::array<size_t, 2> sent{}, hits_and_misses{};
    Agreement best;
    side.assign(n_codes, nowhere);
    for (size_t code = 0; code < n_codes; ++code) {
        const auto& [to_left, to_right] = of[code];
        if (to_left.count + to_right.count == 0) continue;
        const bool goes_right = to_left.weight == to_right.weight ? majority_right : to_left.weight < to_right.weight;
        side[code] = goes_right ? right : left;
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

/// Put a split into a list that stays sorted by `improve`, ties in the order they came; the list keeps at most `most`.
/// rpart has a slip: a new first of a full list of two drops both others.
inline void insert(std::vector<Split>& list, Split&& split, size_t most, bool rpart) {
    const double slack = rpart ? 0 : 1e-11 * std::fabs(split.improve);
    auto at = std::ranges::find_if(list, [&](const Split& other) { return split.improve > other.improve + slack; });
    if (at == list.end() && list.size() >= most) return;
    if (rpart && most == 2 && list.size() == 2 && at == list.begin()) {
        list.clear();
        at = list.end();
    }
    list.insert(at, std::move(split));
    if (list.size() > most) list.pop_back();
}

/// Rate one feature as a stand-in, and keep it if it does better than following the majority.
inline void consider(Split&& split, const Agreement& agreement, const Ways& ways, const SurrogateRules& rules,
                     std::vector<Split>& kept) {
    if (!agreement.found) return;
    const double total = rules.of_both_known ? agreement.total : ways.total();
    const double majority = (rules.of_both_known ? agreement.majority : ways.majority()) / total;
    split.improve = agreement.weight / total;
    split.adjusted = (split.improve - majority) / (1 - majority);
    if (split.adjusted > 1e-10) insert(kept, std::move(split), static_cast<size_t>(rules.max_surrogates), rules.rpart);
}

/// An agreement, by weight, that does not come up to this is not kept: it must beat the majority, and the last of a full list.
inline double least_agreement(const Ways& ways, const SurrogateRules& rules, const std::vector<Split>& kept) {
    const bool full = kept.size() >= static_cast<size_t>(rules.max_surrogates);
    const double least = full ? std::max(ways.majority(), kept.back().improve * ways.total()) : ways.majority();
    return least - 1e-9 * ways.total();
}

}  // namespace treewright::cart
