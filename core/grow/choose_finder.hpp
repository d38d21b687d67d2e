// Growing one tree by the finders that offer what its recipe demands.
#pragma once
#include "problem.hpp"
#include "tree.hpp"

namespace treewright {

/// `weight` is that of each row as the search uses it, empty = every row weighs one.
TreeArrays grow_tree(const Problem& problem, const std::vector<double>& weight);

}  // namespace treewright
