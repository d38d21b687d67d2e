// Surrogates: splits on other features that send rows the way the split of a node does, ranked by how often they agree
// (Breiman, Friedman, Olshen & Stone, 1984, §5.3).
#pragma once
#include "cart_rules.hpp"

namespace treewright::cart {

/// How agreement is counted.
struct SurrogateRules {
    int max_surrogates = 5;
    bool of_both_known = false;  // share of the rows with both features known (the book), else of all with the split's known
    bool rpart = false;          // refuse a categorical surrogate that errs less than twice, as rpart does by oversight
};

/// Weights that the split itself sends each way, and the way of each row by row number.
struct Ways {
    const int8_t* way = nullptr;
    double left_weight = 0, right_weight = 0;
};

/// What a surrogate achieves on the rows it knows.
struct Agreement {
    double weight = 0, majority = 0, total = 0;
    bool found = false;
};

/// Best cut of a sorted column; at least two rows must go each way.
inline Agreement agreeing_cut(const Column& column, const Ways& ways, const Outcome& outcome, Split& split) {
    double below_left = 0, below_right = 0, above_left = 0, above_right = 0;  // weight by side of the cut and way of the row
    size_t below = 0, above = 0;
    for (uint32_t row : column.row) {
        if (ways.way[row] == nowhere) continue;
        (ways.way[row] == left ? above_left : above_right) += outcome.weight_of(row);
        ++above;
    }
    Agreement best;
    best.weight = best.majority = std::max(above_left, above_right);
    best.total = above_left + above_right;
    for (size_t i = 0; above >= 2; ++i) {
        if (below >= 2 && column.x[i] != column.x[i - 1]) {
            const bool turned = above_left + below_right > best.weight;
            const double agree = turned ? above_left + below_right : below_left + above_right;
            if (agree > best.weight) {
                best.weight = agree;
                best.found = true;
                split.below = turned ? right : left;
                split.cut = (column.x[i] + column.x[i - 1]) / 2;
            }
        }
        const uint32_t row = column.row[i];
        if (ways.way[row] == nowhere) continue;
        const double w = outcome.weight_of(row);
        if (ways.way[row] == left) {
            above_left -= w;
            below_left += w;
        } else {
            above_right -= w;
            below_right += w;
        }
        --above;
        ++below;
    }
    return best;
}

/// Each category goes the way most of its rows go, ties with the majority of all.
inline Agreement agreeing_groups(const Column& column, size_t n_codes, const Ways& ways, const Outcome& outcome, bool rpart, Split& split) {
    std::vector<double> weight[2] = {std::vector<double>(n_codes, 0.0), std::vector<double>(n_codes, 0.0)};
    std::vector<size_t> count[2] = {std::vector<size_t>(n_codes, 0), std::vector<size_t>(n_codes, 0)};
    for (size_t i = 0; i < column.size(); ++i) {
        const int8_t way = ways.way[column.row[i]];
        if (way == nowhere) continue;
        const auto code = static_cast<size_t>(column.x[i]);
        weight[way == right][code] += outcome.weight_of(column.row[i]);
        ++count[way == right][code];
    }
    const double to_left = std::accumulate(weight[0].begin(), weight[0].end(), 0.0);
    const double to_right = std::accumulate(weight[1].begin(), weight[1].end(), 0.0);
    Agreement best;
    best.majority = std::max(to_left, to_right);
    best.total = to_left + to_right;
    split.side.assign(n_codes, nowhere);
    size_t sent[2] = {0, 0}, right_and_wrong[2] = {0, 0};
    for (size_t code = 0; code < n_codes; ++code) {
        const size_t rows = count[0][code] + count[1][code];
        if (rows == 0) continue;
        const bool goes_right = weight[0][code] < weight[1][code] || (weight[0][code] == weight[1][code] && !(to_left > to_right));
        split.side[code] = goes_right ? right : left;
        best.weight += weight[goes_right][code];
        sent[goes_right] += rows;
        right_and_wrong[0] += count[goes_right][code];
        right_and_wrong[1] += count[!goes_right][code];
    }
    const size_t* must = rpart ? right_and_wrong : sent;
    best.found = must[0] > 1 && must[1] > 1;
    return best;
}

/// For a split of many branches: each category goes where most of its rows go; branch[i] is that of row i, −1 = unanswered.
inline Agreement agreeing_branches(const Column& column, size_t n_codes, std::span<const int32_t> branch, size_t n_branches,
                                   const Outcome& outcome, std::vector<std::pair<int32_t, int32_t>>& table) {
    std::vector<double> weight(n_codes * n_branches, 0.0), to(n_branches, 0.0);
    for (size_t i = 0; i < column.size(); ++i) {
        const int32_t b = branch[column.row[i]];
        if (b < 0) continue;
        const double w = outcome.weight_of(column.row[i]);
        weight[static_cast<size_t>(column.x[i]) * n_branches + static_cast<size_t>(b)] += w;
        to[static_cast<size_t>(b)] += w;
    }
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
/// rpart's linked list has a slip: a new first of a full list of two drops both others.
inline void insert(std::vector<Split>& list, Split&& split, size_t most, bool rpart) {
    auto at = std::find_if(list.begin(), list.end(), [&](const Split& other) { return split.improve > other.improve; });
    if (at == list.end() && list.size() >= most) return;
    if (rpart && most == 2 && list.size() == 2 && at == list.begin()) {
        list.clear();
        at = list.end();
    }
    list.insert(at, std::move(split));
    if (list.size() > most) list.pop_back();
}

/// Rate one feature as a stand-in, and keep it if it does better than following the majority.
inline void consider(Split&& split, const Agreement& agreement, const Ways& ways, const SurrogateRules& rules, std::vector<Split>& kept) {
    if (!agreement.found) return;
    double total = agreement.total, majority = agreement.majority;
    if (!rules.of_both_known) {
        total = ways.left_weight + ways.right_weight;
        majority = std::max(ways.left_weight, ways.right_weight);
    }
    majority /= total;
    split.improve = agreement.weight / total;
    split.adjusted = (split.improve - majority) / (1 - majority);
    if (split.adjusted > 1e-10) insert(kept, std::move(split), static_cast<size_t>(rules.max_surrogates), rules.rpart);
}

}  // namespace treewright::cart
