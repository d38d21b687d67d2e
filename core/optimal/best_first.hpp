// The search at a node of three levels or more: best first, over all columns at once, by one thread or several.
#pragma once
#include <condition_variable>
#include <optional>

#include "optimal/search.hpp"
#include "optimal/tests.hpp"

namespace treewright::optimal {

/// The best tree of a node, or the proof that there is none better than a goal. Open intervals of cuts wait in a heap; the one of
/// least bound is taken, the cut in its middle solved on either side, and what remains of it put back. So the first interval of
/// the heap is a lower bound of all that is open.
class NodeSearch {
public:
    /// What is told of a search that goes on.
    using Tell = std::function<void(Cost best, Cost lower)>;

    /// The best tree of a level less with so many leaves, or a lower bound of it that is beyond the goal, and floors of that.
    struct Shallow {
        Cost cost = endless;
        Floors floors;
        Plan plan;
    };
    using SolveShallow = std::function<Shallow(uint32_t leaves)>;

    /// `known` are floors of this question, or null; `feature` is that of the root, -1 = any; `thread` is the one that asks.
    NodeSearch(const Setting& setting, const Node& node, int depth, uint32_t leaves, const Goal& goal,
               const SolveShallow& shallow, const Floors* known = nullptr, int32_t feature = -1, int thread = 0);

    /// Take intervals until none is left; several solvers may do so side by side.
    void work(Solver& solver, const Tell& tell = {});

    bool found() const { return found_; }
    const Goal& goal() const { return goal_; }
    const Plan& plan() const { return plan_; }
    /// Lower bound of all trees of the node, whether the search has ended or not.
    Cost lower() const;
    /// The same by root column.
    Floors floors() const;

    /// The root of the best tree, if it has the depth of this search.
    const std::optional<RootChoice>& root() const { return root_; }

private:
    struct Point;
    using PointPtr = std::shared_ptr<const Point>;
    struct Item {
        Cost least;
        uint64_t number;  // of two equal bounds the earlier item comes first
        uint32_t column;  // among the active ones
        uint32_t leaves_left, leaves_right;
        PointPtr a, b;
        int32_t category = -1;  // number of a test of the column, instead of an interval
    };
    /// What is known at a cut; its memory is counted.
    struct Point {
        explicit Point(Limits& limits) : limits(limits) {}
        Point(const Point&) = delete;
        ~Point() { limits.remember(-held); }
        /// Count what it holds; throws if that is too much.
        void hold() {
            const auto n = static_cast<int64_t>(sizeof(Point) + (left.size() + right.size()) * sizeof(Cost) + 2 * sizeof(Item));
            held += n;
            limits.remember(n);
        }
        Limits& limits;
        int64_t held = 0;
        CutBounds bounds;
        Floors left, right;
    };
    /// What is to be solved next.
    struct Task {
        Item item;
        uint32_t low = 0, high = 0, cut = 0;
        Rank rank;
        Cost limit = 0, slack = 0;
        Test test;
    };
    struct Solved {
        std::shared_ptr<Point> point;
        Plan left, right;
        std::vector<uint32_t> places;
    };

    Cost price() const { return setting_.loss.leaf_price(); }
    std::span<const Cost> most(size_t i) const { return {most_.data() + i * (node_.n_rows + 1), node_.n_rows + 1}; }
    const uint64_t* ends(size_t i) const { return ends_.data() + i * node_.n_blocks(); }
    const Column& column(size_t i) const { return setting_.columns[node_.active[i]]; }
    Test test_at(size_t i, uint32_t cut) const {
        const uint32_t* group = node_.group_of(i);
        return column(i).cut(group[cut - 1], group[cut]);
    }
    void measure(int thread);
    void start(const SolveShallow& shallow, const Floors* known, int32_t feature);
    void prefer(const Test& test);
    void push(Item&& item);
    void close(uint32_t column, Cost bound);
    bool take(Task& task);
    Rank first_rank(const Item& item) const;
    Cost dearest_left(const Item& item) const;
    void places_of(const Task& task, std::vector<uint32_t>& places) const;
    Solved solve(Solver& solver, const Task& task);
    void put_back(const Task& task, Solved&& solved);

    const Setting& setting_;
    const Node& node_;
    const int depth_;
    const uint32_t leaves_;
    Goal goal_;
    bool found_ = false;
    Plan plan_;
    std::optional<RootChoice> root_;

    std::vector<Cost> most_;
    std::vector<uint64_t> ends_;
    std::vector<std::vector<CategoryTest>> categories_;  // by active column
    Floors floors_;                                      // of what is closed, by column
    Cost trivial_ = endless;                             // trees that part no rows at the root
    Cost shallow_ = endless;                             // trees of fewer levels

    uint32_t first_column_ = 0;  // of the root of the best tree of a level less: a good place to begin,
    uint32_t first_cut_ = 0;     // if there is a cut

    std::mutex guard_;
    std::condition_variable changed_;
    std::vector<Item> heap_;
    std::vector<std::pair<uint64_t, Cost>> in_work_;  // number and bound of the items that are being solved
    std::vector<uint32_t> in_work_column_;
    uint64_t next_number_ = 0;
    bool failed_ = false;
};

}  // namespace treewright::optimal
