// Rows through the packed nodes of a forest: several rows in flight through one tree, or one row through several trees, so that
// the latency of each step is hidden.
#pragma once
#include <algorithm>
#include <bit>

#include "forest.hpp"

namespace treewright {

class ForestWalk {
public:
    static constexpr int lanes = 8;  // rows in flight

    ForestWalk(const ForestView& forest, const Matrix<double>& numbers, const Matrix<int32_t>& codes)
        : forest_(forest), numbers_(numbers), codes_(codes) {}

    /// Leaves of n rows in one tree: those numbered from `first` on, or of them the ones in `rows`.
    void operator()(size_t tree, const uint32_t* rows, int64_t n, int64_t first, uint32_t* leaf) const {
        const bool tables = forest_.tables_of[tree + 1] > forest_.tables_of[tree];
        if (tables)
            return numbers_.column_stride == 1 ? go<true, 1>(tree, rows, n, first, leaf)
                                               : go<true, 0>(tree, rows, n, first, leaf);
        return numbers_.column_stride == 1 ? go<false, 1>(tree, rows, n, first, leaf) : go<false, 0>(tree, rows, n, first, leaf);
    }
    /// Leaves of one row in all trees, `stride` apart.
    void row(int64_t row, uint32_t* leaf, size_t stride) const {
        if (forest_.table_begin.size() > 1) through_trees<true>(row, leaf, stride);
        else through_trees<false>(row, leaf, stride);
    }

private:
    uint32_t branch_of_table(const PackedNode& node, size_t tree, int64_t row) const {
        const int32_t code = codes_(row, node.column & column_bits);
        if (code < 0) return code == unseen_code ? !(node.column & unseen_left) : !(node.column & missing_left);
        const auto bits = std::bit_cast<uint64_t>(node.threshold);
        if (!(node.column & wide_table)) return static_cast<uint32_t>(bits >> code & 1);
        const size_t table = static_cast<size_t>(forest_.tables_of[tree]) + bits;
        const auto first = forest_.table_entry.begin() + forest_.table_begin[table],
                   last = forest_.table_entry.begin() + forest_.table_begin[table + 1];
        const auto found = std::lower_bound(first, last, static_cast<uint32_t>(code) << 1);
        if (found == last || *found >> 1 != static_cast<uint32_t>(code)) return !(node.column & missing_left);
        return *found & 1;
    }
    /// `stride` 0 = known at run time only.
    template <bool tables, int64_t stride>
    uint32_t step(const PackedNode& node, const double* x, size_t tree, int64_t row) const {
        if constexpr (tables)
            if (node.column & table_split) return node.first_child + branch_of_table(node, tree, row);
        const double value = x[static_cast<int64_t>(node.column & column_bits) * (stride ? stride : numbers_.column_stride)];
        const uint32_t above = value > node.threshold, missing = value != value, right_if_missing = node.column >> 31 ^ 1u;
        return node.first_child + (above | (missing & right_if_missing));
    }

    /// A lane that arrives takes the next row.
    template <bool tables, int64_t stride>
    void go(size_t tree, const uint32_t* rows, int64_t n, int64_t first, uint32_t* leaf) const {
        const PackedNode* nodes = forest_.node.data() + forest_.tree_begin[tree];
        const auto row_at = [&](int64_t i) { return first + (rows ? static_cast<int64_t>(rows[i]) : i); };
        const int64_t started = std::min<int64_t>(lanes, n);
        uint32_t at[lanes] = {};
        int64_t place[lanes], row[lanes];
        const double* x[lanes];
        const auto start = [&](int lane, int64_t i) {
            place[lane] = i;
            row[lane] = row_at(i);
            x[lane] = numbers_.data + row[lane] * numbers_.row_stride;
            at[lane] = 0;
        };
        for (int lane = 0; lane < started; ++lane) start(lane, lane);
        int64_t next_row = started;
        bool more = started == lanes;
        while (more) {
            for (int lane = 0; lane < lanes; ++lane) {
                const uint32_t next = step<tables, stride>(nodes[at[lane]], x[lane], tree, row[lane]);
                if (next != at[lane]) [[likely]] {
                    at[lane] = next;
                    continue;
                }
                if (next_row == n) {
                    more = false;
                    continue;
                }
                leaf[place[lane]] = next;
                start(lane, next_row++);
            }
        }
        for (int lane = 0; lane < started; ++lane) {
            uint32_t next = 0;
            while ((next = step<tables, stride>(nodes[at[lane]], x[lane], tree, row[lane])) != at[lane]) at[lane] = next;
            leaf[place[lane]] = at[lane];
        }
    }

    /// Step by step in as many trees as the processor can wait for at once; where the row has arrived it stays.
    template <bool tables>
    void through_trees(int64_t row, uint32_t* leaf, size_t stride) const {
        constexpr size_t at_once = 16;
        const double* x = numbers_.data + row * numbers_.row_stride;
        for (size_t first = 0; first < forest_.n_trees(); first += at_once) {
            const size_t n = std::min(at_once, forest_.n_trees() - first);
            const PackedNode* nodes[at_once];
            uint32_t at[at_once] = {};
            for (size_t t = 0; t < n; ++t) nodes[t] = forest_.node.data() + forest_.tree_begin[first + t];
            for (bool moved = true; moved;) {
                moved = false;
                for (size_t t = 0; t < n; ++t) {
                    const uint32_t next = step<tables, 0>(nodes[t][at[t]], x, first + t, row);
                    moved |= next != at[t];
                    at[t] = next;
                }
            }
            for (size_t t = 0; t < n; ++t) leaf[(first + t) * stride] = at[t];
        }
    }

    const ForestView& forest_;
    const Matrix<double>& numbers_;
    const Matrix<int32_t>& codes_;
};

}  // namespace treewright
