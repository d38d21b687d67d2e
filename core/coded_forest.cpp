// Coding thresholds and rows, and walking the codes.
#include "coded_forest.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace treewright {

namespace {

constexpr size_t rows_at_once = 512;
static_assert(rows_at_once % group_rows == 0);

/// Where rows stand in the tree, and where their codes begin.
struct Standing {
    uint32_t at[rows_at_once];
    const int16_t* code[rows_at_once];
};

/// So many steps down, a few rows side by side to hide the latency of each; those that have arrived stay where they are.
template <size_t lanes>
void step_down(const CodedNode* nodes, uint32_t steps, uint32_t* at, const int16_t* const* code) {
    uint32_t here[lanes];
    std::copy_n(at, lanes, here);
    for (uint32_t s = 0; s < steps; ++s)
        for (size_t lane = 0; lane < lanes; ++lane) {
            const CodedNode node = nodes[here[lane]];
            here[lane] = node.first_child + (code[lane][node.column * group_rows] > node.code);
        }
    std::copy_n(here, lanes, at);
}

void step_down(const CodedNode* nodes, uint32_t steps, size_t n, Standing& rows) {
    constexpr size_t lanes = 8;
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) step_down<lanes>(nodes, steps, rows.at + i, rows.code + i);
    for (; i < n; ++i) step_down<1>(nodes, steps, rows.at + i, rows.code + i);
}

}  // namespace

std::optional<CodedForest> CodedForest::of(const ForestView& forest, size_t n_columns) {
    if (forest.table_begin.size() > 1 || n_columns > 65535) return std::nullopt;
    CodedForest out;
    out.column_.resize(std::max<size_t>(n_columns, 1));
    const auto each_node = [&](auto&& use) {
        for (size_t tree = 0; tree < forest.n_trees(); ++tree)
            for (auto i = static_cast<size_t>(forest.tree_begin[tree]); i < static_cast<size_t>(forest.tree_begin[tree + 1]); ++i)
                use(tree, forest.node[i], static_cast<uint32_t>(i - static_cast<size_t>(forest.tree_begin[tree])));
    };
    each_node([&](size_t, const PackedNode& node, uint32_t id) {
        if (node.first_child != id) out.column_[node.column & column_bits].add(node.threshold);
    });
    for (ThresholdCodes& column : out.column_)
        if (!column.close()) return std::nullopt;
    out.node_.reserve(forest.node.size());
    out.begin_.assign(forest.tree_begin.begin(), forest.tree_begin.end());
    out.depth_.assign(forest.n_trees(), 0);
    std::vector<uint32_t> depth;
    each_node([&](size_t tree, const PackedNode& node, uint32_t id) {
        if (id == 0) depth.assign(static_cast<size_t>(forest.tree_begin[tree + 1] - forest.tree_begin[tree]), 0);
        if (node.first_child == id) {
            out.node_.push_back({leaf_code, 0, id});
            out.depth_[tree] = std::max(out.depth_[tree], depth[id]);
            return;
        }
        for (uint32_t b = 0; b < 2; ++b) depth[node.first_child + b] = depth[id] + 1;
        const auto column = static_cast<uint16_t>(node.column & column_bits);
        out.node_.push_back({out.column_[column].place(node.threshold), column, node.first_child});
    });
    for (size_t tree = 0; tree < forest.n_trees(); ++tree) out.tops_.add(out.node_.data() + out.begin_[tree], out.depth_[tree]);
    out.shallow_ = std::ranges::all_of(out.depth_, [](uint32_t depth) { return depth <= TreeTops::most_levels; });
    const auto nodes_of_tree = static_cast<int64_t>(forest.node.size() / std::max<size_t>(forest.n_trees(), 1));
    out.block_rows_ = out.shallow_ ? 256 : std::clamp<int64_t>(nodes_of_tree, 1024, 8192);
    return out;
}

void CodedForest::encode(const Matrix<double>& numbers, int64_t first, size_t n, std::vector<int16_t>& code,
                         std::vector<uint32_t>& odd) const {
    const size_t width = column_.size();
    code.resize((n + group_rows - 1) / group_rows * group_rows * width);
    odd.clear();
    std::array<double, group_rows> value{};
    for (size_t begin = 0; begin < n; begin += group_rows) {
        const size_t end = std::min(n, begin + group_rows);
        std::array<double, group_rows> poison{};  // becomes NaN where a value is
        for (size_t c = 0; c < static_cast<size_t>(numbers.n_columns); ++c) {
            for (size_t i = begin; i < end; ++i)
                value[i - begin] = numbers(first + static_cast<int64_t>(i), static_cast<int64_t>(c));
            for (size_t i = 0; i < group_rows; ++i) poison[i] += value[i];
            column_[c].encode(value, code.data() + begin * width + c * group_rows);
        }
        for (size_t i = begin; i < end; ++i)
            if (std::isnan(poison[i - begin])) odd.push_back(static_cast<uint32_t>(i));
    }
}

void CodedForest::walk(size_t tree, const int16_t* codes, size_t n, uint32_t* leaf) const {
    const size_t group = group_rows * column_.size();
    for (size_t i = 0; i < n; i += group_rows) tops_.walk(tree, codes + i / group_rows * group, leaf + i);
    if (tops_.levels(tree) >= depth_[tree]) return;
    for (size_t first = 0; first < n; first += rows_at_once)
        walk_on(tree, codes + first * column_.size(), std::min(n - first, rows_at_once), leaf + first);
}

/// From the nodes in `leaf` down to the leaves. Rows that have arrived are taken out every few steps.
void CodedForest::walk_on(size_t tree, const int16_t* codes, size_t n, uint32_t* leaf) const {
    const CodedNode* nodes = node_.data() + begin_[tree];
    Standing rows;
    uint16_t number[rows_at_once];
    for (size_t i = 0; i < n; ++i) {
        rows.at[i] = leaf[i];
        rows.code[i] = codes + i / group_rows * group_rows * column_.size() + i % group_rows;
        number[i] = static_cast<uint16_t>(i);
    }
    constexpr uint32_t at_once = 3;
    for (uint32_t depth = tops_.levels(tree); depth < depth_[tree] && n > 0; depth += at_once) {
        size_t left = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t at = rows.at[i];
            leaf[number[i]] = at;
            rows.at[left] = at;
            rows.code[left] = rows.code[i];
            number[left] = number[i];
            left += nodes[at].code != leaf_code;
        }
        n = left;
        step_down(nodes, at_once, n, rows);
    }
    for (size_t i = 0; i < n; ++i) leaf[number[i]] = rows.at[i];
}

}  // namespace treewright
