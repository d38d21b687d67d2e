// The engine for entropy.
#include "engine.hpp"

namespace treewright {

template TreeArrays grow_by<Entropy>(const Problem&, const std::vector<double>&);

}  // namespace treewright
