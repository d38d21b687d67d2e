// Cuts drawn at random, of four features at a time: their values at a node stand in lines, those of a row side by side, so that
// ranges and sums are taken in vectors and each sum is added in row order.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/statistics.hpp"
#include "grow/by_sorting/ranks.hpp"

namespace treewright {

/// What is done to the values of four features, line by line. No lane meets another, so that vectors of two and of four numbers
/// give the same bits.
struct LineLoops {
    static constexpr size_t lanes = 4;  // features
    struct alignas(lanes * sizeof(double)) Line {
        double of[lanes];
    };

    /// Gather the values of rows, and find the smallest and largest of each feature.
    void (*gather)(const ValueColumn* columns, const uint32_t* rows, size_t n, Line* line, Line& low, Line& high);
    /// For each feature the sums of the weights (none = 1 each), and of the amounts if there are any, of the rows up to its cut.
    void (*sum_up)(const Line* line, size_t n, const Line& cut, const double* weight, const double* amount, Line& weights,
                   Line* amounts);

    static LineLoops portable();
    static LineLoops best();  // for this processor

private:
    typedef double Two __attribute__((vector_size(16)));
    typedef double Four __attribute__((vector_size(32)));
    template <class Vector>
    struct By;
};

template <class Vector>
struct LineLoops::By {
    static constexpr size_t width = sizeof(Vector) / sizeof(double), parts = lanes / width;

    [[gnu::always_inline]] static inline Vector& part_of(Line& line, size_t part) {
        return reinterpret_cast<Vector*>(line.of)[part];
    }
    [[gnu::always_inline]] static inline const Vector& part_of(const Line& line, size_t part) {
        return reinterpret_cast<const Vector*>(line.of)[part];
    }
    template <class Place>
    [[gnu::always_inline]] static inline void gather(const ValueColumn* columns, const uint32_t* rows, size_t n, Line* line,
                                                     Line& lowest, Line& highest, Place&& place) {
        const double* const from[lanes] = {columns[0].from, columns[1].from, columns[2].from, columns[3].from};
        Vector low[parts], high[parts];
        for (size_t part = 0; part < parts; ++part) {
            low[part] = infinity - Vector{};
            high[part] = -infinity - Vector{};
        }
        for (size_t i = 0; i < n; ++i) {
            const auto value = [&](size_t lane) { return from[lane][place(rows[i], lane)]; };
            for (size_t part = 0; part < parts; ++part) {
                Vector x;
                if constexpr (width == lanes) x = Vector{value(0), value(1), value(2), value(3)};
                else x = Vector{value(2 * part), value(2 * part + 1)};
                part_of(line[i], part) = x;
                low[part] = x < low[part] ? x : low[part];  // false where a value is missing
                high[part] = x > high[part] ? x : high[part];
            }
        }
        for (size_t part = 0; part < parts; ++part) {
            part_of(lowest, part) = low[part];
            part_of(highest, part) = high[part];
        }
    }
    [[gnu::always_inline]] static inline void gather(const ValueColumn* columns, const uint32_t* rows, size_t n, Line* line,
                                                     Line& low, Line& high) {
        const size_t step = columns[0].stride;
        if (std::all_of(columns, columns + lanes, [step](const ValueColumn& column) { return column.stride == step; }))
            gather(columns, rows, n, line, low, high, [step](uint32_t row, size_t) { return row * step; });
        else
            gather(columns, rows, n, line, low, high,
                   [columns](uint32_t row, size_t lane) { return row * columns[lane].stride; });
    }
    [[gnu::always_inline]] static inline void sum_up(const Line* line, size_t n, const Line& cut, const double* weight,
                                                     const double* amount, Line& weights, Line* amounts) {
        Vector left_weight[parts] = {}, left[parts] = {};
        for (size_t i = 0; i < n; ++i) {
            const double each = weight ? weight[i] : 1.0;
            for (size_t part = 0; part < parts; ++part) {
                const auto goes_left = part_of(line[i], part) <= part_of(cut, part);
                left_weight[part] += goes_left ? each - Vector{} : Vector{};
                if (amount) left[part] += goes_left ? amount[i] - Vector{} : Vector{};
            }
        }
        for (size_t part = 0; part < parts; ++part) {
            part_of(weights, part) = left_weight[part];
            if (amount) part_of(*amounts, part) = left[part];
        }
    }

    static void gather_here(const ValueColumn* columns, const uint32_t* rows, size_t n, Line* line, Line& low, Line& high) {
        gather(columns, rows, n, line, low, high);
    }
    static void sum_up_here(const Line* line, size_t n, const Line& cut, const double* weight, const double* amount,
                            Line& weights, Line* amounts) {
        sum_up(line, n, cut, weight, amount, weights, amounts);
    }
#if defined(__x86_64__) && defined(__GNUC__)
    [[gnu::target("avx2")]] static void gather_avx2(const ValueColumn* columns, const uint32_t* rows, size_t n, Line* line,
                                                    Line& low, Line& high) {
        gather(columns, rows, n, line, low, high);
    }
    [[gnu::target("avx2")]] static void sum_up_avx2(const Line* line, size_t n, const Line& cut, const double* weight,
                                                    const double* amount, Line& weights, Line* amounts) {
        sum_up(line, n, cut, weight, amount, weights, amounts);
    }
#endif
};

inline LineLoops LineLoops::portable() { return {By<Two>::gather_here, By<Two>::sum_up_here}; }
inline LineLoops LineLoops::best() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) return {By<Four>::gather_avx2, By<Four>::sum_up_avx2};
#endif
    return portable();
}

class DrawnCuts {
public:
    static constexpr size_t lanes = LineLoops::lanes;
    using Line = LineLoops::Line;

    /// Make room for nodes of so many rows.
    void reserve(size_t n_rows) { line_.resize(std::max(line_.size(), n_rows)); }

    /// Gather the values of up to four features at a node, and find the smallest and largest of each.
    void look_at(std::span<const ValueColumn> columns, std::span<const uint32_t> rows) {
        ValueColumn four[lanes];
        for (size_t lane = 0; lane < lanes; ++lane) four[lane] = columns[std::min(lane, columns.size() - 1)];
        n_ = rows.size();
        loops_.gather(four, rows.data(), n_, line_.data(), low_, high_);
    }
    double low(size_t lane) const { return low_.of[lane]; }
    double high(size_t lane) const { return high_.of[lane]; }
    size_t count_missing(size_t lane) const {
        size_t missing = 0;
        for (size_t i = 0; i < n_; ++i) missing += value(i, lane) != value(i, lane);
        return missing;
    }

    /// Cut a feature: values up to the threshold go left, and missing ones where it says.
    void cut(size_t lane, double threshold, bool missing_left) {
        threshold_.of[lane] = threshold;
        if (!missing_left) return;
        for (size_t i = 0; i < n_; ++i)
            if (value(i, lane) != value(i, lane)) line_[i].of[lane] = -infinity;
    }
    bool goes_left(size_t row, size_t lane) const { return value(row, lane) <= threshold_.of[lane]; }

    /// Of each feature the sum of these amounts over the rows that go left; none = 1 each.
    void sum_up(const double* amount, Line& sum) const {
        loops_.sum_up(line_.data(), n_, threshold_, amount, nullptr, sum, nullptr);
    }
    /// The same of two at once.
    void sum_up(const double* weight, const double* amount, Line& weights, Line& amounts) const {
        loops_.sum_up(line_.data(), n_, threshold_, weight, amount, weights, &amounts);
    }

private:
    double value(size_t row, size_t lane) const { return line_[row].of[lane]; }

    const LineLoops loops_ = LineLoops::best();
    std::vector<Line> line_;  // by row of the node
    size_t n_ = 0;
    Line low_{}, high_{}, threshold_{};
};

}  // namespace treewright
