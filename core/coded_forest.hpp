// A forest on coded rows: every number is replaced by its place among the thresholds of its column, once for all trees.
//
// A node then takes eight bytes and a row two bytes a feature, so that a tree and its rows stay in the innermost caches, and
// the comparisons, on whole numbers, give exactly the branches that the thresholds give.
#pragma once
#include <optional>

#include "forest.hpp"
#include "threshold_codes.hpp"
#include "tree_tops.hpp"

namespace treewright {

class CodedForest {
public:
    /// Empty if the forest splits by tables, or a column has too many thresholds.
    static std::optional<CodedForest> of(const ForestView& forest, size_t n_columns);

    /// Whether all trees are small enough to stay in the innermost cache.
    bool shallow() const { return shallow_; }
    /// Rows that are best walked together: all that a tree needs of them is to stay in the innermost cache.
    int64_t block_rows() const { return block_rows_; }
    /// Codes of n rows from `first` on, and the numbers of those that miss a value, for which codes have no place.
    void encode(const Matrix<double>& numbers, int64_t first, size_t n, std::vector<int16_t>& code,
                std::vector<uint32_t>& odd) const;

    /// Leaves of n rows; `leaf` has room for whole groups of rows.
    void walk(size_t tree, const int16_t* codes, size_t n, uint32_t* leaf) const;

private:
    void walk_on(size_t tree, const int16_t* codes, size_t n, uint32_t* leaf) const;

    std::vector<ThresholdCodes> column_;  // of numbers
    std::vector<CodedNode> node_;
    std::vector<int64_t> begin_;
    std::vector<uint32_t> depth_;
    TreeTops tops_;
    bool shallow_ = false;
    int64_t block_rows_ = 0;
};

}  // namespace treewright
