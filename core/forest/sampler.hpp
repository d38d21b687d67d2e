// Which rows a tree of a forest grows on.
#pragma once
#include <algorithm>
#include <cstddef>
#include <bit>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace treewright {

/// The Mersenne Twister (Matsumoto & Nishimura, 1998), read as NumPy's `RandomState` reads it.
class MersenneTwister {
public:
    explicit MersenneTwister(uint64_t seed) : next_(static_cast<uint32_t>(seed)) {}

    /// As `randint(0, n)`: bits are drawn until their number is below n.
    uint64_t below(uint64_t n) {
        if (n == 1) return 0;
        const auto last = static_cast<uint32_t>(n - 1);
        const uint32_t mask = ~uint32_t{0} >> std::countl_zero(last);
        for (;;) {
            if (const auto drawn = static_cast<uint32_t>(next_()) & mask; drawn <= last) return drawn;
        }
    }

    /// As `random_sample()`: uniform in [0, 1).
    double uniform() {
        const auto high = static_cast<double>(next_() >> 5), low = static_cast<double>(next_() >> 6);
        return (high * 0x1.0p26 + low) * 0x1.0p-53;
    }

private:
    std::mt19937 next_;
};

/// Draws rows for a tree by its seed; made once, used for every tree. A forest of scikit-learn draws the same rows by the same
/// seed.
class Sampler {
public:
    /// `chance` is by row, up to a factor; empty = all alike. `splitmix` draws as version 0.1 did.
    Sampler(size_t n_rows, std::span<const double> chance, bool splitmix = false)
        : n_rows_(n_rows), splitmix_(splitmix), below_(chance.size()) {
        std::partial_sum(chance.begin(), chance.end(), below_.begin());
    }
    /// Called every so many draws: it throws if the caller asks to stop.
    using Listener = std::function<void()>;

    /// How often each row is drawn, in so many draws with replacement; 0 = every row once.
    void draw(uint64_t seed, size_t n_draws, std::vector<uint32_t>& times, const Listener& listen) const {
        draw(seed, n_draws, 0, n_rows_, times, listen);
    }
    /// The same of the rows of a block alone, from `begin` to before `end`.
    void draw(uint64_t seed, size_t n_draws, size_t begin, size_t end, std::vector<uint32_t>& times,
              const Listener& listen) const {
        times.assign(end - begin, n_draws ? 0 : 1);
        if (splitmix_) {
            draw_by(Random(child_seed(seed, 0xb0075)), n_draws, begin, times, listen);
        } else {
            draw_by(MersenneTwister(seed), n_draws, begin, times, listen);
        }
    }

private:
    template <class Generator>
    void draw_by(Generator random, size_t n_draws, size_t begin, std::vector<uint32_t>& times, const Listener& listen) const {
        for (size_t done = 0; done < n_draws; done += draws_between) {
            listen();
            for (size_t i = std::min(n_draws - done, draws_between); i > 0; --i) {
                size_t row = 0;
                if (below_.empty()) {
                    row = random.below(n_rows_);
                } else {
                    const double at = random.uniform() * below_.back();
                    row = static_cast<size_t>(std::upper_bound(below_.begin(), below_.end() - 1, at) - below_.begin());
                }
                if (row - begin < times.size()) ++times[row - begin];
            }
        }
    }

    static constexpr size_t draws_between = 65'536;  // milliseconds: Ctrl-C is heard at once

    size_t n_rows_;
    bool splitmix_;
    std::vector<double> below_;  // sums of chances up to each row; empty = all alike
};

}  // namespace treewright
