// Rows through a forest: blocks of rows × trees over the packed nodes, so that a tree stays near the core while its rows pass.
#include <atomic>
#include <cmath>
#include <limits>

#include "predict/forest/coded_forest.hpp"
#include "predict/forest/tally.hpp"
#include "predict/forest/walk.hpp"
#include "base/parallel.hpp"

namespace treewright {

namespace {

constexpr int64_t most_rows = 8192;  // of a block

bool any_infinity(const Matrix<double>& numbers, int64_t first, int64_t last) {
    constexpr double limit = std::numeric_limits<double>::max();
    bool found = false;
    if (numbers.column_stride == 1 && numbers.row_stride == numbers.n_columns) {
        const double* x = numbers.data + first * numbers.row_stride;
        for (int64_t i = 0; i < (last - first) * numbers.n_columns; ++i) found |= std::fabs(x[i]) > limit;
    } else {
        for (int64_t column = 0; column < numbers.n_columns; ++column)
            for (int64_t row = first; row < last; ++row) found |= std::fabs(numbers(row, column)) > limit;
    }
    return found;
}

/// What leaves say of all rows of a block, from what every node says; `fixed` 0 = the width is known at run time only.
template <size_t fixed>
void add_all(const double* leaf_output, size_t width, const uint32_t* leaf, int64_t n, double* to) {
    const size_t each = fixed ? fixed : width;
    for (int64_t i = 0; i < n; ++i, to += each)
        for (size_t k = 0; k < each; ++k) to[k] += leaf_output[leaf[i] * each + k];
}

/// Walks blocks of rows: on codes where there are rows enough to pay for them, else, and where values are missing, on values.
class BlockWalk {
public:
    BlockWalk(const ForestView& forest, const Matrix<double>& numbers, const Matrix<int32_t>& codes)
        : forest_(forest), walk_(forest, numbers, codes), numbers_(numbers), codes_(codes) {
        const int64_t n_rows = std::max(numbers.n_rows, codes.n_rows);
        if (n_rows * static_cast<int64_t>(forest.n_trees()) > 4 * static_cast<int64_t>(forest.node.size()) && n_rows >= 1000)
            code(numbers.n_columns, codes.n_columns);
    }
    /// Whether there are many more rows than nodes in a tree, so that what these say is worked out beforehand.
    bool many_rows() const { return !groups_.empty(); }
    int64_t block_rows() const {
        int64_t rows = most_rows;
        for (const Group& group : groups_)
            if (group.coded) rows = std::min(rows, group.coded->block_rows());
        return rows;
    }
    /// What one thread needs.
    struct Workspace {
        std::vector<int16_t> code;
        std::vector<uint32_t> odd, leaf, odd_leaf;  // odd: rows of the block with missing values
    };
    /// Call use(tree, leaves) for every tree, with the leaves of n rows from `first` on.
    template <class Use>
    void operator()(int64_t first, int64_t n, Workspace& work, Use&& use) const {
        if (n < ForestWalk::lanes) return few_rows(first, static_cast<size_t>(n), work, use);
        work.leaf.resize(static_cast<size_t>(n) + group_rows);
        const auto by_values = [&](size_t from, size_t to) {
            for (size_t tree = from; tree < to; ++tree) {
                walk_(tree, nullptr, n, first, work.leaf.data());
                use(tree, work.leaf.data());
            }
        };
        if (groups_.empty()) by_values(0, forest_.n_trees());
        for (const Group& group : groups_) {
            if (!group.coded) {
                by_values(group.first, group.last);
                continue;
            }
            group.coded->encode(numbers_, codes_, first, static_cast<size_t>(n), work.code, work.odd);
            if (work.odd.size() >= static_cast<size_t>(n) / 2) {
                by_values(group.first, group.last);
                continue;
            }
            work.odd_leaf.resize(work.odd.size());
            for (size_t tree = group.first; tree < group.last; ++tree) {
                group.coded->walk(tree - group.first, work.code.data(), static_cast<size_t>(n), work.leaf.data());
                walk_(tree, work.odd.data(), static_cast<int64_t>(work.odd.size()), first, work.odd_leaf.data());
                for (size_t i = 0; i < work.odd.size(); ++i) work.leaf[work.odd[i]] = work.odd_leaf[i];
                use(tree, work.leaf.data());
            }
        }
    }

private:
    /// Trees with one set of codes; none = walked by values.
    struct Group {
        size_t first, last;
        std::optional<CodedForest> coded;
    };
    /// Code the forest; one of too many thresholds in groups of trees, as long as a group is worth the coding of rows.
    void code(int64_t n_numbers, int64_t n_codes) {
        const auto n_columns = static_cast<size_t>(n_numbers + n_codes);
        for (size_t first = 0, last = forest_.n_trees(); first < forest_.n_trees(); first = last, last = forest_.n_trees()) {
            std::optional<CodedForest> coded = CodedForest::of(forest_, first, last, n_numbers, n_codes);
            if (!coded) {
                last = std::max(first + 1, CodedForest::fitting(forest_, first, static_cast<size_t>(n_numbers)));
                if (8 * (last - first) >= n_columns) coded = CodedForest::of(forest_, first, last, n_numbers, n_codes);
            }
            groups_.push_back({first, last, std::move(coded)});
        }
    }
    template <class Use>
    void few_rows(int64_t first, size_t n, Workspace& work, Use&& use) const {
        work.leaf.resize(n * forest_.n_trees());
        for (size_t i = 0; i < n; ++i) walk_.row(first + static_cast<int64_t>(i), work.leaf.data() + i, n);
        for (size_t tree = 0; tree < forest_.n_trees(); ++tree) use(tree, work.leaf.data() + tree * n);
    }

    const ForestView& forest_;
    ForestWalk walk_;
    const Matrix<double>& numbers_;
    const Matrix<int32_t>& codes_;
    std::vector<Group> groups_;
};

template <class Number>
bool vote_with(const ForestView& forest, const Number* value, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
               Vote how, double* sums, int threads, Monitor& monitor) {
    const int64_t n_rows = std::max(numbers.n_rows, codes.n_rows);
    const BlockWalk walk(forest, numbers, codes);
    const Tally<Number> tally(value, forest, how);
    constexpr size_t most_outputs = 8'000'000;
    std::vector<double> leaf_output;  // by every node, where rows come by again and again
    if (walk.many_rows() && forest.node.size() * forest.width <= most_outputs) {
        leaf_output.resize(forest.node.size() * forest.width, 0.0);
        for (size_t node = 0; node < forest.node.size(); ++node) tally.add(node, leaf_output.data() + node * forest.width);
    }
    std::atomic<bool> infinite{false};
    std::vector<BlockWalk::Workspace> workspace(static_cast<size_t>(std::max(threads, 1)));
    const int64_t rows_per_block = walk.block_rows();
    parallel_for(static_cast<size_t>((n_rows + rows_per_block - 1) / rows_per_block), threads, [&](size_t block, int thread) {
        monitor.poll(thread);
        const int64_t first = static_cast<int64_t>(block) * rows_per_block, n = std::min(n_rows - first, rows_per_block);
        double* to = sums + static_cast<size_t>(first) * forest.width;
        std::fill_n(to, static_cast<size_t>(n) * forest.width, 0.0);
        if (any_infinity(numbers, first, first + n)) infinite = true;
        walk(first, n, workspace[static_cast<size_t>(thread)], [&](size_t tree, const uint32_t* leaf) {
            const auto begin = static_cast<size_t>(forest.tree_begin[tree]);
            if (leaf_output.empty())
                for (int64_t i = 0; i < n; ++i) tally.add(begin + leaf[i], to + static_cast<size_t>(i) * forest.width);
            else if (forest.width == 1) add_all<1>(leaf_output.data() + begin, 1, leaf, n, to);
            else if (forest.width == 2) add_all<2>(leaf_output.data() + 2 * begin, 2, leaf, n, to);
            else add_all<0>(leaf_output.data() + begin * forest.width, forest.width, leaf, n, to);
        });
    });
    return infinite;
}

/// The same by the trees that did not draw the row. Trees are taken in order, whatever the threads, so that sums do not depend on
/// them.
template <class Number>
void vote_out_of_bag(const ForestView& forest, const Number* value, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
                     Vote how, const Draws& draws, double* sums, uint32_t* votes, int threads, Monitor& monitor) {
    const int64_t n_rows = std::max(numbers.n_rows, codes.n_rows);
    const ForestWalk walk(forest, numbers, codes);
    const Tally<Number> tally(value, forest, how);
    const Sampler sampler(static_cast<size_t>(n_rows), draws.chance, draws.splitmix);
    std::fill_n(sums, static_cast<size_t>(n_rows) * forest.width, 0.0);
    std::fill_n(votes, static_cast<size_t>(n_rows), 0u);
    std::vector<uint32_t> times;
    constexpr int64_t rows_per_block = most_rows;
    for (size_t tree = 0; tree < forest.n_trees(); ++tree) {
        sampler.draw(draws.seeds[tree], draws.n_draws, times, [&] { monitor.poll(0); });
        const auto begin = static_cast<size_t>(forest.tree_begin[tree]);
        parallel_for(static_cast<size_t>((n_rows + rows_per_block - 1) / rows_per_block), threads, [&](size_t block, int thread) {
            monitor.poll(thread);
            const int64_t first = static_cast<int64_t>(block) * rows_per_block, last = std::min(n_rows, first + rows_per_block);
            std::vector<uint32_t> rows(rows_per_block), leaf(rows_per_block);
            int64_t n = 0;
            for (int64_t row = first; row < last; ++row) {
                rows[n] = static_cast<uint32_t>(row - first);
                n += times[static_cast<size_t>(row)] == 0;
            }
            walk(tree, rows.data(), n, first, leaf.data());
            for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
                const auto row = static_cast<size_t>(first) + rows[i];
                tally.add(begin + leaf[i], sums + row * forest.width);
                ++votes[row];
            }
        });
    }
}

}  // namespace

bool vote(const ForestView& forest, const Matrix<double>& numbers, const Matrix<int32_t>& codes, Vote how,
          const Draws* out_of_bag, double* sums, uint32_t* votes, int threads, Monitor& monitor) {
    const auto with = [&](const auto* value) {
        if (!out_of_bag) return vote_with(forest, value, numbers, codes, how, sums, threads, monitor);
        vote_out_of_bag(forest, value, numbers, codes, how, *out_of_bag, sums, votes, threads, monitor);
        return false;
    };
    return forest.value32.empty() ? with(forest.value64.data()) : with(forest.value32.data());
}

bool leaves(const ForestView& forest, std::span<const int32_t> id, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
            int32_t* leaf, int threads, Monitor& monitor) {
    const int64_t n_rows = std::max(numbers.n_rows, codes.n_rows);
    const BlockWalk walk(forest, numbers, codes);
    std::atomic<bool> infinite{false};
    const size_t n_trees = forest.n_trees();
    std::vector<BlockWalk::Workspace> workspace(static_cast<size_t>(std::max(threads, 1)));
    const int64_t rows_per_block = walk.block_rows();
    parallel_for(static_cast<size_t>((n_rows + rows_per_block - 1) / rows_per_block), threads, [&](size_t block, int thread) {
        monitor.poll(thread);
        const int64_t first = static_cast<int64_t>(block) * rows_per_block, n = std::min(n_rows - first, rows_per_block);
        if (any_infinity(numbers, first, first + n)) infinite = true;
        walk(first, n, workspace[static_cast<size_t>(thread)], [&](size_t tree, const uint32_t* found) {
            const int32_t* id_of = id.data() + forest.tree_begin[tree];
            for (int64_t i = 0; i < n; ++i) leaf[static_cast<size_t>(first + i) * n_trees + tree] = id_of[found[i]];
        });
    });
    return infinite;
}

}  // namespace treewright
