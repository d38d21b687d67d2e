// Sparse rows through a forest.
#include "predict/forest/sparse_vote.hpp"

#include "predict/forest/tally.hpp"
#include "predict/sparse_blocks.hpp"

namespace treewright {

namespace {

PackedTrees trees_of(const ForestView& forest) { return {forest.node, forest.tree_begin, column_bits}; }

/// Which rows each tree has drawn: a bit each.
std::vector<std::vector<bool>> rows_drawn(const Draws& draws, size_t n_rows, size_t n_trees, Monitor& monitor) {
    const Sampler sampler(n_rows, draws.chance, draws.splitmix);
    std::vector<std::vector<bool>> drawn(n_trees, std::vector<bool>(n_rows));
    std::vector<uint32_t> times;
    for (size_t tree = 0; tree < n_trees; ++tree) {
        sampler.draw(draws.seeds[tree], draws.n_draws, times, [&] { monitor.poll(0); });
        for (size_t row = 0; row < n_rows; ++row) drawn[tree][row] = times[row] > 0;
    }
    return drawn;
}

template <class Value, class Number>
uint8_t vote_with(const ForestView& forest, const Value* value, const SparseRows<Number>& rows, Vote how, const Draws* out_of_bag,
                  double* sums, uint32_t* votes, int threads, Monitor& monitor) {
    const Tally<Value> tally(value, forest, how);
    std::fill_n(sums, rows.size() * forest.width, 0.0);
    std::vector<std::vector<bool>> drawn;
    if (out_of_bag) {
        drawn = rows_drawn(*out_of_bag, rows.size(), forest.n_trees(), monitor);
        std::fill_n(votes, rows.size(), 0u);
    }
    const PackedTrees trees = trees_of(forest);
    return each_sparse_block(trees, rows, threads, monitor, [&](size_t first, size_t n, const uint32_t* leaf) {
        for (size_t row = first; row < first + n; ++row)
            for (size_t tree = 0; tree < forest.n_trees(); ++tree, ++leaf) {
                if (out_of_bag && drawn[tree][row]) continue;
                tally.add(static_cast<size_t>(forest.tree_begin[tree]) + *leaf, sums + row * forest.width);
                if (out_of_bag) ++votes[row];
            }
    });
}

}  // namespace

template <class Number>
uint8_t vote_sparse(const ForestView& forest, const SparseRows<Number>& rows, Vote how, const Draws* out_of_bag, double* sums,
                    uint32_t* votes, int threads, Monitor& monitor) {
    if (forest.value32.empty())
        return vote_with(forest, forest.value64.data(), rows, how, out_of_bag, sums, votes, threads, monitor);
    return vote_with(forest, forest.value32.data(), rows, how, out_of_bag, sums, votes, threads, monitor);
}

template <class Number>
uint8_t leaves_sparse(const ForestView& forest, std::span<const int32_t> id, const SparseRows<Number>& rows, int32_t* leaf,
                      int threads, Monitor& monitor) {
    const size_t n_trees = forest.n_trees();
    const PackedTrees trees = trees_of(forest);
    return each_sparse_block(trees, rows, threads, monitor, [&](size_t first, size_t n, const uint32_t* found) {
        for (size_t i = 0; i < n * n_trees; ++i)
            leaf[first * n_trees + i] = id[static_cast<size_t>(forest.tree_begin[i % n_trees]) + found[i]];
    });
}

template uint8_t vote_sparse(const ForestView&, const SparseRows<double>&, Vote, const Draws*, double*, uint32_t*, int, Monitor&);
template uint8_t vote_sparse(const ForestView&, const SparseRows<float>&, Vote, const Draws*, double*, uint32_t*, int, Monitor&);
template uint8_t leaves_sparse(const ForestView&, std::span<const int32_t>, const SparseRows<double>&, int32_t*, int, Monitor&);
template uint8_t leaves_sparse(const ForestView&, std::span<const int32_t>, const SparseRows<float>&, int32_t*, int, Monitor&);

}  // namespace treewright
