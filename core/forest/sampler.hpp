// Which rows a tree of a forest grows on.
#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace treewright {

/// Draws rows for a tree by its seed; made once, used for every tree.
class Sampler {
public:
    /// `chance` is by row, up to a factor; empty = all alike.
    Sampler(size_t n_rows, std::span<const double> chance) : n_rows_(n_rows), below_(chance.size()) {
        std::partial_sum(chance.begin(), chance.end(), below_.begin());
    }
    /// How often each row is drawn, in so many draws with replacement; 0 = every row once.
    void draw(uint64_t seed, size_t n_draws, std::vector<uint32_t>& times) const {
        times.assign(n_rows_, n_draws ? 0 : 1);
        Random random(child_seed(seed, 0xb0075));  // a stream of its own, apart from the one the tree grows by
        for (size_t i = 0; i < n_draws; ++i) {
            size_t row = 0;
            if (below_.empty()) {
                row = random.below(n_rows_);
            } else {
                const double at = random.uniform() * below_.back();
                row = static_cast<size_t>(std::upper_bound(below_.begin(), below_.end() - 1, at) - below_.begin());
            }
            ++times[row];
        }
    }

private:
    size_t n_rows_;
    std::vector<double> below_;  // sums of chances up to each row; empty = all alike
};

}  // namespace treewright
