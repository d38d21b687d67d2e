// The general walk: one row at a time, any split, surrogates in order, then what the node keeps for rows without an answer.
#pragma once
#include "splits/answer.hpp"

namespace treewright {

/// Rows of matrices, and the column of each feature in one of them.
struct RowValues {
    Matrix<double> numbers;
    Matrix<int32_t> codes;
    std::span<const int32_t> position;

    auto numbers_of(int64_t row) const {
        return [this, row](int32_t feature) { return numbers(row, position[static_cast<size_t>(feature)]); };
    }
    auto codes_of(int64_t row) const {
        return [this, row](int32_t feature) { return codes(row, position[static_cast<size_t>(feature)]); };
    }
    /// The branch of a row by one split; unanswered or unseen_code if none.
    int32_t branch(const SplitEntry& split, int64_t row) const { return split_branch(split, numbers_of(row), codes_of(row)); }
};

struct Router {
    const TreeView& tree;
    RowValues values;

    int32_t largest_child(size_t node) const {
        int32_t best = 0;
        for (int32_t branch = 1; branch < tree.children.count(node); ++branch)
            if (child_weight(node, branch) > child_weight(node, best)) best = branch;
        return best;
    }
    double child_weight(size_t node, int32_t branch) const { return tree.weight[tree.children(node, branch)]; }

    struct Choice {
        int32_t branch;  // or share_row, or stay_at_node
        int32_t by;      // which of the node's splits answered; unanswered or unseen_code if none did
    };
    /// The branch of a row at a node: by its split, by its surrogates in order, or by default.
    Choice choose(size_t node, int64_t row) const {
        const auto first = static_cast<size_t>(tree.split_begin[node]), last = static_cast<size_t>(tree.split_begin[node + 1]);
        for (size_t split = first; split < last; ++split) {
            const int32_t chosen = values.branch(SplitEntry(tree.splits, split), row);
            if (chosen >= 0) return {chosen, static_cast<int32_t>(split - first)};
            if (chosen == unseen_code) return {largest_child(node), unseen_code};
        }
        return {tree.default_branch[node], unanswered};
    }

    int32_t leaf(int64_t row) const {
        size_t node = 0;
        while (tree.children.count(node) > 0) {
            int32_t chosen = choose(node, row).branch;
            if (chosen == stay_at_node) break;
            if (chosen == share_row) chosen = largest_child(node);
            node = tree.children(node, chosen);
        }
        return static_cast<int32_t>(node);
    }
};

}  // namespace treewright
