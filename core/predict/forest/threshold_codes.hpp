// Numbers by their place among the thresholds of a forest: whole numbers of two bytes that fall on the same sides.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

/// The thresholds of one column. The code of a value is the number of thresholds below it, less 32,768: x ≤ a threshold exactly
/// if its code is at most the threshold's place.
class ThresholdCodes {
public:
    static constexpr size_t most = 65534;  // thresholds of a column

    void add(double threshold) { threshold_.push_back(threshold); }
    /// Sort and index what was added; false if there are too many.
    bool close();
    /// The place of a threshold that was added.
    int16_t place(double threshold) const;
    /// The codes of values; of a missing one any.
    void encode(std::span<const double> values, int16_t* codes) const;

private:
    /// Where the search for a value begins; of a missing one at the first.
    uint32_t cell(double x) const {
        const double last = static_cast<double>(start_.size() - 1);
        return static_cast<uint32_t>(static_cast<int32_t>(std::min(std::max(0.0, (x - low_) * scale_), last)));
    }
    /// The number of thresholds below a value, found from there on.
    uint32_t search(double x, uint32_t at) const {
        for (uint32_t half = half_; half > 0; half /= 2) at += threshold_[at + half - 1] < x ? half : 0;
        return at;
    }

    size_t n_ = 0;
    std::vector<double> threshold_;  // ascending, then infinities for the search to step on
    // Where to search: an equal step of x gives the first threshold that may be meant, and so many lie in the widest of them.
    std::vector<uint16_t> start_{0};
    double low_ = 0, scale_ = 0;
    uint32_t half_ = 0;
};

}  // namespace treewright
