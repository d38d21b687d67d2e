// What stays the same while one tree grows: table, target, weights, recipe; and how a node is described.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "criteria/criteria.hpp"
#include "base/description.hpp"
#include "base/recipe.hpp"
#include "base/table.hpp"

namespace treewright {

/// Thrown out of the loops when the caller asks to stop.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

/// Watches for Ctrl-C and tells how far growing is; poll() is called between pieces of work.
struct Monitor {
    std::function<bool(double)> check;  // given the share of rows that are done, false = stop; called by one thread only
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> rows_done{0};
    double total = 1;

    void poll(int thread) {
        if (thread == 0 && check && !check(static_cast<double>(rows_done.load()) / total)) stop = true;
        if (stop) throw Interrupted{};
    }
};

class BitTable;
class Kernel;
struct Ranking;

struct GrowTask {
    const Table& table;
    const Recipe& recipe;
    int n_classes;                   // 0 = regression
    const int32_t* label = nullptr;  // of several targets those of a row side by side, as columns of Totals
    const double* target = nullptr;
    double total_weight = 0;
    Monitor& monitor;
    const BitTable* bits = nullptr;                         // two-valued features, where they may be counted as bits
    const std::vector<const Ranking*>* rankings = nullptr;  // by feature: categories grown on as ranks
    const Formula* formula = nullptr;                       // the criterion
    std::unique_ptr<Kernel> (*make_kernel)(const GrowTask&, bool unit) = nullptr;  // of the criterion (grow/kernel.hpp)
    const double* n_log_n = nullptr;  // a LogTable of all rows, where the criterion asks for it
    ClassLevels levels = {};          // numbers that the classes stand for under monotone constraints
    double lightest = 1;              // the weight of the lightest row, where rows are shared out
    uint64_t root_seed = 0;           // of all that is drawn
    const double* rank = nullptr;     // of each row's number among all, where splits are tested (grow/significance.hpp)

    /// The same by another recipe.
    GrowTask with(const Recipe& other) const {
        GrowTask task{table, other, n_classes, label, target, total_weight, monitor, bits, rankings, formula, make_kernel};
        task.n_log_n = n_log_n;
        task.levels = levels;
        task.lightest = lightest;
        task.root_seed = root_seed;
        task.rank = rank;
        return task;
    }
    double rank_of(size_t row) const { return rank ? rank[row] : 0.0; }
    size_t n_outputs() const { return static_cast<size_t>(recipe.n_outputs); }
    /// Of Totals and of what a node predicts: classes of all targets side by side, as many for each, or a number for each.
    size_t width() const { return n_outputs() * static_cast<size_t>(std::max(n_classes, 1)); }
    size_t n_features() const { return table.features.size(); }
    /// Of a feature whose categories are grown on as ranks, else null.
    const Ranking* ranking(size_t feature) const { return rankings ? (*rankings)[feature] : nullptr; }
};

/// The criterion that a tree grows by: C, or any of classes where that is Formula.
template <class C>
const C& criterion_of(const GrowTask& task) {
    return chosen<C>(task.formula);
}

/// Describe a node of several targets from the class weights of all.
void describe_several_classes(const GrowTask& task, const Totals& totals, Description& node);

/// Describe a node from its class weights (as the search weighs them).
void describe_classes(const GrowTask& task, const Totals& totals, Description& node);

/// Describe a node from its targets, in row order.
inline void describe_numbers(const GrowTask& task, std::span<const double> target, std::span<const double> weight,
                             Description& node) {
    node.count = target.size();
    node.weight = 0;
    if (!target.empty()) task.formula->describe({target, weight}, node);
}

}  // namespace treewright
