// Sparse rows on their way through trees: as they are asked for what they have stored, not for what is zero.
#pragma once
#include <span>
#include <vector>

#include "base/table.hpp"
#include "predict/route.hpp"

namespace treewright {

/// Rows of numbers other than zero, in single or double precision.
template <class Number>
struct SparseRows {
    std::span<const int64_t> begin;  // of each row, and the end
    std::span<const int32_t> column;
    std::span<const Number> value;
    size_t n_columns = 0;

    size_t size() const { return begin.size() - 1; }
};

/// Trees of packed nodes, one after the other, that rows of numbers walk through.
struct PackedTrees {
    std::span<const PackedNode> node;
    std::span<const int64_t> begin;  // of each tree, and the end
    uint32_t column_mask;            // of the bits of PackedNode::column that name it

    size_t n_trees() const { return begin.size() - 1; }
};

/// The leaves of rows, which are walked in one of two ways.
///
/// Where rows have little stored: most nodes find zero, and the path of a row of zeros is known. A row leaves it only at nodes
/// that ask for a column it has stored, so that these are looked up by column. Else: a row is spread out over the columns
/// that any node asks for, and walks from node to node.
template <class Number>
class SparseWalk {
public:
    SparseWalk(const PackedTrees& trees, const SparseRows<Number>& rows);

    /// What one thread needs.
    struct Workspace {
        std::vector<uint32_t> last, next, node;  // nodes where the row leaves the path of zeros, by tree: 0 = none
        std::vector<char> leaves_path;           // by node, where there are many
        std::vector<double> value;               // by slot
        std::vector<uint32_t> touched;
    };
    /// Leaves of rows from `first` on, a line of all trees for each; gives whether a value is missing or infinite (has_nan,
    /// has_infinity). std::invalid_argument if a row names a column that there is not.
    uint8_t operator()(size_t first, size_t n, Workspace& work, uint32_t* leaf) const;

private:
    struct Question {
        double threshold;
        uint32_t node, tree;
        bool zero_right, missing_right;
    };
    bool is_leaf(size_t tree, size_t node) const;
    void find_paths();
    void list_questions();
    bool asks_less() const;
    void collect(size_t row, Workspace& work) const;
    uint32_t resolve(size_t tree, Workspace& work) const;
    void by_questions(size_t row, Workspace& work, uint32_t* leaf) const;
    void by_walking(size_t row, Workspace& work, uint32_t* leaf) const;
    uint8_t check(size_t first, size_t last) const;

    const PackedTrees& trees_;
    const SparseRows<Number>& rows_;
    std::vector<uint8_t> is_asked_;  // by column, whether any node asks for it
    std::vector<uint32_t> zero_leaf_,
        depth_;                    // by node of all trees: where a row of zeros ends, and how far below the root it is
    std::vector<uint32_t> begin_;  // of the questions on each column
    std::vector<Question> question_;
    bool by_questions_ = true;
    std::vector<PackedNode> walked_;  // with slots in place of columns
    std::vector<uint32_t> slot_;      // by column, 0 = not asked for
};

extern template class SparseWalk<double>;
extern template class SparseWalk<float>;

/// Leaf of every row in a tree of packed nodes; gives whether a value is missing or infinite.
template <class Number>
uint8_t walk_sparse(std::span<const PackedNode> nodes, std::span<const int32_t> id, const SparseRows<Number>& rows, int32_t* leaf,
                    int threads, Monitor& monitor);

}  // namespace treewright
