// Branch and bound over the cuts of all columns.
#include "optimal/search.hpp"
#include "optimal/tests.hpp"

namespace treewright::optimal {

Cost Solver::solve(const Node& node, int depth, uint32_t leaves, Cost below, Cost planned, Plan& plan, const Floors* known,
                   Floors* found) {
    leaves = leaves_of_depth(depth, leaves);
    if (leaves == 1 || node.active.empty() || node.leaf <= price()) {
        plan.clear();
        if (found) std::fill(found->begin(), found->end(), node.leaf);
        return node.leaf;
    }
    if (below <= price()) {  // a leaf costs more than a split, and any split costs at least that
        if (found) std::fill(found->begin(), found->end(), price());
        return price();
    }
    // a tree that costs less has few splits, and so few levels
    const Cost splits = (below - 1) / price(), beyond = (splits + 1) * price();
    if (splits < depth) {
        const Cost cost = solve(node, static_cast<int>(splits), leaves, below, planned, plan, known, found);
        if (found)
            for (Cost& floor : *found) floor = std::min(floor, beyond);
        return std::min(cost, beyond);
    }
    if (splits < leaves) leaves = unlimited(depth, leaves);
    if (known) {
        Cost least = node.leaf;
        for (const uint32_t c : node.active) least = std::min(least, (*known)[c]);
        if (least >= below) {
            if (found) *found = *known;
            return least;
        }
    }
    if (depth > 1 && !setting_.row_groups.empty() && below <= loss().each()) {  // only a tree without mistakes is good enough
        Plan perfect;
        const auto most = static_cast<uint32_t>(std::min<Cost>(splits, leaves - 1));
        const auto fewest = error_free_.fewest(node, depth, most, planned > 0 ? &perfect : nullptr);
        const Cost cost = fewest ? *fewest * price() : std::min(beyond, loss().each());
        if (fewest && cost < planned) plan = std::move(perfect);
        if (found) std::fill(found->begin(), found->end(), cost);
        return cost;
    }
    if (leaves == 2) {
        const Cost cost = one_level(node, {below, planned}, plan);
        if (found) std::fill(found->begin(), found->end(), cost);
        return cost;
    }
    if (counts_sets(node, depth, leaves)) return by_sets(node, depth, std::min(below, planned), plan, found);
    if (depth == 2) return two_levels(node, leaves, {below, planned}, plan, known, found);
    return more_levels(node, depth, leaves, {below, planned}, plan, known, found);
}

// ---- one level -------------------------------------------------------------------------------------------------------------

Scan Solver::whole(const Node& node) {
    Scan scan;
    scan.loss = &loss();
    scan.n_rows = node.n_rows;
    scan.n_blocks = node.n_blocks();
    scan.left = {true, node.sums.data(), 0};
    scan.scratch = blocks_.scratch();
    return scan;
}

/// Cost of the best split of a node whose blocks are built, if it is less than `below`, else that.
Cost Solver::best_stump(const Node& node, Cost below) {
    Scan scan = whole(node);
    scan.left.best = below - node.squares;
    for (size_t i = 0; i < node.active.size(); ++i) {
        scan.column = blocks_[i];
        kernels_.scan[static_cast<size_t>(Places::none)](scan);
    }
    return scan.left.best + node.squares;
}

Cost Solver::subset_cost(const Node& node, size_t i) {
    blocks_.build(node, setting_.columns, loss(), listen(node));
    Scan scan = whole(node);
    scan.left.best = endless - node.squares;
    scan.column = blocks_[i];
    kernels_.scan[static_cast<size_t>(Places::none)](scan);
    return scan.left.best + node.squares + price();
}

/// The first test, by Rank, that splits one side of a scan at a cost of at most `cost` (without squares), up to rounding.
Test Solver::first_stump(const Node& node, Cost cost, Scan scan, Places places, bool left) {
    cost += loss().noise();
    Side side = left ? scan.left : scan.right;
    side.wanted = true;
    scan.left.wanted = scan.right.wanted = false;
    Test first;
    const auto on_side = [&](size_t i, uint32_t k) {
        if (places == Places::none) return left;
        const uint32_t place = places == Places::narrow ? narrow_[i * node.stride + k] : wide_[i * node.stride + k];
        return (place - scan.begin < scan.width || place - scan.begin_second < scan.width_second) == left;
    };
    std::vector<Cost> before(static_cast<size_t>(loss().width())), rest(before.size());
    for (size_t i = 0; i < node.active.size(); ++i) {
        const Column& of = column(node, i);
        if (first.kind != TestKind::leaf && of.feature != first.feature) break;
        scan.column = blocks_[i];
        if (places != Places::none) scan.places = places_of(node, i);
        Side& looked = left ? scan.left : scan.right;
        looked = side;
        looked.best = cost + 1;
        kernels_.scan[static_cast<size_t>(places)](scan);
        if (looked.best > cost) continue;
        if (of.categorical) return {TestKind::subset, true, of.feature, 0};
        std::fill(before.begin(), before.end(), 0);
        const uint32_t* group = node.group_of(i);
        uint32_t n_known = 0, known_before = 0;  // rows of this side that have a value
        for (uint32_t k = 0; k < node.n_rows; ++k) n_known += group[k] != of.missing_group && on_side(i, k);
        for (uint32_t k = 0; k + 1 < node.n_rows; ++k) {
            if (on_side(i, k)) {
                loss().add(node.row[node.order_of(i)[k]], before.data());
                known_before += group[k] != of.missing_group;
            }
            if (group[k] == group[k + 1] || known_before == 0) continue;
            for (size_t j = 0; j < rest.size(); ++j) rest[j] = side.sums[j] - before[j];
            if (loss().score(before.data()) + loss().score(rest.data()) > cost) continue;
            const Test test = of.cut(group[k], known_before == n_known ? of.missing_group : group[k + 1]);
            if (first.kind == TestKind::leaf || rank_of(test, 1) < rank_of(first, 1)) first = test;
            break;
        }
    }
    return first;
}

Cost Solver::one_level(const Node& node, Goal goal, Plan& plan) {
    setting_.limits.count(1, thread_);
    blocks_.build(node, setting_.columns, loss(), listen(node));
    const Cost stump = best_stump(node, node.leaf), cost = std::min(node.leaf, stump + price());
    if (cost >= std::min(goal.below, goal.planned)) return cost;
    plan.clear();
    if (cost < node.leaf) plan.nodes.push_back({first_stump(node, stump - node.squares, whole(node), Places::none, true)});
    return cost;
}

// ---- two-valued columns ----------------------------------------------------------------------------------------------------

Cost Solver::by_sets(const Node& node, int depth, Cost planned, Plan& plan, Floors* found) {
    const auto count = [&] { setting_.limits.count(1, thread_); };
    two_valued_.read(node, setting_.columns, loss(), listen(node));
    SetCosts costs;
    sets_.solve(two_valued_, loss(), depth, count, costs);
    if (found) {
        const Cost trivial = costs.one_level_less + price();
        std::fill(found->begin(), found->end(), trivial);
        for (size_t i = 0; i < node.active.size(); ++i)
            if (const int32_t alike = two_valued_.alike()[i]; alike >= 0)
                (*found)[node.active[i]] = std::min(costs.by_column[static_cast<size_t>(alike)], trivial);
        share_between_twins(setting_.columns, *found);
    }
    if (costs.best < planned) plan = sets_.first_of_best(two_valued_, loss(), costs, count);
    return costs.best;
}

// ---- branches --------------------------------------------------------------------------------------------------------------

void Solver::part(const Node& node, const uint32_t* places, uint32_t cut, Node* left, Node* right) {
    for (Node* child : {left, right}) {
        if (!child) continue;
        setting_.limits.poll_column(node.n_rows, thread_);
        child->shape(child == left ? cut : node.n_rows - cut, node.active.size());
        child->active = node.active;
    }
    sorted_.resize(node.n_rows);
    for (uint32_t i = 0; i < node.n_rows; ++i) sorted_[places[i]] = node.row[i];
    if (left) std::copy_n(sorted_.begin(), cut, left->row.begin());
    if (right) std::copy(sorted_.begin() + cut, sorted_.end(), right->row.begin());
    for (size_t i = 0; i < node.active.size(); ++i) {
        setting_.limits.poll_column(node.n_rows, thread_);
        Part to_left, to_right;
        if (left) to_left = {left->order_of(i), left->group_of(i)};
        if (right) to_right = {right->order_of(i), right->group_of(i)};
        kernels_.part(node.order_of(i), node.group_of(i), node.n_rows, places, cut, to_left, to_right);
    }
    for (Node* child : {left, right}) {
        if (!child) continue;
        child->drop_constant(setting_.columns);
        child->add_up(loss());
    }
}

}  // namespace treewright::optimal
