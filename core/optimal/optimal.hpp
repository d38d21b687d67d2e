// Provably optimal trees: the best of all trees of a depth and a number of leaves on the rows given.
#pragma once
#include <functional>
#include <vector>

#include "base/table.hpp"
#include "base/tree.hpp"
#include "optimal/loss.hpp"

namespace treewright::optimal {

struct Options {
    int max_depth = 3;
    uint32_t max_leaves = 0;  // 0 = as many as the depth allows
    LossOptions loss;
    double time_limit = -1;     // seconds; -1 = none
    int64_t work_limit = -1;    // subproblems; -1 = none
    int64_t memory_limit = -1;  // bytes; -1 = none
    int threads = 1;
    /// Told the best objective and the lower bound now and then; false = stop.
    std::function<bool(double best, double lower)> check;
};

struct Outcome {
    TreeArrays tree;
    double objective = 0, lower_bound = 0;
    bool optimal = false;
    int64_t n_solved = 0;
    bool memory_limited = false;  // slower, or ended earlier, for want of memory
};

Outcome grow(const Table& table, const TargetView& target, const Options& options);

/// Objectives, of which those that were not proven within the limits are NaN.
struct Values {
    std::vector<double> objective;
};

/// The best objective for each feature at the root; infinite if it cannot part the rows.
Values root_choices(const Table& table, const TargetView& target, const Options& options);
/// The best objective for up to 1, 2, … leaves.
Values frontier(const Table& table, const TargetView& target, const Options& options);

}  // namespace treewright::optimal
