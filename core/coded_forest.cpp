// Coding thresholds and rows, and walking the codes.
#include "coded_forest.hpp"

#include <algorithm>
#include <cmath>

namespace treewright {

namespace {

uint64_t coded(uint32_t first_child, uint32_t column, uint16_t code) {
    return static_cast<uint64_t>(first_child) << 32 | column << 16 | code;
}

}  // namespace

std::optional<CodedForest> CodedForest::of(const ForestView& forest, size_t n_columns) {
    if (forest.table_begin.size() > 1 || n_columns > 65535) return std::nullopt;
    CodedForest out;
    out.thresholds_.resize(n_columns);
    const auto each_node = [&](auto&& use) {
        for (size_t tree = 0; tree < forest.n_trees(); ++tree)
            for (auto i = static_cast<size_t>(forest.tree_begin[tree]); i < static_cast<size_t>(forest.tree_begin[tree + 1]); ++i)
                use(tree, forest.node[i], static_cast<uint32_t>(i - static_cast<size_t>(forest.tree_begin[tree])));
    };
    each_node([&](size_t, const PackedNode& node, uint32_t id) {
        if (node.first_child != id) out.thresholds_[node.column & column_bits].threshold.push_back(node.threshold);
    });
    for (Column& column : out.thresholds_) {
        std::sort(column.threshold.begin(), column.threshold.end());
        column.threshold.erase(std::unique(column.threshold.begin(), column.threshold.end()), column.threshold.end());
        if (column.threshold.size() >= last_code) return std::nullopt;
        column.index();
    }
    out.node_.reserve(forest.node.size());
    out.begin_.assign(forest.tree_begin.begin(), forest.tree_begin.end());
    out.depth_.assign(forest.n_trees(), 0);
    std::vector<uint32_t> depth;
    each_node([&](size_t tree, const PackedNode& node, uint32_t id) {
        if (id == 0) depth.assign(static_cast<size_t>(forest.tree_begin[tree + 1] - forest.tree_begin[tree]), 0);
        if (node.first_child == id) {
            out.node_.push_back(coded(id, 0, last_code));
            out.depth_[tree] = std::max(out.depth_[tree], depth[id]);
            return;
        }
        for (uint32_t b = 0; b < 2; ++b) depth[node.first_child + b] = depth[id] + 1;
        const auto& sorted = out.thresholds_[node.column & column_bits].threshold;
        const auto at = std::lower_bound(sorted.begin(), sorted.end(), node.threshold) - sorted.begin();
        out.node_.push_back(coded(node.first_child, node.column & column_bits, static_cast<uint16_t>(at)));
    });
    return out;
}

void CodedForest::Column::index() {
    constexpr size_t most_cells = 65536;
    if (threshold.size() < 8) return;
    const double high = std::isinf(threshold.back()) ? threshold[threshold.size() - 2] : threshold.back();
    low = threshold.front();
    const double span = high - low;
    const size_t cells = std::min(most_cells, 4 * threshold.size());
    scale = static_cast<double>(cells - 1) / span;
    if (!(span > 0) || !std::isfinite(span) || !std::isfinite(scale)) {
        scale = 0;
        return;
    }
    start.resize(cells);
    size_t at = 0;
    for (size_t cell = 0; cell < cells; ++cell) {
        const double begin = low + (static_cast<double>(cell) - 0.5) / scale;  // half a step of safety
        while (at < threshold.size() && threshold[at] < begin) ++at;
        start[cell] = static_cast<uint16_t>(at);
    }
}

/// The number of thresholds below x: x ≤ threshold k exactly if its code is at most k.
uint16_t CodedForest::Column::code(double x) const {
    if (scale == 0) return static_cast<uint16_t>(std::lower_bound(threshold.begin(), threshold.end(), x) - threshold.begin());
    const double cell = std::min(std::max(0.0, (x - low) * scale), static_cast<double>(start.size() - 1));  // NaN: 0
    const auto at = static_cast<size_t>(cell);
    size_t first = start[at], last = at + 1 < start.size() ? start[at + 1] : threshold.size();
    if (last - first > 8)
        return static_cast<uint16_t>(std::lower_bound(threshold.begin() + static_cast<int64_t>(first), threshold.end(), x) -
                                     threshold.begin());
    while (first < threshold.size() && threshold[first] < x) ++first;
    return static_cast<uint16_t>(first);
}

void CodedForest::encode(const Matrix<double>& numbers, int64_t first, size_t n, std::vector<uint16_t>& code,
                         std::vector<uint32_t>& odd) const {
    const size_t width = thresholds_.size();
    code.resize(n * width);
    std::vector<uint8_t> missing(n, 0);
    for (size_t c = 0; c < width; ++c)  // column by column, so that its thresholds stay near
        for (size_t i = 0; i < n; ++i) {
            const double x = numbers(first + static_cast<int64_t>(i), static_cast<int64_t>(c));
            missing[i] |= x != x;
            code[i * width + c] = thresholds_[c].code(x);
        }
    odd.clear();
    for (size_t i = 0; i < n; ++i)
        if (missing[i]) odd.push_back(static_cast<uint32_t>(i));
}

namespace {

constexpr size_t rows_at_once = 512;

/// Where rows stand in the tree, and where their codes begin.
struct Standing {
    uint32_t at[rows_at_once];
    const uint16_t* code[rows_at_once];
};

/// So many steps down, a few rows side by side to hide the latency of each; those that have arrived stay where they are.
template <size_t lanes>
void step_down(const uint64_t* nodes, uint32_t steps, uint32_t* at, const uint16_t* const* code) {
    uint32_t here[lanes];
    std::copy_n(at, lanes, here);
    for (uint32_t s = 0; s < steps; ++s)
        for (size_t lane = 0; lane < lanes; ++lane) {
            const uint64_t node = nodes[here[lane]];
            const uint16_t x = code[lane][static_cast<uint16_t>(node >> 16)];
            here[lane] = static_cast<uint32_t>(node >> 32) + (x > static_cast<uint16_t>(node));
        }
    std::copy_n(here, lanes, at);
}

void step_down(const uint64_t* nodes, uint32_t steps, size_t n, Standing& rows) {
    constexpr size_t lanes = 8;
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) step_down<lanes>(nodes, steps, rows.at + i, rows.code + i);
    for (; i < n; ++i) step_down<1>(nodes, steps, rows.at + i, rows.code + i);
}

}  // namespace

void CodedForest::walk(size_t tree, const uint16_t* codes, size_t n, uint32_t* leaf) const {
    for (size_t first = 0; first < n; first += rows_at_once)
        walk_few(tree, codes + first * thresholds_.size(), std::min(n - first, rows_at_once), leaf + first);
}

void CodedForest::walk_few(size_t tree, const uint16_t* codes, size_t n, uint32_t* leaf) const {
    const uint64_t* nodes = node_.data() + begin_[tree];
    Standing rows;
    uint16_t number[rows_at_once];
    for (size_t i = 0; i < n; ++i) {
        rows.at[i] = 0;
        rows.code[i] = codes + i * thresholds_.size();
        number[i] = static_cast<uint16_t>(i);
    }
    constexpr uint32_t all_together = 10, at_once = 3;  // deeper than this, rows that have arrived are taken out
    uint32_t depth = std::min(depth_[tree], all_together);
    step_down(nodes, depth, n, rows);
    for (; depth < depth_[tree] && n > 0; depth += at_once) {
        size_t left = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t at = rows.at[i];
            leaf[number[i]] = at;
            rows.at[left] = at;
            rows.code[left] = rows.code[i];
            number[left] = number[i];
            left += static_cast<uint16_t>(nodes[at]) != last_code;
        }
        n = left;
        step_down(nodes, at_once, n, rows);
    }
    for (size_t i = 0; i < n; ++i) leaf[number[i]] = rows.at[i];
}

}  // namespace treewright
