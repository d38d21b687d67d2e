// Large nodes by histograms, the subtrees below them side by side by finders of their own.
#pragma once
#include "base/builder.hpp"
#include "cuts/sorted_list.hpp"
#include "grow/driver.hpp"
#include "base/parallel.hpp"
#include "grow/row_shares.hpp"

namespace treewright {

/// Rows of a subtree whose lists, twice four bytes a value, stay in a core's own cache.
size_t cached_rows(const Problem& problem);
/// Whether histograms grow the large nodes: of criteria that bound what a cut inside a bin can be worth, if they offer what the
/// recipe demands.
bool use_histograms(const Problem& problem);
/// Grow the nodes of more than `small` rows, and give the others.
std::vector<Subtree<Parts>> grow_large_nodes(const Problem& problem, Parts&& rows, size_t small, Builder& out);

/// All rows of the table.
inline Parts all_rows(const Problem& problem, const std::vector<double>& weight) {
    Parts parts;
    parts.row.resize(problem.table.n_rows);
    std::iota(parts.row.begin(), parts.row.end(), 0u);
    parts.weight = weight;
    return parts;
}

/// The whole tree by one finder.
template <class Finder>
TreeArrays grow_with(const Problem& problem, const Parts& rows, Finder& finder) {
    Builder out(problem.width());
    finder.load(rows, out);
    Driver(problem, finder, out).grow(finder.root(0, Random(problem.recipe.random_state).next()));
    return assemble(out, {});
}

/// Large nodes by histograms, then the subtrees, the largest first. make(Finder*) gives a new one: Narrow where 16 bits number
/// the rows, of which each thread keeps one, else Wide.
template <class Narrow, class Wide, class Make>
TreeArrays grow_by_histograms(const Problem& problem, Parts&& rows, size_t small, Make&& make) {
    Builder out(problem.width());
    std::vector<Subtree<Parts>> subtrees = grow_large_nodes(problem, std::move(rows), small, out);
    std::stable_sort(subtrees.begin(), subtrees.end(),
                     [](const auto& a, const auto& b) { return a.rows.size() > b.rows.size(); });
    std::vector<Builder> builders(subtrees.size(), Builder(problem.width()));
    std::vector<std::unique_ptr<Narrow>> of_thread(static_cast<size_t>(std::max(problem.recipe.threads, 1)));
    const auto grow_subtree = [&](auto& below, size_t i, int thread) {
        Subtree<Parts>& subtree = subtrees[i];
        problem.monitor.poll(thread);
        below.load(subtree.rows, builders[i], thread);
        Driver(problem, below, builders[i], thread).grow(below.root(subtree.depth, subtree.seed, subtree.groups));
        builders[i].fit();
        subtree.rows = {};
    };
    parallel_for(subtrees.size(), problem.recipe.threads, [&](size_t i, int thread) {
        auto& mine = of_thread[static_cast<size_t>(thread)];
        if (subtrees[i].rows.size() > most_narrow_rows) {
            grow_subtree(*make(static_cast<Wide*>(nullptr)), i, thread);
        } else {
            if (!mine) mine = make(static_cast<Narrow*>(nullptr));
            grow_subtree(*mine, i, thread);
        }
    });
    for (size_t i = 0; i < subtrees.size(); ++i) out.nodes[static_cast<size_t>(subtrees[i].node)].graft = static_cast<int32_t>(i);
    return assemble(out, builders);
}

}  // namespace treewright
