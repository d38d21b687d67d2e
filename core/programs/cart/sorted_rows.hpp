// The rows of CART in the order of each feature, sorted once, and without a fold for cross-validation.
#pragma once
#include "cart.hpp"
#include "../../parallel.hpp"
#include "quicksort.hpp"

namespace treewright::cart {

/// Rows by each feature, in one block: feature × row, a missing value marked as ~row.
struct SortedRows {
    size_t n_rows = 0;
    std::vector<int32_t> order;

    int32_t* of(size_t feature) { return order.data() + feature * n_rows; }
    const int32_t* of(size_t feature) const { return order.data() + feature * n_rows; }
};

inline uint32_t row_of(int32_t entry) { return static_cast<uint32_t>(entry < 0 ? ~entry : entry); }

inline SortedRows sorted_rows(const Table& table, const Options& options) {
    SortedRows sorted;
    sorted.n_rows = table.n_rows;
    sorted.order.resize(table.features.size() * table.n_rows);
    parallel_for(table.features.size(), options.threads, [&](size_t f, int) {
        const Feature& feature = table.features[f];
        const std::span order(sorted.of(f), table.n_rows);
        for (size_t row = 0; row < table.n_rows; ++row) {
            const bool missing = feature.categorical() ? feature.codes[row] < 0 : std::isnan(feature.numbers[row]);
            order[row] = missing ? ~static_cast<int32_t>(row) : static_cast<int32_t>(row);
        }
        if (feature.categorical()) return;
        const double missing = options.rpart ? options.stands_for_missing[f] : 0.0;  // skipped later, but they stir the ties
        const auto value = [&](int32_t entry) { return entry < 0 ? missing : feature.numbers[entry]; };
        if (options.rpart) quicksort(order, value);
        else std::ranges::stable_sort(order, {}, value);
    });
    return sorted;
}

/// The sorted lists without the rows of one fold.
inline SortedRows without(const SortedRows& all, std::span<const int32_t> fold, int32_t left_out, size_t n_kept,
                          size_t n_features) {
    SortedRows kept;
    kept.n_rows = n_kept;
    kept.order.resize(n_features * n_kept);
    for (size_t f = 0; f < n_features; ++f) {
        int32_t* to = kept.of(f);
        for (size_t i = 0; i < all.n_rows; ++i)
            if (fold[row_of(all.of(f)[i])] != left_out) *to++ = all.of(f)[i];
    }
    return kept;
}

}  // namespace treewright::cart
