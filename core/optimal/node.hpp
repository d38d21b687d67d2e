// The rows of a node, in the order of every column that still tells some of them apart.
#pragma once
#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "base/table.hpp"
#include "optimal/loss.hpp"

namespace treewright::optimal {

/// A way to order rows: by a number, rows without it first or last, or by a category.
///
/// Rows of a column fall into groups. Those of numbers are 1, 2, … by value; rows without a value are group 0 where they come
/// first, and the last group where they come last. Those of categories are the codes; rows without one are the last group.
/// A number that some rows lack has two columns, so that both directions of missing values are cuts of an order.
struct Column {
    static constexpr uint32_t nothing_missing = std::numeric_limits<uint32_t>::max();

    int32_t feature = 0;
    bool categorical = false;
    uint32_t missing_group = nothing_missing;
    uint32_t twin = 0;  // the column of the same number with missing values on the other side; itself if there is none

    bool missing_first() const { return !categorical && missing_group == 0; }
    /// Whether rows may be parted after a group; of an order with missing rows first, they are not parted from all others.
    bool may_cut_after(uint32_t group) const { return group != 0 || !missing_first(); }
    /// The test that parts rows between two neighbouring groups of an order.
    Test cut(uint32_t group, uint32_t next) const {
        const auto kind = next == missing_group ? TestKind::known : TestKind::threshold;
        return {kind, missing_first(), feature, static_cast<int32_t>(group) - 1};
    }
};

/// Rows under local numbers 0, 1, …, and for each active column the rows in its order with their groups.
struct Node {
    uint32_t n_rows = 0, stride = 0;     // stride: n_rows, rounded up to whole blocks of 64
    std::vector<uint32_t> active;        // columns of more than one group here
    std::vector<uint32_t> order, group;  // for each active column, by place: local number of the row, its group
    std::vector<uint32_t> row;           // by local number: row of the table
    std::vector<uint8_t> second;         // by local number, of two classes: 1 = the second
    std::vector<Cost> sums;              // over all rows (Loss)
    Cost squares = 0, leaf = 0;          // the squares of the rows; the cost as a leaf

    const uint32_t* order_of(size_t i) const { return order.data() + i * stride; }
    const uint32_t* group_of(size_t i) const { return group.data() + i * stride; }
    uint32_t* order_of(size_t i) { return order.data() + i * stride; }
    uint32_t* group_of(size_t i) { return group.data() + i * stride; }
    uint32_t n_blocks() const { return stride / 64; }
    /// Make room for rows and columns.
    void shape(uint32_t rows, size_t columns) {
        n_rows = rows;
        stride = (rows + 63) / 64 * 64;
        const size_t size = columns * stride + 64;  // vectors may be written past the end
        if (order.size() < size) order.resize(size);
        if (group.size() < size) group.resize(size);
        row.resize(rows);
    }
    /// Sum up the rows.
    void add_up(const Loss& loss);
    /// Whether the rows of an active column differ.
    bool differs(size_t i) const { return group_of(i)[0] != group_of(i)[n_rows - 1]; }
    /// Leave out columns whose rows are all of one group, and the second of two that order these rows alike.
    void drop_constant(const std::vector<Column>& columns);
};

/// Sort the rows of a table by every column. `keep_on` is asked between columns; false = it said no.
bool read_columns(const Table& table, const Loss& loss, const std::function<bool()>& keep_on, std::vector<Column>& columns,
                  Node& root);

}  // namespace treewright::optimal
