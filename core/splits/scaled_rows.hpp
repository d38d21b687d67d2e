// The numeric features of a node in standard units: what splits on several features at once are searched in.
#pragma once
#include <memory>

#include "cuts/cut.hpp"
#include "grow/kernel.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "splits/counts.hpp"

namespace treewright {

/// The rows of a node, or a sample of a large one, with columns of mean 0 and variance 1; missing values stand at the mean.
struct ScaledRows {
    static constexpr size_t most_rows = 8'192;  // a direction needs no more: the cut itself is made on all rows

    std::vector<uint32_t> chosen;               // among the node's rows
    std::vector<int32_t> feature;               // of each column; constant features are left out
    std::vector<double> mean, deviation, cost;  // of each column; no cost where none is given
    std::vector<std::vector<double>> column;
    std::vector<std::vector<uint8_t>> missing;  // of each column; empty if no value is

    std::vector<int32_t> label, target_rank;
    std::vector<double> target, weight;
    LocalRows rows;
    Totals totals;
    CutLimits limits;

    size_t size() const { return chosen.size(); }
    size_t width() const { return feature.size(); }
    /// A number made of some columns is missing where one of them is.
    void mask(const std::vector<size_t>& columns, std::vector<double>& value) const {
        for (size_t c : columns)
            for (size_t i = 0; i < missing[c].size(); ++i)
                if (missing[c][i]) value[i] = std::numeric_limits<double>::quiet_NaN();
    }

    /// What a shape is worth: the bits it saves in telling the target, less those that name it among all shapes of as many
    /// columns (Rissanen, 1978). Where features have a price, its merit for what it pays for them.
    template <class Shape>
    double worth(const Shape& shape) const {
        if (cost.empty())
            return shape.bits - log2(count_oblique(static_cast<double>(size()), width(), shape.columns.size(), Shape::round));
        double paid = 0;
        for (size_t c : shape.columns) paid += cost[c];
        return shape.merit / paid;
    }

    /// The node has n rows; value(row, feature) is the number of one; `costs` are by feature, or empty.
    template <class Value>
    ScaledRows(const LocalRows& node, const Totals& node_totals, const CutLimits& node_limits, size_t n,
               std::span<const int32_t> features, std::span<const double> costs, uint64_t seed, Value&& value)
        : limits(node_limits) {
        choose(n, seed);
        copy(node, node_totals);
        limits.min_count = std::max<size_t>(limits.min_count * size() / n, 1);
        limits.min_weight *= totals.weight / node_totals.weight;
        limits.last_of_ties = false;
        std::vector<double> x(size());
        for (int32_t f : features) {
            for (size_t i = 0; i < size(); ++i) x[i] = value(chosen[i], f);
            add_column(f, x);
        }
        if (!costs.empty())
            for (int32_t f : feature) cost.push_back(costs[static_cast<size_t>(f)]);
    }
    ScaledRows(const ScaledRows&) = delete;  // it points into itself
    ScaledRows& operator=(const ScaledRows&) = delete;

private:
    /// All rows, or a sample in row order (Fan, Muller & Rezucha, 1962).
    void choose(size_t n, uint64_t seed) {
        const size_t wanted = std::min(n, most_rows);
        Random random(seed);
        for (size_t i = 0; i < n && chosen.size() < wanted; ++i)
            if (wanted == n || random.below(n - i) < wanted - chosen.size()) chosen.push_back(static_cast<uint32_t>(i));
    }
    void copy(const LocalRows& node, const Totals& node_totals) {
        totals = Totals(node_totals.sums.size());
        totals.count = size();
        for (uint32_t row : chosen) {
            const double w = node.weight_of(row);
            weight.push_back(w);
            totals.weight += w;
            if (node.label) label.push_back(node.label[row]);
            if (node.target) target.push_back(node.target[row]);
            if (node.target_rank) target_rank.push_back(node.target_rank[row]);
            totals.sums[node.label ? static_cast<size_t>(node.label[row]) : 0] += node.label ? w : w * node.target[row];
        }
        rows.weight = weight.data();
        if (node.label) rows.label = label.data();
        if (node.target) rows.target = target.data();
        if (node.target_rank) rows.target_rank = target_rank.data();
        rows.sorted_target = node.sorted_target;
        rows.n_targets = node.n_targets;
        rows.centre = node.centre;
    }
    void add_column(int32_t f, std::vector<double>& x) {
        double known = 0, sum = 0, squares = 0;
        bool holes = false;
        for (size_t i = 0; i < x.size(); ++i) {
            if (std::isnan(x[i])) {
                holes = true;
                continue;
            }
            known += weight[i];
            sum += weight[i] * x[i];
        }
        const double centre = known > 0 ? sum / known : 0.0;
        for (size_t i = 0; i < x.size(); ++i)
            if (!std::isnan(x[i])) squares += weight[i] * (x[i] - centre) * (x[i] - centre);
        const double spread = known > 0 ? std::sqrt(squares / known) : 0.0;
        if (!(spread > 1e-12 * std::fabs(centre)) || !std::isfinite(spread) || !std::isfinite(1 / spread)) return;
        std::vector<uint8_t> lost(holes ? x.size() : 0, 0);
        for (size_t i = 0; i < x.size(); ++i) {
            if (std::isnan(x[i])) lost[i] = 1;
            x[i] = std::isnan(x[i]) ? 0.0 : (x[i] - centre) / spread;
        }
        feature.push_back(f);
        mean.push_back(centre);
        deviation.push_back(spread);
        column.push_back(x);
        missing.push_back(std::move(lost));
    }
};

/// Cuts a number made for every scaled row: each thread has one.
class ScaledCutter {
public:
    virtual ~ScaledCutter() = default;

    /// Merit of the best cut of `value`; rows without one take no part and lower it by their share.
    virtual double merit(const std::vector<double>& value) = 0;
    /// The best t of value − t·direction ≤ 0 and its score, −infinity if there is none; rows where the direction is 0 keep their
    /// side.
    virtual std::pair<double, double> turn(const std::vector<double>& value, const std::vector<double>& direction) = 0;
    /// Scores of turns nearer than this are equal.
    virtual double tolerance() const = 0;
    /// What the cut that was valued last saves in telling the targets of its rows, in bits.
    virtual double bits() const = 0;
};

/// The cutters of a search, one for each thread that asks for it.
class ScaledCutters {
public:
    ScaledCutters(Kernel& kernel, const ScaledRows& rows, double impurity, int threads)
        : kernel_(kernel), rows_(rows), impurity_(impurity), cutters_(static_cast<size_t>(std::max(threads, 1))) {}

    int threads() const { return static_cast<int>(cutters_.size()); }
    ScaledCutter& of(int thread) {
        auto& cutter = cutters_[static_cast<size_t>(thread)];
        if (!cutter) cutter = kernel_.make_cutter(rows_, impurity_);
        return *cutter;
    }
    /// Merits of a number less what each of some columns adds to it: take(column, value) takes that off.
    template <class Take>
    std::vector<double> merits_without(const std::vector<double>& value, const std::vector<size_t>& columns, Take&& take) {
        std::vector<double> merits(columns.size());
        const bool little = rows_.size() * columns.size() < 50'000;  // less work than it takes to start a thread
        parallel_for(columns.size(), little ? 1 : threads(), [&](size_t i, int thread) {
            std::vector<double> less = value;
            take(columns[i], less);
            std::vector<size_t> others = columns;
            others.erase(others.begin() + static_cast<int64_t>(i));
            rows_.mask(others, less);
            merits[i] = of(thread).merit(less);
        });
        return merits;
    }

private:
    Kernel& kernel_;
    const ScaledRows& rows_;
    double impurity_;
    std::vector<std::unique_ptr<ScaledCutter>> cutters_;
};

/// Backward elimination: columns go one after the other, each time the one that costs the least merit, and the others settle. Of
/// the shapes on the way that have at most `most` columns, the one worth most is taken, of equals the smaller.
/// without(shape) are its merits without each of its columns; drop(shape, column) takes one out of a shape that no longer names
/// it.
template <class Shape, class Without, class Drop>
Shape thinned(const ScaledRows& rows, Shape shape, size_t most, Without&& without, Drop&& drop) {
    Shape best = shape;
    double best_worth = -infinity;
    for (;;) {
        if (const double worth = rows.worth(shape); shape.columns.size() <= most && worth >= best_worth) {
            best_worth = worth;
            best = shape;
        }
        if (shape.columns.size() <= 1) return best;
        const std::vector<double> merits = without(shape);
        const auto cheapest = std::max_element(merits.begin(), merits.end()) - merits.begin();
        const size_t column = shape.columns[static_cast<size_t>(cheapest)];
        shape.columns.erase(shape.columns.begin() + cheapest);
        drop(shape, column);
    }
}

}  // namespace treewright
