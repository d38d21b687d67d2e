// Row → leaf. The packed walk keeps several rows in flight to hide the latency of each step.
#include "predict/route.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/parallel.hpp"
#include "grow/grow_task.hpp"
#include "predict/router.hpp"

namespace treewright {

namespace {

constexpr int lanes = 8;
constexpr int64_t rows_per_task = 4096;

int64_t tasks(int64_t rows) { return (rows + rows_per_task - 1) / rows_per_task; }

/// Whether all of n numbers are finite: what is not differs from itself, or its difference is missing.
bool all_finite(const double* x, int64_t n) {
    typedef double Two __attribute__((vector_size(2 * sizeof(double))));
    const auto difference = [x](int64_t i) {
        Two numbers;
        std::memcpy(&numbers, x + i, sizeof numbers);
        return numbers - numbers;
    };
    Two first = {}, second = {}, third = {}, fourth = {};  // four sums in flight, each in a register
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        first += difference(i);
        second += difference(i + 2);
        third += difference(i + 4);
        fourth += difference(i + 6);
    }
    const Two all = (first + second) + (third + fourth);
    double sum = all[0] + all[1];
    for (; i < n; ++i) sum += x[i] - x[i];
    return sum == 0;
}
bool all_finite(const Matrix<double>& numbers, int64_t first, int64_t last) {
    const double* begin = numbers.data + first * numbers.row_stride;
    const int64_t rows = last - first;
    bool finite = true;
    if (numbers.column_stride == 1 && numbers.row_stride == numbers.n_columns) {
        finite = all_finite(begin, rows * numbers.n_columns);
    } else if (numbers.row_stride == 1) {
        for (int64_t column = 0; column < numbers.n_columns; ++column)
            finite &= all_finite(begin + column * numbers.column_stride, rows);
    } else {
        for (int64_t row = first; row < last; ++row)
            for (int64_t column = 0; column < numbers.n_columns; ++column) finite &= std::isfinite(numbers(row, column));
    }
    return finite;
}
bool any_infinity(const Matrix<double>& numbers, int64_t first, int64_t last) {
    bool found = false;
    for (int64_t row = first; row < last; ++row)
        for (int64_t column = 0; column < numbers.n_columns; ++column) found |= std::isinf(numbers(row, column));
    return found;
}

/// The next node, without a branch: which way a row goes is a coin toss to the processor. `known`: no number is missing.
template <bool known>
inline uint32_t step(const PackedNode& node, const double* row, int64_t column_stride) {
    const double x = row[static_cast<int64_t>(node.column & ~missing_left) * column_stride];
    const uint32_t above = x > node.threshold;
    if constexpr (known) return node.first_child + above;
    const uint32_t missing = x != x, right_if_missing = node.column >> 31 ^ 1u;
    return node.first_child + (above | (missing & right_if_missing));
}

template <bool known>
uint32_t walk_row(const PackedNode* nodes, const double* row, int64_t column_stride, uint32_t at) {
    uint32_t next = at;
    while ((next = step<known>(nodes[at], row, column_stride)) != at) at = next;
    return at;
}

/// Several rows in flight: a lane that arrives at its leaf takes the next row. `stride` 0 = known at run time only. All loops
/// over lanes have the same length, so that what a lane knows stays in registers.
template <int64_t stride, bool known>
void walk_rows(const PackedNode* nodes, const Matrix<double>& numbers, int64_t first, int64_t last, int32_t* leaf) {
    const int64_t column_stride = stride ? stride : numbers.column_stride;
    const auto base = [data = numbers.data, row_stride = numbers.row_stride](int64_t row) { return data + row * row_stride; };
    if (last - first < lanes) {
        for (int64_t i = first; i < last; ++i) leaf[i] = static_cast<int32_t>(walk_row<known>(nodes, base(i), column_stride, 0));
        return;
    }
    uint32_t at[lanes] = {};
    int64_t row[lanes];
    const double* x[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        row[lane] = first + lane;
        x[lane] = base(row[lane]);
    }
    int64_t next_row = first + lanes;
    bool more = true;
    while (more) {
        for (int lane = 0; lane < lanes; ++lane) {
            const uint32_t next = step<known>(nodes[at[lane]], x[lane], column_stride);
            const bool arrived = next == at[lane];
            at[lane] = next;
            if (!arrived) [[likely]]
                continue;
            if (next_row == last) {
                more = false;
                continue;
            }
            leaf[row[lane]] = static_cast<int32_t>(next);
            row[lane] = next_row++;
            x[lane] = base(row[lane]);
            at[lane] = 0;
        }
    }
    for (int lane = 0; lane < lanes; ++lane)
        leaf[row[lane]] = static_cast<int32_t>(walk_row<known>(nodes, x[lane], column_stride, at[lane]));
}

}  // namespace

std::vector<uint32_t> places_side_by_side(const ChildView& children) {
    std::vector<uint32_t> place(children.size(), 0);
    uint32_t next = 1;
    for (size_t node = 0; node < place.size(); ++node)
        for (int32_t b = 0; b < children.count(node); ++b) place[children(node, b)] = next++;
    return place;
}

std::optional<PackedTree> pack(const TreeView& tree, std::span<const int32_t> position) {
    PackedTree packed{std::vector<PackedNode>(tree.size()), std::vector<int32_t>(tree.size())};
    const std::vector<uint32_t> place = places_side_by_side(tree.children);
    for (size_t node = 0; node < tree.size(); ++node) {
        packed.id[place[node]] = static_cast<int32_t>(node);
        PackedNode& to = packed.nodes[place[node]];
        if (tree.children.count(node) == 0) {
            to = {std::numeric_limits<double>::infinity(), missing_left, place[node]};
            continue;
        }
        const auto split = static_cast<size_t>(tree.split_begin[node]);
        const bool plain = tree.children.count(node) == 2 && tree.split_begin[node + 1] - tree.split_begin[node] == 1 &&
                           static_cast<SplitKind>(tree.splits.kind[split]) == SplitKind::threshold &&
                           tree.default_branch[node] >= 0;
        if (!plain) return std::nullopt;
        const auto column = static_cast<uint32_t>(position[static_cast<size_t>(tree.splits.feature[split])]);
        to = {tree.splits.threshold[split], column | (tree.default_branch[node] == 0 ? missing_left : 0),
              place[tree.children(node, 0)]};
    }
    return packed;
}

bool walk(std::span<const PackedNode> nodes, std::span<const int32_t> id, const Matrix<double>& numbers, int32_t* leaf,
          int threads, Monitor& monitor) {
    std::atomic<bool> infinite{false};
    parallel_for(static_cast<size_t>(tasks(numbers.n_rows)), threads, [&](size_t task, int thread) {
        monitor.poll(thread);
        const int64_t first = static_cast<int64_t>(task) * rows_per_task;
        const int64_t last = std::min(numbers.n_rows, first + rows_per_task);
        constexpr int64_t rows_in_cache = 1024;
        for (int64_t row = first; row < last; row += rows_in_cache) {
            const int64_t end = std::min(last, row + rows_in_cache);
            const bool known = all_finite(numbers, row, end);
            if (!known && any_infinity(numbers, row, end)) infinite = true;
            const auto walk_all = numbers.column_stride == 1 ? (known ? walk_rows<1, true> : walk_rows<1, false>)
                                                             : (known ? walk_rows<0, true> : walk_rows<0, false>);
            walk_all(nodes.data(), numbers, row, end, leaf);
            for (int64_t i = row; i < end; ++i) leaf[i] = id[static_cast<size_t>(leaf[i])];
        }
    });
    return infinite;
}

void route(const TreeView& tree, const Matrix<double>& numbers, const Matrix<int32_t>& codes, std::span<const int32_t> position,
           int32_t* leaf, int threads, Monitor& monitor) {
    const Router router{tree, {numbers, codes, position}};
    const int64_t rows = std::max(numbers.n_rows, codes.n_rows);
    parallel_for(static_cast<size_t>(tasks(rows)), threads, [&](size_t task, int thread) {
        monitor.poll(thread);
        const int64_t first = static_cast<int64_t>(task) * rows_per_task;
        for (int64_t row = first; row < std::min(rows, first + rows_per_task); ++row) leaf[row] = router.leaf(row);
    });
}

void branches(const TreeView& tree, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
              std::span<const int32_t> position, std::span<const int64_t> rows, std::span<const int64_t> nodes, int32_t* branch,
              int32_t* by, int threads, Monitor& monitor) {
    const Router router{tree, {numbers, codes, position}};
    const auto n = static_cast<int64_t>(rows.size());
    parallel_for(static_cast<size_t>(tasks(n)), threads, [&](size_t task, int thread) {
        monitor.poll(thread);
        const auto first = task * static_cast<size_t>(rows_per_task), last = first + static_cast<size_t>(rows_per_task);
        for (size_t i = first; i < std::min(rows.size(), last); ++i) {
            const auto choice = router.choose(static_cast<size_t>(nodes[i]), rows[i]);
            branch[i] = choice.branch;
            by[i] = choice.by;
        }
    });
}

void answers(const SplitView& splits, size_t split, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
             std::span<const int32_t> position, std::span<const int64_t> rows, int32_t* branch) {
    const SplitEntry entry(splits, split);
    const RowValues values{numbers, codes, position};
    for (size_t i = 0; i < rows.size(); ++i) branch[i] = values.branch(entry, rows[i]);
}

void compare(const SplitView& splits, size_t split, const Matrix<double>& numbers, std::span<const int32_t> position,
             std::span<const int64_t> rows, double* out) {
    const SplitEntry entry(splits, split);
    const RowValues values{numbers, {}, position};
    for (size_t i = 0; i < rows.size(); ++i) out[i] = compared(entry, values.numbers_of(rows[i]));
}

}  // namespace treewright
