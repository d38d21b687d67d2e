// Rows through a forest: blocks of rows × trees over the packed nodes, so that a tree stays near the core while its rows pass.
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "coded_forest.hpp"
#include "forest.hpp"
#include "parallel.hpp"

namespace treewright {

namespace {

constexpr int64_t most_rows = 8192;  // of a block
constexpr int lanes = 8;

/// A block of rows and one tree.
struct Walk {
    const ForestView& forest;
    const Matrix<double>& numbers;
    const Matrix<int32_t>& codes;

    uint32_t branch_of_table(const PackedNode& node, size_t tree, int64_t row) const {
        const int32_t code = codes(row, node.column & column_bits);
        if (code < 0) return code == unseen_code ? !(node.column & unseen_left) : !(node.column & missing_left);
        const auto bits = std::bit_cast<uint64_t>(node.threshold);
        if (!(node.column & wide_table)) return static_cast<uint32_t>(bits >> code & 1);
        const size_t table = static_cast<size_t>(forest.tables_of[tree]) + bits;
        const auto first = forest.table_entry.begin() + forest.table_begin[table],
                   last = forest.table_entry.begin() + forest.table_begin[table + 1];
        const auto found = std::lower_bound(first, last, static_cast<uint32_t>(code) << 1);
        if (found == last || *found >> 1 != static_cast<uint32_t>(code)) return !(node.column & missing_left);
        return *found & 1;
    }
    template <bool tables, int64_t stride>
    uint32_t step(const PackedNode& node, const double* x, size_t tree, int64_t row) const {
        if constexpr (tables)
            if (node.column & table_split) return node.first_child + branch_of_table(node, tree, row);
        const double value = x[static_cast<int64_t>(node.column & column_bits) * (stride ? stride : numbers.column_stride)];
        const uint32_t above = value > node.threshold, missing = value != value, right_if_missing = node.column >> 31 ^ 1u;
        return node.first_child + (above | (missing & right_if_missing));
    }

    /// Leaf of the rows given by their numbers, several rows in flight: a lane that arrives takes the next row.
    template <bool tables, int64_t stride>
    void go(size_t tree, const uint32_t* rows, int64_t n, int64_t first, uint32_t* leaf) const {
        const PackedNode* nodes = forest.node.data() + forest.tree_begin[tree];
        const auto row_at = [&](int64_t i) { return first + (rows ? static_cast<int64_t>(rows[i]) : i); };
        const int64_t started = std::min<int64_t>(lanes, n);
        uint32_t at[lanes] = {};
        int64_t place[lanes], row[lanes];
        const double* x[lanes];
        const auto start = [&](int lane, int64_t i) {
            place[lane] = i;
            row[lane] = row_at(i);
            x[lane] = numbers.data + row[lane] * numbers.row_stride;
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
    /// Leaves of n rows: those numbered from `first` on, or of them the ones in `rows`.
    void operator()(size_t tree, const uint32_t* rows, int64_t n, int64_t first, uint32_t* leaf) const {
        const bool tables = forest.tables_of[tree + 1] > forest.tables_of[tree];
        if (tables)
            return numbers.column_stride == 1 ? go<true, 1>(tree, rows, n, first, leaf) : go<true, 0>(tree, rows, n, first, leaf);
        return numbers.column_stride == 1 ? go<false, 1>(tree, rows, n, first, leaf) : go<false, 0>(tree, rows, n, first, leaf);
    }
};

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

/// Adds up what leaves say.
template <class Number>
struct Tally {
    const Number* value;
    size_t width;
    Vote how;

    void add(size_t node, double* to) const {
        const Number* at = value + node * width;
        if (how == Vote::sum) {
            *to += static_cast<double>(*at);
        } else if (how == Vote::hard) {
            to[std::max_element(at, at + width) - at] += 1.0;
        } else if (width == 2) {
            const double first = static_cast<double>(at[0]), second = static_cast<double>(at[1]), all = first + second;
            to[0] += first / all;
            to[1] += second / all;
        } else {
            double all = 0;
            for (size_t k = 0; k < width; ++k) all += static_cast<double>(at[k]);
            for (size_t k = 0; k < width; ++k) to[k] += static_cast<double>(at[k]) / all;
        }
    }
};

/// The same for all rows of a block, from what every node says; `fixed` 0 = the width is known at run time only.
template <size_t fixed>
void add_all(const double* said, size_t width, const uint32_t* leaf, int64_t n, double* to) {
    const size_t each = fixed ? fixed : width;
    for (int64_t i = 0; i < n; ++i, to += each)
        for (size_t k = 0; k < each; ++k) to[k] += said[leaf[i] * each + k];
}

/// Walks blocks of rows: on codes where there are rows enough to pay for them, else, and where values are missing, on values.
class BlockWalk {
public:
    BlockWalk(const ForestView& forest, const Matrix<double>& numbers, const Matrix<int32_t>& codes)
        : walk_{forest, numbers, codes}, numbers_(numbers) {
        const auto nodes = static_cast<int64_t>(forest.node.size());
        if (numbers.n_rows * static_cast<int64_t>(forest.n_trees()) > 16 * nodes && numbers.n_rows >= 1000)
            coded_ = CodedForest::of(forest, static_cast<size_t>(numbers.n_columns));
    }
    bool shallow() const { return coded_ && coded_->shallow(); }
    int64_t block_rows() const { return coded_ ? coded_->block_rows() : most_rows; }
    /// What one thread needs.
    struct Workspace {
        std::vector<int16_t> code;
        std::vector<uint32_t> odd, leaf, odd_leaf;  // odd: rows of the block with missing values
    };
    /// Call use(tree, leaves) for every tree, with the leaves of n rows from `first` on.
    template <class Use>
    void operator()(int64_t first, int64_t n, Workspace& work, Use&& use) const {
        work.leaf.resize(static_cast<size_t>(n) + group_rows);
        if (coded_) {
            coded_->encode(numbers_, first, static_cast<size_t>(n), work.code, work.odd);
            work.odd_leaf.resize(work.odd.size());
        }
        for (size_t tree = 0; tree < walk_.forest.n_trees(); ++tree) {
            if (coded_) {
                coded_->walk(tree, work.code.data(), static_cast<size_t>(n), work.leaf.data());
                walk_(tree, work.odd.data(), static_cast<int64_t>(work.odd.size()), first, work.odd_leaf.data());
                for (size_t i = 0; i < work.odd.size(); ++i) work.leaf[work.odd[i]] = work.odd_leaf[i];
            } else {
                walk_(tree, nullptr, n, first, work.leaf.data());
            }
            use(tree, work.leaf.data());
        }
    }

private:
    Walk walk_;
    const Matrix<double>& numbers_;
    std::optional<CodedForest> coded_;
};

template <class Number>
bool vote_with(const ForestView& forest, const Number* value, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
               Vote how, double* sums, int threads) {
    const int64_t n_rows = std::max(numbers.n_rows, codes.n_rows);
    const BlockWalk walk(forest, numbers, codes);
    const Tally<Number> tally{value, forest.width, how};
    std::vector<double> said;  // by every node of small trees, which rows come by again and again
    if (walk.shallow()) {
        said.resize(forest.node.size() * forest.width, 0.0);
        for (size_t node = 0; node < forest.node.size(); ++node) tally.add(node, said.data() + node * forest.width);
    }
    std::atomic<bool> infinite{false};
    std::vector<BlockWalk::Workspace> workspace(static_cast<size_t>(std::max(threads, 1)));
    const int64_t rows_per_block = walk.block_rows();
    parallel_for(static_cast<size_t>((n_rows + rows_per_block - 1) / rows_per_block), threads, [&](size_t block, int thread) {
        const int64_t first = static_cast<int64_t>(block) * rows_per_block, n = std::min(n_rows - first, rows_per_block);
        double* to = sums + static_cast<size_t>(first) * forest.width;
        std::fill_n(to, static_cast<size_t>(n) * forest.width, 0.0);
        if (any_infinity(numbers, first, first + n)) infinite = true;
        walk(first, n, workspace[static_cast<size_t>(thread)], [&](size_t tree, const uint32_t* leaf) {
            const auto begin = static_cast<size_t>(forest.tree_begin[tree]);
            if (said.empty())
                for (int64_t i = 0; i < n; ++i) tally.add(begin + leaf[i], to + static_cast<size_t>(i) * forest.width);
            else if (forest.width == 1) add_all<1>(said.data() + begin, 1, leaf, n, to);
            else if (forest.width == 2) add_all<2>(said.data() + 2 * begin, 2, leaf, n, to);
            else add_all<0>(said.data() + begin * forest.width, forest.width, leaf, n, to);
        });
    });
    return infinite;
}

/// The same by the trees that did not draw the row. Trees are taken in order, whatever the threads, so that sums do not depend on
/// them.
template <class Number>
void vote_out_of_bag(const ForestView& forest, const Number* value, const Matrix<double>& numbers, const Matrix<int32_t>& codes,
                     Vote how, const Draws& draws, double* sums, uint32_t* votes, int threads) {
    const int64_t n_rows = std::max(numbers.n_rows, codes.n_rows);
    const Walk walk{forest, numbers, codes};
    const Tally<Number> tally{value, forest.width, how};
    const Sampler sampler(static_cast<size_t>(n_rows), draws.chance);
    std::fill_n(sums, static_cast<size_t>(n_rows) * forest.width, 0.0);
    std::fill_n(votes, static_cast<size_t>(n_rows), 0u);
    std::vector<uint32_t> times;
    constexpr int64_t rows_per_block = most_rows;
    for (size_t tree = 0; tree < forest.n_trees(); ++tree) {
        sampler.draw(draws.seeds[tree], draws.n_draws, times);
        const auto begin = static_cast<size_t>(forest.tree_begin[tree]);
        parallel_for(static_cast<size_t>((n_rows + rows_per_block - 1) / rows_per_block), threads, [&](size_t block, int) {
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
          const Draws* out_of_bag, double* sums, uint32_t* votes, int threads) {
    const auto with = [&](const auto* value) {
        if (!out_of_bag) return vote_with(forest, value, numbers, codes, how, sums, threads);
        vote_out_of_bag(forest, value, numbers, codes, how, *out_of_bag, sums, votes, threads);
        return false;
    };
    return forest.value32.empty() ? with(forest.value64.data()) : with(forest.value32.data());
}

bool leaves(const ForestView& forest, const Matrix<double>& numbers, const Matrix<int32_t>& codes, int32_t* leaf, int threads) {
    const int64_t n_rows = std::max(numbers.n_rows, codes.n_rows);
    const BlockWalk walk(forest, numbers, codes);
    std::atomic<bool> infinite{false};
    const size_t n_trees = forest.n_trees();
    std::vector<BlockWalk::Workspace> workspace(static_cast<size_t>(std::max(threads, 1)));
    const int64_t rows_per_block = walk.block_rows();
    parallel_for(static_cast<size_t>((n_rows + rows_per_block - 1) / rows_per_block), threads, [&](size_t block, int thread) {
        const int64_t first = static_cast<int64_t>(block) * rows_per_block, n = std::min(n_rows - first, rows_per_block);
        if (any_infinity(numbers, first, first + n)) infinite = true;
        walk(first, n, workspace[static_cast<size_t>(thread)], [&](size_t tree, const uint32_t* found) {
            for (int64_t i = 0; i < n; ++i)
                leaf[static_cast<size_t>(first + i) * n_trees + tree] = static_cast<int32_t>(found[i]);
        });
    });
    return infinite;
}

}  // namespace treewright
