// The engines for twoing.
#include "grow_lists.hpp"

namespace treewright {

template TreeArrays grow_by<Twoing>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Twoing>(const Problem&, const std::vector<double>&);

}  // namespace treewright
