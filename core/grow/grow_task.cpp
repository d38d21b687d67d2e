#include "grow/grow_task.hpp"

namespace treewright {

void describe_several_classes(const GrowTask& task, const Totals& totals, Description& node) {
    const auto k = static_cast<size_t>(task.n_classes);
    Totals part;
    describe_each(
        task.n_outputs(),
        [&](size_t output, Description& one) {
            take_output(totals, output, k, part);
            one.count = totals.count;
            one.weight = totals.weight;
            one.pure = std::count_if(part.sums.begin(), part.sums.end(), [](double n) { return n > 0; }) <= 1;
            if (one.pure) return;
            one.impurity = task.formula->impurity(part);
            const auto chosen = std::max_element(part.sums.begin(), part.sums.end());
            // Added up, not what is left of the weight: that may be 10¹⁸ times as large, and round it away.
            one.risk = std::accumulate(chosen + 1, part.sums.end(), std::accumulate(part.sums.begin(), chosen, 0.0));
        },
        node);
    node.value.assign(totals.sums.begin(), totals.sums.end());
}

void describe_classes(const GrowTask& task, const Totals& totals, Description& node) {
    if (task.n_outputs() > 1) return describe_several_classes(task, totals, node);
    const Recipe& recipe = task.recipe;
    node.count = totals.count;
    node.value.assign(totals.sums.begin(), totals.sums.end());
    if (!recipe.search_factor.empty())
        for (size_t k = 0; k < node.value.size(); ++k) node.value[k] /= recipe.search_factor[k];
    node.weight = recipe.search_factor.empty() ? totals.weight : std::accumulate(node.value.begin(), node.value.end(), 0.0);
    node.pure = std::count_if(totals.sums.begin(), totals.sums.end(), [](double n) { return n > 0; }) <= 1;
    node.impurity = node.pure ? 0.0 : task.formula->impurity(totals);
    if (recipe.costs.empty()) {
        node.risk = node.pure ? 0.0 : node.weight - *std::max_element(node.value.begin(), node.value.end());
    } else {
        const size_t k = node.value.size();
        node.risk = infinity;
        for (size_t chosen = 0; chosen < k; ++chosen) {
            double cost = 0;
            for (size_t truth = 0; truth < k; ++truth) cost += node.value[truth] * recipe.costs[truth * k + chosen];
            node.risk = std::min(node.risk, cost);
        }
    }
}

}  // namespace treewright
