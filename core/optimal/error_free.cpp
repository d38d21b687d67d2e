// Trees without mistakes, by halving orders.
#include "optimal/error_free.hpp"

#include "optimal/search.hpp"
#include "optimal/tests.hpp"

namespace treewright::optimal {

bool RowGroups::fits(const std::vector<Column>& columns, const Loss& loss) {
    return loss.each() > 0 && loss.noise() == 0 && std::none_of(columns.begin(), columns.end(), [](const Column& column) {
               return column.categorical || column.missing_group != Column::nothing_missing;
           });
}

void RowGroups::read(const Node& root, size_t n_columns, const std::function<void()>& poll) {
    n_vectors = vectors(n_columns);
    const size_t stride = n_vectors * OrderedRows::lanes;
    groups.assign(root.n_rows * stride, 0);
    for (size_t i = 0; i < root.active.size(); ++i) {
        poll();
        for (uint32_t k = 0; k < root.n_rows; ++k)
            groups[root.row[root.order_of(i)[k]] * stride + root.active[i]] = static_cast<int32_t>(root.group_of(i)[k]);
    }
}

namespace {

/// Splits that a tree of a depth may have.
uint32_t most_splits(int depth) { return depth > 30 ? std::numeric_limits<uint32_t>::max() : (1u << depth) - 1; }

/// The cut of an order next to a place, of those after `low` and before `high`; 0 if there is none.
uint32_t cut_near(const uint32_t* group, uint32_t low, uint32_t high, uint32_t place) {
    for (uint32_t at = place; at < high; ++at)
        if (group[at - 1] != group[at]) return at;
    for (uint32_t at = place - 1; at > low; --at)
        if (group[at - 1] != group[at]) return at;
    return 0;
}

}  // namespace

ErrorFree::Level& ErrorFree::level(int depth) {
    const auto at = static_cast<size_t>(depth);
    if (levels_.size() <= at) levels_.resize(at + 1);
    if (!levels_[at]) levels_[at] = std::make_unique<Level>();
    return *levels_[at];
}

void ErrorFree::order_by(const Node& node, size_t i, int depth) {
    auto& places = level(depth).places;
    places.resize(node.n_rows);
    for (uint32_t k = 0; k < node.n_rows; ++k) places[node.order_of(i)[k]] = k;
}

Test ErrorFree::test_at(const Node& node, size_t i, uint32_t cut) const {
    const uint32_t* group = node.group_of(i);
    return setting_.columns[node.active[i]].cut(group[cut - 1], group[cut]);
}

/// Whether one split tells two classes apart: an order begins with the rows of one, and ends with those of the other.
std::optional<uint32_t> ErrorFree::one_split(const Node& node, Plan* plan) const {
    for (size_t i = 0; i < node.active.size(); ++i) {
        const uint32_t *order = node.order_of(i), *group = node.group_of(i);
        const auto label = [&](uint32_t k) { return setting_.loss.label(node.row[order[k]]); };
        const int32_t first = label(0), last = label(node.n_rows - 1);
        if (first == last) continue;
        uint32_t cut = 1;
        while (label(cut) == first) ++cut;
        if (group[cut - 1] == group[cut]) continue;
        uint32_t end = node.n_rows - 1;
        while (end > cut && label(end - 1) == last) --end;
        if (end > cut) continue;
        if (plan) plan->nodes.assign(1, {test_at(node, i, cut)});
        return 1;
    }
    return {};
}

/// How far one end of an order is of one class, and how far one split tells two classes apart; no further than is enough.
ErrorFree::Reach ErrorFree::reach(const Node& node, size_t i, bool from_left, uint32_t enough) {
    setting_.limits.poll_column(node.n_rows, thread_);
    const uint32_t *order = node.order_of(i), *group = node.group_of(i), n = node.n_rows;
    const auto place = [&](uint32_t step) { return from_left ? step : n - 1 - step; };
    const auto label = [&](uint32_t step) { return setting_.loss.label(node.row[order[place(step)]]); };
    const auto is_cut = [&](uint32_t step) { return group[place(step - 1)] != group[place(step)]; };
    const auto down_to_cut = [&](uint32_t step) {
        while (step > 0 && !is_cut(step)) --step;
        return step;
    };
    uint32_t step = 1;
    while (step + 1 < n && label(step) == label(0)) ++step;
    Reach reach;
    reach.none = reach.one = down_to_cut(step);
    if (reach.one >= enough || step + 1 >= n) return reach;
    while (enough < n && !is_cut(enough)) ++enough;
    const RowGroups& groups = setting_.row_groups;
    scratch_.resize(5 * OrderedRows::lanes * groups.n_vectors);
    const OrderedRows rows{
        order, node.row.data(), n, !from_left, setting_.loss.labels(), groups.groups.data(), groups.n_vectors, scratch_.data()};
    reach.one = down_to_cut(kernels().apart(rows, label(0), label(step), std::min(enough, n - 1)));
    return reach;
}

std::optional<uint32_t> ErrorFree::two_levels(const Node& node, uint32_t most, Plan* plan) {
    if (const auto one = one_split(node, plan)) return one;
    const uint32_t n = node.n_rows;
    size_t column = 0;
    Cut cut{0, 0, 0};
    for (size_t i = 0; i < node.active.size(); ++i) {
        const bool both = most > 2 && cut.at == 0;  // whether both branches may be split
        Reach left = reach(node, i, true, both ? n : 0);
        if (both && left.one == 0) continue;
        const Reach right = reach(node, i, false, both || left.none ? n - left.none : 0);
        if (!both && right.none) left = reach(node, i, true, n - right.none);
        const bool none_left = left.none && left.none + right.one >= n, none_right = right.none && left.one + right.none >= n;
        if (none_left || none_right) {
            column = i;
            cut = none_left ? Cut{left.none, 0, 1} : Cut{n - right.none, 1, 0};
            break;
        }
        if (both && left.one + right.one >= n) {
            column = i;
            cut = {left.one, 1, 1};
        }
    }
    if (cut.at == 0) return {};
    if (plan) {
        Plan left, right;
        order_by(node, column, 2);
        branch(node, cut.at, true, 1, 1, &left);
        branch(node, cut.at, false, 1, 1, &right);
        *plan = Plan::join(test_at(node, column, cut.at), left, right);
    }
    return 1 + cut.left + cut.right;
}

/// The splits of a tree for one branch of a cut, of at most so many; the order of its column is brought in.
std::optional<uint32_t> ErrorFree::branch(const Node& node, uint32_t cut, bool left, int depth, uint32_t most, Plan* plan) {
    Level& at = level(depth + 1);
    Node& child = left ? at.left : at.right;
    solver_.part(node, at.places.data(), cut, left ? &child : nullptr, left ? nullptr : &child);
    return some(child, depth, most, plan);
}

/// A cut of an order whose branches can do with so many splits each.
std::optional<ErrorFree::Cut> ErrorFree::cut_with(const Node& node, size_t i, int depth, uint32_t most_left, uint32_t most_right,
                                                  const Ends& ends, Plan* left, Plan* right) {
    const uint32_t n = node.n_rows;
    const uint32_t* group = node.group_of(i);
    const auto on_left = [&](uint32_t cut) { return branch(node, cut, true, depth - 1, most_left, left); };
    const auto on_right = [&](uint32_t cut) { return branch(node, cut, false, depth - 1, most_right, right); };
    const auto both = [&](uint32_t cut) -> std::optional<Cut> {
        const bool left_first = most_left <= most_right;
        const auto first = left_first ? on_left(cut) : on_right(cut);
        if (!first) return {};
        const auto second = left_first ? on_right(cut) : on_left(cut);
        if (!second) return {};
        return left_first ? Cut{cut, *first, *second} : Cut{cut, *second, *first};
    };
    if (std::min(most_left, most_right) <= 1) {  // the furthest cut of the branch that has the fewer
        const bool from_left = most_left <= most_right;
        const Reach& far = from_left ? ends.left : ends.right;
        const uint32_t rows = (from_left ? most_left : most_right) == 0 ? far.none : far.one;
        return rows == 0 ? std::nullopt : both(from_left ? rows : n - rows);
    }
    uint32_t low = ends.left.one, high = n - ends.right.one;
    if (low >= high) return both(low);
    bool low_open = low > 0, high_open = high < n;  // whether the other branch of these is not known
    const double share = (most_left + 1.0) / (most_left + most_right + 2.0);
    while (true) {
        const uint32_t cut =
            high - low < 2 ? 0 : cut_near(group, low, high, low + 1 + static_cast<uint32_t>((high - low - 2) * share));
        if (cut == 0) break;
        const auto of_left = on_left(cut), of_right = on_right(cut);
        if (of_left && of_right) return Cut{cut, *of_left, *of_right};
        if (!of_left && !of_right) return {};
        (of_left ? low : high) = cut;
        (of_left ? low_open : high_open) = false;
    }
    if (low_open)
        if (const auto cut = both(low)) return cut;
    return high_open ? both(high) : std::nullopt;
}

/// A cut of an order for a tree of at most so many splits.
std::optional<ErrorFree::Cut> ErrorFree::cut_of(const Node& node, size_t i, int depth, uint32_t most, const Ends& ends,
                                                Plan* left, Plan* right) {
    const uint32_t below = most - 1, each = std::min(below, most_splits(depth - 1));
    for (uint32_t on_left = below - each; on_left <= each; ++on_left)
        if (const auto cut = cut_with(node, i, depth, on_left, below - on_left, ends, left, right)) return cut;
    return {};
}

ErrorFree::RowSet ErrorFree::row_set(const Node& node, int depth) {
    const auto mix = [](uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    };
    RowSet set{0, 0, depth};
    for (const uint32_t row : node.row) {
        const uint64_t first = mix((row + uint64_t{1}) * 0x9e3779b97f4a7c15u);
        set.first += first;
        set.second += mix(first + 0x9e3779b97f4a7c15u);
    }
    return set;
}

/// Splits of some tree of at most so many; none if there is no such tree.
std::optional<uint32_t> ErrorFree::some(const Node& node, int depth, uint32_t most, Plan* plan, bool fewest) {
    uint32_t n_classes = 0;
    for (const Cost rows : node.sums) n_classes += rows > 0;
    if (plan) plan->clear();
    if (n_classes == 1) return 0;
    most = std::min(most, most_splits(depth));
    if (n_classes > most + 1 || node.active.empty()) return {};
    depth = std::min(depth, static_cast<int>(most));
    if (depth == 1) return one_split(node, plan);
    if (depth == 2) {
        setting_.limits.count(1, thread_, true);
        return two_levels(node, most, plan);
    }
    const RowSet rows = row_set(node, depth);
    if (const auto known = known_.find(rows); known != known_.end()) {
        if (most <= known->second.too_few) return {};
        if (!plan && !fewest && known->second.enough <= most) return known->second.enough;
    }
    setting_.limits.count(1, thread_, true);
    if (n_classes == 2)
        if (const auto one = one_split(node, plan)) return one;
    std::optional<uint32_t> found;
    Plan left, right;
    for (size_t i = 0; i < node.active.size(); ++i) {
        order_by(node, i, depth);
        const Ends ends{reach(node, i, true, node.n_rows), reach(node, i, false, node.n_rows)};
        while (most > 0) {
            const auto cut = cut_of(node, i, depth, most, ends, plan ? &left : nullptr, plan ? &right : nullptr);
            if (!cut) break;
            found = 1 + cut->left + cut->right;
            if (plan) *plan = Plan::join(test_at(node, i, cut->at), left, right);
            if (!fewest) break;
            most = *found - 1;
        }
        if (found && !fewest) break;
    }
    constexpr size_t bytes_of_one = 2 * sizeof(RowSet) + sizeof(Known);
    if (known_.size() >= most_known || !setting_.limits.allows((known_.size() + 1) * bytes_of_one)) known_.clear();
    Known& known = known_[rows];
    if (found) known.enough = std::min(known.enough, *found);
    if (!found || fewest) known.too_few = std::max(known.too_few, most);
    return found;
}

Plan ErrorFree::first(const Node& node, int depth, uint32_t splits) {
    Plan plan;
    if (splits == 0) return plan;
    if (splits == 1) {
        one_split(node, &plan);
        return plan;
    }
    Node left, right;
    for (size_t i = 0; i < node.active.size(); ++i) {
        order_by(node, i, depth);
        // the more splits the right branch has, the lower the cut may be
        const Ends ends{reach(node, i, true, node.n_rows), reach(node, i, false, node.n_rows)};
        auto cut = cut_of(node, i, depth, splits, ends, nullptr, nullptr);
        if (!cut) continue;
        const uint32_t* group = node.group_of(i);
        uint32_t low = 0;
        while (cut->at - low > 1) {
            const uint32_t at = cut_near(group, low, cut->at, cut->at - (cut->at - low) / 2);
            if (at == 0) break;
            if (branch(node, at, false, depth - 1, cut->right, nullptr)) cut->at = at;
            else low = at;
        }
        solver_.part(node, level(depth).places.data(), cut->at, &left, &right);
        return Plan::join(test_at(node, i, cut->at), first(left, depth - 1, cut->left), first(right, depth - 1, cut->right));
    }
    return plan;
}

}  // namespace treewright::optimal
