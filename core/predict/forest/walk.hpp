// Rows through the packed nodes of a forest: several rows in flight through one tree, or one row through several trees, so that
// the latency of each step is hidden.
#pragma once
#include <algorithm>
#include <bit>

#include "forest/forest.hpp"

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
    /// The branch of a category that a mask cannot tell: one that is missing or unseen, or of a wide table.
    uint32_t look_up(const PackedNode& node, size_t tree, int32_t code) const {
        if (code < 0) return code == unseen_code ? !(node.column & unseen_left) : !(node.column & missing_left);
        const size_t table = static_cast<size_t>(forest_.tables_of[tree]) + std::bit_cast<uint64_t>(node.threshold);
        const auto first = forest_.table_entry.begin() + forest_.table_begin[table],
                   last = forest_.table_entry.begin() + forest_.table_begin[table + 1];
        const auto found = std::lower_bound(first, last, static_cast<uint32_t>(code) << 1);
        if (found == last || *found >> 1 != static_cast<uint32_t>(code)) return !(node.column & missing_left);
        return *found & 1;
    }
    /// The next node, as good as without a branch: whether it asks for a number or a category is a coin toss to the processor.
    /// `stride` 0 = known at run time only.
    template <bool tables, int64_t stride>
    uint32_t step(const PackedNode& node, const double* x, const int32_t* codes, size_t tree) const {
        const auto column = static_cast<int64_t>(node.column & column_bits);
        const uint32_t by_table = tables ? node.column / table_split & 1u : 0u;
        const double value = x[column * (1 - by_table) * (stride ? stride : numbers_.column_stride)];
        const uint32_t above = value > node.threshold, missing = value != value, right_if_missing = node.column >> 31 ^ 1u;
        const uint32_t by_number = above | (missing & right_if_missing);
        if constexpr (!tables) return node.first_child + by_number;
        const int32_t code = codes[column * by_table * codes_.column_stride];
        const uint32_t no_mask = static_cast<uint32_t>(code) >> 31 | (node.column / wide_table & 1u);
        if (by_table & no_mask) [[unlikely]]
            return node.first_child + look_up(node, tree, code);
        const auto by_mask = static_cast<uint32_t>(std::bit_cast<uint64_t>(node.threshold) >> (code & 63) & 1);
        return node.first_child + (by_number & ~by_table) + (by_mask & by_table);
    }
    /// Where a row's numbers and categories begin; of a table without numbers, one to look at.
    const double* numbers_of(int64_t row) const {
        static constexpr double none = 0;
        return numbers_.n_columns ? numbers_.data + row * numbers_.row_stride : &none;
    }
    const int32_t* codes_of(int64_t row) const { return codes_.data + row * codes_.row_stride; }

    /// A lane that arrives takes the next row.
    template <bool tables, int64_t stride>
    void go(size_t tree, const uint32_t* rows, int64_t n, int64_t first, uint32_t* leaf) const {
        const PackedNode* nodes = forest_.node.data() + forest_.tree_begin[tree];
        const auto row_at = [&](int64_t i) { return first + (rows ? static_cast<int64_t>(rows[i]) : i); };
        const int64_t started = std::min<int64_t>(lanes, n);
        uint32_t at[lanes] = {};
        int64_t place[lanes];
        const double* x[lanes];
        const int32_t* codes[lanes] = {};
        const auto start = [&](int lane, int64_t i) {
            place[lane] = i;
            x[lane] = numbers_of(row_at(i));
            if constexpr (tables) codes[lane] = codes_of(row_at(i));
            at[lane] = 0;
        };
        for (int lane = 0; lane < started; ++lane) start(lane, lane);
        int64_t next_row = started;
        bool more = started == lanes;
        while (more) {
            for (int lane = 0; lane < lanes; ++lane) {
                const uint32_t next = step<tables, stride>(nodes[at[lane]], x[lane], codes[lane], tree);
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
            while ((next = step<tables, stride>(nodes[at[lane]], x[lane], codes[lane], tree)) != at[lane]) at[lane] = next;
            leaf[place[lane]] = at[lane];
        }
    }

    /// Step by step in as many trees as the processor can wait for at once; where the row has arrived it stays.
    template <bool tables>
    void through_trees(int64_t row, uint32_t* leaf, size_t stride) const {
        constexpr size_t at_once = 16;
        const double* x = numbers_of(row);
        const int32_t* codes = tables ? codes_of(row) : nullptr;
        for (size_t first = 0; first < forest_.n_trees(); first += at_once) {
            const size_t n = std::min(at_once, forest_.n_trees() - first);
            const PackedNode* nodes[at_once];
            uint32_t at[at_once] = {};
            for (size_t t = 0; t < n; ++t) nodes[t] = forest_.node.data() + forest_.tree_begin[first + t];
            for (bool moved = true; moved;) {
                moved = false;
                for (size_t t = 0; t < n; ++t) {
                    const uint32_t next = step<tables, 0>(nodes[t][at[t]], x, codes, first + t);
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
