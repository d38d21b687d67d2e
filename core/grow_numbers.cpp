// The engine for the other regression criteria.
#include "engine.hpp"

namespace treewright {

template TreeArrays grow_by<AbsoluteError>(const Problem&, const std::vector<double>&);
template TreeArrays grow_by<Poisson>(const Problem&, const std::vector<double>&);

}  // namespace treewright
