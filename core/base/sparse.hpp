// Sparse matrices as columns of stored values in ascending order, and as rows.
#pragma once
#include "base/table.hpp"

namespace treewright {

/// A sparse matrix by rows or by columns, as SciPy has it: each index at most once in a row or column.
struct SparseMatrix {
    size_t n_rows = 0, n_columns = 0;
    bool by_rows = false;
    std::span<const int64_t> begin;  // of each row, or column
    std::span<const int32_t> index;  // of the column, or row
    std::span<const double> value;
};

struct StoredColumns {
    std::vector<int64_t> begin;
    std::vector<uint32_t> row;
    std::vector<double> value;

    SparseColumns view() const { return {begin, row, value}; }
};

/// std::invalid_argument if rows or columns do not follow one another up to the last stored value.
void check_begins(std::span<const int64_t> begin, size_t n_stored);

/// The columns of a matrix; zeros that are stored are left out.
StoredColumns sorted_columns(const SparseMatrix& matrix, int threads);

/// Some rows of columns, numbered anew: `place` is that of each row, −1 = left out.
void take_rows(const SparseColumns& from, std::span<const int32_t> place, StoredColumns& to);

}  // namespace treewright
