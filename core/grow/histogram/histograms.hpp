// Histograms of large nodes: totals by bin of every coded feature.
#pragma once
#include <memory>

#include "grow/bits.hpp"
#include "grow/histogram/bins.hpp"
#include "grow/histogram/quantile_codes.hpp"
#include "grow/kernel.hpp"
#include "grow/node.hpp"
#include "grow/missing_policy.hpp"
#include "base/parallel.hpp"
#include "grow/row_shares.hpp"
#include "grow/grow_task.hpp"

namespace treewright {

/// A large node.
struct HistogramNode : GrowingNode {
    int thin_splits = 0;  // in a row, just above
    int bin = -1;         // of a coded feature, that the cut found stands in or behind
    bool inside = false;  // it stands in it
    RowShares parts;
    std::shared_ptr<std::vector<double>> histogram;  // column × bin × numbers of a bin

    size_t size() const { return parts.size(); }
    bool may_use(size_t feature) const {
        return !features || std::binary_search(features->begin(), features->end(), static_cast<int32_t>(feature));
    }
};

/// The rows of the node in hand under local numbers, and their histograms.
class Histograms {
    using Item = HistogramNode;

public:
    /// `unit` tells that every row weighs one.
    Histograms(const GrowTask& task, bool unit)
        : task_(task),
          recipe_(task.recipe),
          layout_{task.n_classes > 0, unit, task.width()},
          coded_(task.table, recipe_.threads, task.monitor, [&](size_t f) { return !is_coded(f); }) {}
    Histograms(const Histograms&) = delete;  // it points into itself
    Histograms& operator=(const Histograms&) = delete;

    bool is_bit(size_t feature) const { return task_.bits && task_.bits->bit_of(feature) >= 0; }
    bool is_coded(size_t feature) const { return !task_.table.features[feature].categorical() && !is_bit(feature); }
    const BinLayout& layout() const { return layout_; }
    const CodedTable& coded() const { return coded_; }
    const LocalRows& local() const { return local_; }
    int32_t label(size_t row) const { return label_[row]; }
    const std::vector<double>& target() const { return target_; }
    /// Nodes of few rows are not worth waking threads for.
    int threads_for(const Item& item) const { return item.size() < 16384 ? 1 : recipe_.threads; }
    /// Memory of the histograms there are.
    size_t bytes_kept() const { return n_kept_ * n_numbers() * sizeof(double); }

    /// Bring labels, weights and targets of a node's rows side by side.
    void gather(const Item& item) {
        if (layout_.classes) {
            gather_labels(item.parts, task_.label, label_, bit_);
            local_.label = label_.data();
            local_.bit = bit_.data();
        } else {
            target_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) target_[i] = task_.target[item.parts.row[i]];
            local_.target = target_.data();
        }
        if (!layout_.unit) local_.weight = item.parts.weight.data();
    }
    /// Take the centre off the targets that were gathered; gives their sum.
    double centre_targets(double centre) {
        local_.centre = centre;
        double sum = 0;
        for (size_t i = 0; i < target_.size(); ++i) {
            target_[i] -= centre;
            sum += local_.weight_of(i) * target_[i];
        }
        return sum;
    }

    /// Count the rows that were gathered. `kernel` says what each saves by itself.
    void count(Item& item, Kernel& kernel) {
        if (item.histogram) return;
        if (layout_.classes && layout_.unit && task_.n_classes == 2 && !coded_.by_rows()) {
            increment_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) increment_[i] = 1 + (static_cast<uint64_t>(bit_[i]) << 32);
        }
        if (!layout_.classes) kernel.rows_apart(local_, item.size(), apart_);
        item.histogram = {new std::vector<double>(n_numbers()), [this](std::vector<double>* done) {
                              --n_kept_;
                              delete done;
                          }};
        ++n_kept_;
        std::vector<size_t> features;
        for (size_t f = 0; f < task_.n_features(); ++f)
            if (is_coded(f) && item.may_use(f)) features.push_back(f);
        if (coded_.by_rows()) return count_by_rows(item, features);
        parallel_for(features.size(), threads_for(item), [&](size_t i, int) {
            count(item, features[i], item.histogram->data() + coded_.column(features[i]) * layout_.stride() * coded_.n_slots());
        });
    }
    /// A feature of a node that was counted.
    BinnedFeature feature(const Item& item, size_t feature) const {
        const double* bins = item.histogram->data() + coded_.column(feature) * layout_.stride() * coded_.n_slots();
        BinnedFeature binned{layout_, bins, item.totals, layout_.totals(bins + coded_.missing() * layout_.stride())};
        binned.n_bins = coded_.n_bins(feature);
        binned.some_missing = binned.missing.count > 0;
        binned.both_sides = binned.some_missing && !left_out(recipe_.policy(feature));
        if (binned.some_missing && !binned.both_sides) {
            binned.totals.remove(binned.missing);
            if (layout_.classes)
                for (size_t k = 0; k < binned.totals.sums.size(); ++k)
                    binned.totals.sums[k] = rest_of(item.totals.sums[k], binned.missing.sums[k]);
            binned.share = binned.totals.weight / item.totals.weight;
        }
        return binned;
    }

private:
    /// Of a histogram.
    size_t n_numbers() const { return coded_.n_columns() * coded_.n_slots() * layout_.stride(); }

    /// Histograms of several features at once, row by row: what a row adds to one need not wait for what it adds to another.
    void count_by_rows(const Item& item, const std::vector<size_t>& features) const {
        const auto groups = static_cast<size_t>(std::max(threads_for(item), 1));
        std::vector<uint32_t> whole(layout_.classes && layout_.unit ? n_numbers() : 0, 0);
        double* bins = item.histogram->data();
        parallel_for(groups, threads_for(item), [&](size_t group, int) {
            std::vector<uint32_t> columns;
            for (size_t i = group * features.size() / groups; i < (group + 1) * features.size() / groups; ++i)
                columns.push_back(static_cast<uint32_t>(coded_.column(features[i])));
            const auto add = [&](auto* to, auto step, auto&& add_row) {
                const size_t n_slots = coded_.n_slots();
                for (size_t i = 0; i < item.size(); ++i) {
                    const uint8_t* code = coded_.row_codes(item.parts.row[i]);
                    for (const uint32_t column : columns) add_row(to + (column * n_slots + code[column]) * step, i);
                }
            };
            const auto add_one = [&](uint32_t* bin, size_t i) { ++bin[label_[i]]; };
            const size_t step = layout_.stride();
            if (!layout_.classes) add(bins, step, [&](double* bin, size_t i) { add_number(bin, i); });
            else if (!layout_.unit) add(bins, step, [&](double* bin, size_t i) { add_class(bin, i); });
            else if (step == 2) add(whole.data(), std::integral_constant<size_t, 2>(), add_one);
            else add(whole.data(), step, add_one);
        });
        std::copy(whole.begin(), whole.end(), bins);
    }
    /// What a row adds to its bin.
    void add_class(double* bin, size_t i) const {
        bin[local_.label[i]] += local_.weight[i];
        bin[layout_.width] += 1;
    }
    void add_number(double* bin, size_t i) const {
        const double weight = local_.weight_of(i);
        bin[0] += weight;
        bin[1] += weight * local_.target[i];
        bin[2] += apart_[i];
        if (!layout_.unit) bin[3] += 1;
    }

    /// Histogram of one feature over the rows of an item.
    void count(const Item& item, size_t feature, double* bins) const {
        const uint8_t* code = coded_.column_codes(feature);
        const uint32_t* rows = item.parts.row.data();
        const size_t n = item.size(), step = layout_.stride();
        std::fill_n(bins, 256 * step, 0.0);
        if (layout_.classes) {
            if (layout_.unit && task_.n_classes == 2) {
                uint64_t packed[4][256] = {};  // rows below, rows of class 1 above; four copies hide the latency of updates
                size_t i = 0;
                for (; i + 3 < n; i += 4)
                    for (size_t copy = 0; copy < 4; ++copy) packed[copy][code[rows[i + copy]]] += increment_[i + copy];
                for (; i < n; ++i) packed[0][code[rows[i]]] += increment_[i];
                for (size_t b = 0; b < 256; ++b) {
                    const uint64_t sum = (packed[0][b] + packed[1][b]) + (packed[2][b] + packed[3][b]);
                    bins[b * 2 + 1] = static_cast<double>(sum >> 32);
                    bins[b * 2] = static_cast<double>(sum & 0xffffffffu) - bins[b * 2 + 1];
                }
            } else if (layout_.unit) {
                const size_t width = task_.width();
                std::vector<uint32_t> whole(2 * 256 * width, 0);  // two copies hide the latency of updates
                uint32_t *even = whole.data(), *odd = even + 256 * width;
                size_t i = 0;
                for (; i + 1 < n; i += 2) {
                    ++even[code[rows[i]] * width + static_cast<size_t>(label_[i])];
                    ++odd[code[rows[i + 1]] * width + static_cast<size_t>(label_[i + 1])];
                }
                if (i < n) ++even[code[rows[i]] * width + static_cast<size_t>(label_[i])];
                for (size_t j = 0; j < 256 * width; ++j) bins[j] = static_cast<double>(even[j] + odd[j]);
            } else {
                for (size_t i = 0; i < n; ++i) add_class(bins + code[rows[i]] * step, i);
            }
        } else if (layout_.unit) {
            const double *target = local_.target, *apart = apart_.data();
            for (size_t i = 0; i < n; ++i) {
                double* bin = bins + code[rows[i]] * size_t{3};
                bin[0] += 1;
                bin[1] += target[i];
                bin[2] += apart[i];
            }
        } else {
            for (size_t i = 0; i < n; ++i) add_number(bins + code[rows[i]] * step, i);
        }
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    const BinLayout layout_;
    CodedTable coded_;

    // the rows of the node in hand, by local number
    std::vector<int32_t> label_;
    std::vector<uint8_t> bit_;
    std::vector<double> target_, apart_;
    std::vector<uint64_t> increment_;
    LocalRows local_;
    size_t n_kept_ = 0;
};

}  // namespace treewright
