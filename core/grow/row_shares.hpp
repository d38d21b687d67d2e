// The rows of a node, whole or in part, and how a split sends them down its branches.
#pragma once
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/orderless_sum.hpp"
#include "base/statistics.hpp"
#include "base/tree.hpp"

namespace treewright {

/// Rows of the table with their weights: a row whose value is missing may stand in several branches, with a share of its weight
/// in each.
struct RowShares {
    std::vector<uint32_t> row;   // each at most once, in the order of the parent's
    std::vector<double> weight;  // empty = every row counts one

    size_t size() const { return row.size(); }
    double weight_of(size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
    void resize(size_t n, bool weighed) {
        row.resize(n);
        if (weighed) weight.resize(n);
    }
};

/// Their classes, side by side, and whether it is the second.
inline void gather_labels(const RowShares& parts, const int32_t* label, std::vector<int32_t>& to,
                          std::vector<uint8_t>& is_second) {
    to.resize(parts.size());
    is_second.resize(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
        to[i] = label[parts.row[i]];
        is_second[i] = to[i] == 1;
    }
}

/// Their weights by class, and in all.
inline Totals class_weights(const RowShares& parts, const int32_t* label, size_t n_classes) {
    Totals totals(n_classes);
    totals.count = parts.size();
    const auto label_of = [&](size_t i) { return label[parts.row[i]]; };
    if (!parts.weight.empty()) {
        orderless_class_weights(parts.size(), [&](size_t i) { return parts.weight[i]; }, label_of, totals.sums);
    } else if (n_classes == 2) {  // sums that do not wait for each other
        size_t second = 0;
        for (size_t i = 0; i < parts.size(); ++i) second += static_cast<size_t>(label_of(i));
        totals.sums = {static_cast<double>(parts.size() - second), static_cast<double>(second)};
    } else {
        for (size_t i = 0; i < parts.size(); ++i) totals.sums[static_cast<size_t>(label_of(i))] += 1;
    }
    totals.weight = std::accumulate(totals.sums.begin(), totals.sums.end(), 0.0);
    return totals;
}

/// Shares of rows below this part of the lightest row's weight are dropped.
inline constexpr double least_share = 1e-9;

/// The rows of each branch. `branch` is that of each row, −1 where the split does not answer; such a row goes to
/// `default_branch`, or is shared over all branches by their weight (`share_row`), or goes no further (`stay_at_node`).
/// `lightest` is the weight of the lightest row of the table.
inline std::vector<RowShares> send(const RowShares& from, std::span<const int32_t> branch, int32_t default_branch,
                                   size_t n_branches, double lightest) {
    const bool weighed = !from.weight.empty();
    std::vector<double> share(n_branches, 0.0);
    std::vector<size_t> count(n_branches, 0);
    size_t unanswered = 0;
    for (size_t i = 0; i < branch.size(); ++i) {
        if (branch[i] >= 0) ++count[static_cast<size_t>(branch[i])];
        else ++unanswered;
    }
    if (default_branch == share_row) {
        const auto weight = [&](size_t i) { return branch[i] >= 0 ? from.weight_of(i) : 0.0; };
        orderless_class_weights(branch.size(), weight, [&](size_t i) { return std::max(branch[i], 0); }, share);
    }
    const double total = std::accumulate(share.begin(), share.end(), 0.0);
    std::vector<RowShares> to(n_branches);
    for (size_t b = 0; b < n_branches; ++b) {
        const bool more = default_branch == share_row || default_branch == static_cast<int32_t>(b);
        to[b].resize(count[b] + (more ? unanswered : 0), weighed);
        share[b] /= total;
        count[b] = 0;
    }
    const auto add = [&](size_t b, size_t i, double weight) {
        to[b].row[count[b]] = from.row[i];
        if (weighed) to[b].weight[count[b]] = weight;
        ++count[b];
    };
    for (size_t i = 0; i < branch.size(); ++i) {
        const double whole = from.weight_of(i);
        const int32_t b = branch[i] >= 0 ? branch[i] : default_branch;
        if (b >= 0) add(static_cast<size_t>(b), i, whole);
        else if (b == share_row)
            for (size_t s = 0; s < n_branches; ++s)
                if (const double weight = whole * share[s]; weight >= least_share * lightest) add(s, i, weight);
    }
    for (size_t b = 0; b < n_branches; ++b) to[b].resize(count[b], weighed);
    return to;
}

}  // namespace treewright
