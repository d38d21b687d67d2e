// Which finder grows a tree.
#include "grow/choose_finder.hpp"

#include <stdexcept>

#include "grow/offers.hpp"

namespace treewright {

TreeArrays grow_tree(const GrowTask& task, const std::vector<double>& weight) {
    if (task.table.sparse) return grow_sparse(task, weight);
    const Choices demands = task.recipe.demands();
    if (offers::presorted.holds(demands)) return grow_whole_rows(task, weight);
    if (offers::shared_rows.holds(demands)) return grow_shared_rows(task, weight);
    throw std::invalid_argument("no finder grows trees by all of these choices together");
}

}  // namespace treewright
