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

int16_t ThresholdCodes::place(double threshold) const { return shifted(search(threshold, start_[cell(threshold)])); }

/// Tables of many thresholds are far away: what a few values will ask for is called for before it is read.
void ThresholdCodes::encode(std::span<const double> values, int16_t* codes) const {
    constexpr size_t at_once = 64;
    uint32_t at[at_once];
    const bool far = n_ > 1024;
    for (size_t begin = 0; begin < values.size(); begin += at_once) {
        const std::span<const double> some = values.subspan(begin, std::min(at_once, values.size() - begin));
        for (size_t i = 0; i < some.size(); ++i) {
            at[i] = cell(some[i]);
            if (far) __builtin_prefetch(&start_[at[i]]);
        }
        for (size_t i = 0; i < some.size(); ++i) {
            at[i] = start_[at[i]];
            if (far) __builtin_prefetch(&threshold_[at[i]]);
        }
        for (size_t i = 0; i < some.size(); ++i) codes[begin + i] = shifted(search(some[i], at[i]));
    }
}

}  // namespace treewright
