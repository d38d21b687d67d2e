#include "predict/shapley_table.hpp"

#include <algorithm>

namespace treewright {

namespace {

constexpr size_t most_numbers = size_t{1} << 16;  // of all entries: half a megabyte, which stays in the second cache
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
        if (!inner[i]) numbers += many[i] << many[i];
        if (numbers > most_numbers) return false;
    }
    return true;
}

ShapleyWays::ShapleyWays(const ShapleySteps& steps) : step_(steps.size()) {
    const std::vector<std::vector<size_t>> way = players_on_the_way(steps);
    const std::vector<bool> inner = goes_on(steps);
    std::vector<std::vector<double>> share(steps.size());
    for (size_t i = 1; i < steps.size(); ++i) {
        const auto parent = static_cast<size_t>(steps.parent[i]), player = static_cast<size_t>(steps.player[i]);
        const auto place = static_cast<size_t>(std::ranges::find(way[i], player) - way[i].begin());
        const bool first = way[i].size() > way[parent].size();
        step_[i] = {static_cast<uint32_t>(parent), static_cast<int32_t>(steps.branch[i]), 1u << place, first ? 1u << place : 0u};
        share[i] = share[parent];
        share[i].resize(way[i].size(), 1.0);
        share[i][place] *= steps.share[i];
        if (inner[i]) continue;
        end_.push_back({i, player_.size(), way[i].size(), n_entries_, n_numbers_});
        player_.insert(player_.end(), way[i].begin(), way[i].end());
        share_.insert(share_.end(), share[i].begin(), share[i].end());
        n_entries_ += size_t{1} << way[i].size();
        n_numbers_ += way[i].size() << way[i].size();
    }
}

ShapleyTable::ShapleyTable(const Router& router, const ShapleySteps& steps, const ShapleyWays& ways)
    : router_(router),
      steps_(steps),
      ways_(ways),
      chosen_(router.tree.size()),
      taken_(steps.size()),
      filled_(ways.n_entries_),
      weight_(std::make_unique_for_overwrite<double[]>(ways.n_numbers_)) {
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

void ShapleyTable::add(int64_t row, double* out) {
    choose(row);
    for (size_t i = 1; i < taken_.size(); ++i) {
        const ShapleyWays::Step& step = ways_.step_[i];
        taken_[i] = (taken_[step.parent] | step.first) & ~(chosen_[step.parent] == step.branch ? 0 : step.bit);
    }
    const size_t width = steps_.width;
    for (const ShapleyWays::End& end : ways_.end_) {
        const uint32_t players = taken_[end.step];
        double* weight = &weight_[end.number + players * end.n_players];
        if (!filled_[end.entry + players]) {
            fill(end, players, weight);
            filled_[end.entry + players] = 1;
        }
        const double* says = &steps_.value[end.step * width];
        for (size_t j = 0; j < end.n_players; ++j) {
            double* own = out + ways_.player_[end.begin + j] * width;
            for (size_t k = 0; k < width; ++k) own[k] += weight[j] * says[k];
        }
    }
}

/// What each player on the way to an end adds, of what is said there: the integral of `shapley.hpp`.
void ShapleyTable::fill(const ShapleyWays::End& end, uint32_t players, double* weight) const {
    const double* share = &ways_.share_[end.begin];
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
