// The plain engine for every criterion.
#include "engine.hpp"
#include "lists.hpp"

namespace treewright {

template <class C>
TreeArrays grow_lists(const Problem& problem, const std::vector<double>& weight) {
    Builder out(problem.width());
    Lists<C> lists(problem, weight, out);
    auto root = lists.root(Random(problem.recipe.random_state).next());
    if (lists.root_may_split(root)) {
        if (problem.limited()) grow_by_frontier(lists, std::move(root), problem.recipe, out, problem.monitor);
        else lists.grow(std::move(root));
    }
    return assemble(out, {});
}

template TreeArrays grow_lists<Gini>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Entropy>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Error>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Sqrt>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<GainRatio>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Twoing>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<ChiSquare>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Hellinger>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<SquaredError>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<Poisson>(const Problem&, const std::vector<double>&);
template TreeArrays grow_lists<AbsoluteError>(const Problem&, const std::vector<double>&);

}  // namespace treewright
