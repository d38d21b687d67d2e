// Sparse rows through trees of packed nodes.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "predict/sparse_blocks.hpp"

namespace treewright {

namespace {

bool goes_right(double x, double threshold, bool missing_right) { return x > threshold || (x != x && missing_right); }

}  // namespace

template <class Number>
SparseWalk<Number>::SparseWalk(const PackedTrees& trees, const SparseRows<Number>& rows)
    : trees_(trees), rows_(rows), is_asked_(rows.n_columns, 0) {
    find_paths();
    list_questions();
    by_questions_ = asks_less();
    if (by_questions_) return;
    slot_.assign(rows.n_columns, 0);
    uint32_t n_slots = 0;
    for (size_t column = 0; column < rows.n_columns; ++column)
        if (is_asked_[column]) slot_[column] = ++n_slots;
    walked_.assign(trees.node.begin(), trees.node.end());
    for (size_t tree = 0; tree < trees.n_trees(); ++tree)
        for (auto node = static_cast<size_t>(trees.begin[tree]); node < static_cast<size_t>(trees.begin[tree + 1]); ++node) {
            if (is_leaf(tree, node)) continue;
            uint32_t& column = walked_[node].column;
            column = (column & ~trees.column_mask) | slot_[column & trees.column_mask];
        }
}

template <class Number>
bool SparseWalk<Number>::is_leaf(size_t tree, size_t node) const {
    return trees_.node[node].first_child + static_cast<size_t>(trees_.begin[tree]) == node;
}

/// Children stand behind their parents.
template <class Number>
void SparseWalk<Number>::find_paths() {
    zero_leaf_.resize(trees_.node.size());
    depth_.assign(trees_.node.size(), 0);
    for (size_t tree = 0; tree < trees_.n_trees(); ++tree) {
        const auto begin = static_cast<size_t>(trees_.begin[tree]), end = static_cast<size_t>(trees_.begin[tree + 1]);
        for (size_t node = begin; node < end; ++node)
            if (!is_leaf(tree, node))
                for (size_t child : {0, 1}) depth_[begin + trees_.node[node].first_child + child] = depth_[node] + 1;
        for (size_t node = end; node-- > begin;) {
            const PackedNode& at = trees_.node[node];
            zero_leaf_[node] = is_leaf(tree, node) ? static_cast<uint32_t>(node - begin)
                                                   : zero_leaf_[begin + at.first_child + (0.0 > at.threshold)];
        }
    }
}

template <class Number>
void SparseWalk<Number>::list_questions() {
    begin_.assign(rows_.n_columns + 1, 0);
    const auto each = [&](auto&& use) {
        for (size_t tree = 0; tree < trees_.n_trees(); ++tree)
            for (auto node = static_cast<size_t>(trees_.begin[tree]); node < static_cast<size_t>(trees_.begin[tree + 1]); ++node)
                if (!is_leaf(tree, node)) use(tree, node, trees_.node[node].column & trees_.column_mask);
    };
    each([&](size_t, size_t, uint32_t column) {
        ++begin_[column + 1];
        is_asked_[column] = 1;
    });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    question_.resize(begin_.back());
    std::vector<uint32_t> at(begin_.begin(), begin_.end() - 1);
    each([&](size_t tree, size_t node, uint32_t column) {
        const PackedNode& asks = trees_.node[node];
        question_[at[column]++] = {asks.threshold, static_cast<uint32_t>(node), static_cast<uint32_t>(tree), 0.0 > asks.threshold,
                                   (asks.column & missing_left) == 0};
    });
}

/// Whether rows are asked fewer questions than there are steps to a leaf: of some rows, and of leaves alike.
template <class Number>
bool SparseWalk<Number>::asks_less() const {
    const size_t n = rows_.size(), step = n / 256 + 1;
    size_t asked = 0, looked_at = 0;
    for (size_t row = 0; row < n; row += step, ++looked_at)
        for (int64_t i = rows_.begin[row]; i < rows_.begin[row + 1]; ++i)
            if (const auto column = static_cast<size_t>(rows_.column[static_cast<size_t>(i)]); column < rows_.n_columns)
                asked += begin_[column + 1] - begin_[column];
    size_t steps = 0, n_leaves = 0;
    for (size_t tree = 0; tree < trees_.n_trees(); ++tree)
        for (auto node = static_cast<size_t>(trees_.begin[tree]); node < static_cast<size_t>(trees_.begin[tree + 1]); ++node)
            if (is_leaf(tree, node)) {
                steps += depth_[node];
                ++n_leaves;
            }
    // asked / looked_at <= n_trees * steps / n_leaves
    return static_cast<double>(asked) * static_cast<double>(n_leaves) <=
           static_cast<double>(trees_.n_trees() * looked_at) * static_cast<double>(steps);
}

template <class Number>
uint8_t SparseWalk<Number>::operator()(size_t first, size_t n, Workspace& work, uint32_t* leaf) const {
    const uint8_t flags = check(static_cast<size_t>(rows_.begin[first]), static_cast<size_t>(rows_.begin[first + n]));
    for (size_t i = 0; i < n; ++i) {
        if (by_questions_) by_questions(first + i, work, leaf + i * trees_.n_trees());
        else by_walking(first + i, work, leaf + i * trees_.n_trees());
    }
    return flags;
}

/// A number times zero is zero, unless it is missing or infinite.
template <class Number>
uint8_t SparseWalk<Number>::check(size_t first, size_t last) const {
    constexpr size_t lanes = 8;
    const Number* value = rows_.value.data();
    const int32_t* column = rows_.column.data();
    Number sum[lanes] = {};
    const auto most = static_cast<int32_t>(rows_.n_columns) - 1;
    int32_t outside = 0;  // negative if any column is
    size_t i = first;
    for (; i + lanes <= last; i += lanes)
        for (size_t k = 0; k < lanes; ++k) sum[k] += value[i + k] * Number{0};
    for (; i < last; ++i) sum[0] += value[i] * Number{0};
    for (i = first; i < last; ++i) outside |= column[i] | (most - column[i]);
    if (outside < 0) throw std::invalid_argument("X is a sparse matrix whose indices do not fit its shape");
    if (std::ranges::all_of(sum, [](Number each) { return each == 0; })) return 0;
    uint8_t found = 0;
    for (i = first; i < last; ++i) {
        if (value[i] != value[i]) found |= has_nan;
        else if (value[i] * Number{0} != 0) found |= has_infinity;
    }
    return found;
}

// ---- by questions ------------------------------------------------------------------------------------------------------

template <class Number>
void SparseWalk<Number>::by_questions(size_t row, Workspace& work, uint32_t* leaf) const {
    work.last.resize(trees_.n_trees(), 0);
    work.node.resize(1);
    work.next.resize(1);
    collect(row, work);
    for (size_t tree = 0; tree < trees_.n_trees(); ++tree)
        leaf[tree] = work.last[tree] == 0 ? zero_leaf_[static_cast<size_t>(trees_.begin[tree])] : resolve(tree, work);
}

/// String the nodes together, by tree, at which a row leaves the path of zeros.
template <class Number>
void SparseWalk<Number>::collect(size_t row, Workspace& work) const {
    const int32_t* column = rows_.column.data();
    const auto ask = [&](size_t i) {
        const auto f = static_cast<size_t>(column[i]);
        const auto x = static_cast<double>(rows_.value[i]);
        for (uint32_t q = begin_[f]; q < begin_[f + 1]; ++q) {
            const Question& asked = question_[q];
            if (goes_right(x, asked.threshold, asked.missing_right) == asked.zero_right) continue;
            work.node.push_back(asked.node);
            work.next.push_back(work.last[asked.tree]);
            work.last[asked.tree] = static_cast<uint32_t>(work.node.size() - 1);
        }
    };
    auto i = static_cast<size_t>(rows_.begin[row]);
    const auto end = static_cast<size_t>(rows_.begin[row + 1]);
    for (constexpr size_t lanes = 8; i + lanes <= end; i += lanes) {
        uint32_t any = 0;
        for (size_t k = 0; k < lanes; ++k) any |= is_asked_[static_cast<size_t>(column[i + k])];
        if (any)
            for (size_t k = 0; k < lanes; ++k)
                if (is_asked_[static_cast<size_t>(column[i + k])]) ask(i + k);
    }
    for (; i < end; ++i) ask(i);
}

/// From node to node at which the row leaves the path of zeros, to the end of the last one. Nodes are on one path if it ends in
/// the same leaf.
template <class Number>
uint32_t SparseWalk<Number>::resolve(size_t tree, Workspace& work) const {
    const auto begin = static_cast<size_t>(trees_.begin[tree]);
    const uint32_t start = std::exchange(work.last[tree], 0);
    for (size_t at = begin;;) {
        size_t found = 0;
        uint32_t nearest = std::numeric_limits<uint32_t>::max();
        for (uint32_t link = start; link != 0; link = work.next[link]) {
            const size_t node = work.node[link];
            if (zero_leaf_[node] != zero_leaf_[at] || depth_[node] < depth_[at] || depth_[node] >= nearest) continue;
            nearest = depth_[node];
            found = node;
        }
        if (nearest == std::numeric_limits<uint32_t>::max()) return zero_leaf_[at];
        at = begin + trees_.node[found].first_child + !(0.0 > trees_.node[found].threshold);
    }
}

// ---- by walking --------------------------------------------------------------------------------------------------------

template <class Number>
void SparseWalk<Number>::by_walking(size_t row, Workspace& work, uint32_t* leaf) const {
    work.value.resize(is_asked_.size() + 1, 0.0);
    for (uint32_t slot : work.touched) work.value[slot] = 0;
    work.touched.clear();
    for (auto i = static_cast<size_t>(rows_.begin[row]); i < static_cast<size_t>(rows_.begin[row + 1]); ++i) {
        const uint32_t slot = slot_[static_cast<size_t>(rows_.column[i])];
        if (slot == 0) continue;
        work.value[slot] = static_cast<double>(rows_.value[i]);
        work.touched.push_back(slot);
    }
    constexpr size_t at_once = 16;  // trees whose steps do not wait for each other
    for (size_t first = 0; first < trees_.n_trees(); first += at_once) {
        const size_t n = std::min(at_once, trees_.n_trees() - first);
        uint32_t at[at_once] = {};
        for (bool moved = true; moved;) {
            moved = false;
            for (size_t t = 0; t < n; ++t) {
                const PackedNode& node = walked_[static_cast<size_t>(trees_.begin[first + t]) + at[t]];
                const double x = work.value[node.column & trees_.column_mask];
                const uint32_t missing = x != x, right_if_missing = node.column >> 31 ^ 1u;
                const uint32_t next = node.first_child + ((x > node.threshold) | (missing & right_if_missing));
                moved |= next != at[t];
                at[t] = next;
            }
        }
        std::copy_n(at, n, leaf + first);
    }
}

template class SparseWalk<double>;
template class SparseWalk<float>;

template <class Number>
uint8_t walk_sparse(std::span<const PackedNode> nodes, std::span<const int32_t> id, const SparseRows<Number>& rows, int32_t* leaf,
                    int threads, Monitor& monitor) {
    const int64_t begin[] = {0, static_cast<int64_t>(nodes.size())};
    const PackedTrees tree{nodes, begin, ~missing_left};
    return each_sparse_block(tree, rows, threads, monitor, [&](size_t first, size_t n, const uint32_t* found) {
        for (size_t i = 0; i < n; ++i) leaf[first + i] = id[found[i]];
    });
}

template uint8_t walk_sparse(std::span<const PackedNode>, std::span<const int32_t>, const SparseRows<double>&, int32_t*, int,
                             Monitor&);
template uint8_t walk_sparse(std::span<const PackedNode>, std::span<const int32_t>, const SparseRows<float>&, int32_t*, int,
                             Monitor&);

}  // namespace treewright
