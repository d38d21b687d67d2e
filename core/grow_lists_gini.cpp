// The policies for missing values, with Gini index.
#include "grow_lists.hpp"

namespace treewright {

template TreeArrays grow_lists<Gini>(const Problem&, const std::vector<double>&);

}  // namespace treewright
