// What a criterion looks at: rows by local number, and the totals of a set of rows.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "logarithm.hpp"

namespace treewright {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The number that a class stands for under monotone constraints: its code; weights are taken back to what leaves predict from.
struct ClassLevels {
    std::vector<double> level, size;

    double mean(const double* weight) const {
        double sum = 0, total = 0;
        for (size_t k = 0; k < level.size(); ++k) {
            sum += level[k] * weight[k];
            total += size[k] * weight[k];
        }
        return sum / total;
    }
};

/// The rows of a node under local numbers 0, 1, …; pointers not needed by the criterion stay null.
struct LocalRows {
    const uint8_t* bit = nullptr;          // two classes: 1 for the second class
    const int32_t* label = nullptr;        // class codes
    const double* target = nullptr;        // regression target; less the node's mean for squared error
    const int32_t* target_rank = nullptr;  // position of the target among the node's sorted targets (absolute error)
    const double* sorted_target = nullptr;
    size_t n_targets = 0;                 // of the node, for sorted_target
    const double* weight = nullptr;       // null = every row weighs one
    const ClassLevels* levels = nullptr;  // under monotone constraints

    double weight_of(size_t row) const { return weight ? weight[row] : 1.0; }
};

/// Totals of a set of rows: class weights, or the (centred) sum of the target.
struct Totals {
    double weight = 0;
    size_t count = 0;
    std::vector<double> sums;  // class weights, or one sum

    explicit Totals(size_t width = 0) : sums(width, 0.0) {}

    void clear() {
        weight = 0;
        count = 0;
        std::fill(sums.begin(), sums.end(), 0.0);
    }
    void add(const Totals& other) {
        weight += other.weight;
        count += other.count;
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
    }
    void remove(const Totals& other) {
        weight -= other.weight;
        count -= other.count;
        for (size_t i = 0; i < sums.size(); ++i) sums[i] -= other.sums[i];
    }
};

/// Reused memory of one thread, so that scanning a feature allocates nothing.
struct Scratch {
    std::vector<double> left, right, fenwick_weight[2], fenwick_sum[2];
    std::shared_ptr<const std::vector<double>> n_log_n;  // for unit weights
    std::vector<double> left_term, right_term;           // the same of each class, for others
    std::vector<std::pair<double, uint32_t>> heap;

    /// n·log2(n) by n, up to the rows of a node.
    const double* logs(size_t n) {
        if (!n_log_n || n_log_n->size() <= n) n_log_n = n_log_n_table(n);
        return n_log_n->data();
    }
};

inline double x_log_x(double x) { return x > 0 ? x * log2(x) : 0.0; }

/// What a subtraction leaves of a class weight: rounding dust counts as nothing.
inline double remainder(double whole, double part) {
    const double rest = whole - part;
    return rest > 1e-13 * whole ? rest : 0.0;
}

}  // namespace treewright
