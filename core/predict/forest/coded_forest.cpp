// Coding thresholds, tables and rows, and walking the codes.
#include "predict/forest/coded_forest.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace treewright {

namespace {

constexpr size_t rows_at_once = 512;
constexpr uint32_t shallow_levels = 10;  // trees that stay in the innermost cache
static_assert(rows_at_once % group_rows == 0);

/// Where rows stand in the tree, and where their codes begin.
struct Standing {
    uint32_t at[rows_at_once];
    const int16_t* code[rows_at_once];
};

/// One step in a tree of thresholds.
struct ByThreshold {
    bool operator()(const CodedNode& node, int16_t x) const { return x > node.code; }
};
/// One step in a tree of thresholds and tables, without a branch: which of them comes next is a coin toss to the processor.
struct ByTable {
    const uint64_t* bits;
    size_t first_table;  // column

    bool operator()(const CodedNode& node, int16_t x) const {
        const bool table = node.column >= first_table;
        const auto code = static_cast<uint16_t>(x);
        const uint64_t word = bits[table ? static_cast<uint16_t>(node.code) + (code >> 6) : 0];
        return table ? word >> (code & 63) & 1 : x > node.code;
    }
};

/// So many steps down, a few rows side by side to hide the latency of each; those that have arrived stay where they are.
template <size_t lanes, class Right>
void step_down(const CodedNode* nodes, uint32_t steps, uint32_t* at, const int16_t* const* code, const Right& right) {
    uint32_t here[lanes];
    std::copy_n(at, lanes, here);
    for (uint32_t s = 0; s < steps; ++s)
        for (size_t lane = 0; lane < lanes; ++lane) {
            const CodedNode node = nodes[here[lane]];
            here[lane] = node.first_child + right(node, code[lane][node.column * group_rows]);
        }
    std::copy_n(here, lanes, at);
}

template <class Right>
void step_down(const CodedNode* nodes, uint32_t steps, size_t n, Standing& rows, const Right& right) {
    constexpr size_t lanes = 8;
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) step_down<lanes>(nodes, steps, rows.at + i, rows.code + i, right);
    for (; i < n; ++i) step_down<1>(nodes, steps, rows.at + i, rows.code + i, right);
}

/// Call use(node, id, entries of its table) for every node of a tree.
template <class Use>
void each_node(const ForestView& forest, size_t tree, Use&& use) {
    const auto begin = static_cast<size_t>(forest.tree_begin[tree]), end = static_cast<size_t>(forest.tree_begin[tree + 1]);
    auto table = static_cast<size_t>(forest.tables_of[tree]);
    for (size_t i = begin; i < end; ++i) {
        const PackedNode& node = forest.node[i];
        std::span<const uint32_t> entries;
        if (node.column & table_split) {
            const auto first = static_cast<size_t>(forest.table_begin[table]),
                       last = static_cast<size_t>(forest.table_begin[table + 1]);
            entries = forest.table_entry.subspan(first, last - first);
            ++table;
        }
        use(node, static_cast<uint32_t>(i - begin), entries);
    }
}

}  // namespace

std::optional<CodedForest> CodedForest::of(const ForestView& whole, size_t first, size_t last, int64_t n_numbers,
                                           int64_t n_codes) {
    ForestView forest = whole;  // its nodes and tables keep their numbers
    forest.tree_begin = whole.tree_begin.subspan(first, last - first + 1);
    forest.tables_of = whole.tables_of.subspan(first, last - first + 1);
    CodedForest out;
    out.threshold_.resize(static_cast<size_t>(std::max<int64_t>(n_numbers, 1)));
    out.n_levels_.resize(static_cast<size_t>(n_codes), 0);
    if (out.width() > 65535 || !out.code_columns(forest)) return std::nullopt;
    const int64_t begin = forest.tree_begin.front(), n_nodes = forest.tree_begin.back() - begin;
    out.node_.reserve(static_cast<size_t>(n_nodes));
    for (int64_t of_tree : forest.tree_begin) out.begin_.push_back(of_tree - begin);
    out.depth_.assign(forest.n_trees(), 0);
    const bool tables = forest.table_begin.size() > 1;
    for (size_t tree = 0; tree < forest.n_trees(); ++tree) {
        out.bits_of_.push_back(out.bit_.size());
        if (!out.code_nodes(forest, tree)) return std::nullopt;
        if (!tables) out.tops_.add(out.node_.data() + out.begin_[tree], out.depth_[tree]);
    }
    out.bit_.push_back(0);  // for thresholds to look at
    const bool shallow = std::ranges::all_of(out.depth_, [](uint32_t depth) { return depth <= shallow_levels; });
    const int64_t nodes_of_tree = n_nodes / static_cast<int64_t>(std::max<size_t>(forest.n_trees(), 1));
    out.block_rows_ = shallow ? 256 : std::clamp<int64_t>(nodes_of_tree, 1024, 8192);
    return out;
}

size_t CodedForest::fitting(const ForestView& forest, size_t first, size_t n_numbers) {
    std::vector<size_t> thresholds(n_numbers, 0);
    size_t tree = first;
    for (bool fits = true; fits && tree < forest.n_trees(); tree += fits)
        each_node(forest, tree, [&](const PackedNode& node, uint32_t id, std::span<const uint32_t>) {
            if (node.first_child == id || node.column & table_split) return;
            fits = ++thresholds[node.column & column_bits] <= ThresholdCodes::most && fits;
        });
    return tree;
}

bool CodedForest::code_columns(const ForestView& forest) {
    for (size_t tree = 0; tree < forest.n_trees(); ++tree)
        each_node(forest, tree, [&](const PackedNode& node, uint32_t id, std::span<const uint32_t> entries) {
            const size_t column = node.column & column_bits;
            if (!entries.empty()) n_levels_[column] = std::max<size_t>(n_levels_[column], (entries.back() >> 1) + 1);
            else if (node.first_child != id && !(node.column & table_split)) threshold_[column].add(node.threshold);
        });
    return std::ranges::all_of(threshold_, [](ThresholdCodes& column) { return column.close(); }) &&
           std::ranges::all_of(n_levels_, [](size_t n) { return n + 2 <= 32768; });
}

bool CodedForest::code_nodes(const ForestView& forest, size_t tree) {
    std::vector<uint32_t> depth(static_cast<size_t>(forest.tree_begin[tree + 1] - forest.tree_begin[tree]), 0);
    bool fits = true;
    each_node(forest, tree, [&](const PackedNode& packed, uint32_t id, std::span<const uint32_t> entries) {
        CodedNode node{leaf_code, 0, packed.first_child};
        const size_t column = packed.column & column_bits;
        if (packed.first_child == id) {
            depth_[tree] = std::max(depth_[tree], depth[id]);
        } else {
            for (uint32_t b = 0; b < 2; ++b) depth[packed.first_child + b] = depth[id] + 1;
            if (packed.column & table_split) {
                fits = code_table(entries, packed, column, node) && fits;
            } else {
                node.column = static_cast<uint16_t>(column);
                node.code = threshold_[column].place(packed.threshold);
            }
        }
        node_.push_back(node);
    });
    return fits;
}

/// The table as bits: of every code, then of a missing one (and of codes the table does not answer), then of an unseen one.
bool CodedForest::code_table(std::span<const uint32_t> entries, const PackedNode& packed, size_t column, CodedNode& node) {
    const size_t n = n_levels_[column], at = bit_.size() - bits_of_.back();
    const bool otherwise = !(packed.column & missing_left);
    std::vector<bool> right(n + 2, otherwise);
    for (uint32_t entry : entries) right[entry >> 1] = entry & 1;
    right[n + 1] = !(packed.column & unseen_left);
    const size_t first = bit_.size();
    bit_.resize(first + (n + 2 + 63) / 64, 0);
    for (size_t code = 0; code < right.size(); ++code) bit_[first + code / 64] |= uint64_t{right[code]} << code % 64;
    node.column = static_cast<uint16_t>(threshold_.size() + column);
    node.code = static_cast<int16_t>(at);
    return at <= 65535;
}

void CodedForest::encode(const Matrix<double>& numbers, const Matrix<int32_t>& codes, int64_t first, size_t n,
                         std::vector<int16_t>& code, std::vector<uint32_t>& odd) const {
    code.resize((n + group_rows - 1) / group_rows * group_rows * width());
    odd.clear();
    std::array<double, group_rows> value{};
    for (size_t begin = 0; begin < n; begin += group_rows) {
        const size_t end = std::min(n, begin + group_rows);
        const auto row = [&](size_t i) { return first + static_cast<int64_t>(i); };
        int16_t* to = code.data() + begin * width();
        std::array<double, group_rows> poison{};  // becomes NaN where a value is
        for (int64_t c = 0; c < numbers.n_columns; ++c) {
            for (size_t i = begin; i < end; ++i) value[i - begin] = numbers(row(i), c);
            for (size_t i = 0; i < group_rows; ++i) poison[i] += value[i];
            threshold_[static_cast<size_t>(c)].encode(value, to + static_cast<size_t>(c) * group_rows);
        }
        for (size_t i = begin; i < end; ++i)
            if (std::isnan(poison[i - begin])) odd.push_back(static_cast<uint32_t>(i));
        to += threshold_.size() * group_rows;
        for (size_t c = 0; c < n_levels_.size(); ++c, to += group_rows) {
            const auto n_levels = static_cast<int32_t>(n_levels_[c]);
            for (size_t i = begin; i < end; ++i) {
                const int32_t level = codes(row(i), static_cast<int64_t>(c));
                to[i - begin] = static_cast<int16_t>(level == unseen_code             ? n_levels + 1
                                                     : level < 0 || level >= n_levels ? n_levels
                                                                                      : level);
            }
        }
    }
}

void CodedForest::walk(size_t tree, const int16_t* codes, size_t n, uint32_t* leaf) const {
    if (tops_.empty()) {
        std::fill_n(leaf, n, 0u);
    } else {
        for (size_t i = 0; i < n; i += group_rows) tops_.walk(tree, codes + i * width(), leaf + i);
        if (tops_.levels(tree) >= depth_[tree]) return;
    }
    for (size_t first = 0; first < n; first += rows_at_once) {
        const size_t some = std::min(n - first, rows_at_once);
        if (tops_.empty()) walk_on<true>(tree, codes + first * width(), some, leaf + first);
        else walk_on<false>(tree, codes + first * width(), some, leaf + first);
    }
}

/// From the nodes in `leaf` down to the leaves. Rows that have arrived are taken out every few steps.
template <bool tables>
void CodedForest::walk_on(size_t tree, const int16_t* codes, size_t n, uint32_t* leaf) const {
    const CodedNode* nodes = node_.data() + begin_[tree];
    const auto right = [&] {
        if constexpr (tables) return ByTable{bit_.data() + bits_of_[tree], threshold_.size()};
        else return ByThreshold{};
    }();
    Standing rows;
    uint16_t number[rows_at_once];
    for (size_t i = 0; i < n; ++i) {
        rows.at[i] = leaf[i];
        rows.code[i] = codes + i / group_rows * group_rows * width() + i % group_rows;
        number[i] = static_cast<uint16_t>(i);
    }
    constexpr uint32_t all_together = 8, at_once = 3;
    uint32_t depth = tables ? std::min(depth_[tree], all_together) : tops_.levels(tree);
    if constexpr (tables) step_down(nodes, depth, n, rows, right);
    for (; depth < depth_[tree] && n > 0; depth += at_once) {
        size_t left = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t at = rows.at[i];
            leaf[number[i]] = at;
            rows.at[left] = at;
            rows.code[left] = rows.code[i];
            number[left] = number[i];
            left += nodes[at].first_child != at;
        }
        n = left;
        step_down(nodes, at_once, n, rows, right);
    }
    for (size_t i = 0; i < n; ++i) leaf[number[i]] = rows.at[i];
}

}  // namespace treewright
