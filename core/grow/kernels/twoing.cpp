// The kernel of twoing.
#include "grow/criterion_kernel.hpp"

namespace treewright {

template std::unique_ptr<Kernel> make_kernel<Twoing>(const GrowTask&, bool);

}  // namespace treewright
