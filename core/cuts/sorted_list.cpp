#include "cuts/sorted_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace treewright {

template <class Index>
size_t RowSorter::sort(const double* value, size_t n, Entry<Index>* out) {
    items_.resize(n + 1);  // one to spare: what is not kept is written over
    spare_.resize(n + 1);
    uint64_t low = ~uint64_t{0}, high = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = sort_key(value[i]);
        const bool missing = std::isnan(value[i]);
        low = std::min(low, missing ? ~uint64_t{0} : key);
        high = std::max(high, missing ? 0 : key);
    }
    const int width = low > high ? 0 : static_cast<int>(std::bit_width(high - low));
    const int shift = std::max(0, width - 32);
    size_t known = 0;
    for (size_t i = 0; i < n; ++i) {  // without a branch, as holes stand anywhere
        items_[known] = ((sort_key(value[i]) - low) >> shift) << 32 | i;
        known += !std::isnan(value[i]);
    }
    sort_items(known, std::min(width, 32));
    if (shift) repair(value, known);
    Index rank = 0;
    for (size_t i = 0; i < known; ++i) {
        const auto row = static_cast<uint32_t>(items_[i]);
        if (i && (items_[i] >> 32 != items_[i - 1] >> 32 || value[row] != value[static_cast<uint32_t>(items_[i - 1])])) ++rank;
        out[i] = {rank, static_cast<Index>(row)};
    }
    if (known < n) {
        size_t missing = known;
        for (size_t i = 0; i < n; ++i)
            if (std::isnan(value[i])) out[missing++] = {Entry<Index>::missing, static_cast<Index>(i)};
    }
    return known;
}

void RowSorter::sort_items(size_t n, int bits) {
    if (n < 192) {
        std::sort(items_.begin(), items_.begin() + static_cast<int64_t>(n));
        return;
    }
    constexpr int digit = 11;
    uint32_t place[1 << digit];
    for (int from = 0; from < bits; from += digit) {
        std::memset(place, 0, sizeof place);
        const int down = 32 + from;
        constexpr uint64_t mask = (1u << digit) - 1;
        for (size_t i = 0; i < n; ++i) ++place[items_[i] >> down & mask];
        uint32_t sum = 0;
        for (uint32_t& p : place) sum += std::exchange(p, sum);
        for (size_t i = 0; i < n; ++i) spare_[place[items_[i] >> down & mask]++] = items_[i];
        items_.swap(spare_);
    }
}

void RowSorter::repair(const double* value, size_t n) {
    for (size_t begin = 0; begin < n;) {
        size_t end = begin + 1;
        while (end < n && items_[end] >> 32 == items_[begin] >> 32) ++end;
        if (end - begin > 1)
            std::sort(items_.begin() + static_cast<int64_t>(begin), items_.begin() + static_cast<int64_t>(end),
                      [&](uint64_t a, uint64_t b) {
                          const double x = value[static_cast<uint32_t>(a)], y = value[static_cast<uint32_t>(b)];
                          return x < y || (x == y && a < b);
                      });
        begin = end;
    }
}

template size_t RowSorter::sort(const double*, size_t, Entry<uint16_t>*);
template size_t RowSorter::sort(const double*, size_t, Entry<uint32_t>*);

}  // namespace treewright
