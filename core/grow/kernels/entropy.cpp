// The kernel of entropy.
#include "grow/criterion_kernel.hpp"

namespace treewright {

template std::unique_ptr<Kernel> make_kernel<Entropy>(const GrowTask&, bool);

}  // namespace treewright
