// The engine for squared error.
#include "engine.hpp"

namespace treewright {

template TreeArrays grow_by<SquaredError>(const Problem&, const std::vector<double>&);

}  // namespace treewright
