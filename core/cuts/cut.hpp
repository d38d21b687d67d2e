// A cut of a numeric feature, x ≤ t: where it stands among the sorted rows, and what it must respect.
#pragma once
#include <optional>

#include "cuts/best.hpp"
#include "grow/constraints.hpp"
#include "cuts/sorted_list.hpp"
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
extern template class Best<Cut>;

/// The two sides of a cut: their weights, and what they would predict.
struct CutSides {
    double left_weight, right_weight, left, right;

    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return right_weight; }
    double left_mean() const { return left; }
    double right_mean() const { return right; }
};
/// Those that a scorer stands at.
template <class Scorer>
CutSides sides_of(const Scorer& at) {
    return {at.left_weight_now(), at.right_weight_now(), at.left_mean(), at.right_mean()};
}

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
    /// The same of a cut at a threshold, infinity = past all values.
    template <class Scorer>
    bool allow(const Scorer& scorer, double threshold, MissingSides missing) const {
        return allow(scorer) && (!cuts || cuts->allow(scorer.left_mean(), scorer.right_mean(), threshold, missing));
    }
    /// Whether a least weight is all that a cut must respect.
    bool free() const { return (!cuts || cuts->free()) && bounds.free(); }
    double value(size_t local_row) const { return column[rows[local_row]]; }
    /// Where the cut between two rows stands.
    double between(size_t left_row, size_t right_row) const;
    /// Where rows will go that miss the value, if none of the node's does: to the larger branch, of equals the second (by weight
    /// the first, and either where rounding decides).
    MissingSides larger(size_t left, size_t right, double left_weight, double right_weight) const;
};

/// Whether cuts of a sorted list respect all limits, asked for from the left. Compiled once, whatever the list and the scorer.
class AllowedCuts {
public:
    /// `known` of `total` rows have a value; the others go left, or right.
    template <class List>
    AllowedCuts(const CutLimits& limits, const List* list, size_t known, size_t total, bool missing_left)
        : limits_(limits),
          list_(list),
          row_([](const void* of, size_t i) { return static_cast<size_t>(static_cast<const List*>(of)[i].row); }),
          known_(known),
          total_(total),
          missing_left_(missing_left) {}

    /// The cut after so many known rows. Most that are refused break what every cut must respect: that is asked here.
    bool hold(const CutSides& at, size_t left) {
        return (!bounds_ || left == known_ || bounds_->may_allow(at.left, at.right)) && hold_where_it_stands(at, left);
    }

private:
    bool hold_where_it_stands(const CutSides& at, size_t left);

    const CutLimits& limits_;
    const void* list_;
    size_t (*row_)(const void*, size_t);
    size_t known_, total_;
    bool missing_left_;
    std::optional<BoundsFromLeft> bounds_;
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

/// What is asked for rarely is compiled for wide lists only: of narrow ones a copy is looked at.
using WideList = std::vector<Entry<uint32_t>>;
inline const CutTask<uint32_t>& widened(const CutTask<uint32_t>& task, WideList&) { return task; }
inline CutTask<uint32_t> widened(const CutTask<uint16_t>& task, WideList& copy) {
    copy.clear();
    for (const Entry<uint16_t>& entry : task.list) copy.push_back({entry.rank, entry.row});
    return {copy,           task.known,   task.limits, task.left_out, task.shared,
            task.by_shares, task.bounded, task.least,  task.zeros,    task.below};
}

/// The rows that take part in a search.
struct TakingPart {
    const Totals& totals;
    size_t n;
    double share;  // of the node's weight
};

struct FoundCut {
    double merit = -infinity;
    Cut cut;
};

}  // namespace treewright
