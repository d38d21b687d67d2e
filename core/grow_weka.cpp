// The engines for the gain of Weka's Id3.
#include "criteria/weka_gain.hpp"
#include "grow_lists.hpp"

namespace treewright {

template TreeArrays grow_by<WekaGain>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<WekaGain>(const Problem&, const std::vector<double>&);

}  // namespace treewright
