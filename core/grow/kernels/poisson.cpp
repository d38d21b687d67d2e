// The kernel of Poisson deviance.
#include "grow/criterion_kernel.hpp"

namespace treewright {

template std::unique_ptr<Kernel> make_kernel<Poisson>(const GrowTask&, bool);

}  // namespace treewright
