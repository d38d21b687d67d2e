// What the search for optimal trees speaks of: costs in whole units, tests, and the plan of a tree.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace treewright::optimal {

/// A cost in units of the fixed point (loss.hpp): sums are exact, whatever their order.
using Cost = int64_t;
inline constexpr Cost endless = std::numeric_limits<Cost>::max() / 4;

enum class TestKind : uint8_t {
    leaf,       // no test
    threshold,  // numbers up to the one of rank `at`
    category,   // the category `at`
    known,      // whatever is not missing
    subset,     // the categories that are cheaper with the label of one leaf than with that of the other
};

/// What a node asks; rows of whom it is true go left. A subset is found again from the rows of the node (write.cpp).
struct Test {
    TestKind kind = TestKind::leaf;
    bool missing_left = false;
    int32_t feature = -1;
    int32_t at = 0;

    bool operator==(const Test&) const = default;
};

/// The place of a test among equally good ones: the first feature, then the lowest cut, then missing values to the left. The
/// number of leaves that the left branch may have comes last.
struct Rank {
    uint64_t feature = std::numeric_limits<uint64_t>::max(), cut = 0;
    uint32_t leaves_left = 0;

    auto operator<=>(const Rank&) const = default;
};
inline constexpr Rank before_all{0, 0, 0};

inline Rank rank_of(const Test& test, uint32_t leaves_left) {
    uint64_t cut = 2 * static_cast<uint64_t>(static_cast<uint32_t>(test.at)) + (test.missing_left ? 0 : 1);
    if (test.kind == TestKind::known) cut = std::numeric_limits<uint64_t>::max();
    return {static_cast<uint64_t>(static_cast<uint32_t>(test.feature)), cut, leaves_left};
}

struct PlanNode {
    Test test;
    int32_t left = -1, right = -1;  // numbers of nodes of the plan; -1 = a leaf
};

/// A tree as its tests; the root comes first, no nodes = a leaf.
struct Plan {
    std::vector<PlanNode> nodes;

    /// Number of leaves.
    size_t n_leaves() const { return nodes.size() + 1; }
    void clear() { nodes.clear(); }
    /// A test with a plan on either side.
    static Plan join(const Test& test, const Plan& left, const Plan& right) {
        Plan plan;
        plan.nodes.reserve(1 + left.nodes.size() + right.nodes.size());
        plan.nodes.push_back({test, -1, -1});
        const auto append = [&](const Plan& below) {
            if (below.nodes.empty()) return int32_t{-1};
            const auto first = static_cast<int32_t>(plan.nodes.size());
            for (PlanNode node : below.nodes) {
                if (node.left >= 0) node.left += first;
                if (node.right >= 0) node.right += first;
                plan.nodes.push_back(node);
            }
            return first;
        };
        const int32_t on_left = append(left), on_right = append(right);
        plan.nodes[0].left = on_left;
        plan.nodes[0].right = on_right;
        return plan;
    }
};

}  // namespace treewright::optimal
