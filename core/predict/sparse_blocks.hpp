// Sparse rows in blocks, side by side in several threads.
#pragma once
#include <atomic>

#include "base/parallel.hpp"
#include "grow/grow_task.hpp"
#include "predict/sparse_rows.hpp"

namespace treewright {

/// use(first, n, leaves) for blocks of rows, a line of all trees for each row; gives whether a value is missing or infinite.
template <class Number, class Use>
uint8_t each_sparse_block(const PackedTrees& trees, const SparseRows<Number>& rows, int threads, Monitor& monitor, Use&& use) {
    const SparseWalk<Number> walk(trees, rows);
    constexpr size_t block = 64;
    struct Work {
        typename SparseWalk<Number>::Workspace workspace;
        std::vector<uint32_t> leaf;
    };
    std::vector<Work> of_thread(static_cast<size_t>(std::max(threads, 1)));
    std::atomic<uint8_t> flags{0};
    parallel_for((rows.size() + block - 1) / block, threads, [&](size_t task, int thread) {
        monitor.poll(thread);
        Work& mine = of_thread[static_cast<size_t>(thread)];
        mine.leaf.resize(block * trees.n_trees());
        const size_t first = task * block, n = std::min(rows.size() - first, block);
        flags.fetch_or(walk(first, n, mine.workspace, mine.leaf.data()), std::memory_order_relaxed);
        use(first, n, mine.leaf.data());
    });
    return flags;
}

}  // namespace treewright
