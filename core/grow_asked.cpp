// The engine for a criterion of the user's own.
#include "engine.hpp"

namespace treewright {

namespace {

template <class C>
TreeArrays grow_by_function(const Problem& problem, const std::vector<double>& weight) {
    return grow_block<C, FormulaScorer, uint32_t>(problem, weight);
}

}  // namespace

TreeArrays grow_asked(const Problem& problem, const std::vector<double>& weight) {
    return problem.n_classes ? grow_by_function<AskedClasses>(problem, weight) : grow_by_function<AskedNumbers>(problem, weight);
}

}  // namespace treewright
