// Two-valued columns and two classes: the best trees of up to four levels by counting sets of columns. (For what is not counted
// there is set_sums.hpp.)
//
// The rows of a node are those that fit a set of columns, each with a sign; the order in which the columns were asked for does
// not matter. So all trees of four levels need the classes of C(p, 4) sets only, and each set is counted once: the rows where all
// of its columns are positive. What the other signs have follows by subtraction. As the positive value of a column is the rarer
// one, and rare columns come first (two_valued.hpp), few rows are left where most of the counting is done.
//
// A cell is a set of columns with signs. For a cell of three columns the least cost of two leaves below it is the least over all
// fourth columns; with the price of a split it is compared with that of a leaf. From these follow the cells of two columns, of
// one, and the root.
//
// Levels are added one by one. A tree of d + 1 levels has d + 1 splits or more, so that a tree of d levels that makes no mistake
// and has fewer ends the search.
#pragma once
#include <memory>

#include "optimal/set_sums.hpp"

namespace treewright::optimal {

/// Rows by set of columns, in rows of whole vectors; of each class, times what a row of it costs if that differs. Signs are bits
/// of a number, the first column's the lowest; 1 is positive. Kernels read these by pointers alone (kernels.hpp says why).
///
/// A vector may hold columns that come before, or are one of, those of a set, and columns of no rows at all: what is worked out
/// for them is true of trees that ask a column again or in vain, and so does no harm.
template <class Number>
struct SetTables {
    size_t n_columns = 0, padded = 0;
    Number weight[2] = {1, 1}, total[2] = {0, 0};
    Number *single[2], *both[2], *three[2];  // where one, two, three columns are positive
    Number *pair[4], *triple;                // least costs of two leaves below a cell, by its signs
    Number* with[2];                         // of one set with each further column
    double *below[4], unit = 1, price = 0;   // costs of a split and what is below it, by pair and signs; of a number, of a split
    const size_t* base = nullptr;            // by pair: where its triples stand, less the number of the third column
    std::vector<Number> memory;
    std::vector<double> costs;
    std::vector<size_t> bases;
    std::unique_ptr<Number[]> triples;
    size_t n_triples = 0;  // that there is room for
};

class ColumnSets {
public:
    static constexpr int most_levels = 4;

    /// Whether trees of two-valued columns can be found so.
    static bool fits(const Loss& loss, int depth, uint32_t leaves);
    /// Bytes that this takes, for so many columns and rows.
    static size_t bytes(size_t n_columns, size_t n_rows, const Loss& loss, int depth);
    /// Costs of the best trees of up to `depth` levels; `costs` are those of the levels that are done. `count` is told of sets
    /// now and then, and may throw.
    void solve(const BitTable& table, const Loss& loss, int depth, const std::function<void()>& count, SetCosts& costs);
    /// The first of the best trees whose costs are given: every column has one cut, so it is that of the first feature whose
    /// trees cost as little, and so on below.
    Plan first_of_best(const BitTable& table, const Loss& loss, const SetCosts& costs, const std::function<void()>& count);

private:
    template <class Number>
    void solve_in(SetTables<Number>& tables, const BitTable& table, const Loss& loss, int depth,
                  const std::function<void()>& count, SetCosts& costs);
    template <class Number>
    void lay_out(SetTables<Number>& tables, const BitTable& table, const Loss& loss, int depth);
    template <class Number>
    void lay_out_triples(SetTables<Number>& tables, const std::function<void()>& count);
    template <class Number>
    void count_pairs(SetTables<Number>& tables, const BitTable& table, const std::function<void()>& count);
    template <class Number>
    void count_triples(SetTables<Number>& tables, const BitTable& table, bool keep, const std::function<void()>& count);
    template <class Number>
    void count_quadruples(SetTables<Number>& tables, const BitTable& table, const std::function<void()>& count);
    template <class Number>
    void take_level(const SetTables<Number>& tables, const Loss& loss, int depth, SetCosts& costs) const;

    SetBits below_one_, below_two_;
    std::vector<uint64_t> words_[2];
    SetTables<uint16_t> small_;
    SetTables<double> large_;
    SetSums sums_;
};

}  // namespace treewright::optimal
