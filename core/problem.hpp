// What stays the same while one tree grows: table, target, weights, recipe; and how a node is described.
#pragma once
#include <atomic>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "criteria.hpp"
#include "recipe.hpp"
#include "table.hpp"

namespace treewright {

/// Thrown out of the loops when the caller asks to stop.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

/// Watches for Ctrl-C and tells how far growing is; poll() is called between pieces of work.
struct Monitor {
    std::function<bool(double)> check;  // given the share of rows settled, false = stop; called by one thread only
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> settled{0};
    double total = 1;

    void poll(int thread) {
        if (thread == 0 && check && !check(static_cast<double>(settled.load()) / total)) stop = true;
        if (stop) throw Interrupted{};
    }
};

class BitTable;
struct Ranking;

struct Problem {
    const Table& table;
    const Recipe& recipe;
    int n_classes;  // 0 = regression
    const int32_t* label = nullptr;
    const double* target = nullptr;
    double total_weight = 0;
    Monitor& monitor;
    const BitTable* bits = nullptr;                         // two-valued features, where they may be counted as bits
    const std::vector<const Ranking*>* rankings = nullptr;  // by feature: categories grown on as ranks
    ClassLevels levels = {};                                // numbers that the classes stand for under monotone constraints

    size_t width() const { return n_classes ? static_cast<size_t>(n_classes) : 1; }
    size_t n_features() const { return table.features.size(); }
    bool limited() const { return recipe.max_leaf_nodes > 0 || recipe.max_nodes > 0 || recipe.enough_risk >= 0; }
};

/// A node as a leaf: what it holds, predicts and costs.
struct Description {
    size_t count = 0;
    double weight = 0, impurity = 0, risk = 0;
    bool pure = true;
    std::vector<double> value;  // class weights, or the predicted number
    double centre = 0;          // regression: the mean, taken off the target in searches
};

/// Impurity of a node whose class weights are known.
template <class C>
double class_impurity(const Totals& totals) {
    return totals.weight > 0 ? C::impurity(totals) : 0.0;
}

/// Describe a node from its class weights (as the search weighs them).
template <class C>
void describe_classes(const Problem& problem, const Totals& totals, Description& node) {
    const Recipe& recipe = problem.recipe;
    node.count = totals.count;
    node.value.assign(totals.sums.begin(), totals.sums.end());
    if (!recipe.search_factor.empty())
        for (size_t k = 0; k < node.value.size(); ++k) node.value[k] /= recipe.search_factor[k];
    node.weight = recipe.search_factor.empty() ? totals.weight : std::accumulate(node.value.begin(), node.value.end(), 0.0);
    node.pure = std::count_if(totals.sums.begin(), totals.sums.end(), [](double n) { return n > 0; }) <= 1;
    node.impurity = node.pure ? 0.0 : class_impurity<C>(totals);
    if (recipe.costs.empty()) {
        node.risk = node.pure ? 0.0 : node.weight - *std::max_element(node.value.begin(), node.value.end());
    } else {
        const size_t k = node.value.size();
        node.risk = infinity;
        for (size_t chosen = 0; chosen < k; ++chosen) {
            double cost = 0;
            for (size_t truth = 0; truth < k; ++truth) cost += node.value[truth] * recipe.costs[truth * k + chosen];
            node.risk = std::min(node.risk, cost);
        }
    }
}

/// Describe a node of a regression tree from its targets, taken in row order so that every path agrees to the bit.
template <class C>
void describe_numbers(std::span<const double> target, std::span<const double> weight, Description& node) {
    const size_t n = target.size();
    const auto weight_of = [&](size_t i) { return weight.empty() ? 1.0 : weight[i]; };
    node.count = n;
    node.weight = 0;
    if (n == 0) return;
    double sum = 0, low = target[0], high = target[0];
    for (size_t i = 0; i < n; ++i) {
        node.weight += weight_of(i);
        sum += weight_of(i) * target[i];
        low = std::min(low, target[i]);
        high = std::max(high, target[i]);
    }
    node.pure = low == high;
    node.centre = node.pure ? low : sum / node.weight;
    double deviation = 0;
    if constexpr (std::is_same_v<C, AbsoluteError>) {
        std::vector<std::pair<double, double>> sorted(n);
        for (size_t i = 0; i < n; ++i) sorted[i] = {target[i], weight_of(i)};
        std::sort(sorted.begin(), sorted.end());
        double below = 0, median = sorted[n - 1].first;
        for (size_t i = 0; i < n; ++i) {
            below += sorted[i].second;
            if (below >= node.weight / 2) {
                median = sorted[i].first;
                if (below == node.weight / 2 && i + 1 < n) median = median / 2 + sorted[i + 1].first / 2;
                break;
            }
        }
        for (size_t i = 0; i < n; ++i) deviation += weight_of(i) * std::fabs(target[i] - median);
        node.value.assign(1, median);
    } else {
        const double mean = node.centre;
        double correction = 0;
        for (size_t i = 0; i < n; ++i) {
            const double difference = target[i] - mean;
            if constexpr (std::is_same_v<C, Poisson>) {
                if (target[i] > 0) deviation += weight_of(i) * target[i] * log(target[i] / mean);
            } else {
                deviation += weight_of(i) * difference * difference;
                correction += weight_of(i) * difference;
            }
        }
        deviation -= correction * correction / node.weight;
        node.value.assign(1, mean);
    }
    if (node.pure) deviation = 0;
    node.impurity = std::max(deviation, 0.0) / node.weight;
    node.risk = std::max(deviation, 0.0);
}

}  // namespace treewright
