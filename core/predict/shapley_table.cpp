#include "predict/shapley_table.hpp"

#include <algorithm>

namespace treewright {

namespace {

constexpr size_t most_numbers = size_t{1} << 17;  // of all entries: a megabyte, which stays in the second cache
constexpr size_t most_players = 12;               // on one way

/// The players on the way to each step, in the order of their first steps.
std::vector<std::vector<size_t>> players_on_the_way(const ShapleySteps& steps) {
    std::vector<std::vector<size_t>> found(steps.size());
    for (size_t i = 1; i < steps.size(); ++i) {
        found[i] = found[static_cast<size_t>(steps.parent[i])];
        const auto player = static_cast<size_t>(steps.player[i]);
        if (std::ranges::find(found[i], player) == found[i].end()) found[i].push_back(player);
    }
    return found;
}

std::vector<bool> goes_on(const ShapleySteps& steps) {
    std::vector<bool> found(steps.size(), false);
    for (size_t i = 1; i < steps.size(); ++i) found[static_cast<size_t>(steps.parent[i])] = true;
    return found;
}

/// What lies below a step.
struct Below {
    size_t nodes = 0, entries = 0, end = 0;  // nodes with branches, entries of a table for each end, the step after all of them
    bool binary = true;                      // every row takes one of two branches everywhere
};

/// Ids are in preorder: what lies below a step follows it.
std::vector<Below> all_below(const TreeView& tree, const ShapleySteps& steps, const std::vector<std::vector<size_t>>& way) {
    std::vector<Below> found(steps.size());
    for (size_t i = steps.size(); i-- > 0;) {
        Below& own = found[i];
        own.end = std::max(own.end, i + 1);
        if (i < tree.size() && tree.children.count(i) > 0) {
            ++own.nodes;
            own.binary &= tree.children.count(i) == 2;
        } else {
            own.entries = size_t{1} << way[i].size();
        }
        if (i == 0) break;
        Below& above = found[static_cast<size_t>(steps.parent[i])];
        above.binary &= own.binary && i < tree.size();  // behind the nodes are the steps of rows that stay
        above.nodes += own.nodes;
        above.entries += own.entries;
        if (i < tree.size()) above.end = std::max(above.end, own.end);
    }
    return found;
}

}  // namespace

bool ShapleyWays::suit(const TreeView& tree, const ShapleySteps& steps) {
    if (steps.size() > most_numbers) return false;
    for (size_t node = 0; node < tree.size(); ++node)
        if (tree.children.count(node) > 0 && tree.default_branch[node] == share_row) return false;
    // by step the number of players on the way, counted without listing them: a chain of splits may be long
    std::vector<size_t> many(steps.size(), 0);
    const std::vector<bool> inner = goes_on(steps);
    size_t numbers = 0;
    for (size_t i = 1; i < steps.size(); ++i) {
        bool seen = false;
        for (auto above = static_cast<size_t>(steps.parent[i]); above > 0; above = static_cast<size_t>(steps.parent[above]))
            if ((seen = steps.player[above] == steps.player[i])) break;
        many[i] = many[static_cast<size_t>(steps.parent[i])] + !seen;
        if (many[i] > most_players) return false;
        if (!inner[i]) numbers += steps.width * many[i] << many[i];
        if (numbers > most_numbers) return false;
    }
    return true;
}

ShapleyWays::ShapleyWays(const TreeView& tree, const ShapleySteps& steps) : step_(steps.size()) {
    const std::vector<std::vector<size_t>> way = players_on_the_way(steps);
    const std::vector<Below> below = all_below(tree, steps, way);
    std::vector<std::vector<double>> share(steps.size());
    for (size_t i = 1; i < steps.size(); ++i) {
        const auto parent = static_cast<size_t>(steps.parent[i]), player = static_cast<size_t>(steps.player[i]);
        const auto place = static_cast<size_t>(std::ranges::find(way[i], player) - way[i].begin());
        const bool first = way[i].size() > way[parent].size();
        step_[i] = {static_cast<uint32_t>(parent), static_cast<int32_t>(steps.branch[i]), 1u << place, first ? 1u << place : 0u};
        share[i] = share[parent];
        share[i].resize(way[i].size(), 1.0);
        share[i][place] *= steps.share[i];
    }
    for (size_t top = 0; top < steps.size();) {
        upper_.push_back(top);
        const size_t bits = way[top].size() + below[top].nodes;
        if (!below[top].binary || bits >= 32 || size_t{1} << bits > below[top].entries) {  // larger than a table for each end
            ++top;
            continue;
        }
        Twig twig{top, below[top].end, end_.size(), 0, node_.size(), 0, way[top].size(), offset_.size(),
                  0,   n_entries_,     n_numbers_};
        std::vector<size_t> players;
        for (; top < twig.end_step; ++top) {
            if (below[top].nodes > 0) {
                node_.push_back(top);
                continue;
            }
            end_.push_back({top, place_.size(), way[top].size()});
            share_.insert(share_.end(), share[top].begin(), share[top].end());
            for (const size_t player : way[top]) {
                const auto place = static_cast<size_t>(std::ranges::find(players, player) - players.begin());
                if (place == players.size()) players.push_back(player);
                place_.push_back(place * steps.width);
            }
        }
        for (const size_t player : players)
            for (size_t k = 0; k < steps.width; ++k) offset_.push_back(player * steps.width + k);
        twig.last_end = end_.size();
        twig.last_node = node_.size();
        twig.n_numbers = offset_.size() - twig.offset;
        n_entries_ += size_t{1} << bits;
        n_numbers_ += twig.n_numbers << bits;
        twig_.push_back(twig);
    }
    upper_.erase(upper_.begin());  // the root is no step
}

ShapleyTable::ShapleyTable(const Router& router, const ShapleySteps& steps, const ShapleyWays& ways)
    : router_(router),
      steps_(steps),
      ways_(ways),
      chosen_(router.tree.size()),
      taken_(steps.size()),
      filled_(ways.n_entries_),
      number_(std::make_unique_for_overwrite<double[]>(ways.n_numbers_)) {
    const TreeView& tree = router.tree;
    for (size_t node = 0; node < tree.size(); ++node) {
        if (tree.children.count(node) == 0) continue;
        const auto split = static_cast<size_t>(tree.split_begin[node]);
        if (tree.split_begin[node + 1] - tree.split_begin[node] == 1 &&
            static_cast<SplitKind>(tree.splits.kind[split]) == SplitKind::threshold) {
            const int32_t column = router.values.position[static_cast<size_t>(tree.splits.feature[split])];
            thresholds_.push_back({node, column, tree.splits.threshold[split], tree.default_branch[node]});
        } else {
            others_.push_back(node);
        }
    }
}

void ShapleyTable::choose(int64_t row) {
    for (const Threshold& one : thresholds_) {
        const double x = router_.values.numbers(row, one.column);
        const int32_t above = x > one.cut ? 1 : 0;
        chosen_[one.node] = x == x ? above : one.if_missing;
    }
    for (const size_t node : others_) chosen_[node] = router_.choose(node, row).branch;
}

void ShapleyTable::take(size_t i) {
    const ShapleyWays::Step& step = ways_.step_[i];
    taken_[i] = (taken_[step.parent] | step.first) & ~(chosen_[step.parent] == step.branch ? 0 : step.bit);
}

void ShapleyTable::add(int64_t row, double* out) {
    choose(row);
    for (const size_t step : ways_.upper_) take(step);
    for (const ShapleyWays::Twig& twig : ways_.twig_) {
        size_t entry = taken_[twig.top];
        for (size_t at = twig.node; at < twig.last_node; ++at)
            entry |= static_cast<size_t>(chosen_[ways_.node_[at]]) << (twig.shift + at - twig.node);
        double* number = number_.get() + twig.number + entry * twig.n_numbers;
        if (!filled_[twig.entry + entry]) {
            fill(twig, number);
            filled_[twig.entry + entry] = 1;
        }
        const size_t* offset = ways_.offset_.data() + twig.offset;
        for (size_t i = 0; i < twig.n_numbers; ++i) out[offset[i]] += number[i];
    }
}

/// The entry of the row in hand.
void ShapleyTable::fill(const ShapleyWays::Twig& twig, double* number) {
    std::fill_n(number, twig.n_numbers, 0.0);
    for (size_t step = twig.top + 1; step < twig.end_step; ++step) take(step);
    double weight[most_players];
    for (size_t at = twig.first_end; at < twig.last_end; ++at) {
        const ShapleyWays::End& end = ways_.end_[at];
        weigh(end, weight);
        const double* says = &steps_.value[end.step * steps_.width];
        for (size_t j = 0; j < end.n_players; ++j)
            for (size_t k = 0; k < steps_.width; ++k) number[ways_.place_[end.begin + j] + k] += weight[j] * says[k];
    }
}

/// What each player on the way to an end adds, of what is said there: the integral of `shapley.hpp`.
void ShapleyTable::weigh(const ShapleyWays::End& end, double* weight) const {
    const uint32_t players = taken_[end.step];
    const double* share = ways_.share_.data() + end.begin;
    std::fill_n(weight, end.n_players, 0.0);
    const auto known = [&](size_t j) { return players >> j & 1 ? 1.0 : 0.0; };
    for (size_t i = 0; i < steps_.point.size(); ++i) {
        double before[most_players], factor[most_players], product = steps_.measure[i];
        for (size_t j = 0; j < end.n_players; ++j) {
            before[j] = product;
            factor[j] = share[j] + steps_.point[i] * (known(j) - share[j]);
            product *= factor[j];
        }
        product = 1.0;
        for (size_t j = end.n_players; j-- > 0;) {
            weight[j] += before[j] * product * (known(j) - share[j]);
            product *= factor[j];
        }
    }
}

}  // namespace treewright
