// Which finder grows a tree.
#include "grow/choose_finder.hpp"

#include <stdexcept>

#include "grow/offers.hpp"

namespace treewright {

TreeArrays grow_tree(const Problem& problem, const std::vector<double>& weight) {
    const Choices demands = problem.recipe.demands();
    if (offers::presorted.holds(demands)) return grow_whole_rows(problem, weight);
    if (offers::shared_rows.holds(demands)) return grow_shared_rows(problem, weight);
    throw std::invalid_argument("no finder grows trees by all of these choices together");
}

}  // namespace treewright
