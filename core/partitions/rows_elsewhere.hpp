// The rows of a node that stand elsewhere, as criteria describe them (criteria/numbers.hpp): sums that are not known yet are
// noted, asked of all partitions, and the node is described anew with the answers.
#pragma once
#include <optional>
#include <stdexcept>

#include "criteria/numbers.hpp"

namespace treewright {

/// A sum over the rows of a node, of weight · (target − centre)^power; of classes the weight of each. No term is larger than
/// `bound`, and there are `n` in all partitions together: so each partition adds its own on the same grid.
struct SumRequest {
    int32_t node;
    int32_t power;
    size_t n;
    double bound, centre;

    SumGrid grid() const { return {n, bound}; }
};

class RowsElsewhere {
public:
    RowsElsewhere(size_t n, bool weighted, const NumberRange& range, std::span<const double> known)
        : n_(n), weighted_(weighted), range_(range), known_(known) {}

    size_t size() const { return n_; }
    bool weighted() const { return weighted_; }
    const NumberRange& range() const { return range_; }
    /// A sum that is known; or NaN, and it is noted if its bound is known.
    template <int power>
    double sum(double bound, double centre = 0) const {
        if (bound == 0) return 0;
        if (bound == infinity)
            throw std::overflow_error("the target is too large: squares of its distances from the mean overflow");
        if (next_ < known_.size()) return known_[next_++];
        if (!std::isnan(bound)) unknown_.push_back({-1, power, n_, bound, centre});
        return std::numeric_limits<double>::quiet_NaN();
    }
    /// What has to be asked for before the node can be described.
    const std::vector<SumRequest>& unknown() const { return unknown_; }

private:
    size_t n_;
    bool weighted_;
    NumberRange range_;
    std::span<const double> known_;  // in the order in which they are asked for
    mutable size_t next_ = 0;
    mutable std::vector<SumRequest> unknown_;
};

}  // namespace treewright
