// The one writer of trees: gives the nodes of a finished tree their ids and writes them as arrays.
#pragma once
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/tree.hpp"

namespace treewright {

/// What the arrays say of a node beside its place and its splits.
struct NodeSummary {
    size_t count = 0;
    double weight = 0, impurity = 0, risk = 0;
    std::span<const double> value;  // empty, but never the root's = that of its parent: what a branch without rows predicts
    double merit = 0;               // of the split
    int32_t default_branch = -1;
};

/// Write the tree below `root`, its nodes in preorder. Nothing is recursive.
///
/// A Node is whatever names a node of the caller's, small and copied freely. children(node, list) appends the children of a node
/// to the list, by branch; write(node, tree) appends its splits, surrogates and competitors to the tables of the tree and gives
/// its summary, and is called in the order of ids. There are about `n_expected` nodes.
template <class Node, class Children, class Write>
TreeArrays write_tree(Node root, Children&& children, Write&& write, size_t n_expected = 0) {
    TreeArrays tree;
    for (auto* array : {&tree.parent, &tree.default_branch}) array->reserve(n_expected);
    for (auto* array : {&tree.split_begin, &tree.competitor_begin}) array->reserve(n_expected + 1);
    for (auto* array : {&tree.weight, &tree.impurity, &tree.risk, &tree.merit}) array->reserve(n_expected);
    tree.count.reserve(n_expected);
    tree.splits.reserve(n_expected / 2 + 1);
    size_t width = 0;                                         // of value
    std::vector<std::pair<Node, int32_t>> stack{{root, -1}};  // nodes and their parents
    std::vector<Node> below;
    while (!stack.empty()) {
        const auto [node, parent] = stack.back();
        stack.pop_back();
        const auto id = static_cast<int32_t>(tree.size());
        below.clear();
        children(node, below);
        const bool leaf = below.empty();
        for (size_t b = below.size(); b-- > 0;) stack.emplace_back(below[b], id);
        const NodeSummary summary = write(node, tree);
        if (id == 0) {
            width = summary.value.size();
            tree.value.reserve(n_expected * width);
        }
        tree.parent.push_back(parent);
        tree.count.push_back(static_cast<int64_t>(summary.count));
        tree.weight.push_back(summary.weight);
        tree.impurity.push_back(summary.impurity);
        tree.risk.push_back(summary.risk);
        tree.merit.push_back(leaf ? 0.0 : summary.merit);
        tree.default_branch.push_back(leaf ? -1 : summary.default_branch);
        tree.value.resize(tree.value.size() + width);  // before the parent's are read: they may move
        const double* value = summary.value.empty() ? &tree.value[static_cast<size_t>(parent) * width] : summary.value.data();
        std::copy_n(value, width, tree.value.end() - static_cast<int64_t>(width));
        tree.split_begin.push_back(static_cast<int64_t>(tree.splits.kind.size()));
        tree.competitor_begin.push_back(static_cast<int64_t>(tree.competitors.kind.size()));
    }
    return tree;
}

}  // namespace treewright
