// Two-valued columns and any loss: the best trees of up to three levels by summing up sets of columns.
//
// As in column_sets.hpp the rows of a cell follow from those where all columns of its set are positive; but rows are no bits to
// count. What a row adds is the cost of each label, or its weight and sum; a cell of no split costs what Loss says of its sums.
// For the rows of two columns, those of each third one are summed up, eight columns at a time.
#pragma once
#include <functional>

#include "optimal/two_valued.hpp"

namespace treewright::optimal {

/// The best trees of so many levels, and those with each column at their root.
struct SetCosts {
    int depth = 0;
    Cost best = 0, one_level_less = 0;
    std::vector<Cost> by_column;
};

/// What sets of columns add up to, by number of the loss, in rows of whole vectors. Signs are as in SetTables.
struct SumTables {
    size_t n_columns = 0, padded = 0;
    int width = 0;
    bool squares = false;        // weight and sum; else costs by label
    double scale = 1;            // of squares
    const Cost *total, *values;  // of all rows; by row
    const uint8_t* columns;      // by row: where columns are positive, eight to a byte
    Cost *single, *both, *with;  // of one column, two, and one set with each further column
    Cost* pair[4];               // least costs of two leaves below a cell of two columns
    const Cost* expanded;        // by byte: eight numbers, all bits of which are set where the byte's is

    Cost* of(Cost* table, int number, size_t square) const { return table + static_cast<size_t>(number) * square; }
};

class SetSums {
public:
    static constexpr int most_levels = 3;
    static constexpr int most_numbers = 32;

    static size_t bytes(size_t n_columns, size_t n_rows, const Loss& loss);
    /// As ColumnSets::solve; `costs.best` is the cost as a leaf.
    void solve(const BitTable& table, const Loss& loss, int depth, const std::function<void()>& count, SetCosts& costs);

private:
    void lay_out(const BitTable& table, const Loss& loss);
    void sum_pairs();
    void sum_triples(const std::function<void()>& count);
    void take_level(const Loss& loss, Cost squares, int depth, SetCosts& costs) const;
    void rows_of(size_t column, const std::vector<uint32_t>* among, std::vector<uint32_t>& rows) const;

    SumTables tables_;
    uint32_t n_rows_ = 0;
    std::vector<Cost> memory_, values_, total_, expanded_;
    std::vector<uint8_t> columns_;
    std::vector<uint32_t> of_one_, of_two_;
};

}  // namespace treewright::optimal
