// Two-valued numeric features as bits: one mask a row holds up to 64 of them, and all are counted in one pass over the rows.
//
// Eight bits are spread over the eight bytes of a word by a table, so that one addition counts eight features (at most 255
// rows before the bytes are emptied into whole counts). Used for classification without weights.
#pragma once
#include <array>
#include <optional>

#include "base/midpoint.hpp"
#include "base/parallel.hpp"
#include "grow/grow_task.hpp"

namespace treewright {

class BitTable {
public:
    static constexpr size_t most_classes = 64;

    BitTable(const Table& table, int threads) : bit_of_(table.features.size(), -1) {
        std::vector<std::pair<double, double>> values(table.features.size());
        parallel_for(table.features.size(), threads, [&](size_t f, int) {
            if (const auto both = two_values(table, table.features[f])) {
                values[f] = *both;
                bit_of_[f] = 0;
            }
        });
        for (size_t f = 0; f < bit_of_.size(); ++f)
            if (bit_of_[f] == 0) {
                bit_of_[f] = static_cast<int32_t>(low_.size());
                low_.push_back(values[f].first);
                high_.push_back(values[f].second);
            }
        words_ = (low_.size() + 63) / 64;
        mask_.resize(table.n_rows * words_, 0);
        for (size_t f = 0; f < bit_of_.size(); ++f) {
            if (bit_of_[f] < 0) continue;
            const auto bit = static_cast<size_t>(bit_of_[f]);
            const double low = low_[bit];
            uint64_t* to = mask_.data() + bit / 64;
            for (size_t row = 0; row < table.n_rows; ++row)
                to[row * words_] |= static_cast<uint64_t>(table.features[f].numbers[row] != low) << (bit % 64);
        }
    }

    size_t size() const { return low_.size(); }
    size_t words() const { return words_; }
    int32_t bit_of(size_t feature) const { return bit_of_[feature]; }
    const uint64_t* mask(size_t row) const { return mask_.data() + row * words_; }
    double threshold(size_t bit, bool shortest) const { return cut_between(low_[bit], high_[bit], shortest); }

private:
    static std::optional<std::pair<double, double>> two_values(const Table& table, const Feature& feature) {
        if (feature.categorical() || table.n_rows == 0) return std::nullopt;
        const double first = feature.numbers[0];
        double other = first;
        for (size_t row = 0; row < table.n_rows; ++row) {
            const double x = feature.numbers[row];
            if (x == first || x == other) continue;
            if (other != first || std::isnan(x)) return std::nullopt;
            other = x;
        }
        if (std::isnan(first) || other == first) return std::nullopt;
        return std::pair{std::min(first, other), std::max(first, other)};
    }

    std::vector<int32_t> bit_of_;
    std::vector<double> low_, high_;
    size_t words_ = 0;
    std::vector<uint64_t> mask_;  // row × word
};

/// Counts, for every bit and class, the rows that have the bit.
class BitCounter {
public:
    /// mask_of(i) points at the words of row i, label_of(i) is its class.
    template <class Mask, class Label>
    void count(size_t n, size_t n_bits, size_t n_classes, Mask&& mask_of, Label&& label_of) {
        n_classes_ = n_classes;
        const size_t bytes = (n_bits + 7) / 8;
        ones_.assign(bytes * 8 * n_classes, 0);
        packed_.assign(bytes * n_classes, 0);
        for (size_t begin = 0; begin < n; begin += 255) {
            const size_t end = std::min(n, begin + 255);
            for (size_t i = begin; i < end; ++i) {
                const uint64_t* mask = mask_of(i);
                uint64_t* to = packed_.data() + static_cast<size_t>(label_of(i)) * bytes;
                for (size_t byte = 0; byte < bytes; ++byte) to[byte] += spread[mask[byte / 8] >> (byte % 8 * 8) & 255];
            }
            for (size_t k = 0; k < n_classes; ++k)
                for (size_t byte = 0; byte < bytes; ++byte) {
                    uint64_t& word = packed_[k * bytes + byte];
                    if (word == 0) continue;
                    for (size_t bit = 0; bit < 8; ++bit)
                        ones_[(byte * 8 + bit) * n_classes + k] += static_cast<uint32_t>(word >> (8 * bit) & 255);
                    word = 0;
                }
        }
    }
    /// Rows of each class that have the bit.
    const uint32_t* ones(size_t bit) const { return ones_.data() + bit * n_classes_; }

private:
    static constexpr std::array<uint64_t, 256> spread = [] {
        std::array<uint64_t, 256> table{};
        for (size_t value = 0; value < 256; ++value)
            for (size_t bit = 0; bit < 8; ++bit)
                if (value >> bit & 1) table[value] |= uint64_t{1} << (8 * bit);
        return table;
    }();
    size_t n_classes_ = 0;
    std::vector<uint32_t> ones_;
    std::vector<uint64_t> packed_;
};

/// The one cut of a two-valued feature: rows without the bit go left. Merit and rows on the left; -infinity if a side is too
/// small.
template <class Scorer>
std::pair<double, size_t> score_bit(const uint32_t* ones, const Totals& node, const Recipe& recipe, Scorer& scorer,
                                    Totals& left) {
    left.weight = 0;
    for (size_t k = 0; k < node.sums.size(); ++k) {
        left.sums[k] = node.sums[k] - ones[k];
        left.weight += left.sums[k];
    }
    left.count = static_cast<size_t>(left.weight);
    const auto least = static_cast<size_t>(std::max<int64_t>(recipe.min_samples_leaf, 1));
    if (left.count < least || node.count < left.count + least ||
        !both_weigh(left.weight, node.weight - left.weight, recipe.min_weight_leaf))
        return {-infinity, left.count};
    scorer.jump(left);
    return {scorer.merit(scorer.score()), left.count};
}

}  // namespace treewright
