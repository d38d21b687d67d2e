// The engines for every class criterion by its formula: those without a scorer of their own, and the plain path of all.
#include "grow_lists.hpp"

namespace treewright {

template TreeArrays grow_by<Formula>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Formula>(const Problem&, const std::vector<double>&);

}  // namespace treewright
