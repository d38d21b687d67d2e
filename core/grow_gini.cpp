// The engine for the Gini index.
#include "engine.hpp"

namespace treewright {

template TreeArrays grow_by<Gini>(const Problem&, const std::vector<double>&);

}  // namespace treewright
