// A forest: many trees on one table, grown in one call and kept in compact arrays (Breiman, 2001).
#pragma once
#include <optional>

#include "grow/grow.hpp"
#include "predict/route.hpp"
#include "forest/sampler.hpp"

namespace treewright {

/// Bits of PackedNode::column, beside `missing_left`, in nodes that split by a table of categories. Up to 64 categories the
/// threshold's place holds a mask: bit c is the branch of code c. Of more, a *wide* table, it holds the table's number.
inline constexpr uint32_t table_split = 0x40000000u, unseen_left = 0x20000000u, wide_table = 0x10000000u;
inline constexpr uint32_t column_bits = 0x0fffffffu;

/// The branch of each category that a split answers, codes ascending.
using Groups = std::span<const std::pair<int32_t, int32_t>>;

/// Class weights or weights of nodes: single precision where they are whole numbers small enough to be exact in it.
struct Amounts {
    bool narrow = false;
    std::vector<float> single;
    std::vector<double> wide;

    void add(double x) {
        if (narrow) single.push_back(static_cast<float>(x));
        else wide.push_back(x);
    }
    double operator[](size_t i) const { return narrow ? static_cast<double>(single[i]) : wide[i]; }
    size_t size() const { return narrow ? single.size() : wide.size(); }
    void reserve(size_t n) {
        if (narrow) single.reserve(n);
        else wide.reserve(n);
    }
};

struct ForestView;

/// Trees of binary splits set one after the other; what follows from these arrays is not stored (see unpack). Siblings stand side
/// by side; which ids nodes have, `ids` tells.
struct Forest {
    size_t width = 1;                     // columns of value
    std::vector<int64_t> tree_begin{0};   // nodes of each tree
    std::vector<int64_t> split_begin{0};  // splits of each tree, into merit
    std::vector<int64_t> tables_of{0};    // tables of each tree, into table_begin
    std::vector<PackedNode> node;
    Amounts value;  // class weights, or the predicted number
    std::vector<uint32_t> count;
    Amounts weight;             // regression
    std::vector<double> risk;   // regression
    std::vector<double> merit;  // a split
    std::vector<int64_t> table_begin{0};
    std::vector<uint32_t> table_entry;  // 2·code + branch, codes ascending

    size_t n_trees() const { return tree_begin.size() - 1; }
    ForestView view(int n_classes) const;
    /// Add the table of a split, in the order of the nodes.
    void add_table(PackedNode& node, Groups groups, int32_t n_categories);
    /// Call the nodes appended so far a tree; all trees together have so many splits.
    void close(size_t n_splits);
    /// Make room for trees of so many nodes.
    void reserve(size_t n_nodes, bool classes);
    /// Set the trees of another behind those of this.
    void append(const Forest& other);
};

/// The arrays of a forest as they are kept outside.
struct ForestView {
    size_t width;
    int n_classes;
    std::span<const int64_t> tree_begin, split_begin, tables_of;
    std::span<const PackedNode> node;
    std::span<const float> value32;
    std::span<const double> value64;  // one of the two is empty
    std::span<const uint32_t> count;
    std::span<const float> weight32;
    std::span<const double> weight64, risk, merit;
    std::span<const int64_t> table_begin;
    std::span<const uint32_t> table_entry;

    size_t n_trees() const { return tree_begin.size() - 1; }
    /// Columns of one of the targets.
    size_t width_of_one() const { return static_cast<size_t>(std::max(n_classes, 1)); }
    double value(size_t i) const { return value32.empty() ? value64[i] : static_cast<double>(value32[i]); }
    double weight(size_t i) const { return weight32.empty() ? weight64[i] : static_cast<double>(weight32[i]); }
};

inline ForestView Forest::view(int n_classes) const {
    return {width, n_classes,     tree_begin,  split_begin, tables_of, node,        value.single, value.wide,
            count, weight.single, weight.wide, risk,        merit,     table_begin, table_entry};
}

/// How the rows of each tree are drawn.
struct Draws {
    std::vector<uint64_t> seeds;                // one a tree
    size_t n_draws = 0;                         // with replacement; 0 = every row once
    std::vector<double> chance;                 // by row, up to a factor; empty = all alike
    bool balanced = false;                      // class weights from the classes drawn
    bool splitmix = false;                      // drawn as version 0.1 did
    std::optional<double> min_weight_fraction;  // least share of a tree's weight in a leaf; none: the recipe's least weight
};

/// Grow all trees; those that cannot be compact are left in `others`.
struct GrownForest {
    Forest forest;
    std::vector<TreeArrays> others;
};
GrownForest grow_forest(const Table& table, const Target& target, const Recipe& recipe, const Draws& draws,
                        std::span<const int32_t> position, std::span<const int32_t> n_categories, Monitor& monitor);

/// A tree whose cuts are drawn at random grows as a forest of one, on all rows; nothing if it needs what forests have not.
std::optional<TreeArrays> grow_drawn_cuts(const Table& table, const Target& target, const Recipe& recipe, Monitor& monitor);

/// Append a tree to a forest; false if it is more than binary thresholds and tables.
bool pack_into(const TreeArrays& tree, size_t width, bool classes, std::span<const int32_t> position,
               std::span<const int32_t> n_categories, Forest& forest);

/// What a model file says of the nodes of a forest, tree after tree; siblings side by side, as in a Forest.
struct ForestColumns {
    std::span<const int64_t> tree_begin;
    std::span<const int32_t> first_child, feature;  // −1 at leaves
    std::span<const double> threshold;
    std::span<const uint8_t> default_branch;
    std::span<const int64_t> table_begin;  // of splits on categories, in the order of their nodes
    std::span<const uint32_t> table_entry;
};

/// Give a forest that has its values, weights, counts, risks and merits the nodes and tables that a file has. Begins must be
/// sound; std::invalid_argument if the nodes of a tree are no tree, or name features or categories that there are not.
void take_columns(const ForestColumns& columns, std::span<const int32_t> position, std::span<const int32_t> n_categories,
                  Forest& forest);

/// One tree of a forest in full.
TreeArrays unpack(const ForestView& forest, size_t tree, std::string_view criterion, std::span<const int32_t> position,
                  std::span<const int32_t> n_categories);

/// What rows are asked to get from a forest.
enum class Vote { soft, hard, sum };

/// Sums over trees of what each row's leaf says: class shares, one vote, or the number. With `out_of_bag` only the trees that
/// did not draw a row speak of it; `votes` counts them. True if an infinity was met.
bool vote(const ForestView& forest, const Matrix<double>& numbers, const Matrix<int32_t>& codes, Vote how,
          const Draws* out_of_bag, double* sums, uint32_t* votes, int threads, Monitor& monitor);

/// The id of every node in its tree: in preorder.
std::vector<int32_t> ids(const ForestView& forest);

/// Leaf of every row in every tree, row by row, by its `id`.
bool leaves(const ForestView& forest, std::span<const int32_t> id, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
            int32_t* leaf, int threads, Monitor& monitor);

}  // namespace treewright
