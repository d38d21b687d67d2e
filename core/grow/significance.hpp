// Is a split more than chance? Tests of branch against target, with a correction for the candidates there were to choose from.
//
// Classes: Pearson's chi-square test of independence, or for two branches and two classes with small expected counts Fisher's
// exact test. Numbers: the F test of one-way analysis of variance on their ranks (Conover and Iman, 1981), so that no outlier
// makes noise look like more. The p-value is multiplied by the number of candidates (Bonferroni; Kass, 1980, for categories), so
// that a node of pure noise is split with no more than the chance asked for.
//
// Of many categories there are too many groupings to correct for. There the whole table of categories and target is tested: it
// was not chosen, and counts as one candidate. Its statistic is compared with what it would be if the rows' targets were
// shuffled, whose mean and variance are known exactly however few rows a category has (Kazi-Aoual et al., 1995).
#pragma once
#include <span>
#include <vector>

#include "base/recipe.hpp"
#include "cuts/sorted_list.hpp"

namespace treewright {

/// Ranks of numbers among all of them, by which they are tested: from −½ to ½, the same for equal ones.
std::vector<double> centred_ranks(std::span<const double> numbers);

/// The rows of one branch: class weights, or moments of the target about the node's mean, and of its rank.
struct BranchSums {
    std::vector<double> classes;
    double count = 0, weight = 0, sum = 0, squares = 0;
    double rank_sum = 0, rank_squares = 0, rank_fourth_powers = 0;

    /// A row of a class, or of a number that lies so far above the node's mean.
    void add(double w, bool is_class, size_t label, double difference, double rank) {
        ++count;
        weight += w;
        if (is_class) {
            classes[label] += w;
        } else {
            sum += w * difference;
            squares += w * difference * difference;
            rank_sum += w * rank;
            rank_squares += w * rank * rank;
            rank_fourth_powers += w * rank * rank * rank * rank;
        }
    }
};

/// The rows of each category, and of those without one; each(use) calls use(code) for every row, which gives the sums to add to.
template <class Each>
std::vector<BranchSums> sums_by_category(size_t n_categories, size_t n_classes, Each&& each) {
    std::vector<BranchSums> sums(n_categories + 1);
    each([&](int32_t code) -> BranchSums& {
        BranchSums& own = sums[code < 0 ? n_categories : static_cast<size_t>(code)];
        if (own.classes.empty()) own.classes.resize(n_classes);
        return own;
    });
    std::erase_if(sums, [](const BranchSums& own) { return own.weight <= 0; });
    return sums;
}

/// With more categories than this the whole table is tested.
inline constexpr size_t most_grouped_categories = 12;

/// p-value of branch against class; weights are scaled so that together they count as many as there are rows.
double chi_square_p(const std::vector<BranchSums>& branches);

/// p-value of branch against number, by its rank.
double f_test_p(const std::vector<BranchSums>& branches);

/// p-value of the whole table of category against class or number.
double whole_table_p(const std::vector<BranchSums>& categories, bool classes);

/// Candidates of a sorted numeric feature: cuts between neighbouring values, twice where missing rows may take either side.
template <class Index>
double count_cuts(const Entry<Index>* list, size_t known, size_t n) {
    if (known == 0) return 0;
    double cuts = 0;
    for (size_t i = 0; i + 1 < known; ++i) cuts += list[i].rank != list[i + 1].rank;
    return known < n ? 2 * cuts + 1 : cuts;
}

/// Candidates of a categorical feature with this many values at the node.
double count_groupings(const Recipe& recipe, size_t levels);

/// Most candidates of a categorical feature of this many values.
inline double most_groupings(const Recipe& recipe, size_t n_categories) {
    return count_groupings(recipe, std::min(n_categories, most_grouped_categories));
}

}  // namespace treewright
