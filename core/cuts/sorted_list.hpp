// The rows of a node in the order of one feature.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace treewright {

/// A row in the order of one feature: rank counts distinct values, the largest rank of all stands for missing.
template <class Index>
struct Entry {
    Index rank, row;
    static constexpr Index missing = std::numeric_limits<Index>::max();
};

/// Largest number of rows for which 16-bit row numbers and ranks do.
inline constexpr size_t most_narrow_rows = 65535;

/// Doubles as integers of the same order; both zeros are one value.
inline uint64_t sort_key(double x) {
    const auto bits = std::bit_cast<uint64_t>(x + 0.0);
    return bits ^ ((bits >> 63) ? ~uint64_t{0} : uint64_t{1} << 63);
}

/// Sorts rows by value: a radix sort on the leading 32 bits of (key − smallest key), ties repaired on the whole value.
class RowSorter {
public:
    /// value(i) for i < n; rows with NaN go last, in row order. Returns the number of known values.
    template <class Index>
    size_t sort(const double* value, size_t n, Entry<Index>* out);

private:
    void sort_items(size_t n, int bits);
    /// Values that share their leading bits are put in order by the whole value, then by row.
    void repair(const double* value, size_t n);

    std::vector<uint64_t> items_, spare_;
};

}  // namespace treewright
