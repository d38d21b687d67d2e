// Sorting and indexing thresholds.
#include "predict/forest/threshold_codes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace treewright {

namespace {

int16_t shifted(int64_t place) { return static_cast<int16_t>(place - 32768); }

}  // namespace

bool ThresholdCodes::close() {
    std::sort(threshold_.begin(), threshold_.end());
    threshold_.erase(std::unique(threshold_.begin(), threshold_.end()), threshold_.end());
    n_ = threshold_.size();
    if (n_ > most) return false;
    size_t widest = n_;
    const bool ends_infinite = n_ > 0 && std::isinf(threshold_.back());  // known against missing
    const double span = n_ > 8 ? threshold_[n_ - 1 - ends_infinite] - threshold_[0] : 0.0;
    const size_t cells = std::min<size_t>(65536, 4 * n_);
    const double scale = static_cast<double>(cells) / span;
    if (span > 0 && std::isfinite(span) && std::isfinite(scale)) {
        low_ = threshold_[0];
        scale_ = scale;
        start_.resize(cells + 2);
        size_t at = 0;
        for (size_t cell = 0; cell < start_.size(); ++cell) {
            const double begin = low_ + (static_cast<double>(cell) - 0.5) / scale_;  // half a step of safety
            while (at < n_ && threshold_[at] < begin) ++at;
            start_[cell] = static_cast<uint16_t>(at);
        }
        widest = 0;
        for (size_t cell = 0; cell < start_.size(); ++cell)
            widest = std::max(widest, (cell + 2 < start_.size() ? start_[cell + 2] : n_) - start_[cell]);
    }
    half_ = static_cast<uint32_t>(std::bit_ceil(widest + 1) / 2);
    threshold_.resize(n_ + 2 * half_, std::numeric_limits<double>::infinity());
    return true;
}

int16_t ThresholdCodes::place(double threshold) const {
    const auto end = threshold_.begin() + static_cast<int64_t>(n_);
    return shifted(std::lower_bound(threshold_.begin(), end, threshold) - threshold_.begin());
}

void ThresholdCodes::encode(std::span<const double> values, int16_t* codes) const {
    const double low = low_, scale = scale_, last = static_cast<double>(start_.size() - 1);
    const double* threshold = threshold_.data();
    for (size_t i = 0; i < values.size(); ++i) {
        const double x = values[i];
        const double cell = std::min(std::max(0.0, (x - low) * scale), last);  // NaN: 0
        uint32_t at = start_[static_cast<size_t>(static_cast<int32_t>(cell))];
        for (uint32_t half = half_; half > 0; half /= 2) at += threshold[at + half - 1] < x ? half : 0;
        codes[i] = shifted(at);
    }
}

}  // namespace treewright
