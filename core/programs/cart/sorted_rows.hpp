// The rows of CART in the order of each feature, sorted once, and without a fold for cross-validation.
#pragma once
#include "programs/cart/cart.hpp"
#include "programs/cart/quicksort.hpp"
#include "base/parallel.hpp"
#include "cuts/scan.hpp"

namespace treewright::cart {

inline bool is_known(double number) { return !std::isnan(number); }
inline bool is_known(int32_t code) { return code >= 0; }

/// All rows in the order of each feature, in one block: feature × row. Rows that miss the value stand among the others.
struct SortedRows {
    size_t n_rows = 0;
    std::vector<uint32_t> order;
    std::vector<char> complete;  // by feature: whether no row misses its value

    std::span<uint32_t> of(size_t feature) { return std::span(order).subspan(feature * n_rows, n_rows); }
    std::span<const uint32_t> of(size_t feature) const { return std::span(order).subspan(feature * n_rows, n_rows); }
};

/// Sort by value. Missing values are skipped when a split is searched, but have a place in the order, which sums are taken in: as
/// zeros, or as the number that rpart writes for them, whose sort they make exchange other rows too.
inline SortedRows sorted_rows(const Table& table, const Options& options, Monitor& monitor) {
    SortedRows sorted;
    sorted.n_rows = table.n_rows;
    sorted.order.resize(table.features.size() * table.n_rows);
    sorted.complete.resize(table.features.size());
    parallel_for(table.features.size(), options.threads, [&](size_t f, int thread) {
        if (table.n_rows > 10'000) monitor.poll(thread);
        const Feature& feature = table.features[f];
        const std::span<uint32_t> order = sorted.of(f);
        std::iota(order.begin(), order.end(), 0u);
        sorted.complete[f] = std::ranges::all_of(order, [&](uint32_t row) {
            return feature.categorical() ? is_known(feature.codes[row]) : is_known(feature.numbers[row]);
        });
        if (feature.categorical()) return;
        const double missing = options.rpart ? options.stands_for_missing[f] : 0.0;
        const auto value = [&](uint32_t row) { return is_known(feature.numbers[row]) ? feature.numbers[row] : missing; };
        if (options.rpart) {
            quicksort(order, value);
        } else {
            std::vector<double> values(table.n_rows);
            std::ranges::transform(order, values.begin(), value);
            std::vector<Entry<uint32_t>> entries(table.n_rows);
            RowSorter().sort(values.data(), values.size(), entries.data());
            std::ranges::transform(entries, order.begin(), &Entry<uint32_t>::row);
        }
    });
    return sorted;
}

/// The sorted lists without the rows of one fold.
inline SortedRows without(const SortedRows& all, std::span<const int32_t> fold, int32_t left_out, size_t n_kept,
                          size_t n_features) {
    SortedRows kept;
    kept.n_rows = n_kept;
    kept.complete = all.complete;
    kept.order.resize(n_features * n_kept);
    for (size_t f = 0; f < n_features; ++f)
        std::ranges::copy_if(all.of(f), kept.of(f).begin(), [&](uint32_t row) { return fold[row] != left_out; });
    return kept;
}

}  // namespace treewright::cart
