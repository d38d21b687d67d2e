// Trees without mistakes: the fewest splits that leave rows of one class in every leaf.
//
// Such a tree is found far sooner than a best one among trees that err. Every part of its rows has one as well, of no more
// splits, so of the cuts of an order those whose left branch needs at most k splits are the first ones, and those whose right
// branch needs at most m are the last ones: a cut that both may have is found by halving, and if neither branch of a cut can do
// with its share, no cut can. Where one of the branches may split once at most, how far it reaches is read off the order in one
// pass.
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>

#include "optimal/kernels.hpp"
#include "optimal/node.hpp"

namespace treewright::optimal {

class Solver;
struct Setting;

/// The groups of all columns by row of the table, those of a row side by side, filled up to whole vectors (OrderedRows).
struct RowGroups {
    size_t n_vectors = 0;
    std::vector<int32_t> groups;

    /// Whether trees without mistakes are looked for in this way: every column is an order without missing values, and every
    /// mistake costs the same whole number of units.
    static bool fits(const std::vector<Column>& columns, const Loss& loss);
    static size_t vectors(size_t n_columns) { return (n_columns + OrderedRows::lanes - 1) / OrderedRows::lanes; }
    static size_t bytes(size_t n_rows, size_t n_columns) {
        return n_rows * vectors(n_columns) * OrderedRows::lanes * sizeof(int32_t);
    }
    /// `poll` is called for each column, and may throw.
    void read(const Node& root, size_t n_columns, const std::function<void()>& poll);
    bool empty() const { return groups.empty(); }
};

class ErrorFree {
public:
    ErrorFree(Solver& solver, const Setting& setting, int thread) : solver_(solver), setting_(setting), thread_(thread) {}

    /// The fewest splits of a tree without mistakes, with a plan of it; none if there is no such tree of at most so many.
    std::optional<uint32_t> fewest(const Node& node, int depth, uint32_t most, Plan* plan) {
        return some(node, depth, most, plan, true);
    }
    /// The first tree without mistakes, by Rank at every node from the root down, given their fewest splits.
    Plan first(const Node& node, int depth, uint32_t splits);

private:
    /// The rows of a cut's branches, and the order of its column.
    struct Level {
        Node left, right;
        std::vector<uint32_t> places;
    };
    /// How far a branch at one end of an order reaches without a split, and with one: number of rows.
    struct Reach {
        uint32_t none = 0, one = 0;
    };
    struct Ends {
        Reach left, right;
    };
    /// Rows by the sums of numbers that stand for them, and the levels of a tree for them.
    struct RowSet {
        uint64_t first, second;
        int depth;
        bool operator==(const RowSet&) const = default;
    };
    struct Hash {
        size_t operator()(const RowSet& set) const { return static_cast<size_t>(set.first) + static_cast<size_t>(set.depth); }
    };
    struct Known {
        uint32_t too_few = 0, enough = std::numeric_limits<uint32_t>::max();  // splits
    };
    static constexpr size_t most_known = 1u << 18;
    /// A cut, and the splits of its branches.
    struct Cut {
        uint32_t at, left, right;
    };

    std::optional<uint32_t> some(const Node& node, int depth, uint32_t most, Plan* plan, bool fewest = false);
    std::optional<uint32_t> one_split(const Node& node, Plan* plan) const;
    std::optional<uint32_t> two_levels(const Node& node, uint32_t most, Plan* plan);
    Reach reach(const Node& node, size_t i, bool from_left, uint32_t enough);
    std::optional<Cut> cut_with(const Node& node, size_t i, int depth, uint32_t most_left, uint32_t most_right, const Ends& ends,
                                Plan* left, Plan* right);
    std::optional<Cut> cut_of(const Node& node, size_t i, int depth, uint32_t most, const Ends& ends, Plan* left, Plan* right);
    std::optional<uint32_t> branch(const Node& node, uint32_t cut, bool left, int depth, uint32_t most, Plan* plan);
    static RowSet row_set(const Node& node, int depth);
    void order_by(const Node& node, size_t i, int depth);
    Level& level(int depth);
    Test test_at(const Node& node, size_t i, uint32_t cut) const;

    Solver& solver_;
    const Setting& setting_;
    const int thread_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::unordered_map<RowSet, Known, Hash> known_;
    std::vector<int32_t> scratch_;
};

}  // namespace treewright::optimal
