// A forest on coded rows: every number is replaced by its place among the thresholds of its column, once for all trees.
//
// A node then takes eight bytes and a row two bytes a feature, so that a tree and its rows stay in the innermost caches, and
// the comparisons, on whole numbers, give exactly the branches that the thresholds give. Tables of categories are bits.
#pragma once
#include <optional>

#include "forest/forest.hpp"
#include "predict/forest/threshold_codes.hpp"
#include "predict/forest/unrolled_tops.hpp"

namespace treewright {

class CodedForest {
public:
    /// The trees from `first` up to `last`. Empty if codes of two bytes are not enough for their columns, thresholds or tables.
    static std::optional<CodedForest> of(const ForestView& forest, size_t first, size_t last, int64_t n_numbers, int64_t n_codes);
    /// Where to end for trees from `first` on whose thresholds are not too many.
    static size_t fitting(const ForestView& forest, size_t first, size_t n_numbers);

    /// How many rows are best walked together: the more the larger the trees are, which are fetched anew for every block.
    int64_t block_rows() const { return block_rows_; }
    /// Codes of n rows from `first` on, and which of them miss a number, for which codes have no place.
    void encode(const Matrix<double>& numbers, const Matrix<int32_t>& codes, int64_t first, size_t n, std::vector<int16_t>& code,
                std::vector<uint32_t>& odd) const;

    /// Leaves of n rows in one of the trees, counted from the first; `leaf` has room for whole groups of rows.
    void walk(size_t tree, const int16_t* codes, size_t n, uint32_t* leaf) const;

private:
    bool code_columns(const ForestView& forest);
    bool code_nodes(const ForestView& forest, size_t tree);
    bool code_table(std::span<const uint32_t> entries, const PackedNode& packed, size_t column, CodedNode& node);
    template <bool tables>
    void walk_on(size_t tree, const int16_t* codes, size_t n, uint32_t* leaf) const;
    size_t width() const { return threshold_.size() + n_levels_.size(); }

    std::vector<ThresholdCodes> threshold_;  // by column of numbers, of which there is at least one for leaves to look at
    std::vector<size_t> n_levels_;           // by column of codes: one more than the largest code that a table answers
    std::vector<CodedNode> node_;
    std::vector<int64_t> begin_;   // nodes of each tree
    std::vector<uint64_t> bit_;    // branches of each table's codes, of a missing and of an unseen one
    std::vector<size_t> bits_of_;  // where those of each tree begin
    std::vector<uint32_t> depth_;
    TreeTops tops_;  // of forests without tables
    int64_t block_rows_ = 0;
};

}  // namespace treewright
