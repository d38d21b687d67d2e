// The general walk: one row at a time, any split, surrogates in order.
#pragma once
#include <algorithm>
#include <cmath>

#include "splits/pools.hpp"
#include "table.hpp"
#include "tree.hpp"

namespace treewright {

struct Router {
    const TreeView& tree;
    const Matrix<double>& numbers;
    const Matrix<int32_t>& codes;
    std::span<const int32_t> position, n_categories;

    double number(int64_t row, int32_t feature) const { return numbers(row, position[static_cast<size_t>(feature)]); }

    int32_t largest_child(size_t node) const {
        int32_t best = 0;
        for (int32_t branch = 1; branch < tree.n_children[node]; ++branch)
            if (child_weight(node, branch) > child_weight(node, best)) best = branch;
        return best;
    }
    double child_weight(size_t node, int32_t branch) const {
        return tree.weight[static_cast<size_t>(tree.first_child[node] + branch)];
    }

    /// Branch of a code, or -1 when the table does not answer for it.
    int32_t look_up(size_t begin, size_t end, int32_t code) const {
        const auto first = tree.splits.pool_index.begin() + static_cast<int64_t>(begin);
        const auto last = tree.splits.pool_index.begin() + static_cast<int64_t>(end);
        const auto found = std::lower_bound(first, last, code);
        if (found == last || *found != code) return -1;
        return static_cast<int32_t>(tree.splits.pool_value[static_cast<size_t>(found - tree.splits.pool_index.begin())]);
    }

    /// Branch of the row by one split; -1 = unanswered, unseen_code = an unseen category.
    int32_t branch(size_t split, int64_t row) const {
        const SplitView& s = tree.splits;
        const auto begin = static_cast<size_t>(s.pool_begin[split]), end = static_cast<size_t>(s.pool_begin[split + 1]);
        const Pool pool{s.pool_index.subspan(begin, end - begin), s.pool_value.subspan(begin, end - begin)};
        const auto x = [&](int32_t feature) { return number(row, feature); };
        double total = 0;
        switch (static_cast<SplitKind>(s.kind[split])) {
            case SplitKind::threshold:
                total = x(s.feature[split]);
                break;
            case SplitKind::table: {
                const int32_t code = codes(row, position[static_cast<size_t>(s.feature[split])]);
                return code < 0 ? code : look_up(begin, end, code);
            }
            case SplitKind::hyperplane:
                total = weighted_sum(pool, x);
                break;
            case SplitKind::sphere:
                total = squared_distance(pool, x);
                break;
            case SplitKind::interval:
                return interval_of(pool, x(s.feature[split]));
        }
        if (std::isnan(total)) return -1;
        return total <= s.threshold[split] ? 0 : 1;
    }

    /// Branch of a row at a node by its split, its surrogates in order, or its default; share_row or stay_at_node if neither.
    int32_t choose(size_t node, int64_t row) const {
        int32_t chosen = -1;
        const auto last = static_cast<size_t>(tree.split_begin[node + 1]);
        for (auto split = static_cast<size_t>(tree.split_begin[node]); split < last && chosen == -1; ++split)
            chosen = branch(split, row);
        if (chosen == unseen_code) return largest_child(node);
        return chosen < 0 ? tree.default_branch[node] : chosen;
    }

    int32_t leaf(int64_t row) const {
        size_t node = 0;
        while (tree.n_children[node] > 0) {
            int32_t chosen = choose(node, row);
            if (chosen == stay_at_node) break;
            if (chosen == share_row) chosen = largest_child(node);
            node = static_cast<size_t>(tree.first_child[node] + chosen);
        }
        return static_cast<int32_t>(node);
    }
};

}  // namespace treewright
