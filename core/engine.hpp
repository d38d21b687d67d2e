// The growing loop, as a template over criteria: blocks for small tables, trunk and grafts for large ones.
// Each grow_*.cpp instantiates it for its criteria.
#pragma once
#include <queue>

#include "block.hpp"
#include "parallel.hpp"
#include "trunk.hpp"

namespace treewright {

namespace {

/// Grow a whole tree in one block, in the order the recipe asks for, up to the limits on its size.
///
/// Under monotone constraints what a node may do hangs on the leaves there are. So a split is looked for when it is to be made:
/// level by level, that no part of the tree grows at the expense of another, or best first, where a split found among other
/// leaves is looked for again.
template <class Block>
void grow_by_frontier(Block& block, typename Block::Item root, const Recipe& recipe, Builder& out, Monitor& monitor) {
    using Item = typename Block::Item;
    struct Waiting {
        double priority;
        int64_t age;
        size_t at;
        size_t n_nodes;                               // of the tree its split was found in, 0 = not yet looked for
        bool operator<(const Waiting& other) const {  // the top of the heap is the largest; ties to the oldest
            return priority != other.priority ? priority < other.priority : age > other.age;
        }
    };
    const bool best_first = recipe.order == Order::best_first, monotone = !recipe.monotonic.empty();
    const bool by_level = recipe.order == Order::breadth_first || monotone;
    std::vector<Item> items;
    std::priority_queue<Waiting> frontier;
    int64_t age = 0;
    const auto find = [&](Item& item) {
        const bool found = block.find(item);
        if (!found) monitor.settled += item.size();
        return found;
    };
    const auto put = [&](Item&& item) {
        if (best_first && !find(item)) return;
        const double priority = best_first ? item.decrease : by_level ? 0.0 : static_cast<double>(item.depth);
        items.push_back(std::move(item));
        frontier.push({priority, age++, items.size() - 1, best_first ? out.nodes.size() : 0});
    };
    put(std::move(root));
    int64_t leaves = 1;
    double risk = out.nodes[0].risk;
    const double enough = recipe.enough_risk * out.nodes[0].weight;
    while (!frontier.empty() && risk > enough) {
        monitor.poll(0);
        Waiting next = frontier.top();
        frontier.pop();
        if (!best_first || (monotone && next.n_nodes != out.nodes.size())) {
            if (!find(items[next.at])) continue;
            if (best_first && items[next.at].decrease < next.priority) {
                frontier.push({items[next.at].decrease, next.age, next.at, out.nodes.size()});
                continue;
            }
        }
        Item item = std::move(items[next.at]);
        const int64_t branches = item.split.n_branches;
        if (recipe.max_leaf_nodes > 0 && leaves + branches - 1 > recipe.max_leaf_nodes) continue;
        if (recipe.max_nodes > 0 && static_cast<int64_t>(out.nodes.size()) + branches > recipe.max_nodes) continue;
        leaves += branches - 1;
        const auto first = static_cast<int64_t>(out.nodes.size());
        std::vector<Item> children = block.split(item);
        risk -= out.nodes[static_cast<size_t>(item.node)].risk;
        for (int64_t b = 0; b < branches; ++b) risk += out.nodes[static_cast<size_t>(first + b)].risk;
        if (risk <= enough) break;
        for (Item& child : children) put(std::move(child));
    }
}

/// Scorers that spend their time on the formula: one width of row numbers is enough.
template <class Scorer>
inline constexpr bool is_plain = false;
template <>
inline constexpr bool is_plain<FormulaScorer> = true;

/// Rows of a block whose lists, twice four bytes a value, stay in a core's own cache.
size_t block_rows(const Problem& problem) {
    const size_t n_features = problem.n_features() - (problem.bits ? problem.bits->size() : 0);
    constexpr size_t cache = 1'300'000;
    return std::clamp<size_t>(cache / (8 * std::max<size_t>(n_features, 1)), 1024, 8192);
}

/// Histograms serve criteria that have bounds, where the order of growing does not matter.
template <class C>
bool use_trunk(const Problem& problem) {
    const Recipe& r = problem.recipe;
    const bool all_features = r.max_features == 0 || r.max_features >= static_cast<int64_t>(problem.n_features());
    return criterion_of<C>(problem).traits.bounded && !r.plain && !r.random_cuts && r.ties != Ties::last && all_features &&
           r.monotonic.empty() && !problem.limited() && r.order != Order::best_first &&
           problem.table.n_rows > block_rows(problem);
}

/// All rows of the table.
inline Parts all_rows(const Problem& problem, const std::vector<double>& weight) {
    Parts parts;
    parts.row.resize(problem.table.n_rows);
    std::iota(parts.row.begin(), parts.row.end(), 0u);
    parts.weight = weight;
    return parts;
}

template <class C, class Scorer, class Index>
TreeArrays grow_block(const Problem& problem, const std::vector<double>& weight) {
    Builder out(problem.width());
    const Parts rows = all_rows(problem, {});  // blocks have the weights of the table
    Block<C, Scorer, Index> block(problem, weight);
    block.load(rows, out);
    auto root = block.root(0, Random(problem.recipe.random_state).next());
    if (block.root_may_split(root)) {
        if (problem.limited() || !problem.recipe.monotonic.empty())
            grow_by_frontier(block, std::move(root), problem.recipe, out, problem.monitor);
        else block.grow(std::move(root));
    }
    return assemble(out, {});
}

/// Nodes of more than `most` rows in the trunk, then the others each in an engine of their own, the largest first. make(Engine*)
/// gives a new engine.
template <class C, class Scorer, class Small, class Large, class Make>
TreeArrays grow_trunk(const Problem& problem, Parts&& rows, size_t most, Make&& make) {
    Builder out(problem.width());
    std::vector<Builder> builders;
    const bool unit = rows.weight.empty();
    std::vector<Graft> grafts = Trunk<C, Scorer>(problem, unit, most, out).grow(std::move(rows));
    std::stable_sort(grafts.begin(), grafts.end(),
                     [](const Graft& a, const Graft& b) { return a.parts.size() > b.parts.size(); });
    builders.assign(grafts.size(), Builder(problem.width()));
    std::vector<std::unique_ptr<Small>> small(static_cast<size_t>(std::max(problem.recipe.threads, 1)));
    const auto grow_graft = [&](auto& engine, size_t i, int thread) {
        problem.monitor.poll(thread);
        engine.load(grafts[i].parts, builders[i], thread);
        auto root = engine.root(grafts[i].depth, grafts[i].seed, grafts[i].groups);
        if (engine.root_may_split(root)) engine.grow(std::move(root));
        builders[i].fit();
        grafts[i].parts = {};
    };
    parallel_for(grafts.size(), problem.recipe.threads, [&](size_t i, int thread) {
        auto& mine = small[static_cast<size_t>(thread)];
        if (grafts[i].parts.size() > small_block) {
            grow_graft(*make(static_cast<Large*>(nullptr)), i, thread);
        } else {
            if (!mine) mine = make(static_cast<Small*>(nullptr));
            grow_graft(*mine, i, thread);
        }
    });
    for (size_t i = 0; i < grafts.size(); ++i) out.nodes[static_cast<size_t>(grafts[i].node)].graft = static_cast<int32_t>(i);
    return assemble(out, builders);
}

template <class C, class Scorer>
TreeArrays grow_with(const Problem& problem, const std::vector<double>& weight) {
    if constexpr (may_be_bounded<C>)
        if (use_trunk<C>(problem)) {
            using Small = Block<C, Scorer, std::conditional_t<is_plain<Scorer>, uint32_t, uint16_t>>;
            const auto make = [&]<class Engine>(Engine*) { return std::make_unique<Engine>(problem, weight); };
            return grow_trunk<C, Scorer, Small, Block<C, Scorer, uint32_t>>(problem, all_rows(problem, weight),
                                                                            block_rows(problem), make);
        }
    if constexpr (!is_plain<Scorer>)
        if (problem.table.n_rows <= small_block) return grow_block<C, Scorer, uint16_t>(problem, weight);
    return grow_block<C, Scorer, uint32_t>(problem, weight);
}

/// Two-valued features are counted as bits where every row weighs one and only best thresholds are wanted.
template <class C>
bool use_bits(const Problem& problem, bool unit) {
    const Recipe& r = problem.recipe;
    return C::classification && unit && r.threshold && !r.random_cuts && !r.plain && r.monotonic.empty() &&
           static_cast<size_t>(problem.n_classes) <= BitTable::most_classes && problem.table.n_rows >= 256;
}

}  // namespace

template <class C>
TreeArrays grow_by(const Problem& given, const std::vector<double>& weight) {
    const bool unit = weight.empty();
    Problem problem = given;
    std::optional<BitTable> bits;
    if (use_bits<C>(problem, unit)) {
        bits.emplace(problem.table, problem.recipe.threads);
        if (bits->size() > 0) problem.bits = &*bits;
    }
    return C::with_scorer(problem.n_classes, unit, [&]<class Scorer>() { return grow_with<C, Scorer>(problem, weight); });
}

}  // namespace treewright
