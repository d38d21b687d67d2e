// Best-first search over the intervals of cuts of all columns.
#include "optimal/best_first.hpp"

#include <map>
#include <numeric>

namespace treewright::optimal {

namespace {

/// The heap has the least bound on top, of equal ones the earliest.
template <class Item>
bool comes_later(const Item& x, const Item& y) {
    return x.least != y.least ? x.least > y.least : x.number > y.number;
}

}  // namespace

NodeSearch::NodeSearch(const Setting& setting, const Node& node, int depth, uint32_t leaves, const Goal& goal,
                       const SolveShallow& shallow, const Floors* known, int32_t feature, int thread)
    : setting_(setting), node_(node), depth_(depth), leaves_(leaves), goal_(goal) {
    measure(thread);
    start(shallow, known, feature);
}

/// Where the orders may be cut, and how much trees may get dearer by the rows up to a place.
void NodeSearch::measure(int thread) {
    const size_t n = node_.active.size(), n_blocks = node_.n_blocks();
    most_.resize(n * (node_.n_rows + 1));
    ends_.assign(n * n_blocks, 0);
    categories_.resize(n);
    for (size_t i = 0; i < n; ++i) {
        setting_.limits.poll_column(node_.n_rows, thread);
        const uint32_t *order = node_.order_of(i), *group = node_.group_of(i);
        Cost* most = most_.data() + i * (node_.n_rows + 1);
        most[0] = 0;
        for (uint32_t k = 0; k < node_.n_rows; ++k) most[k + 1] = most[k] + setting_.loss.most(node_.row[order[k]]);
        if (column(i).categorical) {
            categories_[i] = category_tests(node_, i, column(i));
            continue;
        }
        for (uint32_t k = 0; k + 1 < node_.n_rows; ++k)
            ends_[i * n_blocks + k / 64] |= static_cast<uint64_t>(group[k] != group[k + 1] && column(i).may_cut_after(group[k]))
                                            << k % 64;
    }
}

/// Begin with the best trees of a level less: they are trees, and bounds for cuts at either end of an order.
void NodeSearch::start(const SolveShallow& solve_shallow, const Floors* known, int32_t feature) {
    floors_.assign(setting_.columns.size(), endless);
    std::map<uint32_t, Shallow> shallow;  // by number of leaves
    const auto try_shallow = [&](uint32_t leaves) {
        if (shallow.contains(leaves)) return;
        const auto& [cost, floors, plan] = shallow[leaves] = solve_shallow(leaves);
        shallow_ = std::min(shallow_, cost);
        // larger trees come up again in the search, where their place among equals is known
        const Rank rank = plan.nodes.empty() ? before_all : plan.nodes.size() == 1 ? rank_of(plan.nodes[0].test, 1) : Rank{};
        if (feature < 0 && goal_.improved_by(cost, rank)) {
            goal_.improve(cost, rank);
            plan_ = plan;
            found_ = true;
        }
        if (!known && !plan.nodes.empty()) prefer(plan.nodes[0].test);
    };
    each_allotment(depth_, leaves_, [&](uint32_t left, uint32_t right) {
        try_shallow(left);
        try_shallow(right);
    });
    trivial_ = price() + shallow_;
    const Floors none(setting_.columns.size(), 0);
    each_allotment(depth_, leaves_, [&](uint32_t left, uint32_t right) {
        const Shallow &all_left = shallow[left], &all_right = shallow[right];
        const auto point = [&](const CutBounds& bounds, const Floors& on_left, const Floors& on_right) {
            auto made = std::make_shared<Point>(setting_.limits);
            made->bounds = bounds;
            made->left = on_left;
            made->right = on_right;
            made->hold();
            return made;
        };
        const PointPtr a = point({0, 0, all_right.cost}, none, all_right.floors);
        const PointPtr b = point({node_.n_rows, all_left.cost, 0}, all_left.floors, none);
        for (uint32_t k = 0; k < node_.active.size(); ++k) {
            const uint32_t i = k == 0 ? first_column_ : k <= first_column_ ? k - 1 : k;
            if (feature >= 0 && column(i).feature != feature) continue;
            const Cost floor = known ? (*known)[node_.active[i]] : 0, everything = most(i)[node_.n_rows];
            if (!column(i).categorical) {
                push({std::max(floor, price() + least_between(a->bounds, b->bounds, everything)), 0, i, left, right, a, b});
                continue;
            }
            close(i, all_left.floors[node_.active[i]]);  // subsets of categories, where both branches are leaves
            for (size_t c = 0; c < categories_[i].size(); ++c) {
                Item item{0, 0, i, left, right, a, b, static_cast<int32_t>(c)};
                const Cost on_left = dearest_left(item), on_right = everything - on_left;
                const Cost least = std::max<Cost>(0, all_left.cost - on_right) + std::max<Cost>(0, all_right.cost - on_left);
                item.least = std::max(floor, price() + least);
                push(std::move(item));
            }
        }
    });
}

/// Begin with the cut of a test.
void NodeSearch::prefer(const Test& test) {
    if (test.kind != TestKind::threshold) return;
    for (uint32_t i = 0; i < node_.active.size(); ++i) {
        if (column(i).feature != test.feature || column(i).missing_first() != test.missing_left) continue;
        const uint32_t* group = node_.group_of(i);
        first_column_ = i;
        first_cut_ =
            static_cast<uint32_t>(std::upper_bound(group, group + node_.n_rows, static_cast<uint32_t>(test.at) + 1) - group);
    }
}

/// How much trees may get dearer by the rows that a test of a category sends left.
Cost NodeSearch::dearest_left(const Item& item) const {
    const CategoryTest& t = categories_[item.column][static_cast<size_t>(item.category)];
    const auto sums = most(item.column);
    const Cost first = sums[t.begin + t.width] - sums[t.begin];
    return t.width_second ? first + sums[t.begin_second + t.width_second] - sums[t.begin_second] : first;
}

void NodeSearch::close(uint32_t column, Cost bound) {
    Cost& floor = floors_[node_.active[column]];
    floor = std::min(floor, bound);
}

void NodeSearch::push(Item&& item) {
    item.number = next_number_++;
    heap_.push_back(std::move(item));
    std::push_heap(heap_.begin(), heap_.end(), comes_later<Item>);
}

/// The place among equals of the first test of an item.
Rank NodeSearch::first_rank(const Item& item) const {
    if (!goal_.ties) return before_all;
    if (item.category >= 0) return rank_of(categories_[item.column][static_cast<size_t>(item.category)].test, item.leaves_left);
    const uint32_t from = item.a->bounds.at + 1, to = item.b->bounds.at - 1;
    const uint32_t cut = from <= to ? nearest_cut(ends(item.column), from, to, from) : 0;
    return cut ? rank_of(test_at(item.column, cut), item.leaves_left) : Rank{};
}

/// The next thing to solve; false if nothing is left. The caller holds the guard.
bool NodeSearch::take(Task& task) {
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), comes_later<Item>);
        Item item = std::move(heap_.back());
        heap_.pop_back();
        const Rank rank = first_rank(item);
        const Cost limit = goal_.limit(rank);
        if (item.least >= limit) {
            close(item.column, item.least);
            continue;
        }
        task.rank = rank;
        task.limit = limit;
        task.slack = 0;
        if (item.category >= 0) {
            const CategoryTest& t = categories_[item.column][static_cast<size_t>(item.category)];
            task.test = t.test;
            task.cut = t.width + t.width_second;
        } else {
            const auto& [a, b] = std::tie(item.a->bounds, item.b->bounds);
            const auto sums = most(item.column);
            const auto [low, high] = open_cuts(a, b, sums, setting_.loss.each(), price(), limit);
            if (low > a.at + 1 || high < b.at - 1) close(item.column, std::max(limit, item.least));
            if (low > high) continue;
            const bool first =
                item.column == first_column_ && a.at == 0 && b.at == node_.n_rows && low <= first_cut_ && first_cut_ <= high;
            task.cut = nearest_cut(ends(item.column), low, high, first ? first_cut_ : low + (high - low) / 2);
            if (!task.cut) continue;
            task.low = low;
            task.high = high;
            task.test = test_at(item.column, task.cut);
            // what is proven beyond the limit rules out neighbouring cuts as well: a quarter more, or the cost of a few rows; but
            // a tree of few splits and no mistake is ruled out sooner for its number of splits
            const Cost reach = std::max(sums[task.cut] - sums[low - 1], sums[high + 1] - sums[task.cut]);
            const Cost row = sums[node_.n_rows] / node_.n_rows;
            const bool few_splits = limit <= std::min(row, 2 * depth_ * price());
            task.slack = std::min(reach / 2, std::max(goal_.below / 4, few_splits ? 0 : 4 * row));
        }
        task.item = std::move(item);
        return true;
    }
    return false;
}

/// The places of rows (by local number) in an order that has the rows of the left branch first.
void NodeSearch::places_of(const Task& task, std::vector<uint32_t>& places) const {
    places.resize(node_.n_rows);
    const uint32_t* order = node_.order_of(task.item.column);
    if (task.item.category < 0) {
        for (uint32_t k = 0; k < node_.n_rows; ++k) places[order[k]] = k;
        return;
    }
    const CategoryTest& t = categories_[task.item.column][static_cast<size_t>(task.item.category)];
    uint32_t left = 0, right = task.cut;
    for (uint32_t k = 0; k < node_.n_rows; ++k)
        places[order[k]] = (k - t.begin < t.width || k - t.begin_second < t.width_second) ? left++ : right++;
}

/// Solve both sides of a cut as far as that may lead to a better tree.
NodeSearch::Solved NodeSearch::solve(Solver& solver, const Task& task) {
    const Item& item = task.item;
    Solved solved;
    solved.point = std::make_shared<Point>(setting_.limits);
    Point& point = *solved.point;
    point.bounds.at = task.cut;

    // what is known before anything is solved
    const auto sums = most(item.column);
    Cost from_a, to_b;
    if (item.category < 0) {
        from_a = sums[task.cut] - sums[item.a->bounds.at];
        to_b = sums[item.b->bounds.at] - sums[task.cut];
    } else {
        from_a = dearest_left(item);
        to_b = sums[node_.n_rows] - from_a;
    }
    const auto combine = [](const Floors& one, Cost less_one, const Floors& other, Cost less_other, Floors& to) {
        to.resize(one.size());
        for (size_t c = 0; c < to.size(); ++c) to[c] = std::max(one[c] - less_one, other[c] - less_other);
    };
    combine(item.a->left, 0, item.b->left, to_b, point.left);
    combine(item.b->right, 0, item.a->right, from_a, point.right);
    point.hold();
    CutBounds& bounds = point.bounds;
    bounds = bounds_at(task.cut, item.a->bounds, item.b->bounds, from_a, to_b);

    auto& children = solver.children_;
    if (children.size() <= static_cast<size_t>(depth_)) children.resize(static_cast<size_t>(depth_) + 1);
    if (!children[static_cast<size_t>(depth_)]) children[static_cast<size_t>(depth_)] = std::make_unique<Solver::Children>();
    auto& [left, right, places] = *children[static_cast<size_t>(depth_)];
    places_of(task, places);
    const bool left_first = task.cut <= node_.n_rows - task.cut;
    for (const bool on_left : {left_first, !left_first}) {
        const Cost wanted = task.limit + task.slack - price();
        if (bounds.left + bounds.right >= wanted) break;
        Node& child = on_left ? left : right;
        solver.part(node_, places.data(), task.cut, on_left ? &left : nullptr, on_left ? nullptr : &right);
        Floors& floors = on_left ? point.left : point.right;
        Floors found(floors.size(), 0);
        Cost& mine = on_left ? bounds.left : bounds.right;
        const Cost other = on_left ? bounds.right : bounds.left, planned = std::min(task.limit, goal_.planned) - price() - other;
        const Cost cost = solver.solve(child, depth_ - 1, on_left ? item.leaves_left : item.leaves_right, wanted - other, planned,
                                       on_left ? solved.left : solved.right, &floors, &found);
        for (size_t c = 0; c < floors.size(); ++c) floors[c] = std::max(floors[c], found[c]);
        mine = std::max(mine, cost);
    }
    if (bounds.left + bounds.right + price() < task.limit) solved.places = places;
    return solved;
}

/// Take note of what was solved, and put back what remains of the interval. The caller holds the guard.
void NodeSearch::put_back(const Task& task, Solved&& solved) {
    const Item& item = task.item;
    const CutBounds& bounds = solved.point->bounds;
    const Cost total = price() + bounds.left + bounds.right;
    close(item.column, total);
    const Rank rank = rank_of(task.test, item.leaves_left);
    if (total < task.limit && goal_.improved_by(total, rank)) {
        goal_.improve(total, rank);
        found_ = true;
        plan_ = Plan::join(task.test, solved.left, solved.right);
        root_ = RootChoice{task.test,   std::move(solved.places), task.cut, item.leaves_left, item.leaves_right, bounds.left,
                           bounds.right};
    }
    if (item.category >= 0) return;
    const auto sums = most(item.column);
    const PointPtr here = std::move(solved.point);
    for (const auto& [a, b] : {std::pair<PointPtr, PointPtr>{item.a, here}, {here, item.b}}) {
        if (b->bounds.at - a->bounds.at < 2) continue;
        const Cost least = price() + least_between(a->bounds, b->bounds, sums[b->bounds.at] - sums[a->bounds.at]);
        push({std::max(item.least, least), 0, item.column, item.leaves_left, item.leaves_right, a, b});
    }
}

void NodeSearch::work(Solver& solver, const Tell& tell) {
    std::unique_lock lock(guard_);
    Task task;
    while (!failed_) {
        if (!take(task)) {
            if (in_work_.empty()) break;
            changed_.wait(lock);
            continue;
        }
        const uint64_t number = task.item.number;
        in_work_.push_back({number, task.item.least});
        in_work_column_.push_back(task.item.column);
        if (tell) {
            Cost lower = goal_.below;
            for (const auto& [of, bound] : in_work_) lower = std::min(lower, bound);
            tell(goal_.below, lower);
        }
        lock.unlock();
        Solved solved;
        try {
            solved = solve(solver, task);
        } catch (...) {  // what was in work stays there: it is open
            lock.lock();
            failed_ = true;
            changed_.notify_all();
            throw;
        }
        lock.lock();
        for (size_t i = 0; i < in_work_.size(); ++i)
            if (in_work_[i].first == number) {
                in_work_.erase(in_work_.begin() + static_cast<int64_t>(i));
                in_work_column_.erase(in_work_column_.begin() + static_cast<int64_t>(i));
                break;
            }
        put_back(task, std::move(solved));
        changed_.notify_all();
    }
    changed_.notify_all();
}

Floors NodeSearch::floors() const {
    Floors floors = floors_;
    for (const Item& item : heap_) {
        Cost& floor = floors[node_.active[item.column]];
        floor = std::min(floor, item.least);
    }
    for (size_t i = 0; i < in_work_.size(); ++i) {
        Cost& floor = floors[node_.active[in_work_column_[i]]];
        floor = std::min(floor, in_work_[i].second);
    }
    for (Cost& floor : floors) floor = std::min(floor, trivial_);
    share_between_twins(setting_.columns, floors);
    return floors;
}

Cost NodeSearch::lower() const {
    const Floors by_column = floors();
    Cost lower = shallow_;
    for (const uint32_t c : node_.active) lower = std::min(lower, by_column[c]);
    return lower;
}

// ---- the solver's part -----------------------------------------------------------------------------------------------------

Cost Solver::more_levels(const Node& node, int depth, uint32_t leaves, const Goal& goal, Plan& plan, const Floors* known,
                         Floors* found) {
    const auto shallow = [&](uint32_t with_leaves) {
        NodeSearch::Shallow result;
        result.floors.resize(setting_.columns.size());
        result.cost = solve(node, depth - 1, with_leaves, goal.below, goal.planned, result.plan, nullptr, &result.floors);
        return result;
    };
    NodeSearch search(setting_, node, depth, leaves, goal, shallow, known, -1, thread_);
    search.work(*this);
    if (found) *found = search.floors();
    if (!search.found()) return search.lower();
    plan = search.plan();
    return search.goal().below;
}

Plan Solver::first_of_best(const Node& node, int depth, uint32_t leaves, Cost cost) {
    leaves = leaves_of_depth(depth, leaves);
    const Goal goal = Goal::first_of(cost, loss().noise());
    Plan plan;
    if (leaves == 1 || node.active.empty() || node.leaf <= cost) return plan;
    if (!setting_.row_groups.empty() && cost < loss().each()) {
        plan = error_free_.first(node, depth, static_cast<uint32_t>(cost / price()));
    } else if (leaves == 2) {
        one_level(node, goal, plan);
    } else if (counts_sets(node, depth, leaves)) {
        by_sets(node, depth, endless, plan, nullptr);
    } else if (depth == 2) {
        two_levels(node, leaves, goal, plan, nullptr, nullptr);
    } else {
        const auto shallow = [&](uint32_t with_leaves) {
            NodeSearch::Shallow result;
            result.floors.resize(setting_.columns.size());
            result.cost = solve(node, depth - 1, with_leaves, endless, goal.planned, result.plan, nullptr, &result.floors);
            return result;
        };
        NodeSearch search(setting_, node, depth, leaves, goal, shallow, nullptr, -1, thread_);
        search.work(*this);
        plan = search.root() ? first_below(node, depth, *search.root()) : search.plan();
    }
    return plan;
}

Plan Solver::first_below(const Node& node, int depth, const RootChoice& root) {
    Node left, right;
    part(node, root.places.data(), root.cut, &left, &right);
    return Plan::join(root.test, first_of_best(left, depth - 1, root.leaves_left, root.left),
                      first_of_best(right, depth - 1, root.leaves_right, root.right));
}

}  // namespace treewright::optimal
