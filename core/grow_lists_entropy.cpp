// The policies for missing values, with entropy.
#include "grow_lists.hpp"

namespace treewright {

template TreeArrays grow_lists<Entropy>(const Problem&, const std::vector<double>&);

}  // namespace treewright
