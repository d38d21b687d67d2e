// Turning a matrix of any memory order into columns, in cache-sized blocks of rows.
#include "base/table.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"

namespace treewright {

namespace {

constexpr int64_t rows_per_block = 64;

/// True where x is neither finite nor a number.
bool odd(double x) { return !(std::fabs(x) <= std::numeric_limits<double>::max()); }

template <class Number>
uint8_t copy_block(const Number* from, int64_t stride, int64_t n, double* to) {
    bool any_odd = false;
    for (int64_t i = 0; i < n; ++i) {
        const double x = static_cast<double>(from[i * stride]);
        to[i] = x;
        any_odd |= odd(x);
    }
    if (!any_odd) return 0;
    uint8_t flag = 0;
    for (int64_t i = 0; i < n; ++i)
        if (odd(to[i])) flag |= std::isnan(to[i]) ? has_nan : has_infinity;
    return flag;
}

}  // namespace

template <class Number>
void to_columns(const Matrix<Number>& from, double* to, uint8_t* flags, int threads) {
    const int64_t rows = from.n_rows, columns = from.n_columns;
    std::fill(flags, flags + columns, uint8_t{0});
    const int64_t chunk = std::max<int64_t>(rows_per_block * 256, (rows + threads - 1) / std::max(threads, 1));
    const int64_t chunks = rows == 0 ? 0 : (rows + chunk - 1) / chunk;
    parallel_for(static_cast<size_t>(chunks), threads, [&](size_t item, int) {
        const int64_t first = static_cast<int64_t>(item) * chunk, last = std::min(rows, first + chunk);
        for (int64_t row = first; row < last; row += rows_per_block) {
            const int64_t n = std::min(rows_per_block, last - row);
            for (int64_t column = 0; column < columns; ++column) {
                const uint8_t flag = copy_block(from.data + row * from.row_stride + column * from.column_stride, from.row_stride,
                                                n, to + column * rows + row);
                if (flag) std::atomic_ref(flags[column]).fetch_or(flag);
            }
        }
    });
}

template void to_columns(const Matrix<double>&, double*, uint8_t*, int);
template void to_columns(const Matrix<float>&, double*, uint8_t*, int);

}  // namespace treewright
