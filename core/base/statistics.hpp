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

#include "base/logarithm.hpp"

namespace treewright {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The number that a class stands for under monotone constraints: its code; weights are taken back to what leaves predict from.
struct ClassLevels {
    std::vector<double> level, size;
    double margin = 0;  // between means, where sums of weights are rounded

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
    const double* target = nullptr;        // regression target less `centre`
    double centre = 0;                     // the node's mean, or 0
    const int32_t* target_rank = nullptr;  // position of the target among the node's sorted targets (absolute error)
    const double* sorted_target = nullptr;
    size_t n_targets = 0;                 // of the node, for sorted_target
    const double* weight = nullptr;       // null = every row weighs one
    const ClassLevels* levels = nullptr;  // under monotone constraints
    size_t outputs = 1;                   // of several targets a row has so many labels, or numbers, side by side;
    const LocalRows* each = nullptr;      // or each target has rows of its own, where the criterion looks at them one by one

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

/// A row of one target more, by class or by number; it is not counted.
template <bool classes>
void add_row(const LocalRows& rows, size_t row, Totals& totals) {
    const double w = rows.weight_of(row);
    totals.weight += w;
    if constexpr (classes) totals.sums[static_cast<size_t>(rows.label[row])] += w;
    else totals.sums[0] += w * rows.target[row];
}

/// n·log2 n for n = 0, 1, …, for rows that all weigh one: made before growing, read by all threads.
class LogTable {
public:
    explicit LogTable(size_t largest) {
        value_.reserve(largest + 1);
        value_.push_back(0.0);
        for (size_t n = 1; n <= largest; ++n) value_.push_back(static_cast<double>(n) * log2(static_cast<double>(n)));
    }
    const double* data() const { return value_.data(); }
    /// Of any weight: looked up if it is whole.
    double of(double n) const {
        const auto whole = n < static_cast<double>(value_.size()) ? static_cast<size_t>(n) : 0;
        return static_cast<double>(whole) == n ? value_[whole] : n * log2(n);
    }

private:
    std::vector<double> value_;
};

/// Those next to a rank among ranks.
struct RankLink {
    int32_t before, next;
};

/// Reused memory of one thread, so that scanning a feature allocates nothing.
struct Scratch {
    const double* n_log_n = nullptr;  // of a LogTable, where a scorer needs it
    std::vector<double> left, right, fenwick_weight[2], fenwick_sum[2];
    std::vector<double> left_term, right_term;  // n·log2 n of each class, for weighted rows
    std::vector<std::pair<double, uint32_t>> heap;
    std::vector<int32_t> whole;   // counts, or ranks of targets in the order in which rows move
    std::vector<RankLink> links;  // of the ranks that are left
    std::vector<Scratch> each;    // of several targets
    std::vector<Totals> totals;

    Scratch() = default;
    explicit Scratch(const double* logs) : n_log_n(logs) {}
};

/// A sum less than this share of what it was taken from is rounding: counts as nothing.
inline constexpr double rounding_share = 1e-13;

/// What a subtraction leaves of a class weight.
inline double rest_of(double whole, double part) {
    const double rest = whole - part;
    return rest > rounding_share * whole ? rest : 0.0;
}

/// Sums of weights that differ by less than this share are equal but for rounding.
inline constexpr double equal_weights = 1e-11;

/// The first of the largest.
inline size_t first_largest(std::span<const double> weight) {
    const double enough = *std::max_element(weight.begin(), weight.end()) * (1 - equal_weights);
    return static_cast<size_t>(std::find_if(weight.begin(), weight.end(), [&](double w) { return w >= enough; }) -
                               weight.begin());
}

/// Whether both sides of a split have a weight that is more than rounding, and not less than `least`.
inline bool both_weigh(double left, double right, double least) {
    const double lighter = std::min(left, right);
    return lighter > rounding_share * (left + right) && lighter >= least;
}

}  // namespace treewright
