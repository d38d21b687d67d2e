// The inner loops of the search: what a second split saves on either side of a first one.
//
// A split puts some places of its column's order on the left. For another column, whose rows know their place in that order, a
// scan finds the best split of the left rows and that of the right rows in one pass, 64 rows at a time: blocks that cannot hold
// anything better are only counted. Processors with wide vectors have loops of their own, which give the same numbers.
#pragma once
#include <cstddef>

#include "optimal/loss.hpp"

namespace treewright::optimal {

/// Part of a block whose rows are of one group.
struct Piece {
    uint64_t rows;
    uint32_t block;
    uint32_t last;  // of its group: 1, and 2 if the order may be cut after it
};

/// A column of a node in its own order, in blocks of 64 rows.
struct ColumnBlocks {
    bool categorical = false;
    const uint64_t* ends = nullptr;  // rows after which the order may be cut; not used for categories
    const Piece* pieces = nullptr;   // of categories, and of orders with few groups; null = go by rows
    size_t n_pieces = 0;
    const uint64_t* classes = nullptr;   // pair: rows of the second class; counts: rows of each class, by block
    const uint8_t* n_classes = nullptr;  // how many these are
    const Cost* numbers = nullptr;       // prices, squares: by place, `width` each
    const Cost* block_sums = nullptr;    // prices, squares: by block
};

/// One side of a split. Its rows sum up to `sums`; a split of them is looked for that costs less than `best`, which becomes its
/// cost. Costs are without the squares of the rows.
struct Side {
    bool wanted = false;
    const Cost* sums = nullptr;
    Cost best = 0;
};

struct Scan {
    const Loss* loss = nullptr;
    uint32_t n_rows = 0, n_blocks = 0;
    ColumnBlocks column;
    /// Places of the column's rows in the order of the split; filled up to whole blocks with the largest number.
    const void* places = nullptr;
    uint32_t begin = 0, width = 0;                // places on the left: `width` from `begin` on,
    uint32_t begin_second = 0, width_second = 0;  // and these
    Side left, right;
    Cost* scratch = nullptr;  // scratch_size(loss) numbers

    uint64_t rows_of(uint32_t block) const {
        const uint32_t rows = n_rows - block * 64;
        return rows >= 64 ? ~uint64_t{0} : (uint64_t{1} << rows) - 1;
    }
};

/// How places are stored: in the whole node (no split) there are none.
enum class Places : uint8_t { none, narrow, wide };

inline size_t scratch_size(const Loss& loss, size_t n_groups) {
    const auto width = static_cast<size_t>(loss.width());
    return 8 * width + std::max(width * width, 4 * (n_groups + 1)) + 64;
}

/// Where the rows of one branch go; null = they are not wanted. Up to 16 numbers past the end may be written.
struct Part {
    uint32_t *order = nullptr, *group = nullptr;
};

/// Rows of a node in an order, or from its end on, and the groups of all their columns.
struct OrderedRows {
    static constexpr size_t lanes = 8;

    const uint32_t *order = nullptr, *row = nullptr;  // by place, by local number
    uint32_t n_rows = 0;
    bool from_end = false;
    const int32_t *label = nullptr, *groups = nullptr;  // by row of the table; `n_vectors` of so many lanes each
    size_t n_vectors = 0;
    int32_t* scratch = nullptr;  // 5 * lanes * n_vectors numbers
};

struct Kernels {
    void (*scan[3])(Scan&);  // by Places
    /// to[i] = places[rows[i]] for n rows, filled up to whole blocks with the largest number.
    void (*gather_narrow)(const uint32_t* rows, uint32_t n, const uint32_t* places, uint16_t* to);
    void (*gather_wide)(const uint32_t* rows, uint32_t n, const uint32_t* places, uint32_t* to);
    /// Part the rows of a column: those whose place lies below `cut` go left, the others right, under their places (less `cut`).
    void (*part)(const uint32_t* rows, const uint32_t* group, uint32_t n, const uint32_t* places, uint32_t cut, const Part& left,
                 const Part& right);
    /// How many rows, of no more than `most`, one cut of some column parts into those of one class and those of another.
    uint32_t (*apart)(const OrderedRows& rows, int32_t first, int32_t second, uint32_t most);
};

/// Those for this processor.
const Kernels& kernels();

}  // namespace treewright::optimal
