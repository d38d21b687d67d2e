// The kernel of the Gini index.
#include "grow/criterion_kernel.hpp"

namespace treewright {

template std::unique_ptr<Kernel> make_kernel<Gini>(const Problem&, bool);

}  // namespace treewright
