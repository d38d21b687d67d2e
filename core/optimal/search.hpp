// The search for the best tree by branch and bound over the cuts of all columns.
//
// `Solver` answers one question: what does the best tree of a depth and number of leaves cost on the rows of a node, if it costs
// less than a limit? Depth one is a scan of every column. Depth two looks, for each column, at the cut in the middle of an
// interval of cuts, and goes on with those halves that may hold a better one (bounds.hpp); what either side saves by a second
// split is found by the kernels. Deeper trees do the same best first, over all columns at once, with a Solver's answer on either
// side.
#pragma once
#include <memory>
#include <mutex>

#include "optimal/blocks.hpp"
#include "optimal/bounds.hpp"
#include "optimal/column_sets.hpp"
#include "optimal/error_free.hpp"
#include "optimal/limits.hpp"
#include "optimal/small_nodes.hpp"

namespace treewright::optimal {

/// Only trees better than this are looked for: of less cost, or, where the rule of ties is kept, as good and before `rank`. Costs
/// are equal up to what rounding makes of them.
struct Goal {
    Cost below = endless;
    Cost planned = endless;  // a plan is written of trees that cost less than this
    bool ties = false;
    Cost noise = 0;
    Rank rank = {};

    static Goal first_of(Cost cost, Cost noise) { return {cost + noise + 1, endless, true, noise, {}}; }
    bool improved_by(Cost cost, const Rank& at) const {
        return ties ? cost < below - noise || (cost <= below + noise && at < rank) : cost < below;
    }
    /// Trees whose root test does not come before `first` are of interest if they cost less than this.
    Cost limit(const Rank& first) const { return ties && first < rank ? below + noise + 1 : below; }
    void improve(Cost cost, const Rank& at) {
        below = std::min(below, cost);
        rank = at;
    }
};

/// A lower bound for the trees that have a column at their root, by column; also for those that would not part any rows there, so
/// that it holds for fewer rows as bounds do.
using Floors = std::vector<Cost>;

/// Two columns of the same number share their floors: where rows are fewer, a cut of the one may be a cut of the other only. (Of
/// missing and low values against high ones, if there are no low ones, the missing ones remain; of two columns without missing
/// values the second is left out.)
inline void share_between_twins(const std::vector<Column>& columns, Floors& floors) {
    for (size_t c = 0; c < floors.size(); ++c)
        if (const size_t twin = columns[c].twin; twin > c) floors[c] = floors[twin] = std::min(floors[c], floors[twin]);
}

/// The root of a best tree: its test, the places of the rows (by local number) in an order that has those of the left branch
/// first, their number, and what either branch may have and costs.
struct RootChoice {
    Test test;
    std::vector<uint32_t> places;
    uint32_t cut = 0, leaves_left = 0, leaves_right = 0;
    Cost left = 0, right = 0;
};

/// What all solvers of one problem share.
struct Setting {
    const Loss& loss;
    const std::vector<Column>& columns;
    Limits& limits;
    const RowGroups& row_groups;  // empty if trees without mistakes are not looked for apart
};

class Solver {
public:
    explicit Solver(const Setting& setting, int thread = 0)
        : setting_(setting), kernels_(kernels()), thread_(thread), error_free_(*this, setting, thread) {}

    /// Cost of the best tree if it is less than `below`, with its plan if it is also less than `planned`; else a lower bound of
    /// it, not less than `below`. `known` are floors of this very question, or null; `found` gets better ones, if it is given.
    Cost solve(const Node& node, int depth, uint32_t leaves, Cost below, Cost planned, Plan& plan, const Floors* known = nullptr,
               Floors* found = nullptr);
    /// The first of the best trees, by Rank at every node from the root down, given the cost of the best.
    Plan first_of_best(const Node& node, int depth, uint32_t leaves, Cost cost);
    /// The same below a root that is chosen already.
    Plan first_below(const Node& node, int depth, const RootChoice& root);

    /// Whether sets of columns are counted for a question, rather than cuts searched.
    bool counts_sets(const Node& node, int depth, uint32_t leaves) const {
        return ColumnSets::fits(loss(), depth, leaves) && BitTable::fits(node, setting_.columns) &&
               setting_.limits.allows(ColumnSets::bytes(node.active.size(), node.n_rows, loss(), depth));
    }

    ErrorFree& error_free() { return error_free_; }

    /// Cost of the best split of a node by a subset of the categories of an active column.
    Cost subset_cost(const Node& node, size_t i);

    /// Rows of a node on either side of a cut; places (by local number) are those in the order of the cut.
    void part(const Node& node, const uint32_t* places, uint32_t cut, Node* left, Node* right);

private:
    friend class NodeSearch;

    struct Sides {
        Cost left, right;
    };
    /// Places of a column that go left.
    struct Range {
        uint32_t begin = 0, width = 0, begin_second = 0, width_second = 0;
    };
    /// The best split found for a node of two levels.
    struct Choice {
        enum Kind { none, leaf, stump, split } kind = none;
        size_t column = 0;  // number among the active ones
        Range range;
        Test test;
        uint32_t leaves_left = 0, leaves_right = 0;
    };

    const Loss& loss() const { return setting_.loss; }
    Cost price() const { return loss().leaf_price(); }
    const Column& column(const Node& node, size_t i) const { return setting_.columns[node.active[i]]; }
    /// Whether to go on is asked between the columns of a node.
    auto listen(const Node& node) const {
        return [this, &node] { setting_.limits.poll_column(node.n_rows, thread_); };
    }

    // one level
    Scan whole(const Node& node);
    Cost best_stump(const Node& node, Cost below);
    Test first_stump(const Node& node, Cost cost, Scan scan, Places places, bool left);
    Cost one_level(const Node& node, Goal goal, Plan& plan);

    // two levels
    Cost two_levels(const Node& node, uint32_t leaves, Goal goal, Plan& plan, const Floors* known, Floors* found);
    void order_by(const Node& node, size_t i);
    const void* places_of(const Node& node, size_t i);
    Cost sums_between(uint32_t begin, uint32_t end, Cost* sums) const;
    void split_sides(const Node& node, Scan& scan, Cost enough_left, Cost enough_right);
    Sides evaluate(const Node& node, const Range& range, uint32_t leaves_left, uint32_t leaves_right, const CutBounds& low,
                   const CutBounds& high);
    Cost search_cuts(const Node& node, size_t i, uint32_t leaves_left, uint32_t leaves_right, Cost all_left, Cost all_right,
                     Goal& goal, Choice& choice);
    Cost search_categories(const Node& node, size_t i, uint32_t leaves_left, uint32_t leaves_right, Cost all_left, Cost all_right,
                           Goal& goal, Choice& choice);
    void write(const Node& node, const Choice& choice, Plan& plan);

    // two-valued columns
    Cost by_sets(const Node& node, int depth, Cost planned, Plan& plan, Floors* found);

    // more levels
    Cost more_levels(const Node& node, int depth, uint32_t leaves, const Goal& goal, Plan& plan, const Floors* known,
                     Floors* found);

    const Setting& setting_;
    const Kernels& kernels_;
    const int thread_;
    ErrorFree error_free_;

    // memory of two levels
    BitTable two_valued_;
    ColumnSets sets_;
    Blocks blocks_;
    SmallNode small_;
    bool is_small_ = false;
    std::vector<uint32_t> place_, wide_, sorted_;
    std::vector<Cost> ones_;             // rows of the second class in the blocks before each
    const uint64_t* classes_ = nullptr;  // the same rows, by place
    std::vector<uint16_t> narrow_;
    std::vector<uint8_t> gathered_;  // by active column: whether its places are known in this order
    std::vector<Cost> sums_, squares_, most_, left_sums_, right_sums_;
    std::vector<std::pair<CutBounds, CutBounds>> stack_;
    size_t best_left_ = 0, best_right_ = 0;  // columns that were best last
    Places places_ = Places::none;

    struct Children {
        Node left, right;
        std::vector<uint32_t> places;
    };
    std::vector<std::unique_ptr<Children>> children_;  // by depth
};

}  // namespace treewright::optimal
