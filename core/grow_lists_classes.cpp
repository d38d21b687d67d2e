// The policies for missing values, with the other classification criteria.
#include "grow_lists.hpp"

namespace treewright {

template TreeArrays grow_lists<Error>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Sqrt>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<GainRatio>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Twoing>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<ChiSquare>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Hellinger>(const Problem&, const std::vector<double>&);

}  // namespace treewright
