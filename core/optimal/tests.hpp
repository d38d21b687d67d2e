// The tests of one category against the rest, and how leaves are shared out over branches.
#pragma once
#include "optimal/node.hpp"

namespace treewright::optimal {

/// Ways to share out leaves over two branches of fewer levels.
template <class Use>
void each_allotment(int depth, uint32_t leaves, Use&& use) {
    const uint32_t most = depth > 31 ? leaves : std::min(leaves, 1u << (depth - 1));
    if (leaves >= 2 * most) return use(most, most);
    for (uint32_t left = leaves > most ? leaves - most : 1; left <= std::min(most, leaves - 1); ++left) use(left, leaves - left);
}

inline uint32_t leaves_of_depth(int depth, uint32_t leaves) { return depth > 30 ? leaves : std::min(leaves, 1u << depth); }

/// For trees that cannot have too many leaves anyway: all that the depth allows, so that none need to be shared out.
inline uint32_t unlimited(int depth, uint32_t leaves) { return depth > 30 ? leaves : 1u << depth; }

/// Groups of a column that some rows have, as places [begin, end).
struct Segment {
    uint32_t group, begin, end;
};

template <class Use>
void each_segment(const Node& node, size_t i, Use&& use) {
    const uint32_t* group = node.group_of(i);
    for (uint32_t k = 0; k < node.n_rows;) {
        uint32_t end = k + 1;
        while (end < node.n_rows && group[end] == group[k]) ++end;
        use(Segment{group[k], k, end});
        k = end;
    }
}

/// A test of one category against the rest, as places of the column that go left.
struct CategoryTest {
    Test test;
    uint32_t begin, width, begin_second = 0, width_second = 0;
};

inline std::vector<CategoryTest> category_tests(const Node& node, size_t i, const Column& column) {
    std::vector<Segment> known;
    uint32_t missing_begin = node.n_rows;
    each_segment(node, i, [&](const Segment& segment) {
        if (segment.group == column.missing_group) missing_begin = segment.begin;
        else known.push_back(segment);
    });
    const uint32_t n_missing = node.n_rows - missing_begin;
    std::vector<CategoryTest> tests;
    for (const Segment& segment : known) {
        const uint32_t width = segment.end - segment.begin;
        Test test{TestKind::category, true, column.feature, static_cast<int32_t>(segment.group)};
        if (n_missing > 0 && width + n_missing < node.n_rows)
            tests.push_back({test, segment.begin, width, missing_begin, n_missing});
        test.missing_left = false;
        tests.push_back({test, segment.begin, width});
        if (n_missing == 0 && known.size() == 2) break;  // the second is the first with its branches exchanged
    }
    if (n_missing > 0 && known.size() > 1) tests.push_back({{TestKind::known, false, column.feature, 0}, 0, missing_begin});
    return tests;
}

}  // namespace treewright::optimal
