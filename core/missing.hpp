// What a missing value becomes at a node: a number or category to fill in, by the policy of its feature.
#pragma once
#include <utility>

#include "recipe.hpp"
#include "stats.hpp"
#include "table.hpp"

namespace treewright {

inline bool fills(Missing policy) {
    return policy == Missing::mean || policy == Missing::median || policy == Missing::mode || policy == Missing::class_mode;
}

/// Rows without the value take no part in the search of the feature.
inline bool left_out(Missing policy) {
    return policy == Missing::available || policy == Missing::fractional || policy == Missing::surrogate;
}

/// The numeric features that are missing, row by row.
class Holes {
public:
    /// `wanted(feature)` tells which features to look at.
    template <class Wanted>
    Holes(const Table& table, Wanted&& wanted) : begin_(table.n_rows + 1, 0) {
        const auto each = [&](auto&& use) {
            for (size_t f = 0; f < table.features.size(); ++f)
                if (!table.features[f].categorical() && wanted(f))
                    for (size_t row = 0; row < table.n_rows; ++row)
                        if (std::isnan(table.features[f].numbers[row])) use(row, static_cast<int32_t>(f));
        };
        each([&](size_t row, int32_t) { ++begin_[row + 1]; });
        for (size_t row = 0; row < table.n_rows; ++row) begin_[row + 1] += begin_[row];
        feature_.resize(begin_.back());
        std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
        each([&](size_t row, int32_t feature) { feature_[next[row]++] = feature; });
    }
    std::span<const int32_t> of(size_t row) const {
        return std::span(feature_).subspan(begin_[row], begin_[row + 1] - begin_[row]);
    }

private:
    std::vector<size_t> begin_;
    std::vector<int32_t> feature_;
};

/// Values with their weights, as one feature has them at a node.
class Weighed {
public:
    void add(double value, double weight) { entries_.emplace_back(value, weight); }
    bool empty() const { return entries_.empty(); }
    double mean() const {
        double sum = 0;
        for (const auto& [value, weight] : entries_) sum += weight * value;
        return sum / total();
    }
    /// The middle of the weight; between two values where it falls between them.
    double median() {
        std::sort(entries_.begin(), entries_.end());
        const double half = total() / 2;
        double below = 0;
        for (size_t i = 0; i < entries_.size(); ++i) {
            below += entries_[i].second;
            if (below > half) return entries_[i].first;
            if (below == half && i + 1 < entries_.size()) return entries_[i].first / 2 + entries_[i + 1].first / 2;
        }
        return entries_.back().first;
    }
    /// The heaviest value, the smallest of equals.
    double mode() {
        std::sort(entries_.begin(), entries_.end());
        double best = entries_[0].first, most = 0;
        for (size_t i = 0; i < entries_.size();) {
            const double value = entries_[i].first;
            double weight = 0;
            for (; i < entries_.size() && entries_[i].first == value; ++i) weight += entries_[i].second;
            if (weight > most) {
                most = weight;
                best = value;
            }
        }
        return best;
    }

private:
    double total() const {
        double sum = 0;
        for (const auto& entry : entries_) sum += entry.second;
        return sum;
    }
    std::vector<std::pair<double, double>> entries_;
};

/// The values that stand for a missing one at a node.
struct Fill {
    bool found = false;
    double value = 0;              // for every row, and for new ones
    std::vector<double> by_class;  // while growing, if it depends on the class

    double of(int32_t label) const { return by_class.empty() ? value : by_class[static_cast<size_t>(label)]; }
};

/// known(use) calls use(value, weight, label) for every row with a known value. Categories have no mean: they take the mode.
template <class Known>
Fill make_fill(Missing policy, bool categorical, size_t n_classes, Known&& known) {
    Weighed all;
    std::vector<Weighed> each(policy == Missing::class_mode ? n_classes : 0);
    known([&](double value, double weight, int32_t label) {
        all.add(value, weight);
        if (!each.empty()) each[static_cast<size_t>(label)].add(value, weight);
    });
    Fill fill;
    if (all.empty()) return fill;
    fill.found = true;
    if (categorical || policy == Missing::mode || policy == Missing::class_mode) fill.value = all.mode();
    else fill.value = policy == Missing::mean ? all.mean() : all.median();
    for (Weighed& of_class : each) fill.by_class.push_back(of_class.empty() ? fill.value : of_class.mode());
    return fill;
}

}  // namespace treewright
