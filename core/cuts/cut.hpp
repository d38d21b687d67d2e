// A cut of a numeric feature, x ≤ t: where it stands among the sorted rows, and what it must respect.
#pragma once
#include "cuts/best.hpp"
#include "grow/constraints.hpp"
#include "cuts/sorted_list.hpp"
#include "base/midpoint.hpp"
#include "base/statistics.hpp"

namespace treewright {

struct PairSum;

/// A cut of one feature: `position` known rows go left. It is one word, and travels in a register.
class Cut {
public:
    Cut() = default;
    Cut(size_t position, bool missing_left) : word_(position << 1 | static_cast<size_t>(missing_left)) {}
    size_t position() const { return word_ >> 1; }
    bool missing_left() const { return word_ & 1; }

private:
    size_t word_ = 0;
};

/// The best cut of one feature, by its score.
using BestCut = Best<Cut>;

/// What a cut must respect.
struct CutLimits {
    size_t min_count = 1;
    double min_weight = 0;
    Bounds bounds;                    // on the branches of any split
    const CutBounds* cuts = nullptr;  // on those of each cut; values then tell where a cut stands
    const double* column = nullptr;
    const uint32_t* rows = nullptr;
    bool by_weight = false;  // rows without the value follow the heavier branch, not the larger
    bool last_of_ties = false;
    bool short_cuts = false;  // at the shortest decimal, not half-way

    /// Whether the branches may be made that the scorer stands at.
    template <class Scorer>
    bool allow(const Scorer& scorer) const {
        if (!both_weigh(scorer.left_weight_now(), scorer.right_weight_now(), min_weight)) return false;
        return bounds.free() || bounds.allow(scorer.left_mean(), scorer.right_mean());
    }
    /// The same of a cut; threshold() and missing() are asked if they matter.
    template <class Scorer, class Threshold, class Missing>
    bool allow(const Scorer& scorer, Threshold&& threshold, Missing&& missing) const {
        if (!allow(scorer)) return false;
        return !cuts || cuts->free() || cuts->allow(scorer.left_mean(), scorer.right_mean(), threshold(), missing());
    }
    double value(size_t local_row) const { return column[rows[local_row]]; }
    /// Where the cut between two rows stands.
    double between(size_t left_row, size_t right_row) const { return cut_between(value(left_row), value(right_row), short_cuts); }
    /// Where rows will go that miss the value, if none of the node's does: to the larger branch, of equals the second (by weight
    /// the first, and either where rounding decides).
    MissingSides larger(size_t left, size_t right, double left_weight, double right_weight) const {
        if (!by_weight) return {left > right, right >= left};
        constexpr double dust = 1e-12;
        return {left_weight >= right_weight * (1 - dust),
                right_weight != left_weight && right_weight >= left_weight * (1 - dust)};
    }
};

/// A node as its criterion sees it.
struct NodeView {
    const LocalRows& rows;
    const Totals& totals;
    double impurity, tolerance;                   // merits nearer than that are equal
    const std::vector<PairSum>* pairs = nullptr;  // what each row adds, where that is asked for
};

/// A feature of a node to be cut.
template <class Index>
struct CutTask {
    std::span<const Entry<Index>> list;  // the rows that have a value, ascending; behind them the others, if they take part
    size_t known;                        // entries of the list that have a value
    const CutLimits& limits;
    bool left_out = false;     // rows without a value take no part; else they are tried on either side
    bool shared = false;       // they will be shared over the branches
    bool by_shares = false;    // so they will, and branches are valued with their shares
    bool bounded = false;      // sum up first, and look only where the best cut may be
    double least = -infinity;  // of merit that matters
    size_t zeros = 0;          // further rows of the node, all of value zero, which the list does not name
    size_t below = 0;          // entries of values below that
};

struct FoundCut {
    double merit = -infinity;
    Cut cut;
};

}  // namespace treewright
