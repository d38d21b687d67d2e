// Two-valued columns and two classes: the best trees of up to four levels by counting sets of columns.
//
// The rows of a node are those that fit a set of columns, each with a sign; the order in which the columns were asked for does
// not matter. So all trees of four levels need the classes of C(p, 4) sets only, and each set is counted once: the rows where all
// of its columns are positive. What the other signs have follows by subtraction. Of the two values of a column the rarer one is
// the positive one, and rare columns come first, so that few rows are left where most of the counting is done.
//
// A cell is a set of columns with signs. The cost of the best tree for a cell of three columns is that of a leaf, or the least
// over all fourth columns; from these follow the cells of two columns, of one, and the root.
#pragma once
#include <functional>
#include <vector>

#include "optimal/node.hpp"

namespace treewright::optimal {

/// Rows as bits, a word of 64 rows for all columns, then the next; those of the first class begin with the first word.
struct SetBits {
    size_t words[2] = {0, 0};  // of each class
    size_t stride = 0;         // columns, rounded up to whole vectors
    uint64_t* bits = nullptr;
};

/// Counts and costs by set of columns, in rows of whole vectors. Signs are bits of a number, the first column's the lowest; 1 is
/// positive. Kernels read these by pointers alone (kernels.hpp says why).
template <class Number>
struct SetTables {
    size_t n_columns = 0, padded = 0;
    Number zero = 0, one = 0, price = 0, big = 0;  // cost of a row of each class that is not recognised, of a split, of no tree
    Number total[2] = {0, 0};
    Number *single[2], *both[2], *three[2];  // rows of each class where one, two, three columns are positive
    Number *pair[4], *triple[8];             // costs by signs
    Number* with[2];                         // counts of one set with each further column
    const size_t* base = nullptr;            // by pair: where its triples stand, less the number of the third column
    std::vector<Number> memory;
    std::vector<size_t> bases;
};

/// What is known of a node whose columns have two values each.
struct SetCosts {
    Cost best = 0, one_level_less = 0;
    std::vector<Cost> by_column;  // the best trees with an active column at their root
};

class ColumnSets {
public:
    static constexpr int most_levels = 4;

    /// Whether a node can be solved so: every active column parts its rows in one way only.
    static bool fits(const Node& node, const std::vector<Column>& columns, const Loss& loss, int depth, uint32_t leaves);
    /// Bytes that this takes.
    static size_t bytes(const Node& node, const Loss& loss, int depth);
    /// Costs of the best trees of two to four levels. `count` is told of sets now and then, and may throw.
    SetCosts solve(const Node& node, const Loss& loss, int depth, const std::function<void()>& count);

private:
    template <class Number>
    SetCosts solve_in(SetTables<Number>& tables, const Node& node, const Loss& loss, int depth,
                      const std::function<void()>& count);
    template <class Number>
    void count_pairs(SetTables<Number>& tables);
    template <class Number>
    Cost fold_pairs(SetTables<Number>& tables, const Node& node, const Loss& loss, SetCosts& costs);
    void read(const Node& node, const Loss& loss);

    SetBits all_, below_one_, below_two_;
    std::vector<uint64_t> words_[3];
    std::vector<uint32_t> columns_;  // active ones, rare first
    uint32_t n_of_class_[2] = {0, 0};
    SetTables<int32_t> small_;
    SetTables<double> large_;
};

/// Where the rows of an active column of two groups part: the number of rows of the first.
inline uint32_t only_cut(const Node& node, size_t i) {
    const uint32_t* group = node.group_of(i);
    return static_cast<uint32_t>(std::upper_bound(group, group + node.n_rows, group[0]) - group);
}

}  // namespace treewright::optimal
