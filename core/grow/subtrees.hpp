// Large nodes by histograms, the subtrees below them side by side by finders of their own.
#pragma once
#include "base/builder.hpp"
#include "cuts/sorted_list.hpp"
#include "grow/driver.hpp"
#include "base/parallel.hpp"
#include "grow/row_shares.hpp"

namespace treewright {

/// Rows of a subtree whose lists, twice four bytes a value, stay in a core's own cache.
size_t cached_rows(const GrowTask& task);
/// Whether histograms grow the large nodes: of criteria that bound what a cut inside a bin can be worth, if they offer what the
/// recipe demands.
bool use_histograms(const GrowTask& task);
/// Grow the nodes of more than `small` rows, and give the others.
std::vector<Subtree<RowShares>> grow_large_nodes(const GrowTask& task, RowShares&& rows, size_t small, Builder& out);

/// All rows of the table.
inline RowShares all_rows(const GrowTask& task, const std::vector<double>& weight) {
    RowShares parts;
    parts.row.resize(task.table.n_rows);
    std::iota(parts.row.begin(), parts.row.end(), 0u);
    parts.weight = weight;
    return parts;
}

/// Tell a finder that wants to know that all nodes of its rows are written.
template <class Finder>
void done(Finder& finder) {
    if constexpr (requires { finder.done(); }) finder.done();
}

/// The whole tree by one finder.
template <class Finder>
TreeArrays grow_with(const GrowTask& task, const RowShares& rows, Finder& finder) {
    Builder out(task.width());
    finder.load(rows, out);
    Driver(task, known_engine(finder), out).grow(finder.root(0, task.root_seed));
    done(finder);
    return assemble(out, {});
}

/// Large nodes by histograms, then the subtrees, the largest first. make(Finder*) gives a new one: Narrow where 16 bits number
/// the rows, of which each thread keeps one, else Wide.
template <class Narrow, class Wide, class Make>
TreeArrays grow_by_histograms(const GrowTask& task, RowShares&& rows, size_t small, Make&& make) {
    Builder out(task.width());
    std::vector<Subtree<RowShares>> subtrees = grow_large_nodes(task, std::move(rows), small, out);
    std::stable_sort(subtrees.begin(), subtrees.end(),
                     [](const auto& a, const auto& b) { return a.rows.size() > b.rows.size(); });
    std::vector<Builder> builders(subtrees.size(), Builder(task.width()));
    std::vector<std::unique_ptr<Narrow>> of_thread(static_cast<size_t>(std::max(task.recipe.threads, 1)));
    const auto grow_subtree = [&](auto& below, size_t i, int thread) {
        Subtree<RowShares>& subtree = subtrees[i];
        task.monitor.poll(thread);
        below.load(subtree.rows, builders[i], thread);
        Driver(task, known_engine(below), builders[i], thread).grow(below.root(subtree.depth, subtree.seed, subtree.groups));
        done(below);
        builders[i].fit();
        subtree.rows = {};
    };
    parallel_for(subtrees.size(), task.recipe.threads, [&](size_t i, int thread) {
        auto& mine = of_thread[static_cast<size_t>(thread)];
        if (subtrees[i].rows.size() > most_narrow_rows) {
            grow_subtree(*make(static_cast<Wide*>(nullptr)), i, thread);
        } else {
            if (!mine) mine = make(static_cast<Narrow*>(nullptr));
            grow_subtree(*mine, i, thread);
        }
    });
    for (size_t i = 0; i < subtrees.size(); ++i)
        out.nodes[static_cast<size_t>(subtrees[i].node)].subtree = static_cast<int32_t>(i);
    return assemble(out, builders);
}

}  // namespace treewright
