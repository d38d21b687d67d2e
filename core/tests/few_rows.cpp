// The most that a split of few rows can be worth, against every way to part them in two.
#include "criteria/criteria.hpp"
#include "tests/check.hpp"

using namespace treewright;

namespace {

/// The largest merit(left, right) of all ways to part n rows in two; add(row, side) puts a row on a side.
template <class Add, class Merit>
double most_of_all_ways(size_t n, size_t width, Add&& add, Merit&& merit) {
    double most = 0;
    for (size_t way = 1; way + 1 < size_t{1} << n; ++way) {
        Totals side[2] = {Totals(width), Totals(width)};
        for (size_t i = 0; i < n; ++i) {
            Totals& of_row = side[way >> i & 1];
            of_row.weight += 1;
            add(i, of_row);
        }
        const Totals* both[] = {&side[0], &side[1]};
        most = std::max(most, merit(Branches(both)));
    }
    return most;
}

TEST(few_numbers) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (int round = 0; round < 200; ++round) {
        std::vector<double> target(2 + random() % (few_rows - 1));
        for (double& y : target) y = round % 2 ? normal(random) : std::round(2 * normal(random));
        Totals node(1);
        for (const double y : target) {
            node.weight += 1;
            node.sums[0] += y;
        }
        const double expected = most_of_all_ways(
            target.size(), 1, [&](size_t i, Totals& side) { side.sums[0] += target[i]; },
            [&](Branches both) { return SquaredError::merit(node, both, 0); });
        CHECK_NEAR(SquaredError::most_of_few_numbers(target), expected, 1e-12);
    }
}

TEST(few_rows_of_classes) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 200; ++round) {
        const size_t n = 2 + random() % (few_rows - 1), width = 2 + random() % 9;
        std::vector<size_t> label(n);
        Totals node(width);
        for (size_t& k : label) {
            k = random() % width;
            node.weight += 1;
            node.sums[k] += 1;
        }
        if (Gini::impurity(node) == 0) continue;  // nobody asks
        const double expected = most_of_all_ways(
            n, width, [&](size_t i, Totals& side) { side.sums[label[i]] += 1; },
            [&](Branches both) { return Gini::merit(node, both); });
        CHECK_NEAR(Gini::most_of_few_classes(node.sums, node.weight), expected, 1e-12);
    }
}

}  // namespace
