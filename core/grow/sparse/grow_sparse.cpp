// Growing a tree on a sparse table.
#include "grow/choose_finder.hpp"
#include "grow/offers.hpp"
#include "grow/sparse/finder.hpp"
#include "grow/subtrees.hpp"

namespace treewright {

namespace {

template <class Index, template <class> class Lists>
TreeArrays grow_by(const GrowTask& task, const std::vector<double>& weight) {
    SparseFinder<Index, Lists> finder(task, weight);
    return grow_with(task, all_rows(task, {}), finder);
}

template <template <class> class Lists>
TreeArrays grow_by(const GrowTask& task, const std::vector<double>& weight) {
    const bool narrow = task.table.n_rows < most_narrow_rows;  // zero has a rank too
    return narrow ? grow_by<uint16_t, Lists>(task, weight) : grow_by<uint32_t, Lists>(task, weight);
}

}  // namespace

std::string dense_only(const Recipe& recipe) {
#define TREEWRIGHT_ASK(type, name, standard) \
    if (const type usual = standard; !offers::sparse.holds({Choice::name}) && !(recipe.name == usual)) return #name;
    TREEWRIGHT_CHOICES(TREEWRIGHT_ASK)
#undef TREEWRIGHT_ASK
    const bool by_rows = Criteria::with(recipe.criterion, []<class C>() { return C::traits.by_rows; });
    return by_rows ? "criterion='" + recipe.criterion + "'" : "";
}

TreeArrays grow_sparse(const GrowTask& task, const std::vector<double>& weight) {
    if (const std::string choice = dense_only(task.recipe); !choice.empty())
        throw std::invalid_argument(choice + " needs a dense table");
    const auto drawn = static_cast<size_t>(task.recipe.max_features);  // 0 = all
    if (drawn > 0 && 4 * drawn <= task.n_features()) return grow_by<GatheredLists>(task, weight);
    return grow_by<CarriedLists>(task, weight);
}

}  // namespace treewright
