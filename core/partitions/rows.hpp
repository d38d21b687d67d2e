// What is asked of the rows of one partition: which node each is at, and sums of them by node and bin.
//
// Rows carry the number of the node they are at, −1 if they take no part. A partition is asked for sums and never for rows, but
// for those of a subtree that is grown elsewhere; sums of several partitions add up to those of the table.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grow/histogram/bins.hpp"
#include "partitions/rows_elsewhere.hpp"
#include "partitions/two_byte_codes.hpp"

namespace treewright {

/// The columns of a partition. Numbers may be null where nobody asks for them.
struct PartitionColumns {
    size_t n_rows = 0;
    std::vector<const uint16_t*> codes;      // of each numeric column
    std::vector<const double*> numbers;      // the same
    std::vector<const int32_t*> categories;  // of each categorical column; negative = missing
};

/// What rows count for.
struct PartitionTarget {
    const int32_t* label = nullptr;  // of classes, or
    const double* number = nullptr;  // of regression
    const double* weight = nullptr;  // null = every row weighs one
    std::span<const double> centre;  // of regression: by the number of the node, what is taken off the target

    double weight_of(size_t row) const { return weight ? weight[row] : 1.0; }
};

/// Splits by the number of the node. Cuts stand among codes, and inside one among values, as thresholds are not yet known.
struct RowSplits {
    std::span<const int32_t> column;       // numeric, or −1 − the number of a categorical one
    std::span<const int32_t> first_child;  // −1 = the rows of this node stay
    std::span<const int32_t> cut;          // codes below go left, and of this one
    std::span<const double> value;         // the numbers up to here
    std::span<const int32_t> default_branch;
    std::span<const int64_t> lookup_begin;  // of each node, and the end: into
    std::span<const int32_t> lookup;        // the branch of each category, −1 = the default branch
};

/// Send rows down the splits. Of each cut, the largest number on its left and the smallest on its right among these rows are
/// put into `low` and `high`, if they are nearer than what stands there.
void route_rows(const PartitionColumns& columns, const RowSplits& splits, std::span<int32_t> node, double* low, double* high);

/// The least and the largest target and the heaviest weight at nodes: counted × 3. `counted` is the place of a node, −1 = none.
void find_ranges(const PartitionTarget& target, std::span<const int32_t> node, std::span<const int32_t> counted, double* out);

/// Add the rows to sums: requests × width × (both parts of a GridSum, and the number of rows); width is that of the classes,
/// or 1.
void add_sums(const PartitionTarget& target, std::span<const int32_t> node, std::span<const SumRequest> requests, size_t n_nodes,
              size_t width, uint64_t* out);

/// Add the rows to histograms: counted × numeric column × 256 × numbers of a bin.
void count_bins(const PartitionColumns& columns, const PartitionTarget& target, const BinLayout& layout,
                std::span<const int32_t> node, std::span<const int32_t> counted, double* out);

/// Add the rows to sums by category, of a column: counted × (categories, and then those without) × numbers of a bin.
void count_categories(const int32_t* codes, size_t n_categories, const PartitionTarget& target, const BinLayout& layout,
                      std::span<const int32_t> node, std::span<const int32_t> counted, double* out);

/// A bin of 256 codes, or one code, at a node: there a better cut may hide.
struct Suspect {
    int32_t node, column, code;  // the first code of a bin
    bool one_code;
};

/// Add the rows of suspect bins to histograms of their 256 codes; all suspects are of one column.
void count_codes(const uint16_t* codes, const PartitionTarget& target, const BinLayout& layout, std::span<const int32_t> node,
                 std::span<const Suspect> suspects, size_t n_nodes, double* out);

/// The rows of suspect codes, and for each the number of its suspect; all suspects are of one column.
void rows_of_codes(const uint16_t* codes, std::span<const int32_t> node, std::span<const Suspect> suspects, size_t n_nodes,
                   std::vector<int32_t>& suspect, std::vector<uint32_t>& row);

/// The numbers of a bin that holds one row alone, for each of some rows.
void bins_of_rows(const PartitionTarget& target, const BinLayout& layout, std::span<const int32_t> node,
                  std::span<const uint32_t> rows, double* out);

}  // namespace treewright
