// The engine for the other class criteria.
#include "engine.hpp"

namespace treewright {

template TreeArrays grow_by<Error>(const Problem&, const std::vector<double>&);
template TreeArrays grow_by<Sqrt>(const Problem&, const std::vector<double>&);
template TreeArrays grow_by<GainRatio>(const Problem&, const std::vector<double>&);
template TreeArrays grow_by<Twoing>(const Problem&, const std::vector<double>&);
template TreeArrays grow_by<ChiSquare>(const Problem&, const std::vector<double>&);
template TreeArrays grow_by<Hellinger>(const Problem&, const std::vector<double>&);

}  // namespace treewright
