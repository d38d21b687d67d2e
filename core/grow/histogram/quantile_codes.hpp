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

    /// Write the codes; single[b] tells whether bin b holds one value only.
    void encode(const double* values, size_t n, uint8_t* code, std::array<bool, 256>& single) const {
        std::array<double, 256> low, high;
        low.fill(infinity);
        high.fill(-infinity);
        for (size_t i = 0; i < n; ++i) {
            const double x = values[i];
            uint8_t b = missing_bin;
            if (!std::isnan(x)) {
                b = bin(x);
                low[b] = std::min(low[b], x);
                high[b] = std::max(high[b], x);
            }
            code[i] = b;
        }
        for (size_t b = 0; b < 256; ++b) single[b] = low[b] >= high[b];
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

/// All numeric features coded, feature by feature.
struct CodedTable {
    size_t n_rows = 0;
    std::vector<uint8_t> codes;  // feature × row; empty rows for categorical features
    std::vector<size_t> column;  // by feature
    std::vector<std::array<bool, 256>> single;

    /// `skip(feature)` leaves out features that need no codes.
    template <class Skip>
    CodedTable(const Table& table, int threads, Monitor& monitor, Skip&& skip)
        : n_rows(table.n_rows), column(table.features.size()), single(table.features.size()) {
        size_t numeric = 0;
        for (size_t f = 0; f < table.features.size(); ++f)
            if (!skip(f)) column[f] = numeric++;
        codes.resize(numeric * n_rows);
        parallel_for(table.features.size(), threads, [&](size_t f, int thread) {
            if (skip(f)) return;
            monitor.poll(thread);
            FeatureCoder(table.features[f].numbers, n_rows)
                .encode(table.features[f].numbers, n_rows, codes.data() + column[f] * n_rows, single[f]);
        });
    }
    const uint8_t* of(size_t feature) const { return codes.data() + column[feature] * n_rows; }
};

}  // namespace treewright
