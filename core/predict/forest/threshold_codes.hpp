// Numbers by their place among the thresholds of a forest: whole numbers of two bytes that fall on the same sides.
#pragma once
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
    size_t n_ = 0;
    std::vector<double> threshold_;  // ascending, then infinities for the search to step on
    // Where to search: an equal step of x gives the first threshold that may be meant, and so many lie in the widest of them.
    std::vector<uint16_t> start_{0};
    double low_ = 0, scale_ = 0;
    uint32_t half_ = 0;
};

}  // namespace treewright
