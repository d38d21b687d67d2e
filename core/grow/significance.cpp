#include "grow/significance.hpp"

#include <numeric>

#include "base/distributions.hpp"
#include "base/statistics.hpp"
#include "splits/counts.hpp"

namespace treewright {

namespace {

/// Fisher's exact test of a 2 × 2 table of whole counts: twice the smaller tail.
double fisher_p(double a, double b, double c, double d) {
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

}  // namespace

std::vector<double> centred_ranks(std::span<const double> numbers) {
    const auto n = static_cast<double>(numbers.size());
    std::vector<size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return numbers[a] < numbers[b]; });
    std::vector<double> ranks(numbers.size());
    for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        while (end < order.size() && numbers[order[end]] == numbers[order[begin]]) ++end;
        const double rank = (static_cast<double>(begin + end) - n) / (2 * n);
        for (size_t i = begin; i < end; ++i) ranks[order[i]] = rank;
    }
    return ranks;
}

double chi_square_p(const std::vector<BranchSums>& branches) {
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

double f_test_p(const std::vector<BranchSums>& branches) {
    double count = 0, weight = 0, sum = 0, squares = 0, between = 0, groups = 0;
    for (const BranchSums& branch : branches) {
        if (branch.weight <= 0) continue;
        ++groups;
        count += branch.count;
        weight += branch.weight;
        sum += branch.rank_sum;
        squares += branch.rank_squares;
        between += branch.rank_sum * branch.rank_sum / branch.weight;
    }
    between -= sum * sum / weight;
    const double total = squares - sum * sum / weight, within = std::max(0.0, total - between);
    if (groups < 2 || count <= groups) return 1;
    // Of rows without spread inside the branches nothing is left to chance.
    return within <= 1e-13 * total ? 0.0 : beta_tail((count - groups) / 2, (groups - 1) / 2, within / total);
}

// Categories and classes are projections H of the rows on their means, numbers one on themselves. The statistic is the trace of
// the product of the two: Pearson's chi-square by the number of rows, or the share of the variance between categories. Shuffled,
// it is taken to follow a beta distribution of the right mean and variance.
double whole_table_p(const std::vector<BranchSums>& categories, bool classes) {
    double n = 0, weight = 0, sum = 0, squares = 0, fourth_powers = 0;
    for (const BranchSums& own : categories) {
        n += own.count;
        weight += own.weight;
        sum += own.rank_sum;
        squares += own.rank_squares;
        fourth_powers += own.rank_fourth_powers;
    }
    const double scale = n / weight;
    /// Of a projection: its trace, which is also that of its square, and the sum of squares of its diagonal.
    struct Projection {
        double trace = -1, squares = 0;
        void add(double rows, double all) {
            ++trace;
            squares += 1 / rows - 2 / all;
        }
    };
    Projection by, of;
    double statistic = 0;
    if (classes) {
        std::vector<double> all(categories[0].classes.size(), 0.0);
        for (const BranchSums& own : categories)
            for (size_t k = 0; k < all.size(); ++k) all[k] += own.classes[k];
        for (double rows : all)
            if (rows > 0) of.add(scale * rows, n);
        for (const BranchSums& own : categories)
            for (size_t k = 0; k < all.size(); ++k)
                if (all[k] > 0) statistic += own.classes[k] / own.weight * (own.classes[k] / all[k]);
        statistic -= 1;
        of.squares += 1 / n;
    } else {
        const double total = squares - sum * sum / weight;
        for (const BranchSums& own : categories) statistic += own.rank_sum * own.rank_sum / own.weight;
        statistic = (statistic - sum * sum / weight) / total;
        of = {1, fourth_powers / (scale * total * total)};
    }
    for (const BranchSums& own : categories) by.add(scale * own.weight, n);
    by.squares += 1 / n;
    const double most = std::min(by.trace, of.trace);
    if (!(most > 0) || n < 4) return 1;
    const auto apart = [&](const Projection& h) { return (n - 1) * h.trace - h.trace * h.trace; };
    const auto uneven = [&](const Projection& h) {
        return n * (n + 1) * h.squares - (n - 1) * (h.trace * h.trace + 2 * h.trace);
    };
    const double mean = by.trace * of.trace / (n - 1) / most;
    const double variance = (2 * apart(by) * apart(of) / ((n - 1) * (n - 1) * (n + 1) * (n - 2)) +
                             uneven(by) * uneven(of) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))) /
                            (most * most);
    const double parts = mean * (1 - mean) / variance - 1;
    if (!(variance > 1e-13) || !(parts > 0)) return 1;  // a row each: shuffled, the table stays as it is
    return beta_tail(parts * (1 - mean), parts * mean, 1 - statistic / most);
}

double count_groupings(const Recipe& recipe, size_t levels) {
    if (levels < 2) return 0;
    if (levels > most_grouped_categories) return 1;
    double candidates = 0;
    if (recipe.subset) candidates += exp2(static_cast<double>(levels) - 1) - 1;
    if (recipe.subset && recipe.max_groups > 2) candidates += count_partitions(levels, static_cast<size_t>(recipe.max_groups));
    if (recipe.one_vs_rest) candidates += levels == 2 ? 1 : static_cast<double>(levels);
    if (recipe.multiway) candidates += 1;
    return candidates;
}

}  // namespace treewright
