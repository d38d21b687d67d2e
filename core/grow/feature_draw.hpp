// Which features a node looks at.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/recipe.hpp"

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

    /// Whether chance has a say in which features a node looks at, or in which order.
    bool chooses(const Recipe& recipe) const { return wanted(recipe) < shuffled_.size() || recipe.ties == Ties::random; }
    /// All features, or max_features drawn of them and more until one varies; in the order of the draw, so that chance decides
    /// between equals, or else ascending.
    template <class Varies>
    const std::vector<int32_t>& choose(const Recipe& recipe, Random& random, Varies&& varies) {
        chosen_.clear();
        for (size_t i = 0; any_left() && (i < wanted(recipe) || chosen_.empty()); ++i)
            if (const int32_t feature = next(random); varies(feature)) chosen_.push_back(feature);
        undo();
        if (recipe.ties != Ties::random) std::sort(chosen_.begin(), chosen_.end());
        return chosen_;
    }

private:
    size_t wanted(const Recipe& recipe) const {
        return recipe.max_features == 0 ? shuffled_.size() : static_cast<size_t>(recipe.max_features);
    }

    std::vector<int32_t> shuffled_, chosen_;
    std::vector<size_t> swaps_;
};

}  // namespace treewright
