// The kernel of superclasses: one for all impurities of two groups.
#include "criteria/superclasses.hpp"
#include "grow/criterion_kernel.hpp"

namespace treewright {

static std::unique_ptr<Kernel> make(const GrowTask& task) {
    return std::make_unique<ScorerKernel<Formula, SuperclassScorer>>(task);
}
template <>
std::unique_ptr<Kernel> make_kernel<Superclasses<EntropyOfTwo>>(const GrowTask& task, bool) {
    return make(task);
}
template <>
std::unique_ptr<Kernel> make_kernel<Superclasses<GiniOfTwo>>(const GrowTask& task, bool) {
    return make(task);
}
template <>
std::unique_ptr<Kernel> make_kernel<Superclasses<SqrtOfTwo>>(const GrowTask& task, bool) {
    return make(task);
}

}  // namespace treewright
