// Growing one tree by the finders that offer what its recipe demands. `weight` is that of each row as the search uses it; empty =
// every row weighs one.
#pragma once
#include "grow/grow_task.hpp"
#include "base/tree.hpp"

namespace treewright {

TreeArrays grow_tree(const GrowTask& task, const std::vector<double>& weight);

/// Presorted lists; of large tables histograms at the top, lists below.
TreeArrays grow_whole_rows(GrowTask task, const std::vector<double>& weight);
/// The same with a policy for missing values for each feature, or with splits beyond one cut or one table.
TreeArrays grow_shared_rows(const GrowTask& task, const std::vector<double>& weight);

/// Sparse tables.
TreeArrays grow_sparse(const GrowTask& task, const std::vector<double>& weight);
/// The choice of a recipe that needs a dense table; empty if there is none.
std::string dense_only(const Recipe& recipe);

}  // namespace treewright
