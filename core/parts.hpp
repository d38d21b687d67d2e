// The rows of a node, whole or in part, and how a split sends them down its branches.
#pragma once
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tree.hpp"

namespace treewright {

/// Rows with their weights: a row whose value is missing may stand in several branches, with a share of its weight in each.
template <class Index>
struct Parts {
    std::vector<Index> row;      // each at most once
    std::vector<double> weight;  // empty = every row counts one

    size_t size() const { return row.size(); }
    double weight_of(size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
    void add(Index r, double w, bool weighed) {
        row.push_back(r);
        if (weighed) weight.push_back(w);
    }
};

/// Shares of rows below this weight are dropped.
inline constexpr double least_share = 1e-9;

/// The rows of each branch. `branch` is that of each row, −1 where the split does not answer; such a row goes to
/// `default_branch`, or is shared over all branches by their weight (`share_row`), or goes no further (`stay_at_node`).
template <class Index>
std::vector<Parts<Index>> send(const Parts<Index>& from, std::span<const int32_t> branch, int32_t default_branch,
                               size_t n_branches) {
    std::vector<double> share(n_branches, 0.0);
    std::vector<size_t> count(n_branches, 0);
    size_t unanswered = 0;
    for (size_t i = 0; i < branch.size(); ++i) {
        if (branch[i] >= 0) {
            share[static_cast<size_t>(branch[i])] += from.weight_of(i);
            ++count[static_cast<size_t>(branch[i])];
        } else {
            ++unanswered;
        }
    }
    const double total = std::accumulate(share.begin(), share.end(), 0.0);
    const bool weighed = !from.weight.empty();
    std::vector<Parts<Index>> to(n_branches);
    for (size_t b = 0; b < n_branches; ++b) {
        const bool more = default_branch == share_row || default_branch == static_cast<int32_t>(b);
        to[b].row.reserve(count[b] + (more ? unanswered : 0));
        if (weighed) to[b].weight.reserve(count[b] + (more ? unanswered : 0));
    }
    for (size_t i = 0; i < branch.size(); ++i) {
        const double whole = from.weight_of(i);
        const int32_t b = branch[i] >= 0 ? branch[i] : default_branch;
        if (b >= 0) to[static_cast<size_t>(b)].add(from.row[i], whole, weighed);
        else if (b == share_row)
            for (size_t s = 0; s < n_branches; ++s)
                if (const double weight = whole * share[s] / total; weight > least_share) to[s].add(from.row[i], weight, weighed);
    }
    return to;
}

}  // namespace treewright
