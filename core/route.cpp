// Row → leaf. The packed walk keeps several rows in flight to hide the latency of each step.
#include "route.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "parallel.hpp"
#include "router.hpp"

namespace treewright {

namespace {

constexpr uint32_t missing_left = 0x80000000u;
constexpr int lanes = 16;
constexpr int64_t rows_per_task = 4096;

int64_t tasks(int64_t rows) { return (rows + rows_per_task - 1) / rows_per_task; }

bool any_infinity(const Matrix<double>& numbers, int64_t first, int64_t last) {
    bool found = false;
    const double limit = std::numeric_limits<double>::max();
    for (int64_t row = first; row < last; ++row)
        for (int64_t column = 0; column < numbers.n_columns; ++column)
            found |= std::fabs(numbers(row, column)) > limit;
    return found;
}

inline uint32_t step(const PackedNode& node, const double* row, int64_t column_stride) {
    const double x = row[static_cast<int64_t>(node.column & ~missing_left) * column_stride];
    const bool right = (node.column & missing_left) ? x > node.threshold : !(x <= node.threshold);
    return node.first_child + right;
}

/// `full` lanes at a time: every lane steps until all have arrived.
void walk_rows(const PackedNode* nodes, const Matrix<double>& numbers, int64_t first, int64_t last, int32_t* leaf) {
    const int64_t stride = numbers.column_stride;
    int64_t row = first;
    for (; row + lanes <= last; row += lanes) {
        uint32_t at[lanes] = {};
        const double* base = numbers.data + row * numbers.row_stride;
        for (uint32_t moved = 1; moved;) {
            moved = 0;
            for (int lane = 0; lane < lanes; ++lane) {
                const uint32_t next = step(nodes[at[lane]], base + lane * numbers.row_stride, stride);
                moved |= next ^ at[lane];
                at[lane] = next;
            }
        }
        for (int lane = 0; lane < lanes; ++lane) leaf[row + lane] = static_cast<int32_t>(at[lane]);
    }
    for (; row < last; ++row) {
        uint32_t at = 0, next = 0;
        const double* base = numbers.data + row * numbers.row_stride;
        while ((next = step(nodes[at], base, stride)) != at) at = next;
        leaf[row] = static_cast<int32_t>(at);
    }
}

}  // namespace

std::optional<std::vector<PackedNode>> pack(const TreeView& tree, std::span<const int32_t> position) {
    std::vector<PackedNode> nodes(tree.size());
    for (size_t node = 0; node < tree.size(); ++node) {
        if (tree.n_children[node] == 0) {
            nodes[node] = {std::numeric_limits<double>::infinity(), missing_left, static_cast<uint32_t>(node)};
            continue;
        }
        const auto split = static_cast<size_t>(tree.split_begin[node]);
        const bool plain = tree.n_children[node] == 2 && tree.split_begin[node + 1] - tree.split_begin[node] == 1 &&
                           static_cast<SplitKind>(tree.splits.kind[split]) == SplitKind::threshold &&
                           tree.default_branch[node] >= 0;
        if (!plain) return std::nullopt;
        const auto column = static_cast<uint32_t>(position[static_cast<size_t>(tree.splits.feature[split])]);
        nodes[node] = {tree.splits.threshold[split], column | (tree.default_branch[node] == 0 ? missing_left : 0),
                       static_cast<uint32_t>(tree.first_child[node])};
    }
    return nodes;
}

bool walk(std::span<const PackedNode> nodes, const Matrix<double>& numbers, int32_t* leaf, int threads) {
    std::atomic<bool> infinite{false};
    parallel_for(static_cast<size_t>(tasks(numbers.n_rows)), threads, [&](size_t task, int) {
        const int64_t first = static_cast<int64_t>(task) * rows_per_task;
        const int64_t last = std::min(numbers.n_rows, first + rows_per_task);
        constexpr int64_t rows_in_cache = 256;
        for (int64_t row = first; row < last; row += rows_in_cache) {
            const int64_t end = std::min(last, row + rows_in_cache);
            if (any_infinity(numbers, row, end)) infinite = true;
            walk_rows(nodes.data(), numbers, row, end, leaf);
        }
    });
    return infinite;
}

void route(const TreeView& tree, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
           std::span<const int32_t> position, std::span<const int32_t> n_categories, int32_t* leaf, int threads) {
    const Router router{tree, numbers, codes, position, n_categories};
    const int64_t rows = std::max(numbers.n_rows, codes.n_rows);
    parallel_for(static_cast<size_t>(tasks(rows)), threads, [&](size_t task, int) {
        const int64_t first = static_cast<int64_t>(task) * rows_per_task;
        for (int64_t row = first; row < std::min(rows, first + rows_per_task); ++row) leaf[row] = router.leaf(row);
    });
}

}  // namespace treewright
