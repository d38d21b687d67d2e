// Columns grown on in another form, and their splits turned back: binned numbers, and categories ordered once.
//
// Bins. With max_bins a number stands for its quantile bin; a cut between bins becomes the midpoint of their nearest values.
// Categories. With very many values, ordering them anew at each node fits noise; ordered once, by the whole training target
// (the share of the second class, the mean, or the first principal component of the class shares), they generalise better
// and grow as fast as numbers (as ranger's `order`: Wright & König, 2019).
#pragma once
#include "grow/grow.hpp"

namespace treewright {

/// A categorical feature that is grown on as a number: the rank of its value.
struct Ranking {
    std::vector<int32_t> code_of;  // by rank
};

/// Whether the categories of a feature are grown on as ranks.
bool is_ranked(const Feature& feature, const Recipe& recipe);

/// The codes of a feature's categories, ordered by the target.
std::vector<int32_t> category_ranks(const Feature& feature, size_t n_rows, const Target& target);

class ColumnTransforms {
public:
    /// The orders of categories may be given, by feature: those of a subtree are the whole table's.
    ColumnTransforms(const Table& table, const Target& target, const Recipe& recipe,
                     const std::vector<std::vector<int32_t>>* orders = nullptr);
    ColumnTransforms(const ColumnTransforms&) = delete;  // it points into itself
    ColumnTransforms& operator=(const ColumnTransforms&) = delete;

    const Table& table() const { return table_; }
    /// By feature; null where the feature is grown on as it is.
    const std::vector<const Ranking*>& rankings() const { return ranking_of_; }
    /// Turn the thresholds of a grown tree back into values of the columns as they were.
    void restore(TreeArrays& tree) const;

private:
    struct Bins {
        std::vector<double> low, high;  // of the values in each bin
    };
    void bin(size_t feature, int max_bins);
    void rank(size_t feature, std::vector<int32_t>&& code_of);
    double restored(size_t feature, double threshold) const;

    const Table& given_;
    const Recipe& recipe_;
    Table table_;
    std::vector<std::vector<double>> columns_;  // by feature; empty where not recoded
    std::vector<Bins> bins_;
    std::vector<Ranking> rankings_;
    std::vector<const Ranking*> ranking_of_;
};

}  // namespace treewright
