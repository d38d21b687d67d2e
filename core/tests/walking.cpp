// The packed walk sends every row where the general one does.
#include "grow/grow_task.hpp"
#include "predict/route.hpp"
#include "tests/check.hpp"
#include "tests/columns.hpp"

using namespace treewright;

namespace {

constexpr size_t n_columns = 4;
const std::vector<int32_t> position{2, 0, 3, 1}, n_categories(n_columns, 0);

/// A tree of thresholds, grown by splitting random leaves.
TreeArrays random_tree(std::mt19937_64& random, size_t n_splits, const std::vector<double>& thresholds) {
    TreeArrays tree;
    const auto append = [&](int32_t parent) {
        tree.parent.push_back(parent);
        tree.first_child.push_back(-1);
        tree.n_children.push_back(0);
        tree.default_branch.push_back(-1);
        tree.weight.push_back(static_cast<double>(1 + random() % 5));
    };
    append(-1);
    for (size_t s = 0; s < n_splits; ++s) {
        size_t leaf = random() % tree.parent.size();
        while (tree.n_children[leaf]) leaf = random() % tree.parent.size();
        tree.first_child[leaf] = static_cast<int32_t>(tree.parent.size());
        tree.n_children[leaf] = 2;
        tree.default_branch[leaf] = static_cast<int32_t>(random() % 2);
        append(static_cast<int32_t>(leaf));
        append(static_cast<int32_t>(leaf));
    }
    for (size_t node = 0; node < tree.parent.size(); ++node) {
        if (tree.n_children[node]) {
            tree.splits.kind.push_back(static_cast<uint8_t>(SplitKind::threshold));
            tree.splits.feature.push_back(static_cast<int32_t>(random() % n_columns));
            tree.splits.threshold.push_back(thresholds[random() % thresholds.size()]);
            tree.splits.pool_begin.push_back(0);
        }
        tree.split_begin.push_back(static_cast<int64_t>(tree.splits.kind.size()));
    }
    return tree;
}

TreeView view(const TreeArrays& tree) {
    const SplitTable& s = tree.splits;
    return {tree.first_child, tree.n_children, tree.default_branch,
            tree.split_begin, tree.weight,     {s.kind, s.feature, s.threshold, s.pool_begin, s.pool_index, s.pool_value}};
}

}  // namespace

TEST(the_packed_walk_is_the_general_one) {
    std::mt19937_64 random(1);
    std::vector<double> thresholds = check::extremes(), values;
    for (int i = -3; i < 4; ++i) thresholds.push_back(i * 0.1);
    thresholds.push_back(check::Limits::infinity());  // known against missing
    for (double t : thresholds)
        for (double x : {t, std::nextafter(t, check::Limits::max()), std::nextafter(t, check::Limits::lowest())})
            values.push_back(x);
    for (int i = 0; i < 20; ++i) values.push_back(check::Limits::quiet_NaN());
    for (size_t n_splits : {0u, 1u, 2u, 10u, 100u, 1000u})
        for (int64_t n_rows : {1, 7, 8, 9, 1023, 1025, 4095, 4097, 9000}) {
            const TreeArrays tree = random_tree(random, n_splits, thresholds);
            std::vector<double> numbers(static_cast<size_t>(n_rows) * n_columns);
            for (double& x : numbers) x = values[random() % values.size()];
            const bool infinite = std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isinf(x); });
            const auto packed = pack(view(tree), position);
            CHECK(packed.has_value());
            if (!packed) return;
            for (const auto& [row_stride, column_stride] : {std::pair<int64_t, int64_t>{n_columns, 1}, {1, n_rows}})
                for (int threads : {1, 3}) {
                    const Matrix<double> matrix{numbers.data(), n_rows, n_columns, row_stride, column_stride};
                    const Matrix<int32_t> no_codes;
                    Monitor monitor;
                    std::vector<int32_t> walked(static_cast<size_t>(n_rows), -1), routed(static_cast<size_t>(n_rows), -2);
                    CHECK_EQUAL(walk(*packed, matrix, walked.data(), threads, monitor), infinite);
                    route(view(tree), matrix, no_codes, position, routed.data(), threads, monitor);
                    CHECK(walked == routed);
                    CHECK(std::all_of(walked.begin(), walked.end(),
                                      [&](int32_t leaf) { return tree.n_children[static_cast<size_t>(leaf)] == 0; }));
                }
        }
}

TEST(only_binary_thresholds_are_packed) {
    std::mt19937_64 random(2);
    const TreeArrays whole = random_tree(random, 5, {0.0});
    CHECK(pack(view(whole), position).has_value());
    TreeArrays other = whole;
    other.splits.kind[2] = static_cast<uint8_t>(SplitKind::hyperplane);
    CHECK(!pack(view(other), position));
    other = whole;
    other.default_branch[0] = share_row;
    CHECK(!pack(view(other), position));
    other.default_branch[0] = stay_at_node;
    CHECK(!pack(view(other), position));
}

TEST(walking_stops_when_asked) {
    std::mt19937_64 random(3);
    const TreeArrays tree = random_tree(random, 3, {0.0});
    const auto packed = pack(view(tree), position);
    const std::vector<double> numbers(20'000 * n_columns, 1.0);
    std::vector<int32_t> leaf(20'000);
    Monitor monitor;
    monitor.check = [](double) { return false; };
    bool stopped = false;
    try {
        walk(*packed, {numbers.data(), 20'000, n_columns, n_columns, 1}, leaf.data(), 1, monitor);
    } catch (const Interrupted&) {
        stopped = true;
    }
    CHECK(stopped);
}
