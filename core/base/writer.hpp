// The one writer of trees: gives the nodes of a finished tree their ids and writes them as arrays.
#pragma once
#include <span>
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

/// Write the tree below `root`: the children of a node get consecutive ids, first subtree first. Nothing is recursive.
///
/// A Node is whatever names a node of the caller's, small and copied freely. children(node, list) appends the children of a node
/// to the list, by branch; write(node, tree) appends its splits, surrogates and competitors to the tables of the tree and gives
/// its summary, and is called in the order of ids. There are about `n_expected` nodes.
template <class Node, class Children, class Write>
TreeArrays write_tree(Node root, Children&& children, Write&& write, size_t n_expected = 0) {
    TreeArrays tree;
    std::vector<Node> nodes;  // by id
    std::vector<Node> below;
    nodes.reserve(n_expected);
    for (auto* array : {&tree.parent, &tree.first_child, &tree.n_children}) array->reserve(n_expected);
    const auto append = [&](const Node& node, int32_t parent) {
        nodes.push_back(node);
        tree.parent.push_back(parent);
        tree.first_child.push_back(-1);
        tree.n_children.push_back(0);
    };
    append(root, -1);
    std::vector<int32_t> stack{0};
    while (!stack.empty()) {
        const int32_t id = stack.back();
        stack.pop_back();
        below.clear();
        children(nodes[static_cast<size_t>(id)], below);
        if (below.empty()) continue;
        const auto first = static_cast<int32_t>(nodes.size()), n = static_cast<int32_t>(below.size());
        tree.first_child[static_cast<size_t>(id)] = first;
        tree.n_children[static_cast<size_t>(id)] = n;
        for (const Node& child : below) append(child, id);
        for (int32_t b = n; b-- > 0;) stack.push_back(first + b);
    }

    const size_t n = nodes.size();
    for (auto* array : {&tree.split_begin, &tree.competitor_begin}) array->reserve(n + 1);
    for (auto* array : {&tree.weight, &tree.impurity, &tree.risk, &tree.merit}) array->reserve(n);
    tree.default_branch.reserve(n);
    tree.count.reserve(n);
    tree.splits.reserve(n / 2 + 1);
    size_t width = 0;  // of value
    for (size_t id = 0; id < n; ++id) {
        const NodeSummary node = write(nodes[id], tree);
        const bool leaf = tree.n_children[id] == 0;
        if (id == 0) {
            width = node.value.size();
            tree.value.reserve(n * width);
        }
        tree.count.push_back(static_cast<int64_t>(node.count));
        tree.weight.push_back(node.weight);
        tree.impurity.push_back(node.impurity);
        tree.risk.push_back(node.risk);
        tree.merit.push_back(leaf ? 0.0 : node.merit);
        tree.default_branch.push_back(leaf ? -1 : node.default_branch);
        const double* value = node.value.empty() ? &tree.value[static_cast<size_t>(tree.parent[id]) * width] : node.value.data();
        for (size_t i = 0; i < width; ++i) tree.value.push_back(value[i]);
        tree.split_begin.push_back(static_cast<int64_t>(tree.splits.kind.size()));
        tree.competitor_begin.push_back(static_cast<int64_t>(tree.competitors.kind.size()));
    }
    return tree;
}

}  // namespace treewright
