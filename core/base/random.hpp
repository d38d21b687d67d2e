// One seeded generator, the same stream on every platform (splitmix64; Steele, Lea & Flood, 2014).
#pragma once
#include <cstdint>

namespace treewright {

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    /// Uniform in [0, n), without bias (Lemire, 2019).
    uint64_t below(uint64_t n) {
        auto wide = static_cast<unsigned __int128>(next()) * n;
        if (static_cast<uint64_t>(wide) < n) {
            const uint64_t threshold = (0 - n) % n;
            while (static_cast<uint64_t>(wide) < threshold) wide = static_cast<unsigned __int128>(next()) * n;
        }
        return static_cast<uint64_t>(wide >> 64);
    }

    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
    uint64_t state_;
};

/// The seed of a child follows from its parent's and its branch, so it does not depend on the order of growing.
inline uint64_t child_seed(uint64_t parent, uint64_t branch) {
    return Random(parent ^ ((branch + 1) * 0xd1342543de82ef95u)).next();
}

}  // namespace treewright
