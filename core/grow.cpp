// The growing loop: take a node from the frontier, find its split, carry it out.
#include "grow.hpp"

#include <queue>

#include "block.hpp"
#include "parallel.hpp"
#include "trunk.hpp"

namespace treewright {

namespace {

/// Row weights as the search uses them: case weight × class factor × search factor; empty = all one.
std::vector<double> search_weights(size_t n, const Target& target, const Recipe& recipe) {
    std::vector<double> weight;
    if (!target.weight && recipe.class_factor.empty() && recipe.search_factor.empty()) return weight;
    weight.resize(n);
    for (size_t i = 0; i < n; ++i) {
        weight[i] = target.weight ? target.weight[i] : 1.0;
        if (!recipe.class_factor.empty()) weight[i] *= recipe.class_factor[static_cast<size_t>(target.label[i])];
        if (!recipe.search_factor.empty()) weight[i] *= recipe.search_factor[static_cast<size_t>(target.label[i])];
    }
    return weight;
}

/// Grow a whole tree in one block, in the order the recipe asks for, up to the limits on its size.
template <class Block>
void grow_by_frontier(Block& block, typename Block::Item root, const Recipe& recipe, Builder& out, Monitor& monitor) {
    using Item = typename Block::Item;
    struct Waiting {
        double priority;
        int64_t age;
        size_t at;
        bool operator<(const Waiting& other) const {  // the top of the heap is the largest; ties to the oldest
            return priority != other.priority ? priority < other.priority : age > other.age;
        }
    };
    std::vector<Item> items;
    std::priority_queue<Waiting> frontier;
    int64_t age = 0;
    const auto put = [&](Item&& item) {
        if (!block.find(item)) return;
        const double priority = recipe.order == Order::best_first      ? item.decrease
                                : recipe.order == Order::breadth_first ? 0.0
                                                                       : static_cast<double>(item.depth);
        items.push_back(std::move(item));
        frontier.push({priority, age++, items.size() - 1});
    };
    put(std::move(root));
    int64_t leaves = 1;
    while (!frontier.empty()) {
        monitor.poll(0);
        Item item = std::move(items[frontier.top().at]);
        frontier.pop();
        const int64_t branches = item.split.n_branches;
        if (recipe.max_leaf_nodes > 0 && leaves + branches - 1 > recipe.max_leaf_nodes) continue;
        if (recipe.max_nodes > 0 && static_cast<int64_t>(out.nodes.size()) + branches > recipe.max_nodes) continue;
        leaves += branches - 1;
        for (Item& child : block.split(item)) put(std::move(child));
    }
}

/// Rows of a block whose lists, twice four bytes a value, stay in a core's own cache.
size_t block_rows(size_t n_features) {
    constexpr size_t cache = 1'300'000;
    return std::clamp<size_t>(cache / (8 * std::max<size_t>(n_features, 1)), 1024, 8192);
}

/// Histograms serve criteria whose merit is a decrease of a concave impurity, where the order of growing does not matter.
template <class C>
bool use_trunk(const Problem& problem) {
    const Recipe& r = problem.recipe;
    const bool all_features = r.max_features == 0 || r.max_features >= static_cast<int64_t>(problem.n_features());
    return C::concave && !r.plain && !r.random_cuts && r.ties == Ties::first && all_features && r.monotonic.empty() && !problem.limited() &&
           r.order != Order::best_first && problem.table.n_rows > block_rows(problem.n_features());
}

template <class C, class Scorer, class Index>
TreeArrays grow_block(const Problem& problem, const std::vector<double>& weight) {
    Builder out(problem.width());
    std::vector<uint32_t> rows(problem.table.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    Block<C, Scorer, Index> block(problem, weight);
    block.load(rows, out);
    auto root = block.root(0, Random(problem.recipe.random_state).next());
    if (block.root_may_split(root)) {
        if (problem.limited()) grow_by_frontier(block, std::move(root), problem.recipe, out, problem.monitor);
        else block.grow(std::move(root), 0);
    }
    return assemble(out, {});
}

/// Large nodes in the trunk, then every small one in a block of its own, the largest first.
template <class C, class Scorer>
TreeArrays grow_trunk(const Problem& problem, const std::vector<double>& weight) {
    Builder out(problem.width());
    Trunk<C, Scorer> trunk(problem, weight, block_rows(problem.n_features()), out);
    std::vector<Graft> grafts = trunk.grow();
    std::stable_sort(grafts.begin(), grafts.end(), [](const Graft& a, const Graft& b) { return a.end - a.begin > b.end - b.begin; });
    std::vector<Builder> builders(grafts.size(), Builder(problem.width()));
    std::vector<std::unique_ptr<Block<C, Scorer, uint16_t>>> block(static_cast<size_t>(std::max(problem.recipe.threads, 1)));
    parallel_for(grafts.size(), problem.recipe.threads, [&](size_t i, int thread) {
        auto& mine = block[static_cast<size_t>(thread)];
        if (!mine) mine = std::make_unique<Block<C, Scorer, uint16_t>>(problem, weight);
        problem.monitor.poll(thread);
        mine->load(trunk.rows(grafts[i]), builders[i]);
        auto root = mine->root(grafts[i].depth, grafts[i].seed);
        if (mine->root_may_split(root)) mine->grow(std::move(root), thread);
    });
    for (size_t i = 0; i < grafts.size(); ++i) out.nodes[static_cast<size_t>(grafts[i].node)].graft = static_cast<int32_t>(i);
    return assemble(out, builders);
}

template <class C, class Scorer>
TreeArrays grow_with(const Problem& problem, const std::vector<double>& weight) {
    if constexpr (C::concave)
        if (use_trunk<C>(problem)) return grow_trunk<C, Scorer>(problem, weight);
    if (problem.table.n_rows <= small_block) return grow_block<C, Scorer, uint16_t>(problem, weight);
    return grow_block<C, Scorer, uint32_t>(problem, weight);
}

template <class C>
TreeArrays grow_by(const Problem& problem, const std::vector<double>& weight) {
    const bool unit = weight.empty();
    if constexpr (C::classification) {
        if (problem.recipe.plain) return grow_with<C, PlainClassScorer<C>>(problem, weight);
        if constexpr (std::is_same_v<C, Gini>)
            if (problem.n_classes == 2)
                return unit ? grow_with<C, MeanDifferenceScorer<true, true>>(problem, weight)
                            : grow_with<C, MeanDifferenceScorer<false, true>>(problem, weight);
    }
    if constexpr (std::is_same_v<typename C::template Scorer<true>, typename C::template Scorer<false>>)
        return grow_with<C, typename C::template Scorer<false>>(problem, weight);
    else
        return unit ? grow_with<C, typename C::template Scorer<true>>(problem, weight)
                    : grow_with<C, typename C::template Scorer<false>>(problem, weight);
}

}  // namespace

TreeArrays grow(const Table& table, const Target& target, const Recipe& recipe, Monitor& monitor) {
    const std::vector<double> weight = search_weights(table.n_rows, target, recipe);
    Problem problem{table, recipe, target.n_classes, target.label, target.number, 0, monitor};
    problem.total_weight = weight.empty() ? static_cast<double>(table.n_rows) : std::accumulate(weight.begin(), weight.end(), 0.0);
    monitor.total = static_cast<double>(table.n_rows);
    return with_criterion(recipe.criterion, [&]<class C>() -> TreeArrays {
        if (C::classification != (target.n_classes > 0))
            throw std::invalid_argument("criterion '" + std::string(C::name) + "' does not fit this target");
        return grow_by<C>(problem, weight);
    });
}

namespace {

void append_split(SplitTable& to, SplitKind kind, int32_t feature, double threshold, double score, std::span<const std::pair<int32_t, int32_t>> table) {
    to.kind.push_back(static_cast<uint8_t>(kind));
    to.feature.push_back(feature);
    to.threshold.push_back(kind == SplitKind::threshold ? threshold : 0.0);
    to.score.push_back(score);
    for (const auto& [code, branch] : table) {
        to.pool_index.push_back(code);
        to.pool_value.push_back(branch);
    }
    to.pool_begin.push_back(static_cast<int64_t>(to.pool_index.size()));
}

}  // namespace

TreeArrays assemble(const Builder& trunk, const std::vector<Builder>& grafts) {
    struct Place {
        const Builder* builder;
        int32_t node;
        int32_t parent;
    };
    TreeArrays tree;
    size_t total = trunk.nodes.size();
    for (const Builder& graft : grafts) total += graft.nodes.size();
    std::vector<Place> places;  // by final id
    places.reserve(total);
    const auto settle = [&](Place place) {  // a grafted node is the root of its own builder
        const int32_t graft = place.builder->nodes[static_cast<size_t>(place.node)].graft;
        if (graft >= 0) return Place{&grafts[static_cast<size_t>(graft)], 0, place.parent};
        return place;
    };
    places.push_back(settle({&trunk, 0, -1}));
    tree.first_child.assign(1, -1);
    std::vector<int32_t> stack{0};
    while (!stack.empty()) {
        const int32_t id = stack.back();
        stack.pop_back();
        const Place place = places[static_cast<size_t>(id)];
        const NodeRecord& node = place.builder->nodes[static_cast<size_t>(place.node)];
        if (node.n_children == 0) continue;
        const auto first = static_cast<int32_t>(places.size());
        tree.first_child[static_cast<size_t>(id)] = first;
        for (int32_t b = 0; b < node.n_children; ++b) {
            places.push_back(settle({place.builder, node.first_child + b, id}));
            tree.first_child.push_back(-1);
        }
        for (int32_t b = node.n_children; b-- > 0;) stack.push_back(first + b);
    }
    for (const Place& place : places) {
        const NodeRecord& node = place.builder->nodes[static_cast<size_t>(place.node)];
        tree.parent.push_back(place.parent);
        tree.n_children.push_back(node.n_children);
        tree.default_branch.push_back(node.n_children ? node.default_branch : -1);
        tree.count.push_back(static_cast<int64_t>(node.count));
        tree.weight.push_back(node.weight);
        tree.impurity.push_back(node.impurity);
        tree.risk.push_back(node.risk);
        tree.merit.push_back(node.n_children ? node.merit : 0.0);
        const auto value = place.builder->value.begin() + static_cast<int64_t>(place.builder->width) * place.node;
        tree.value.insert(tree.value.end(), value, value + static_cast<int64_t>(place.builder->width));
        if (node.n_children) {
            append_split(tree.splits, node.kind, node.feature, node.threshold, node.merit,
                         std::span(place.builder->table).subspan(static_cast<size_t>(node.table_begin), static_cast<size_t>(node.table_end - node.table_begin)));
            for (int64_t c = node.competitors_begin; c < node.competitors_end; ++c) {
                const Candidate& other = place.builder->competitors[static_cast<size_t>(c)];
                append_split(tree.competitors, other.kind, other.feature, other.threshold, other.merit, other.table);
            }
        }
        tree.split_begin.push_back(static_cast<int64_t>(tree.splits.kind.size()));
        tree.competitor_begin.push_back(static_cast<int64_t>(tree.competitors.kind.size()));
    }
    return tree;
}

}  // namespace treewright
