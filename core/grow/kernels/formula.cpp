// The kernel of every class criterion by its formula: those without a scorer of their own, and what all must equal.
#include "grow/criterion_kernel.hpp"

namespace treewright {

template std::unique_ptr<Kernel> make_kernel<Formula>(const GrowTask&, bool);

}  // namespace treewright
