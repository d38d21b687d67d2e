// The policies for missing values, with the regression criteria.
#include "grow_lists.hpp"

namespace treewright {

template TreeArrays grow_lists<SquaredError>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Poisson>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<AbsoluteError>(const Problem&, const std::vector<double>&);

}  // namespace treewright
