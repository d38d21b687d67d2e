// grow(): weights, and the criterion by name.
#include "grow.hpp"

#include "grow/offers.hpp"
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

TreeArrays grow(const Table& table, const Target& target, const Recipe& given, Monitor& monitor) {
    const Recipe recipe = given.normalised(table.features.size());
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
        if (offers::presorted.holds(recipe.demands())) return grow_by<Engine>(problem, weight);
        if (offers::shared_rows.holds(recipe.demands())) return grow_lists<Engine>(problem, weight);
        throw std::invalid_argument("no engine grows trees by all of these choices together");
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

}  // namespace treewright
