// Histograms of large nodes: totals by bin of every coded feature, and bounds on what a cut inside a bin can be worth.
#pragma once
#include <memory>

#include "bits.hpp"
#include "grow/histogram/quantile_codes.hpp"
#include "grow/node.hpp"
#include "missing.hpp"
#include "parts.hpp"

namespace treewright {

/// The rows of the node in hand under local numbers, and their histograms.
template <class C>
class Histograms {
protected:
    /// `unit` tells that every row weighs one.
    Histograms(const Problem& problem, bool unit)
        : problem_(problem),
          recipe_(problem.recipe),
          unit_(unit),
          coded_(problem.table, recipe_.threads, problem.monitor, [&](size_t f) { return !is_coded(f); }) {}
    Histograms(const Histograms&) = delete;  // it points into itself
    Histograms& operator=(const Histograms&) = delete;

    /// A large node.
    struct Item : GrowingNode {
        int thin_splits = 0;  // in a row, just above
        Parts parts;
        std::shared_ptr<std::vector<double>> histogram;  // feature column × bin × stride

        size_t size() const { return parts.size(); }
        bool may_use(size_t feature) const {
            return !features || std::binary_search(features->begin(), features->end(), static_cast<int32_t>(feature));
        }
    };

    bool is_bit(size_t feature) const { return problem_.bits && problem_.bits->bit_of(feature) >= 0; }
    bool is_coded(size_t feature) const { return !problem_.table.features[feature].categorical() && !is_bit(feature); }

    // ---- histograms ------------------------------------------------------------------------------------------

    bool unit() const { return unit_; }
    /// Numbers a bin: class weights, or weight, sum and what its rows save each by itself; and the count of rows unless it
    /// follows.
    size_t stride() const { return (C::classification ? problem_.width() : 3) + (unit() ? 0 : 1); }

    size_t rows_in(const double* bin) const {
        if (!unit()) return static_cast<size_t>(bin[stride() - 1]);
        if constexpr (!C::classification) return static_cast<size_t>(bin[0]);
        double sum = 0;
        for (size_t k = 0; k < problem_.width(); ++k) sum += bin[k];
        return static_cast<size_t>(sum);
    }
    void add_bin(const double* bin, Totals& to) const {
        if constexpr (C::classification) {
            double weight = 0;
            for (size_t k = 0; k < to.sums.size(); ++k) {
                to.sums[k] += bin[k];
                weight += bin[k];
            }
            to.weight += weight;
        } else {
            to.weight += bin[0];
            to.sums[0] += bin[1];
        }
        to.count += rows_in(bin);
    }
    Totals bin_totals(const double* bin) const {
        Totals t(problem_.width());
        add_bin(bin, t);
        return t;
    }

    /// Histogram of one feature over the rows of an item.
    void count(const Item& item, size_t feature, double* bins) const {
        const uint8_t* code = coded_.of(feature);
        const uint32_t* rows = item.parts.row.data();
        const size_t n = item.size(), step = stride();
        std::fill_n(bins, 256 * step, 0.0);
        if constexpr (C::classification) {
            if (unit() && problem_.n_classes == 2) {
                uint64_t packed[2][256] = {};  // rows below, rows of class 1 above; two copies hide the latency of updates
                size_t i = 0;
                for (; i + 1 < n; i += 2) {
                    packed[0][code[rows[i]]] += increment_[i];
                    packed[1][code[rows[i + 1]]] += increment_[i + 1];
                }
                if (i < n) packed[0][code[rows[i]]] += increment_[i];
                for (size_t b = 0; b < 256; ++b) {
                    const uint64_t sum = packed[0][b] + packed[1][b];
                    bins[b * 2 + 1] = static_cast<double>(sum >> 32);
                    bins[b * 2] = static_cast<double>(sum & 0xffffffffu) - bins[b * 2 + 1];
                }
            } else if (unit()) {
                const size_t width = problem_.width();
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
                for (size_t i = 0; i < n; ++i) {
                    double* bin = bins + code[rows[i]] * step;
                    bin[local_.label[i]] += local_.weight[i];
                    bin[step - 1] += 1;
                }
            }
        } else {
            for (size_t i = 0; i < n; ++i) {
                double* bin = bins + code[rows[i]] * step;
                const double w = local_.weight_of(i), y = local_.target[i];
                bin[0] += w;
                bin[1] += w * y;
                bin[2] += apart_[i];
                if (!unit()) bin[3] += 1;
            }
        }
    }
    /// What the rows of a bin save each by itself, for bounds.
    static double rows_apart(const double* bin) { return bin[2]; }

    /// The target of an item's rows, contiguous.
    void gather(const Item& item) {
        if constexpr (C::classification) {
            gather_labels(item.parts, problem_.label, label_, bit_);
            local_.label = label_.data();
            local_.bit = bit_.data();
        } else {
            target_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) target_[i] = problem_.target[item.parts.row[i]];
            local_.target = target_.data();
        }
        if (!unit()) local_.weight = item.parts.weight.data();
    }

    void histograms(Item& item) {
        if (item.histogram) return;
        if (C::classification && unit() && problem_.n_classes == 2) {
            increment_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) increment_[i] = 1 + (static_cast<uint64_t>(bit_[i]) << 32);
        }
        if constexpr (!C::classification) {
            apart_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) apart_[i] = local_.weight_of(i) * C::apart(local_.target[i], local_.centre);
        }
        const size_t step = stride() * 256;
        item.histogram = std::make_shared<std::vector<double>>(coded_.codes.size() / std::max<size_t>(coded_.n_rows, 1) * step);
        parallel_for(problem_.n_features(), recipe_.threads, [&](size_t f, int) {
            if (is_coded(f) && item.may_use(f)) count(item, f, item.histogram->data() + coded_.column[f] * step);
        });
    }
    const double* bins(const Item& item, size_t feature) const {
        return item.histogram->data() + coded_.column[feature] * stride() * 256;
    }

    /// A feature at a node: the totals its cuts are judged on, and the directions missing rows may take.
    struct Basis {
        Totals totals, missing;
        bool has_missing = false, by_direction = false;
        double share = 1;
    };
    Basis basis(const Item& item, size_t feature) const {
        Basis b;
        b.totals = item.totals;
        b.missing = bin_totals(bins(item, feature) + missing_bin * stride());
        b.has_missing = b.missing.count > 0;
        b.by_direction = b.has_missing && !left_out(recipe_.policy(feature));
        if (b.has_missing && !b.by_direction) {
            b.totals.remove(b.missing);
            if constexpr (C::classification)
                for (size_t k = 0; k < b.totals.sums.size(); ++k)
                    b.totals.sums[k] = rest_of(item.totals.sums[k], b.missing.sums[k]);
            b.share = b.totals.weight / item.totals.weight;
        }
        return b;
    }
    const Problem& problem_;
    const Recipe& recipe_;
    const bool unit_;
    CodedTable coded_;

    // the rows of the node in hand, by local number
    std::vector<int32_t> label_;
    std::vector<uint8_t> bit_;
    std::vector<double> target_, apart_;
    std::vector<uint64_t> increment_;
    LocalRows local_;
};

}  // namespace treewright
