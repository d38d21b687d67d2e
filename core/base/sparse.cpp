// Sorting the stored values of sparse columns.
#include "base/sparse.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/parallel.hpp"
#include "cuts/sorted_list.hpp"

namespace treewright {

namespace {

/// use(row, column, value) for every stored value other than zero; rows ascend in each column.
template <class Use>
void each_stored(const SparseMatrix& matrix, Use&& use) {
    for (size_t major = 0; major + 1 < matrix.begin.size(); ++major)
        for (auto i = static_cast<size_t>(matrix.begin[major]); i < static_cast<size_t>(matrix.begin[major + 1]); ++i) {
            const double value = matrix.value[i];
            const auto minor = static_cast<size_t>(matrix.index[i]);
            if (value == 0) continue;
            if (matrix.by_rows) use(major, minor, value);
            else use(minor, major, value);
        }
}

/// Whether values ascend as they are, and none is missing.
bool in_order(const double* value, size_t n) {
    for (size_t i = 0; i + 1 < n; ++i)
        if (!(value[i] <= value[i + 1])) return false;
    return n == 0 || value[n - 1] == value[n - 1];
}

/// Sorts columns; memory is kept from one to the next.
struct ColumnSorter {
    RowSorter sorter;
    std::vector<Entry<uint32_t>> order;
    std::vector<uint32_t> row;
    std::vector<double> value;

    void sort(uint32_t* rows, double* values, size_t n) {
        if (in_order(values, n)) return;
        order.resize(n);
        sorter.sort(values, n, order.data());
        row.assign(rows, rows + n);
        value.assign(values, values + n);
        for (size_t i = 0; i < n; ++i) {
            rows[i] = row[order[i].row];
            values[i] = value[order[i].row];
        }
    }
};

}  // namespace

void check_begins(std::span<const int64_t> begin, size_t n_stored) {
    bool sound = !begin.empty() && begin.front() == 0 && begin.back() == static_cast<int64_t>(n_stored);
    for (size_t i = 0; i + 1 < begin.size(); ++i) sound &= begin[i] <= begin[i + 1];
    if (!sound) throw std::invalid_argument("X is a sparse matrix whose indptr does not fit its shape");
}

StoredColumns sorted_columns(const SparseMatrix& matrix, int threads) {
    check_begins(matrix.begin, matrix.index.size());
    const size_t n_indexes = matrix.by_rows ? matrix.n_columns : matrix.n_rows;
    if (std::ranges::any_of(matrix.index, [&](int32_t i) { return i < 0 || static_cast<size_t>(i) >= n_indexes; }))
        throw std::invalid_argument("X is a sparse matrix whose indices do not fit its shape");
    StoredColumns to;
    to.begin.assign(matrix.n_columns + 1, 0);
    each_stored(matrix, [&](size_t, size_t column, double) { ++to.begin[column + 1]; });
    std::partial_sum(to.begin.begin(), to.begin.end(), to.begin.begin());
    to.row.resize(static_cast<size_t>(to.begin.back()));
    to.value.resize(to.row.size());
    std::vector<int64_t> at(to.begin.begin(), to.begin.end() - 1);
    each_stored(matrix, [&](size_t row, size_t column, double value) {
        const auto place = static_cast<size_t>(at[column]++);
        to.row[place] = static_cast<uint32_t>(row);
        to.value[place] = value;
    });
    std::vector<ColumnSorter> sorters(static_cast<size_t>(std::max(threads, 1)));
    constexpr size_t at_once = 64;
    parallel_for((matrix.n_columns + at_once - 1) / at_once, threads, [&](size_t block, int thread) {
        for (size_t f = block * at_once; f < std::min(matrix.n_columns, (block + 1) * at_once); ++f) {
            const auto begin = static_cast<size_t>(to.begin[f]), end = static_cast<size_t>(to.begin[f + 1]);
            sorters[static_cast<size_t>(thread)].sort(to.row.data() + begin, to.value.data() + begin, end - begin);
        }
    });
    return to;
}

void take_rows(const SparseColumns& from, std::span<const int32_t> place, StoredColumns& to) {
    const size_t p = from.begin.size() - 1;
    to.begin.assign(1, 0);
    to.row.resize(from.row.size());
    to.value.resize(from.row.size());
    size_t n = 0;
    for (size_t f = 0; f < p; ++f) {
        for (auto i = static_cast<size_t>(from.begin[f]); i < static_cast<size_t>(from.begin[f + 1]); ++i) {
            const int32_t row = place[from.row[i]];
            to.row[n] = static_cast<uint32_t>(row);
            to.value[n] = from.value[i];
            n += row >= 0;
        }
        to.begin.push_back(static_cast<int64_t>(n));
    }
    to.row.resize(n);
    to.value.resize(n);
}

}  // namespace treewright
