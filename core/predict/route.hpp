// Row → leaf: a compact walk for binary threshold trees, and the general one for every kind of split.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/table.hpp"
#include "base/tree.hpp"

namespace treewright {

struct Monitor;

/// The bit of PackedNode::column that says where a missing value goes.
inline constexpr uint32_t missing_left = 0x80000000u;

/// Sixteen bytes a node; siblings stand side by side, so that a step is an addition. A leaf points at itself, so that rows that
/// have arrived may keep walking.
struct PackedNode {
    double threshold;
    uint32_t column;  // of the matrix of numbers; the top bit says that a missing value goes left
    uint32_t first_child;
};
static_assert(sizeof(PackedNode) == 16);

/// Where each node of a binary tree stands when siblings are side by side, one subtree after the other.
std::vector<uint32_t> places_side_by_side(const ChildView& children);

struct PackedTree {
    std::vector<PackedNode> nodes;
    std::vector<int32_t> id;  // of each of them in the tree
};

/// Empty if the tree has a split other than a plain binary threshold (or surrogates).
std::optional<PackedTree> pack(const TreeView& tree, std::span<const int32_t> position);

/// Leaf of every row; true if an infinity was met in any column.
bool walk(std::span<const PackedNode> nodes, std::span<const int32_t> id, const Matrix<double>& numbers, int32_t* leaf,
          int threads, Monitor& monitor);

/// Leaf of every row for any tree. `position` says in which column each feature lives.
void route(const TreeView& tree, const Matrix<double>& numbers, const Matrix<int32_t>& codes, std::span<const int32_t> position,
           int32_t* leaf, int threads, Monitor& monitor);

/// For pairs of a row and an inner node, whether the row comes there or not: the branch it takes (or share_row, stay_at_node),
/// and which of the node's splits answered (`by`; −1 if none did, −2 for an unseen category, which follows the largest branch).
void branches(const TreeView& tree, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
              std::span<const int32_t> position, std::span<const int64_t> rows, std::span<const int64_t> nodes, int32_t* branch,
              int32_t* by, int threads, Monitor& monitor);

/// The branch of rows by one split alone; −1 where it does not answer, −2 for an unseen category.
void answers(const SplitView& splits, size_t split, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
             std::span<const int32_t> position, std::span<const int64_t> rows, int32_t* branch);

/// What a split of numbers compares with its threshold or its cuts, for each of the rows; NaN if something is missing.
void compare(const SplitView& splits, size_t split, const Matrix<double>& numbers, std::span<const int32_t> position,
             std::span<const int64_t> rows, double* out);

/// Sum of `value` (nodes × anything) over the leaves of every row, each by the share of the row that ends there.
void spread(const TreeView& tree, const Matrix<double>& numbers, const Matrix<int32_t>& codes, std::span<const int32_t> position,
            std::span<const double> value, double* out, int threads, Monitor& monitor);

}  // namespace treewright
