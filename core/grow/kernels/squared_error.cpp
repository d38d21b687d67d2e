// The kernel of squared error.
#include "grow/criterion_kernel.hpp"

namespace treewright {

template std::unique_ptr<Kernel> make_kernel<SquaredError>(const GrowTask&, bool);

}  // namespace treewright
