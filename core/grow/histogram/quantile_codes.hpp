// Coarse codes: one byte a value, by quantiles of a sample. They order rows roughly; exact cuts come from the values.
#pragma once
#include <array>

#include "cuts/sorted_list.hpp"
#include "grow/histogram/bins.hpp"
#include "base/parallel.hpp"
#include "grow/grow_task.hpp"
#include "base/statistics.hpp"
#include "base/table.hpp"

namespace treewright {

/// The values of a bin.
struct ValueRange {
    double low = infinity, high = -infinity;

    void add(const ValueRange& other) {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

/// One numeric feature in at most 255 bins: bin b holds the values in (edge[b − 1], edge[b]].
class FeatureCoder {
public:
    FeatureCoder(const double* values, size_t n) {
        constexpr size_t sample_size = 8192;
        const size_t step = std::max<size_t>(1, n / sample_size);
        std::vector<double> sample;
        sample.reserve(n / step + 1);
        for (size_t i = 0; i < n; i += step)
            if (!std::isnan(values[i])) sample.push_back(values[i] + 0.0);
        sort_sample(sample);
        std::vector<double> distinct;
        std::unique_copy(sample.begin(), sample.end(), std::back_inserter(distinct));
        constexpr size_t bins = 255;
        if (distinct.size() <= bins) {
            edge_.assign(distinct.begin(), distinct.empty() ? distinct.end() : distinct.end() - 1);
        } else {
            for (size_t b = 1; b < bins; ++b) {
                const double at = sample[b * sample.size() / bins];
                if (edge_.empty() || at > edge_.back()) edge_.push_back(at);
            }
            if (!edge_.empty() && edge_.back() == sample.back()) edge_.pop_back();
        }
        make_table();
    }

    size_t n_bins() const { return edge_.size() + 1; }

    /// Write the codes, each `step` bytes behind the last; `ranges` of the bins grow with their values.
    void encode(const double* values, size_t n, uint8_t missing, uint8_t* code, size_t step, std::span<ValueRange> ranges) const {
        for (size_t i = 0; i < n; ++i) {
            const double x = values[i];
            uint8_t b = missing;
            if (!std::isnan(x)) {
                b = bin(x);
                ranges[b].add({x, x});
            }
            code[i * step] = b;
        }
    }

private:
    static void sort_sample(std::vector<double>& sample) {
        RowSorter sorter;
        std::vector<Entry<uint32_t>> order(sample.size());
        sorter.sort(sample.data(), sample.size(), order.data());
        std::vector<double> sorted(sample.size());
        for (size_t i = 0; i < sample.size(); ++i) sorted[i] = sample[order[i].row];
        sample.swap(sorted);
    }
    /// A table over equal steps of x gives a bin to start from, if no step covers too many bins.
    void make_table() {
        if (edge_.empty()) return;
        const double span = edge_.back() - edge_.front();
        if (!(span > 0) || !std::isfinite(span)) return;
        scale_ = static_cast<double>(cells - 1) / span;
        if (!std::isfinite(scale_)) return;
        size_t b = 0, most = 0;
        for (size_t cell = 0; cell < cells; ++cell) {
            const double begin = edge_.front() + (static_cast<double>(cell) - 0.5) / scale_;  // half a step of safety
            const size_t before = b;
            while (b < edge_.size() && edge_[b] < begin) ++b;
            start_[cell] = static_cast<uint8_t>(b);
            most = std::max(most, b - before);
        }
        fast_ = most <= 6;
    }
    uint8_t bin(double x) const {
        if (fast_) {
            const double at = (x - edge_.front()) * scale_;
            const auto cell = static_cast<size_t>(std::min(std::max(at, 0.0), static_cast<double>(cells - 1)));
            size_t b = start_[cell];
            while (b < edge_.size() && edge_[b] < x) ++b;
            return static_cast<uint8_t>(b);
        }
        const double* first = edge_.data();
        size_t length = edge_.size();
        while (length > 0) {
            const size_t half = length / 2;
            const bool above = first[half] < x;
            first += above ? half + 1 : 0;
            length = above ? length - half - 1 : half;
        }
        return static_cast<uint8_t>(first - edge_.data());
    }

    static constexpr size_t cells = 2048;
    std::vector<double> edge_;
    std::array<uint8_t, cells> start_{};
    double scale_ = 0;
    bool fast_ = false;
};

/// The codes of one feature, by row.
struct Codes {
    const uint8_t* first;
    size_t step;

    uint8_t operator[](size_t row) const { return first[row * step]; }
};

/// All numeric features coded: feature by feature, or row by row where every feature has few values. A bin more for the rows of a
/// node then costs little, and what one row adds to all features is read from one place.
class CodedTable {
public:
    /// `skip(feature)` leaves out features that need no codes.
    template <class Skip>
    CodedTable(const Table& table, int threads, Monitor& monitor, Skip&& skip)
        : n_rows_(table.n_rows),
          column_(table.features.size()),
          n_bins_(table.features.size()),
          single_(table.features.size()),
          values_(table.features.size()) {
        std::vector<size_t> coded;
        for (size_t f = 0; f < table.features.size(); ++f) {
            if (skip(f)) continue;
            column_[f] = coded.size();
            coded.push_back(f);
        }
        n_columns_ = coded.size();
        codes_.resize(n_columns_ * n_rows_);
        if (!encode_rows(table, coded, threads, monitor)) encode_columns(table, coded, threads, monitor);
    }

    size_t n_columns() const { return n_columns_; }
    size_t column(size_t feature) const { return column_[feature]; }
    size_t n_bins(size_t feature) const { return n_bins_[feature]; }
    /// Bins there is room for in every feature; the last is that of rows without a value.
    size_t n_slots() const { return n_slots_; }
    uint8_t missing() const { return static_cast<uint8_t>(n_slots_ - 1); }
    bool by_rows() const { return by_rows_; }
    /// Whether a bin holds one value only.
    bool single(size_t feature, size_t bin) const { return single_[feature][bin]; }
    /// The value of each bin, where all of a feature hold one only; else empty.
    std::span<const double> values(size_t feature) const { return values_[feature]; }
    Codes of(size_t feature) const {
        return by_rows_ ? Codes{codes_.data() + column_[feature], n_columns_} : Codes{column_codes(feature), 1};
    }
    const uint8_t* column_codes(size_t feature) const { return codes_.data() + column_[feature] * n_rows_; }
    const uint8_t* row_codes(size_t row) const { return codes_.data() + row * n_columns_; }

private:
    static constexpr size_t few_bins = 63, rows_at_once = 4096;

    void encode_columns(const Table& table, const std::vector<size_t>& coded, int threads, Monitor& monitor) {
        parallel_for(coded.size(), threads, [&](size_t c, int thread) {
            monitor.poll(thread);
            const double* numbers = table.features[coded[c]].numbers;
            const FeatureCoder coder(numbers, n_rows_);
            std::array<ValueRange, 256> ranges;
            coder.encode(numbers, n_rows_, missing(), codes_.data() + c * n_rows_, 1, ranges);
            keep(coded[c], coder.n_bins(), ranges);
        });
    }
    /// False if a feature has more than a few values.
    bool encode_rows(const Table& table, const std::vector<size_t>& coded, int threads, Monitor& monitor) {
        std::vector<FeatureCoder> coders;
        size_t most = 0;
        for (const size_t f : coded) {
            coders.emplace_back(table.features[f].numbers, n_rows_);
            most = std::max(most, coders.back().n_bins());
            if (most > few_bins) return false;
        }
        by_rows_ = true;
        n_slots_ = std::bit_ceil(most + 1);
        std::vector<std::vector<ValueRange>> of_thread(static_cast<size_t>(std::max(threads, 1)));
        parallel_for((n_rows_ + rows_at_once - 1) / rows_at_once, threads, [&](size_t block, int thread) {
            monitor.poll(thread);
            std::vector<ValueRange>& ranges = of_thread[static_cast<size_t>(thread)];
            ranges.resize(n_columns_ * n_slots_);
            const size_t first = block * rows_at_once, n = std::min(rows_at_once, n_rows_ - first);
            for (size_t c = 0; c < n_columns_; ++c)
                coders[c].encode(table.features[coded[c]].numbers + first, n, missing(), codes_.data() + first * n_columns_ + c,
                                 n_columns_, std::span(ranges).subspan(c * n_slots_, n_slots_));
        });
        std::vector<ValueRange> ranges(n_columns_ * n_slots_);
        for (const auto& some : of_thread)
            for (size_t i = 0; i < some.size(); ++i) ranges[i].add(some[i]);
        for (size_t c = 0; c < n_columns_; ++c)
            keep(coded[c], coders[c].n_bins(), std::span(ranges).subspan(c * n_slots_, n_slots_));
        return true;
    }
    void keep(size_t feature, size_t n_bins, std::span<const ValueRange> ranges) {
        n_bins_[feature] = n_bins;
        const auto one = [](const ValueRange& range) { return range.low >= range.high; };
        for (size_t b = 0; b < ranges.size(); ++b) single_[feature][b] = one(ranges[b]);
        ranges = ranges.first(n_bins);
        if (!std::ranges::all_of(ranges, one)) return;
        for (const ValueRange& range : ranges) values_[feature].push_back(range.low);
    }

    size_t n_rows_, n_columns_ = 0, n_slots_ = 256;
    bool by_rows_ = false;
    std::vector<uint8_t> codes_;
    std::vector<size_t> column_, n_bins_;  // by feature
    std::vector<std::array<bool, 256>> single_;
    std::vector<std::vector<double>> values_;
};

}  // namespace treewright
