// What a missing value becomes at a node: a number or category to fill in, by the policy of its feature.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/recipe.hpp"
#include "base/statistics.hpp"
#include "base/table.hpp"
#include "base/tree.hpp"

namespace treewright {

inline bool fills(Missing policy) {
    return policy == Missing::mean || policy == Missing::median || policy == Missing::mode || policy == Missing::class_mode;
}

/// Rows without the value take no part in the search of the feature.
inline bool left_out(Missing policy) {
    return policy == Missing::available || shared_out(policy) || policy == Missing::surrogate;
}

/// The branch of an unanswered split: the first of the largest, but of two equal in rows the second, as scikit-learn has it.
inline int32_t largest_branch(std::span<const double> size, bool by_rows) {
    if (by_rows && size.size() == 2 && size[0] == size[1]) return 1;
    return static_cast<int32_t>(first_largest(size));
}

/// Choose where the rows go that a split does not answer, if the search has not: `size` is that of the branches, in rows where
/// rows of missing value take a side in the search, else by weight.
inline void choose_default_branch(Missing policy, const Recipe& recipe, std::span<const double> size, int32_t& default_branch) {
    const bool by_rows = policy == Missing::direction || policy == Missing::value;
    if (shared_out(policy)) default_branch = share_row;
    else if (policy == Missing::surrogate && recipe.use_surrogates < 2) default_branch = stay_at_node;
    else if (default_branch < 0) default_branch = largest_branch(size, by_rows);
}

inline bool uses_surrogates(const Recipe& recipe, Missing policy) {
    return policy == Missing::surrogate && recipe.use_surrogates > 0 && recipe.max_surrogates > 0;
}

/// Where rows are shared out, small shares do not make up for rows: limits on rows are also limits on weight, as in C4.5.
/// `lightest` is the weight of the lightest row; a little is taken off, for what rounding may take from a sum of shares.
inline Recipe with_least_weights(Recipe recipe, double lightest) {
    const double unit = lightest * (1 - 1e-9);
    recipe.min_weight_leaf = std::max(recipe.min_weight_leaf, static_cast<double>(recipe.min_samples_leaf) * unit);
    recipe.min_weight_split = static_cast<double>(recipe.min_samples_split) * unit;
    return recipe;
}

/// Which numeric features are missing, row by row: a bit each.
class Holes {
public:
    /// No row has a hole yet.
    void clear(size_t n_rows, size_t n_features) {
        words_ = (n_features + 63) / 64;
        mask_.assign(n_rows * words_, 0);
    }
    void add(size_t row, size_t feature) { mask_[row * words_ + feature / 64] |= uint64_t{1} << feature % 64; }
    /// use(feature) for each hole of a row.
    template <class Use>
    void each(size_t row, Use&& use) const {
        for (size_t word = 0; word < words_; ++word)
            for (uint64_t left = mask_[row * words_ + word]; left; left &= left - 1)
                use(word * 64 + static_cast<size_t>(std::countr_zero(left)));
    }

private:
    size_t words_ = 0;
    std::vector<uint64_t> mask_;
};

/// Values with their weights, as one feature has them at a node.
class Weighed {
public:
    void add(double value, double weight) { entries_.emplace_back(value, weight); }
    bool empty() const { return entries_.empty(); }
    /// The weighted mean; the median where nothing has any weight.
    double mean() {
        const double all = total();
        if (!(all > 0)) return median();
        double sum = 0;
        for (const auto& [value, weight] : entries_) sum += weight * value;
        return std::isfinite(sum) ? sum / all : mean_of_shares(all);
    }
    /// The middle of the weight; between two values where it falls between them.
    double median() {
        std::sort(entries_.begin(), entries_.end());
        const double half = total() / 2;
        double below = 0;
        for (size_t i = 0; i < entries_.size(); ++i) {
            below += entries_[i].second;
            if (below > half * (1 + equal_weights)) return entries_[i].first;
            if (below >= half * (1 - equal_weights) && i + 1 < entries_.size())
                return entries_[i].first / 2 + entries_[i + 1].first / 2;
        }
        return entries_.back().first;
    }
    /// The heaviest value, the smallest of equals.
    double mode() {
        std::sort(entries_.begin(), entries_.end());
        std::vector<double> values, weights;
        for (const auto& [value, weight] : entries_) {
            if (values.empty() || value != values.back()) {
                values.push_back(value);
                weights.push_back(0.0);
            }
            weights.back() += weight;
        }
        return values[first_largest(weights)];
    }

private:
    /// The mean of values whose sum is beyond all numbers.
    double mean_of_shares(double all) const {
        const auto [least, most] = std::minmax_element(entries_.begin(), entries_.end());
        double mean = 0;
        for (const auto& [value, weight] : entries_) mean += value * (weight / all);
        return std::clamp(mean, least->first, most->first);
    }
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
