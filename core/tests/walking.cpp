// The packed walk sends every row where the general one does.
#include "grow/grow_task.hpp"
#include "base/writer.hpp"
#include "predict/route.hpp"
#include "tests/check.hpp"
#include "tests/columns.hpp"

using namespace treewright;

namespace {

constexpr size_t n_columns = 4;
const std::vector<int32_t> position{2, 0, 3, 1}, n_categories(n_columns, 0);

/// A tree of thresholds, grown by splitting random leaves.
TreeArrays random_tree(std::mt19937_64& random, size_t n_splits, const std::vector<double>& thresholds) {
    std::vector<size_t> first_child{0};  // of nodes as they grew; 0 = a leaf
    for (size_t s = 0; s < n_splits; ++s) {
        size_t leaf = random() % first_child.size();
        while (first_child[leaf]) leaf = random() % first_child.size();
        first_child[leaf] = first_child.size();
        first_child.resize(first_child.size() + 2, 0);
    }
    const auto children = [&](size_t node, std::vector<size_t>& list) {
        if (first_child[node]) list = {first_child[node], first_child[node] + 1};
    };
    static constexpr double value = 0;
    const auto write = [&](size_t node, TreeArrays& tree) {
        if (first_child[node])
            tree.splits.append(SplitKind::threshold, static_cast<int32_t>(random() % n_columns),
                               thresholds[random() % thresholds.size()], 0.0);
        NodeSummary summary;
        summary.weight = static_cast<double>(1 + random() % 5);
        summary.value = {&value, 1};
        summary.default_branch = static_cast<int32_t>(random() % 2);
        return summary;
    };
    return write_tree(size_t{0}, children, write);
}

/// A tree with what it is looked at by.
struct Tree {
    TreeArrays arrays;
    Children children{arrays.parent};

    TreeView view() const {
        const SplitTable& s = arrays.splits;
        return {children.view(),
                arrays.default_branch,
                arrays.split_begin,
                arrays.weight,
                {s.kind, s.feature, s.threshold, s.pool_begin, s.pool_index, s.pool_value}};
    }
};

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
            const Tree tree{random_tree(random, n_splits, thresholds)};
            std::vector<double> numbers(static_cast<size_t>(n_rows) * n_columns);
            for (double& x : numbers) x = values[random() % values.size()];
            const bool infinite = std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isinf(x); });
            const auto packed = pack(tree.view(), position);
            CHECK(packed.has_value());
            if (!packed) return;
            for (const auto& [row_stride, column_stride] : {std::pair<int64_t, int64_t>{n_columns, 1}, {1, n_rows}})
                for (int threads : {1, 3}) {
                    const Matrix<double> matrix{numbers.data(), n_rows, n_columns, row_stride, column_stride};
                    const Matrix<int32_t> no_codes;
                    Monitor monitor;
                    std::vector<int32_t> walked(static_cast<size_t>(n_rows), -1), routed(static_cast<size_t>(n_rows), -2);
                    CHECK_EQUAL(walk(packed->nodes, packed->id, matrix, walked.data(), threads, monitor), infinite);
                    route(tree.view(), matrix, no_codes, position, routed.data(), threads, monitor);
                    CHECK(walked == routed);
                    CHECK(std::all_of(walked.begin(), walked.end(),
                                      [&](int32_t leaf) { return tree.arrays.is_leaf(static_cast<size_t>(leaf)); }));
                }
        }
}

TEST(only_binary_thresholds_are_packed) {
    std::mt19937_64 random(2);
    const Tree whole{random_tree(random, 5, {0.0})};
    CHECK(pack(whole.view(), position).has_value());
    Tree other = whole;
    other.arrays.splits.kind[2] = static_cast<uint8_t>(SplitKind::hyperplane);
    CHECK(!pack(other.view(), position));
    other = whole;
    other.arrays.default_branch[0] = share_row;
    CHECK(!pack(other.view(), position));
    other.arrays.default_branch[0] = stay_at_node;
    CHECK(!pack(other.view(), position));
}

TEST(walking_stops_when_asked) {
    std::mt19937_64 random(3);
    const Tree tree{random_tree(random, 3, {0.0})};
    const auto packed = pack(tree.view(), position);
    const std::vector<double> numbers(20'000 * n_columns, 1.0);
    std::vector<int32_t> leaf(20'000);
    Monitor monitor;
    monitor.check = [](double) { return false; };
    bool stopped = false;
    try {
        walk(packed->nodes, packed->id, {numbers.data(), 20'000, n_columns, n_columns, 1}, leaf.data(), 1, monitor);
    } catch (const Interrupted&) {
        stopped = true;
    }
    CHECK(stopped);
}

TEST(nodes_are_numbered_in_preorder) {
    std::mt19937_64 random(4);
    for (size_t n_splits : {0u, 1u, 2u, 100u}) {
        const Tree tree{random_tree(random, n_splits, {0.0})};
        const ChildView children = tree.children.view();
        std::vector<size_t> end(tree.arrays.size());  // of the subtree of each node
        for (size_t node = end.size(); node-- > 0;) {
            size_t next = node + 1;
            for (int32_t b = 0; b < children.count(node); ++b) {
                CHECK_EQUAL(children(node, b), next);
                next = end[next];
            }
            end[node] = next;
        }
        CHECK_EQUAL(end[0], tree.arrays.size());
    }
}
