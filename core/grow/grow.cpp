// grow(): weights, and the criterion by name.
#include "grow/grow.hpp"

#include "base/orderless_sum.hpp"
#include "criteria/user_criterion.hpp"
#include "grow/choose_finder.hpp"
#include "grow/kernel.hpp"
#include "base/random.hpp"
#include "grow/column_transforms.hpp"
#include "grow/significance.hpp"

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

/// Classes stand for their codes. Of two, shares rise and fall alike with the factors of the search and without; of more, the
/// factors are taken back.
ClassLevels class_levels(const Target& target, const Recipe& recipe, const std::vector<double>& weight) {
    ClassLevels levels;
    levels.margin = are_summed_exactly(weight) ? 0 : 1e-12;
    for (size_t k = 0; k < static_cast<size_t>(target.n_classes); ++k) {
        levels.size.push_back(target.n_classes == 2 || recipe.search_factor.empty() ? 1.0 : 1 / recipe.search_factor[k]);
        levels.level.push_back(static_cast<double>(k) * levels.size[k]);
    }
    return levels;
}

}  // namespace

void use_criterion(GrowTask& task) {
    Criteria::with(task.recipe.criterion, [&]<class C>() {
        if (C::classification != (task.n_classes > 0))
            throw std::invalid_argument("criterion '" + task.recipe.criterion + "' does not fit this target");
        task.formula = &formula_of<C>;
        task.make_kernel = &make_kernel<Formula>;
        if constexpr (HasScorer<C>)
            if (!C::classification || !task.recipe.plain) task.make_kernel = &make_kernel<C>;
        if (task.recipe.n_outputs > 1) task.make_kernel = &make_several_kernel;
    });
}

TreeArrays grow(const Table& table, const Target& target, const Recipe& given, Monitor& monitor, const SubtreeRoot* root) {
    const Recipe recipe = given.normalised(table.features.size());
    const std::vector<double> weight = search_weights(table.n_rows, target, recipe);
    const ColumnTransforms transforms(table, target, recipe, root ? &root->rankings : nullptr);
    GrowTask task{transforms.table(), recipe, target.n_classes, target.label, target.number, 0, monitor};
    std::vector<double> ranks;
    if (!target.n_classes && recipe.significance < 1) {
        ranks = centred_ranks({target.number, transforms.table().n_rows});
        task.rank = ranks.data();
    }
    task.rankings = &transforms.rankings();
    task.total_weight = weight.empty() ? static_cast<double>(table.n_rows) : orderless_weight(weight);
    if (root) task.total_weight = root->total_weight;
    task.root_seed = root ? root->seed : Random(recipe.random_state).next();
    monitor.total = static_cast<double>(table.n_rows);
    if (!recipe.monotonic.empty()) task.levels = class_levels(target, recipe, weight);
    if (recipe.function.call)
        task.formula = target.n_classes ? &formula_of<UserClassCriterion> : &formula_of<UserNumberCriterion>;
    else use_criterion(task);
    const LogTable logs(task.formula->traits.log_table && weight.empty() ? table.n_rows : 0);
    task.n_log_n = logs.data();
    TreeArrays tree = grow_tree(task, weight);
    transforms.restore(tree);
    return tree;
}

}  // namespace treewright
