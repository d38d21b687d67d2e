// The table as the core sees it: typed columns, a target and weights, all borrowed from the caller.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

/// One feature: numbers (NaN = missing) or category codes (negative = missing).
struct Feature {
    const double* numbers = nullptr;
    const int32_t* codes = nullptr;
    int32_t n_categories = 0;
    bool truth = false;  // the categories are False and True: False goes left

    bool categorical() const { return codes != nullptr; }
};

/// Numbers of which only those other than zero are stored: those of a column side by side, ascending, those missing last; of
/// equal ones the lower row comes first.
struct SparseColumns {
    std::span<const int64_t> begin;  // of each column, and the end
    std::span<const uint32_t> row;
    std::span<const double> value;
};

struct Table {
    size_t n_rows = 0;
    std::vector<Feature> features;
    const SparseColumns* sparse = nullptr;  // where it is given, all features are numeric and their `numbers` null
};

/// A matrix in any memory order, as NumPy hands it over.
template <class Number>
struct Matrix {
    const Number* data = nullptr;
    int64_t n_rows = 0, n_columns = 0;
    int64_t row_stride = 0, column_stride = 0;

    Number operator()(int64_t row, int64_t column) const { return data[row * row_stride + column * column_stride]; }
};

inline constexpr uint8_t has_nan = 1, has_infinity = 2;

/// Copy a matrix into column-major order and tell, per column, whether it holds NaN or infinities.
template <class Number>
void to_columns(const Matrix<Number>& from, double* to, uint8_t* flags, int threads);

extern template void to_columns(const Matrix<double>&, double*, uint8_t*, int);
extern template void to_columns(const Matrix<float>&, double*, uint8_t*, int);

}  // namespace treewright
