// Is a split more than chance? Tests of branch against target, with a correction for the candidates there were to choose from.
//
// Classes: Pearson's chi-square test of independence, or for two branches and two classes with small expected counts Fisher's
// exact test. Numbers: the F test of one-way analysis of variance. The p-value is multiplied by the number of candidates
// (Bonferroni; Kass, 1980, for categories), so that a node of pure noise is split with no more than the chance asked for.
#pragma once
#include "base/distributions.hpp"
#include "base/recipe.hpp"
#include "splits/counts.hpp"
#include "cuts/scan.hpp"

namespace treewright {

/// Fisher's exact test of a 2 × 2 table of whole counts: twice the smaller tail.
inline double fisher_p(double a, double b, double c, double d) {
    const double row = a + b, column = a + c, total = a + b + c + d;
    const auto log_choose = [](double n, double k) { return -log_beta(k + 1, n - k + 1) - log(n + 1); };
    const double whole = log_choose(total, column);
    const auto tail = [&](double from, double to) {
        double sum = 0;
        for (double k = from; k <= to; ++k) sum += exp(log_choose(row, k) + log_choose(total - row, column - k) - whole);
        return sum;
    };
    const double least = std::max(0.0, column - (total - row)), most = std::min(row, column);
    return std::min(1.0, 2 * std::min(tail(least, a), tail(a, most)));
}

/// The rows of one branch: class weights, or the target's moments about the node's mean.
struct BranchSums {
    std::vector<double> classes;
    double count = 0, weight = 0, sum = 0, squares = 0;
};

/// p-value of branch against class; weights are scaled so that together they count as many as there are rows.
inline double chi_square_p(const std::vector<BranchSums>& branches) {
    double count = 0, weight = 0;
    std::vector<double> node(branches[0].classes.size(), 0.0);
    for (const BranchSums& branch : branches) {
        count += branch.count;
        weight += branch.weight;
        for (size_t k = 0; k < node.size(); ++k) node[k] += branch.classes[k];
    }
    const double scale = count / weight;
    double statistic = 0, least = infinity;
    size_t rows = 0, columns = 0;
    bool whole = scale == 1;
    for (double n : node) {
        columns += n > 0;
        whole = whole && n == std::floor(n);
    }
    std::vector<double> cells;
    for (const BranchSums& branch : branches) {
        if (branch.weight <= 0) continue;
        ++rows;
        for (size_t k = 0; k < node.size(); ++k) {
            if (node[k] <= 0) continue;
            const double expected = scale * node[k] * (branch.weight / weight), difference = scale * branch.classes[k] - expected;
            statistic += difference * difference / expected;
            least = std::min(least, expected);
            cells.push_back(branch.classes[k]);
        }
    }
    if (rows < 2 || columns < 2) return 1;
    if (rows == 2 && columns == 2 && least < 5 && whole) return fisher_p(cells[0], cells[1], cells[2], cells[3]);
    return gamma_tail(static_cast<double>((rows - 1) * (columns - 1)) / 2, statistic / 2);
}

/// p-value of branch against number.
inline double f_test_p(const std::vector<BranchSums>& branches) {
    double count = 0, weight = 0, sum = 0, squares = 0, between = 0, groups = 0;
    for (const BranchSums& branch : branches) {
        if (branch.weight <= 0) continue;
        ++groups;
        count += branch.count;
        weight += branch.weight;
        sum += branch.sum;
        squares += branch.squares;
        between += branch.sum * branch.sum / branch.weight;
    }
    between -= sum * sum / weight;
    const double total = squares - sum * sum / weight, within = std::max(0.0, total - between);
    if (groups < 2 || count <= groups) return 1;
    // Of rows without spread inside the branches nothing is left to chance.
    return within <= 1e-13 * total ? 0.0 : beta_tail((count - groups) / 2, (groups - 1) / 2, within / total);
}

/// Candidates of a sorted numeric feature: cuts between neighbouring values, twice where missing rows may take either side.
template <class Index>
double count_cuts(const Entry<Index>* list, size_t known, size_t n) {
    if (known == 0) return 0;
    double cuts = 0;
    for (size_t i = 0; i + 1 < known; ++i) cuts += list[i].rank != list[i + 1].rank;
    return known < n ? 2 * cuts + 1 : cuts;
}

/// Candidates of a categorical feature with this many values at the node.
inline double count_groupings(const Recipe& recipe, size_t levels) {
    if (levels < 2) return 0;
    double candidates = 0;
    if (recipe.subset) candidates += exp2(std::min<double>(static_cast<double>(levels) - 1, 1000)) - 1;
    if (recipe.subset && recipe.max_groups > 2) candidates += count_partitions(levels, static_cast<size_t>(recipe.max_groups));
    if (recipe.one_vs_rest) candidates += levels == 2 ? 1 : static_cast<double>(levels);
    if (recipe.multiway) candidates += 1;
    return candidates;
}

}  // namespace treewright
