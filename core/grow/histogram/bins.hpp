// The rows of a node by bin of one feature: what histograms hold.
#pragma once
#include "base/midpoint.hpp"
#include "cuts/sorted_list.hpp"
#include "base/statistics.hpp"

namespace treewright {

inline constexpr uint8_t missing_bin = 255;  // rows without a value

/// The numbers of a bin: class weights, or weight, sum of the target and what its rows save each by itself; and the count of rows
/// unless that follows.
struct BinLayout {
    bool classes, unit;  // unit = every row weighs one
    size_t width;        // of Totals

    size_t stride() const { return (classes ? width : 3) + (unit ? 0 : 1); }
    size_t count(const double* bin) const {
        if (!unit) return static_cast<size_t>(bin[stride() - 1]);
        if (!classes) return static_cast<size_t>(bin[0]);
        double sum = 0;
        for (size_t k = 0; k < width; ++k) sum += bin[k];
        return static_cast<size_t>(sum);
    }
    void add(const double* bin, Totals& to) const {
        if (classes) {
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
        to.count += count(bin);
    }
    Totals totals(const double* bin) const {
        Totals t(width);
        add(bin, t);
        return t;
    }
    static double rows_apart(const double* bin) { return bin[2]; }
};

/// A feature of a node: its bins, the totals its cuts are judged on, and the sides that rows without a value may take.
struct BinnedFeature {
    BinLayout layout;
    const double* bins;
    Totals totals, missing;
    size_t n_bins = missing_bin;  // beside that of rows without a value
    bool some_missing = false, both_sides = false;
    double share = 1;  // of the node's weight that takes part

    const double* bin(size_t i) const { return bins + i * layout.stride(); }
    template <class Use>
    void each_side(Use&& use) const {
        use(false);
        if (both_sides) use(true);
    }
    Totals start(bool missing_left) const { return missing_left ? missing : Totals(layout.width); }
};

/// Where a cut stands, in the order of candidates: after all of a bin, or after a value inside it.
struct BinCut {
    bool missing_left = false;
    int bin = -1;
    double value = infinity;  // infinity = the whole bin goes left
    auto operator<=>(const BinCut&) const = default;
};

/// The rows of one bin in the order of their values.
struct SortedBin {
    BinCut start;  // its number, and the side of the rows without a value
    const Totals& before;
    std::span<const Entry<uint32_t>> entries;
    const uint32_t* row;  // local number, by entry.row
    const double* value;  // by entry.row
};

}  // namespace treewright
