// Nodes of few rows: the best second splits of all columns in one go.
//
// Of at most 127 rows, a place is a byte, and so is a number of rows up to a place. The places of all columns' rows in the order
// of a first split are looked up in registers, the rows of either side that a cut recognises counted at all places of 64 side by
// side, and only the best of all columns is summed up. Where mistakes of all classes cost the same, that is all there is to know.
// It takes instructions that not every processor has: others go by `Kernels::scan`, and find the same costs.
#pragma once
#include "optimal/blocks.hpp"

namespace treewright::optimal {

/// A column as `scan_small` reads it: 64 bytes for each block.
struct SmallColumn {
    const uint8_t* places;    // by place, that of the row in the order of the first split
    const int8_t* upto;       // rows up to a place: of each class, or, of two, those of the second less those of the first
    const uint64_t* ends;     // rows after which the order may be cut
    const uint64_t* classes;  // as ColumnBlocks has them
};

struct SmallScan {
    uint32_t n_blocks = 1;
    int n_classes = 2;
    const SmallColumn* columns = nullptr;
    size_t n_columns = 0;
    uint8_t begin = 0, width = 0, begin_second = 0, width_second = 0;  // places on the left
    const Cost *left = nullptr, *right = nullptr;                      // rows of each class on either side
    /// How many rows of each side the best split of it recognises.
    int recognised_left = 0, recognised_right = 0;
};

/// A node of few rows, in the form of its blocks.
class SmallNode {
public:
    static constexpr uint32_t most_rows = 127;

    /// Read a node whose blocks are built; false if it must go by its blocks.
    bool read(const Node& node, const std::vector<Column>& columns, const Loss& loss, const Blocks& blocks);
    /// The places of rows in the order of an active column.
    void order_by(const Node& node, size_t i);
    /// Split both sides of a scan by any column but those of categories.
    void split_sides(Scan& scan) const;

private:
    std::vector<uint8_t> order_,
        placed_;  // by column and place: the local number of the row; its place in the order of the split
    std::vector<int8_t> upto_;
    std::vector<SmallColumn> columns_;
    uint32_t n_blocks_ = 0;
    int n_classes_ = 0;
    Cost mistake_ = 0;
};

}  // namespace treewright::optimal
