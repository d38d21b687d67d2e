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

class ColumnTransforms {
public:
    ColumnTransforms(const Table& table, const Target& target, const Recipe& recipe);
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
    void rank(size_t feature, const Target& target);
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
