// Which features a node looks at.
#pragma once
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "random.hpp"

namespace treewright {

/// Draws features without replacement, the same way from every node: a shuffle that is undone when the node is done.
class FeatureDraw {
public:
    explicit FeatureDraw(size_t n_features) : shuffled_(n_features) { std::iota(shuffled_.begin(), shuffled_.end(), 0); }

    bool any_left() const { return swaps_.size() < shuffled_.size(); }
    int32_t next(Random& random) {
        const size_t at = swaps_.size(), other = at + random.below(shuffled_.size() - at);
        std::swap(shuffled_[at], shuffled_[other]);
        swaps_.push_back(other);
        return shuffled_[at];
    }
    void undo() {
        for (size_t i = swaps_.size(); i-- > 0;) std::swap(shuffled_[i], shuffled_[swaps_[i]]);
        swaps_.clear();
    }

private:
    std::vector<int32_t> shuffled_;
    std::vector<size_t> swaps_;
};

}  // namespace treewright
