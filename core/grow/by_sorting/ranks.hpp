// Ranks: every numeric feature of a table by the position of its value among the distinct ones, sorted once for all trees.
#pragma once
#include <atomic>

#include "base/large_array.hpp"
#include "base/parallel.hpp"
#include "cuts/sorted_list.hpp"
#include "grow/grow_task.hpp"

namespace treewright {

class RankTable {
public:
    static constexpr uint32_t missing = std::numeric_limits<uint32_t>::max();

    /// `by_row`: keep the ranks of a row side by side too, for those who copy rows here and there. Else those of up to 65,535
    /// rows take two bytes each: every node reads them from far away.
    RankTable(const Table& table, bool by_row, int threads, Monitor& monitor)
        : n_rows_(table.n_rows), column_(table.features.size()), has_missing_(table.features.size(), 0) {
        size_t numeric = 0;
        for (size_t f = 0; f < table.features.size(); ++f)
            if (!table.features[f].categorical()) column_[f] = numeric++;
        const bool narrow = !by_row && n_rows_ <= narrow_missing;
        (narrow ? narrow_.resize(numeric * n_rows_) : rank_.resize(numeric * n_rows_));
        struct Work {
            RowSorter sorter;
            std::vector<Entry<uint32_t>> order;
        };
        std::vector<Work> work(static_cast<size_t>(std::max(threads, 1)));
        parallel_for(table.features.size(), threads, [&](size_t f, int thread) {
            if (table.features[f].categorical()) return;
            monitor.poll(thread);
            auto& [sorter, order] = work[static_cast<size_t>(thread)];
            order.resize(n_rows_);
            const size_t known = sorter.sort(table.features[f].numbers, n_rows_, order.data());
            has_missing_[f] = known < n_rows_;
            const auto put = [&](auto* rank) {
                for (const auto& entry : order) rank[entry.row] = static_cast<std::remove_pointer_t<decltype(rank)>>(entry.rank);
            };
            if (narrow) put(narrow_.data() + column_[f] * n_rows_);
            else put(rank_.data() + column_[f] * n_rows_);
        });
        if (by_row) transpose(numeric, threads);
    }
    /// The ranks of all numeric features of a row, in feature order.
    const uint32_t* row(size_t row) const { return by_row_.data() + row * width_; }
    size_t width() const { return width_; }
    size_t column(size_t feature) const { return column_[feature]; }
    /// The ranks of a feature in four bytes each, or null; and in two, or null.
    const uint32_t* of(size_t feature) const { return rank_.empty() ? nullptr : rank_.data() + column_[feature] * n_rows_; }
    const uint16_t* narrow(size_t feature) const {
        return narrow_.empty() ? nullptr : narrow_.data() + column_[feature] * n_rows_;
    }
    static uint32_t widen(uint16_t rank) { return rank == narrow_missing ? missing : rank; }
    bool has_missing(size_t feature) const { return has_missing_[feature]; }

private:
    static constexpr uint16_t narrow_missing = static_cast<uint16_t>(missing);

    void transpose(size_t numeric, int threads) {
        width_ = numeric;
        by_row_.resize(rank_.size());
        constexpr size_t tile = 256;
        parallel_for((n_rows_ + tile - 1) / tile, threads, [&](size_t t, int) {
            const size_t last = std::min(n_rows_, (t + 1) * tile);
            for (size_t c = 0; c < numeric; ++c)
                for (size_t row = t * tile; row < last; ++row) by_row_[row * numeric + c] = rank_[c * n_rows_ + row];
        });
    }

    size_t n_rows_, width_ = 0;
    std::vector<size_t> column_;  // by feature
    std::vector<char> has_missing_;
    std::vector<uint32_t> rank_, by_row_;  // feature × row, row × feature
    std::vector<uint16_t> narrow_;         // in place of rank_
};

/// What forests of random cuts read instead: values as they are, which features lack some, and, where subtrees copy their rows,
/// all numeric features of a row side by side.
class ValueTable {
public:
    ValueTable(const Table& table, bool by_row, int threads)
        : column_(table.features.size()), has_missing_(table.features.size(), 0) {
        for (size_t f = 0; f < table.features.size(); ++f)
            if (!table.features[f].categorical()) column_[f] = width_++;
        if (by_row) by_row_.resize(table.n_rows * width_);
        constexpr size_t tile = 256;
        std::vector<std::atomic<char>> missing(table.features.size());
        parallel_for((table.n_rows + tile - 1) / tile, threads, [&](size_t t, int) {
            const size_t last = std::min(table.n_rows, (t + 1) * tile);
            for (size_t f = 0; f < table.features.size(); ++f) {
                if (table.features[f].categorical()) continue;
                const double* number = table.features[f].numbers;
                bool any = false;
                for (size_t row = t * tile; row < last; ++row) {
                    any |= std::isnan(number[row]);
                    if (by_row) by_row_[row * width_ + column_[f]] = number[row];
                }
                if (any) missing[f].store(1, std::memory_order_relaxed);
            }
        });
        for (size_t f = 0; f < missing.size(); ++f) has_missing_[f] = missing[f];
    }
    bool has_missing(size_t feature) const { return has_missing_[feature]; }
    /// The numeric features of a row, in feature order.
    const double* row(size_t row) const { return by_row_.data() + row * width_; }
    size_t width() const { return width_; }
    size_t column(size_t feature) const { return column_[feature]; }

private:
    size_t width_ = 0;
    std::vector<size_t> column_;  // by feature
    std::vector<char> has_missing_;
    LargeArray<double> by_row_;  // row × feature
};

/// The values of a feature: that of a row is `stride` times its number away.
struct ValueColumn {
    const double* from = nullptr;
    size_t stride = 1;

    double operator[](size_t row) const { return from[row * stride]; }
};

/// A row of a node by its rank: one number that sorts by rank, then by place in the node.
struct Ranked {
    uint32_t row, rank;  // row: place in the node
    static constexpr uint32_t missing = RankTable::missing;
};
static_assert(sizeof(Ranked) == 8);

/// Sorts ranks in linear time: they are spread over about as many buckets as there are rows, by their leading bits, and what
/// little is out of order inside the buckets is put right by insertion.
class RankSorter {
public:
    /// Sort (rank, place) pairs whose ranks lie in [low, high].
    void sort(Ranked* items, size_t n, uint32_t low, uint32_t high) {
        const uint32_t range = high - low;
        if (n <= 4) return exchange(items, n);
        if (n <= few && range >> 26 == 0) return count(items, n, low);
        int shift = 0;
        while (range >> shift >= 2 * n) ++shift;
        const size_t buckets = (range >> shift) + 1;
        if (place_.size() < buckets + 1) place_.resize(buckets + 1);
        if (spare_.size() < n) spare_.resize(n);
        std::fill_n(place_.begin(), buckets + 1, 0u);
        uint32_t* place = place_.data() + 1;
        for (size_t i = 0; i < n; ++i) ++place[(items[i].rank - low) >> shift];
        uint32_t most = 0;
        for (size_t b = 0; b < buckets; ++b) {
            most = std::max(most, place[b]);
            place[b] += place[b - 1];
        }
        place = place_.data();
        for (size_t i = 0; i < n; ++i) spare_[place[(items[i].rank - low) >> shift]++] = items[i];
        if (shift > 0) {
            if (most > 32) sort_buckets(buckets);
            insert(spare_.data(), n);
        }
        std::copy_n(spare_.data(), n, items);
    }

private:
    static constexpr size_t few = 32;

    static uint64_t key(const Ranked& item) {
        if constexpr (std::endian::native == std::endian::little) return std::bit_cast<uint64_t>(item);
        else return static_cast<uint64_t>(item.rank) << 32 | item.row;
    }
    /// At most four items, exchanged without a branch.
    static void exchange(Ranked* items, size_t n) {
        const auto order = [items](size_t a, size_t b) {
            const Ranked first = items[a], second = items[b];
            const bool swap = key(second) < key(first);
            items[a] = swap ? second : first;
            items[b] = swap ? first : second;
        };
        if (n < 2) return;
        order(0, 1);
        if (n == 2) return;
        if (n == 4) {
            order(2, 3);
            order(0, 2);
            order(1, 3);
            return order(1, 2);
        }
        order(1, 2);
        order(0, 1);
    }
    /// Few items: the place of each is the number of smaller ones, counted without a branch. BranchPlaces in the node ascend.
    static void count(Ranked* items, size_t n, uint32_t low) {
        constexpr size_t chunk = 8;
        int32_t at[few];
        Ranked before[few];
        std::copy_n(items, n, before);
        std::fill_n(at, few, std::numeric_limits<int32_t>::max());
        for (size_t i = 0; i < n; ++i) at[i] = static_cast<int32_t>((items[i].rank - low) * few + i);
        for (size_t begin = 0; begin < n; begin += chunk) {
            int32_t smaller[chunk] = {};
            for (size_t j = 0; j < n; ++j)
                for (size_t k = 0; k < chunk; ++k) smaller[k] += at[j] < at[begin + k];
            for (size_t k = 0; k < std::min(chunk, n - begin); ++k) items[smaller[k]] = before[begin + k];
        }
    }
    static void insert(Ranked* items, size_t n) {
        for (size_t i = 1; i < n; ++i) {
            const Ranked moved = items[i];
            const uint64_t at = key(moved);
            size_t j = i;
            for (; j > 0 && key(items[j - 1]) > at; --j) items[j] = items[j - 1];
            items[j] = moved;
        }
    }
    void sort_buckets(size_t buckets) {  // place_[b] is now the end of bucket b
        for (size_t b = 0, begin = 0; b < buckets; begin = place_[b++])
            if (place_[b] - begin > 16)
                std::sort(spare_.begin() + static_cast<int64_t>(begin), spare_.begin() + static_cast<int64_t>(place_[b]),
                          [](const Ranked& a, const Ranked& b) { return key(a) < key(b); });
    }
    std::vector<uint32_t> place_;
    std::vector<Ranked> spare_;
};

}  // namespace treewright
