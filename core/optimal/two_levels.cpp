// Trees of two levels: the first split by intervals of cuts, the second ones by the kernels.
#include "optimal/search.hpp"
#include "optimal/tests.hpp"

namespace treewright::optimal {

/// Bring the rows of all columns in relation to the order of one.
void Solver::order_by(const Node& node, size_t i) {
    const uint32_t n = node.n_rows;
    const uint32_t* order = node.order_of(i);
    const auto width = static_cast<size_t>(loss().width());
    place_.resize(n);
    for (uint32_t k = 0; k < n; ++k) place_[order[k]] = k;
    places_ = n < 65535 ? Places::narrow : Places::wide;
    gathered_.assign(node.active.size(), 0);
    if (is_small_) small_.order_by(node, i);
    left_sums_.resize(width);
    right_sums_.resize(width);
    const Cost each = loss().each();  // where rows cost the same, the order is no matter
    if (each) {
        for (size_t k = most_.size(); k <= n; ++k) most_.push_back(static_cast<Cost>(k) * each);
    } else {
        most_.resize(n + 1);
        most_[0] = 0;
    }
    if (loss().kind() == LossKind::pair) {
        classes_ = blocks_[i].classes;
        const uint8_t* counts = blocks_[i].n_classes;
        ones_.resize(node.n_blocks() + 1);
        ones_[0] = 0;
        for (uint32_t b = 0; b < node.n_blocks(); ++b) ones_[b + 1] = ones_[b] + counts[b];
        if (each) return;
        const Cost zero = loss().mistake()[0], one = loss().mistake()[1];
        for (uint32_t k = 0; k < n; ++k) most_[k + 1] = most_[k] + ((classes_[k / 64] >> k % 64) & 1 ? one : zero);
        return;
    }
    sums_.resize((n + 1) * width);
    squares_.resize(n + 1);
    std::fill_n(sums_.begin(), width, 0);
    squares_[0] = 0;
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t row = node.row[order[k]];
        Cost* sums = &sums_[k * width];
        for (size_t j = 0; j < width; ++j) sums[width + j] = sums[j];
        loss().add(row, sums + width);
        squares_[k + 1] = squares_[k] + loss().square(row);
        if (!each) most_[k + 1] = most_[k] + loss().most(row);
    }
}

/// The places of a column's rows in that order; they are looked up when they are first asked for.
const void* Solver::places_of(const Node& node, size_t i) {
    const size_t size = node.active.size() * node.stride, at = i * node.stride;
    const bool narrow = places_ == Places::narrow;
    if (!gathered_[i]) {
        gathered_[i] = 1;
        if (narrow) {
            if (narrow_.size() < size) narrow_.resize(size);
            kernels_.gather_narrow(node.order_of(i), node.n_rows, place_.data(), narrow_.data() + at);
        } else {
            if (wide_.size() < size) wide_.resize(size);
            kernels_.gather_wide(node.order_of(i), node.n_rows, place_.data(), wide_.data() + at);
        }
    }
    return narrow ? static_cast<const void*>(narrow_.data() + at) : static_cast<const void*>(wide_.data() + at);
}

/// Add up the rows from one place of the order to another; gives their squares.
Cost Solver::sums_between(uint32_t begin, uint32_t end, Cost* sums) const {
    if (loss().kind() == LossKind::pair) {
        const auto upto = [&](uint32_t at) {
            const uint32_t block = at / 64, within = at % 64;
            return ones_[block] + (within ? std::popcount(classes_[block] & ((uint64_t{1} << within) - 1)) : 0);
        };
        const Cost ones = upto(end) - upto(begin);
        sums[0] += end - begin - ones;
        sums[1] += ones;
        return 0;
    }
    const auto width = static_cast<size_t>(loss().width());
    for (size_t j = 0; j < width; ++j) sums[j] += sums_[end * width + j] - sums_[begin * width + j];
    return squares_[end] - squares_[begin];
}

/// The best splits of both sides of a scan, as far as they cost more than what is enough.
void Solver::split_sides(const Node& node, Scan& scan, Cost enough_left, Cost enough_right) {
    const auto done = [&] {
        scan.left.wanted = scan.left.wanted && scan.left.best > enough_left;
        scan.right.wanted = scan.right.wanted && scan.right.best > enough_right;
        return !scan.left.wanted && !scan.right.wanted;
    };
    const auto look = [&](size_t i) {
        scan.column = blocks_[i];
        scan.places = places_of(node, i);
        const Cost left = scan.left.best, right = scan.right.best;
        kernels_.scan[static_cast<size_t>(places_)](scan);
        if (scan.left.best < left) best_left_ = i;
        if (scan.right.best < right) best_right_ = i;
    };
    if (!scan.left.wanted && !scan.right.wanted) return;
    if (is_small_) {
        small_.split_sides(scan);
        for (size_t i = 0; i < node.active.size() && !done(); ++i)
            if (column(node, i).categorical) look(i);
        return;
    }
    const size_t first = std::min(best_left_, node.active.size() - 1), second = std::min(best_right_, node.active.size() - 1);
    look(first);
    if (second != first && !done()) look(second);
    for (size_t i = 0; i < node.active.size() && !done(); ++i)
        if (i != first && i != second) look(i);
}

/// The cost of both sides of a split with one leaf or two each; not below what is known to be least (`low`), and exact as far as
/// it is below what is known to be possible (`high`).
Solver::Sides Solver::evaluate(const Node& node, const Range& range, uint32_t leaves_left, uint32_t leaves_right,
                               const CutBounds& low, const CutBounds& high) {
    const auto width = static_cast<size_t>(loss().width());
    std::fill(left_sums_.begin(), left_sums_.end(), 0);
    Cost squares = sums_between(range.begin, range.begin + range.width, left_sums_.data());
    if (range.width_second)
        squares += sums_between(range.begin_second, range.begin_second + range.width_second, left_sums_.data());
    for (size_t k = 0; k < width; ++k) right_sums_[k] = node.sums[k] - left_sums_[k];
    const Cost other_squares = node.squares - squares;
    Sides cost{std::max<Cost>(0, squares + loss().score(left_sums_.data())),
               std::max<Cost>(0, other_squares + loss().score(right_sums_.data()))};
    Scan scan = whole(node);
    scan.begin = range.begin;
    scan.width = range.width;
    scan.begin_second = range.begin_second;
    scan.width_second = range.width_second;
    const bool split_left = leaves_left > 1, split_right = leaves_right > 1;
    if (split_left) cost.left = std::min(cost.left, high.left);
    if (split_right) cost.right = std::min(cost.right, high.right);
    const auto start = [&](Side& side, bool wanted, const std::vector<Cost>& sums, Cost best, Cost least, Cost own) {
        side = {wanted && best > least && best > price(), sums.data(), best - price() - own};
    };
    start(scan.left, split_left, left_sums_, cost.left, low.left, squares);
    start(scan.right, split_right, right_sums_, cost.right, low.right, other_squares);
    const Cost enough_left = std::max<Cost>(low.left, 0) - price() - squares,
               enough_right = std::max<Cost>(low.right, 0) - price() - other_squares;
    split_sides(node, scan, enough_left, enough_right);
    if (split_left) cost.left = std::min(cost.left, scan.left.best + price() + squares);
    if (split_right) cost.right = std::min(cost.right, scan.right.best + price() + other_squares);
    return cost;
}

/// The best cut of the order that rows are brought in; gives a lower bound of what was not better.
Cost Solver::search_cuts(const Node& node, size_t i, uint32_t leaves_left, uint32_t leaves_right, Cost all_left, Cost all_right,
                         Goal& goal, Choice& choice) {
    const Column& of = column(node, i);
    const uint32_t* group = node.group_of(i);
    const std::span<const Cost> most(most_.data(), node.n_rows + 1);  // it may be longer
    const auto test_at = [&](uint32_t cut) { return of.cut(group[cut - 1], group[cut]); };
    const Rank column_rank{static_cast<uint64_t>(static_cast<uint32_t>(of.feature)), 0, 0};
    Cost lower = endless;
    stack_.clear();
    stack_.push_back({{0, 0, all_right}, {node.n_rows, all_left, 0}});
    while (!stack_.empty()) {
        const auto [a, b] = stack_.back();
        stack_.pop_back();
        Cost limit = goal.below;
        if (goal.ties && column_rank < goal.rank) {
            const uint32_t lowest = nearest_cut(blocks_.ends(i), a.at + 1, b.at - 1, a.at + 1);
            if (lowest) limit = goal.limit(rank_of(test_at(lowest), leaves_left));
        }
        const Cost least = price() + least_between(a, b, most[b.at] - most[a.at]);
        if (least >= limit) {
            lower = std::min(lower, least);
            continue;
        }
        const auto [low, high] = open_cuts(a, b, most, loss().each(), price(), limit);
        if (low > a.at + 1 || high < b.at - 1) lower = std::min(lower, limit);
        if (low > high) continue;
        const uint32_t at = nearest_cut(blocks_.ends(i), low, high, low + (high - low) / 2);
        if (!at) continue;
        setting_.limits.count(1, thread_, is_small_);
        const Cost from_a = most[at] - most[a.at], to_b = most[b.at] - most[at];
        CutBounds here = bounds_at(at, a, b, from_a, to_b);
        // the other way round: no tree for fewer rows costs more, nor one for more rows by more than these
        const CutBounds possible{at, std::min(b.left, a.left + from_a), std::min(a.right, b.right + to_b)};
        const Sides cost = evaluate(node, {0, at}, leaves_left, leaves_right, here, possible);
        here.left = std::max(here.left, cost.left);
        here.right = std::max(here.right, cost.right);
        const Cost total = price() + here.left + here.right;
        lower = std::min(lower, total);
        if (goal.improved_by(total, rank_of(test_at(at), leaves_left))) {
            const Test test = test_at(at);
            goal.improve(total, rank_of(test, leaves_left));
            choice = {Choice::split, i, {0, at}, test, leaves_left, leaves_right};
        }
        const bool left_first = a.left + here.right < here.left + b.right;
        const std::pair<CutBounds, CutBounds> halves[2] = {{a, here}, {here, b}};
        stack_.push_back(halves[left_first]);
        stack_.push_back(halves[!left_first]);
    }
    return lower;
}

Cost Solver::search_categories(const Node& node, size_t i, uint32_t leaves_left, uint32_t leaves_right, Cost all_left,
                               Cost all_right, Goal& goal, Choice& choice) {
    Cost lower = endless;
    for (const CategoryTest& t : category_tests(node, i, column(node, i))) {
        const Range range{t.begin, t.width, t.begin_second, t.width_second};
        const Rank rank = rank_of(t.test, leaves_left);
        Cost on_left = most_[t.begin + t.width] - most_[t.begin];
        if (t.width_second) on_left += most_[t.begin_second + t.width_second] - most_[t.begin_second];
        const Cost on_right = most_[node.n_rows] - on_left;
        const CutBounds low{0, std::max<Cost>(0, all_left - on_right), std::max<Cost>(0, all_right - on_left)};
        Cost total = price() + low.left + low.right;
        if (total < goal.limit(rank)) {
            setting_.limits.count(1, thread_);
            const Sides cost = evaluate(node, range, leaves_left, leaves_right, low, {0, endless, endless});
            total = price() + cost.left + cost.right;
            if (goal.improved_by(total, rank)) {
                goal.improve(total, rank);
                choice = {Choice::split, i, range, t.test, leaves_left, leaves_right};
            }
        }
        lower = std::min(lower, total);
    }
    return lower;
}

Cost Solver::two_levels(const Node& node, uint32_t leaves, Goal goal, Plan& plan, const Floors* known, Floors* found) {
    blocks_.build(node, setting_.columns, loss(), listen(node));
    is_small_ = small_.read(node, setting_.columns, loss(), blocks_);
    const Cost stump = best_stump(node, node.leaf) + price();
    const Cost all[3] = {0, node.leaf, std::min(node.leaf, stump)};
    Choice choice;
    Cost lower = all[2];
    if (node.leaf < goal.below) {
        goal.improve(node.leaf, before_all);
        choice.kind = Choice::leaf;
    }
    if (stump <= goal.below + goal.noise) {
        const Test test = goal.ties ? first_stump(node, stump - price() - node.squares, whole(node), Places::none, true) : Test{};
        if (goal.improved_by(stump, rank_of(test, 1))) {
            goal.improve(stump, rank_of(test, 1));
            choice = {Choice::stump, 0, {}, test, 1, 1};
        }
    }
    if (found) std::fill(found->begin(), found->end(), all[2] + price());
    for (size_t i = 0; i < node.active.size(); ++i) {
        const Column& of = column(node, i);
        const Rank first{static_cast<uint64_t>(static_cast<uint32_t>(of.feature)), 0, 0};
        Cost column_lower = of.categorical ? all[2] : endless;
        const Cost floor = known ? (*known)[node.active[i]] : 0;
        if (floor >= goal.limit(first)) {
            column_lower = floor;
        } else {
            setting_.limits.poll(thread_);
            order_by(node, i);
            each_allotment(2, leaves, [&](uint32_t left, uint32_t right) {
                const auto search = of.categorical ? &Solver::search_categories : &Solver::search_cuts;
                column_lower = std::min(column_lower, (this->*search)(node, i, left, right, all[left], all[right], goal, choice));
            });
            column_lower = std::max(column_lower, floor);
        }
        if (found) (*found)[node.active[i]] = std::min(column_lower, all[2] + price());
        lower = std::min(lower, column_lower);
    }
    if (found) share_between_twins(setting_.columns, *found);
    if (choice.kind == Choice::none) return lower;
    if (goal.below < goal.planned) write(node, choice, plan);
    return goal.below;
}

/// Write the plan of a choice; the second splits are looked for again.
void Solver::write(const Node& node, const Choice& choice, Plan& plan) {
    plan.clear();
    if (choice.kind == Choice::leaf) return;
    if (choice.kind == Choice::stump) {
        const Cost stump = best_stump(node, node.leaf) - node.squares;
        plan.nodes.push_back({first_stump(node, stump, whole(node), Places::none, true)});
        return;
    }
    order_by(node, choice.column);
    const CutBounds low{0, 0, 0}, high{0, endless, endless};
    const Sides cost = evaluate(node, choice.range, choice.leaves_left, choice.leaves_right, low, high);
    const Range& range = choice.range;
    plan.nodes.push_back({choice.test});
    Scan scan = whole(node);
    scan.begin = range.begin;
    scan.width = range.width;
    scan.begin_second = range.begin_second;
    scan.width_second = range.width_second;
    scan.left.sums = left_sums_.data();
    scan.right.sums = right_sums_.data();
    std::vector<Cost> sums(left_sums_.size());
    Cost squares = sums_between(range.begin, range.begin + range.width, sums.data());
    if (range.width_second) squares += sums_between(range.begin_second, range.begin_second + range.width_second, sums.data());
    for (const bool left : {true, false}) {
        const Cost own = left ? squares : node.squares - squares;
        const Cost leaf = std::max<Cost>(0, own + loss().score(left ? left_sums_.data() : right_sums_.data()));
        const Cost side = left ? cost.left : cost.right;
        if (side >= leaf) continue;
        (left ? plan.nodes[0].left : plan.nodes[0].right) = static_cast<int32_t>(plan.nodes.size());
        plan.nodes.push_back({first_stump(node, side - price() - own, scan, places_, left)});
    }
}

}  // namespace treewright::optimal
