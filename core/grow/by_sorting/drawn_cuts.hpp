// Cuts drawn at random, of four features at a time: their values at a node stand in lines, those of a row side by side, so that
// ranges and sums are taken in vectors and each sum is added in row order.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/statistics.hpp"
#include "grow/by_sorting/ranks.hpp"

namespace treewright {

class DrawnCuts {
public:
    static constexpr size_t lanes = 4;  // features

    /// Make room for nodes of so many rows.
    void reserve(size_t n_rows) { line_.resize(std::max(line_.size(), n_rows)); }

    /// Gather the values of up to four features at a node, and find the smallest and largest of each.
    void look_at(std::span<const ValueColumn> columns, std::span<const uint32_t> rows) {
        const double* from[lanes];
        size_t stride[lanes];
        bool same = true;
        for (size_t lane = 0; lane < lanes; ++lane) {
            const ValueColumn& column = columns[std::min(lane, columns.size() - 1)];
            from[lane] = column.from;
            stride[lane] = column.stride;
            same &= stride[lane] == stride[0];
        }
        n_ = rows.size();
        if (same) fill(from, rows, [step = stride[0]](uint32_t row, size_t) { return row * step; });
        else fill(from, rows, [&stride](uint32_t row, size_t lane) { return row * stride[lane]; });
    }
    double low(size_t lane) const { return low_[lane]; }
    double high(size_t lane) const { return high_[lane]; }
    size_t count_missing(size_t lane) const {
        size_t missing = 0;
        for (size_t i = 0; i < n_; ++i) missing += value(i, lane) != value(i, lane);
        return missing;
    }

    /// Cut a feature: values up to the threshold go left, and missing ones where it says.
    void cut(size_t lane, double threshold, bool missing_left) {
        threshold_[lane / 2][lane % 2] = threshold;
        if (!missing_left) return;
        for (size_t i = 0; i < n_; ++i)
            if (value(i, lane) != value(i, lane)) line_[i].pair[lane / 2][lane % 2] = -infinity;
    }
    bool goes_left(size_t row, size_t lane) const { return value(row, lane) <= threshold_[lane / 2][lane % 2]; }

    /// Of each feature the sum of these amounts over the rows that go left; none = 1 each.
    void sum_up(const double* amount, double (&sum)[lanes]) const {
        Pair left[2] = {};
        for (size_t i = 0; i < n_; ++i) {
            const double each = amount ? amount[i] : 1.0;
            add(line_[i], Pair{each, each}, left);
        }
        take(left, sum);
    }
    /// The same of two at once.
    void sum_up(const double* weight, const double* amount, double (&weights)[lanes], double (&amounts)[lanes]) const {
        Pair left_weight[2] = {}, left[2] = {};
        for (size_t i = 0; i < n_; ++i) {
            const double each = weight ? weight[i] : 1.0;
            add(line_[i], Pair{each, each}, left_weight);
            add(line_[i], Pair{amount[i], amount[i]}, left);
        }
        take(left_weight, weights);
        take(left, amounts);
    }

private:
    typedef double Pair __attribute__((vector_size(16)));
    struct Line {
        Pair pair[2];
    };

    template <class Place>
    void fill(const double* const (&from)[lanes], std::span<const uint32_t> rows, Place&& place) {
        constexpr Pair most = {infinity, infinity};
        Pair low[2] = {most, most}, high[2] = {-most, -most};
        Line* line = line_.data();
        for (size_t i = 0; i < rows.size(); ++i)
            for (size_t half : {0, 1}) {
                const size_t a = 2 * half, b = a + 1;
                const Pair x = {from[a][place(rows[i], a)], from[b][place(rows[i], b)]};
                line[i].pair[half] = x;
                low[half] = x < low[half] ? x : low[half];  // false where a value is missing
                high[half] = x > high[half] ? x : high[half];
            }
        take(low, low_);
        take(high, high_);
    }
    void add(const Line& line, Pair amount, Pair (&sum)[2]) const {
        for (size_t half : {0, 1}) sum[half] += line.pair[half] <= threshold_[half] ? amount : Pair{};
    }
    static void take(const Pair (&pair)[2], double (&to)[lanes]) {
        for (size_t lane = 0; lane < lanes; ++lane) to[lane] = pair[lane / 2][lane % 2];
    }
    double value(size_t row, size_t lane) const { return line_[row].pair[lane / 2][lane % 2]; }

    std::vector<Line> line_;  // by row of the node
    size_t n_ = 0;
    double low_[lanes], high_[lanes];
    Pair threshold_[2] = {};
};

}  // namespace treewright
