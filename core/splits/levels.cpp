#include "splits/levels.hpp"

namespace treewright {

void LevelCounter::start(size_t n_categories, size_t width, const LocalRows& rows, Levels& levels) {
    if (weight_.size() < n_categories) {
        weight_.resize(n_categories, 0.0);
        count_.resize(n_categories, 0);
    }
    if (sums_.size() < n_categories * width) sums_.resize(n_categories * width, 0.0);
    levels.width = width;
    levels.missing = Totals(width);
    levels.known = Totals(width);
    levels.centre = rows.centre;
    levels.squares = 0;
    present_.clear();
}

void LevelCounter::collect(Levels& levels) {
    const size_t width = levels.width;
    std::sort(present_.begin(), present_.end());
    levels.code = present_;
    levels.weight.clear();
    levels.count.clear();
    levels.sums.clear();
    for (int32_t code : present_) {
        const auto c = static_cast<size_t>(code);
        levels.weight.push_back(weight_[c]);
        levels.count.push_back(count_[c]);
        levels.sums.insert(levels.sums.end(), sums_.begin() + static_cast<int64_t>(c * width),
                           sums_.begin() + static_cast<int64_t>((c + 1) * width));
        levels.known.weight += weight_[c];
        levels.known.count += count_[c];
        for (size_t k = 0; k < width; ++k) levels.known.sums[k] += sums_[c * width + k];
        weight_[c] = 0;
        count_[c] = 0;
        std::fill_n(sums_.begin() + static_cast<int64_t>(c * width), width, 0.0);
    }
}

}  // namespace treewright
