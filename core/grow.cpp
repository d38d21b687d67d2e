// grow(): weights, the criterion by name, and the nodes put into their final order.
#include "grow.hpp"

#include "builder.hpp"
#include "recode.hpp"

namespace treewright {

/// Grow with one criterion: engine.hpp, instantiated in grow_*.cpp.
template <class C>
TreeArrays grow_by(const Problem& problem, const std::vector<double>& weight);

/// The same by a user's function: engine.hpp, instantiated in grow_asked.cpp.
TreeArrays grow_asked(const Problem& problem, const std::vector<double>& weight);

/// The same with a policy for missing values for each feature: grow_lists.hpp, instantiated in grow_lists_*.cpp.
template <class C>
TreeArrays grow_lists(const Problem& problem, const std::vector<double>& weight);

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

/// Classes stand for their codes. Of two, shares rise and fall alike with the factors of the search and without; of more, the
/// factors are taken back.
ClassLevels class_levels(const Target& target, const Recipe& recipe) {
    ClassLevels levels;
    for (size_t k = 0; k < static_cast<size_t>(target.n_classes); ++k) {
        levels.size.push_back(target.n_classes == 2 || recipe.search_factor.empty() ? 1.0 : 1 / recipe.search_factor[k]);
        levels.level.push_back(static_cast<double>(k) * levels.size[k]);
    }
    return levels;
}

}  // namespace

TreeArrays grow(const Table& table, const Target& target, const Recipe& recipe, Monitor& monitor) {
    const std::vector<double> weight = search_weights(table.n_rows, target, recipe);
    const Recoding recoding(table, target, recipe);
    Problem problem{recoding.table(), recipe, target.n_classes, target.label, target.number, 0, monitor};
    problem.rankings = &recoding.rankings();
    problem.total_weight =
        weight.empty() ? static_cast<double>(table.n_rows) : std::accumulate(weight.begin(), weight.end(), 0.0);
    monitor.total = static_cast<double>(table.n_rows);
    if (!recipe.monotonic.empty()) problem.levels = class_levels(target, recipe);
    if (recipe.function.call) {
        TreeArrays tree = grow_asked(problem, weight);
        recoding.restore(tree);
        return tree;
    }
    const auto grow_with = [&]<class Engine>() {
        return recipe.policies.empty() ? grow_by<Engine>(problem, weight) : grow_lists<Engine>(problem, weight);
    };
    TreeArrays tree = Criteria::with(recipe.criterion, [&]<class C>() -> TreeArrays {
        if (C::classification != (target.n_classes > 0))
            throw std::invalid_argument("criterion '" + recipe.criterion + "' does not fit this target");
        const LogTable logs(C::traits.log_table && weight.empty() ? table.n_rows : 0);
        problem.n_log_n = logs.data();
        if constexpr (C::classification) problem.formula = &formula_of<C>;
        if constexpr (HasScorer<C>)
            if (!C::classification || !recipe.plain) return grow_with.template operator()<C>();
        return grow_with.template operator()<Formula>();
    });
    recoding.restore(tree);
    return tree;
}

namespace {

void append_split(SplitTable& to, SplitKind kind, int32_t feature, double threshold, double score) {
    const bool oblique = kind == SplitKind::hyperplane || kind == SplitKind::sphere,
               many = kind == SplitKind::table || kind == SplitKind::interval;
    to.kind.push_back(static_cast<uint8_t>(kind));
    to.feature.push_back(oblique ? -1 : feature);
    to.threshold.push_back(many ? 0.0 : threshold);
    to.score.push_back(score);
    to.pool_begin.push_back(static_cast<int64_t>(to.pool_index.size()));
}

void append_split(SplitTable& to, const Builder& from, const NodeRecord& node) {
    to.pool_index.insert(to.pool_index.end(), from.pool_index.begin() + node.pool_begin, from.pool_index.begin() + node.pool_end);
    to.pool_value.insert(to.pool_value.end(), from.pool_value.begin() + node.pool_begin, from.pool_value.begin() + node.pool_end);
    append_split(to, node.kind, node.feature, node.threshold, node.merit);
}

void append_split(SplitTable& to, const Candidate& split) {
    append_pool(split, to.pool_index, to.pool_value);
    append_split(to, split.kind, split.feature, split.threshold, split.merit);
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
    tree.first_child.reserve(total);
    tree.first_child.push_back(-1);
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
    const size_t width = trunk.width, n = places.size();
    for (auto* array : {&tree.parent, &tree.n_children, &tree.default_branch}) array->reserve(n);
    for (auto* array : {&tree.split_begin, &tree.competitor_begin}) array->reserve(n + 1);
    for (auto* array : {&tree.weight, &tree.impurity, &tree.risk, &tree.merit}) array->reserve(n);
    tree.count.reserve(n);
    tree.value.reserve(n * width);
    tree.splits.reserve(n / 2 + 1);
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
            append_split(tree.splits, *place.builder, node);
            for (int64_t c = node.surrogates_begin; c < node.surrogates_end; ++c) {
                const Candidate& surrogate = place.builder->surrogates[static_cast<size_t>(c)];
                append_split(tree.splits, surrogate);
                tree.splits.adjust_last(surrogate.adjusted);
            }
            for (int64_t c = node.competitors_begin; c < node.competitors_end; ++c)
                append_split(tree.competitors, place.builder->competitors[static_cast<size_t>(c)]);
        }
        tree.split_begin.push_back(static_cast<int64_t>(tree.splits.kind.size()));
        tree.competitor_begin.push_back(static_cast<int64_t>(tree.competitors.kind.size()));
    }
    return tree;
}

}  // namespace treewright
