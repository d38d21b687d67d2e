// The kernel of absolute error.
#include "grow/criterion_kernel.hpp"

namespace treewright {

template std::unique_ptr<Kernel> make_kernel<AbsoluteError>(const GrowTask&, bool);

}  // namespace treewright
