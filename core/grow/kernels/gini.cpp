// The kernel of the Gini index.
#include "grow/criterion_kernel.hpp"

namespace treewright {

template std::unique_ptr<Kernel> make_kernel<Gini>(const GrowTask&, bool);

}  // namespace treewright
