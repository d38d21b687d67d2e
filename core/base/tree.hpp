// The tree as flat arrays: TreeArrays owns them while growing, TreeView borrows them for routing.
#pragma once
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace treewright {

enum class SplitKind : uint8_t { threshold = 0, table = 1, hyperplane = 2, sphere = 3, interval = 4 };

inline constexpr int32_t share_row = -1;     // default_branch: over all branches, by weight
inline constexpr int32_t stay_at_node = -2;  // default_branch: the row goes no further
inline constexpr int32_t unseen_code = -2;   // a category never seen: the largest branch

/// Splits as columns; the pool of split s is [pool_begin[s], pool_begin[s + 1]).
struct SplitTable {
    std::vector<uint8_t> kind;
    std::vector<int32_t> feature;
    std::vector<double> threshold, score;
    std::vector<double> adjusted;  // agreement of a surrogate above that of following the majority; empty without surrogates
    std::vector<int64_t> pool_begin{0};
    std::vector<int32_t> pool_index;
    std::vector<double> pool_value;

    /// Put a split behind the others; the entries of its pool have been put behind theirs already.
    void append(SplitKind of_kind, int32_t on_feature, double at, double of_score) {
        const bool oblique = of_kind == SplitKind::hyperplane || of_kind == SplitKind::sphere,
                   many = of_kind == SplitKind::table || of_kind == SplitKind::interval;
        kind.push_back(static_cast<uint8_t>(of_kind));
        feature.push_back(oblique ? -1 : on_feature);
        threshold.push_back(many ? 0.0 : at);
        score.push_back(of_score);
        pool_begin.push_back(static_cast<int64_t>(pool_index.size()));
    }
    /// Say how the split that was appended last agrees; those before that are no surrogates have 0.
    void adjust_last(double agreement) {
        adjusted.resize(kind.size(), 0.0);
        adjusted.back() = agreement;
    }
    void reserve(size_t n) {
        kind.reserve(n);
        feature.reserve(n);
        threshold.reserve(n);
        score.reserve(n);
        pool_begin.reserve(n + 1);
    }
};

/// The children of each node, by branch. Nodes are numbered depth first, each before its branches and these one after the other
/// (in preorder), so that the parents tell everything; this is how children are found without looking for them.
struct ChildView {
    std::span<const int32_t> begin, id;  // those of a node are id[begin[node]] … id[begin[node + 1] − 1]

    size_t size() const { return begin.size() - 1; }
    int32_t count(size_t node) const { return begin[node + 1] - begin[node]; }
    size_t operator()(size_t node, int32_t branch) const {
        return static_cast<size_t>(id[static_cast<size_t>(begin[node] + branch)]);
    }
};

struct Children {
    std::vector<int32_t> begin, id;

    explicit Children(std::span<const int32_t> parent) : begin(parent.size() + 1, 0), id(parent.size() - 1) {
        for (size_t node = 1; node < parent.size(); ++node) ++begin[static_cast<size_t>(parent[node]) + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        std::vector<int32_t> next(begin.begin(), begin.end() - 1);
        for (size_t node = 1; node < parent.size(); ++node)
            id[static_cast<size_t>(next[static_cast<size_t>(parent[node])]++)] = static_cast<int32_t>(node);
    }
    ChildView view() const { return {begin, id}; }
};

/// Everything grow() produces, in the layout of ARCHITECTURE.md.
struct TreeArrays {
    std::vector<int32_t> parent, default_branch;
    std::vector<int64_t> split_begin{0}, competitor_begin{0}, count;
    std::vector<double> weight, value, impurity, risk, merit;
    SplitTable splits, competitors;

    size_t size() const { return parent.size(); }
    bool is_leaf(size_t node) const { return split_begin[node] == split_begin[node + 1]; }
};

struct SplitView {
    std::span<const uint8_t> kind;
    std::span<const int32_t> feature;
    std::span<const double> threshold;
    std::span<const int64_t> pool_begin;
    std::span<const int32_t> pool_index;
    std::span<const double> pool_value;
};

struct TreeView {
    ChildView children;
    std::span<const int32_t> default_branch;
    std::span<const int64_t> split_begin;
    std::span<const double> weight;
    SplitView splits;

    size_t size() const { return default_branch.size(); }
};

}  // namespace treewright
