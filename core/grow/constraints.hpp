// Constraints on a tree: what branches may predict so that it stays monotone, and which features may share a path.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/statistics.hpp"

namespace treewright {

/// Bounds on the two branches of a split, whichever it is.
struct Bounds {
    int sign = 0;  // branch 0 may not predict more than branch 1 (+1), or less (−1)
    double lowest = -infinity, highest = infinity;
    double margin = 0;  // kept from the bounds where sums of weights are rounded
    double centre = 0;  // what the searches have taken off the predictions

    bool free() const { return sign == 0 && lowest == -infinity && highest == infinity; }
    bool hold(double prediction) const {
        return prediction + centre >= lowest + margin && prediction + centre <= highest - margin;
    }
    bool in_order(double first, double second) const {
        return sign == 0 || (sign > 0 ? first + margin <= second : first >= second + margin);
    }
    bool allow(double first, double second) const { return hold(first) && hold(second) && in_order(first, second); }
};

/// The branches that rows without the value may take.
struct MissingSides {
    bool left, right;
};

/// Bounds on the two branches of a cut of one feature: each must be in order with the leaves that it shares values with.
struct CutBounds {
    /// A leaf, and the values of the feature it shares with the node.
    struct Neighbour {
        double prediction;
        double low = -infinity, high = infinity;  // above low, up to high
        bool missing = true;

        bool meets_left(double threshold, bool with_missing) const { return low < threshold || (missing && with_missing); }
        bool meets_right(double threshold, bool with_missing) const { return high > threshold || (missing && with_missing); }
        bool meets_every_cut() const { return low == -infinity && high == infinity; }
    };
    Bounds whole;                         // those of the node
    std::vector<Neighbour> lower, upper;  // leaves that may not predict more, or less; the strictest first

    bool free() const { return whole.sign == 0 && lower.empty() && upper.empty(); }
    bool allow(double first, double second, double threshold, MissingSides missing) const;
    /// What every cut between values must respect.
    Bounds of_every_cut() const;
    Bounds left(double threshold, bool with_missing) const;
    Bounds right(double threshold, bool with_missing) const;
    /// Cuts from this threshold on, and below the one that is given, have the same bounds.
    double next_change(double threshold) const;

private:
    template <class Meets>
    Bounds part(Meets&& meets) const;
};

/// Bounds on cuts of a sorted list that are asked for from the left. Where a cut stands is looked up in the table, far from here;
/// bounds change at few places, so that these are looked for instead.
class BoundsFromLeft {
public:
    explicit BoundsFromLeft(const CutBounds& cuts) : cuts_(cuts), whole_(cuts.whole), every_(cuts.of_every_cut()) {}

    /// Whether a cut between values with these branches may be made somewhere.
    bool may_allow(double first, double second) const {
        return whole_.in_order(first, second) && every_.hold(first) && every_.hold(second);
    }
    /// Whether the cut after so many rows, of at most `last`, may be made: missing_sides() and threshold(rows), where it stands,
    /// are asked if they matter.
    template <class Missing, class Threshold>
    bool allow(double first, double second, size_t rows, size_t last, Missing&& missing_sides, Threshold&& threshold) {
        if (!may_allow(first, second)) return false;
        if (whole_.hold(first) && whole_.hold(second)) return true;
        look(rows, last, missing_sides(), threshold);
        return left_.hold(first) && right_.hold(second);
    }

private:
    template <class Threshold>
    void look(size_t rows, size_t last, MissingSides missing, Threshold&& threshold) {
        if (rows > until_ || missing.left != missing_.left || missing.right != missing_.right) {
            const double here = threshold(rows);
            if (!(here < change_) || missing.left != missing_.left || missing.right != missing_.right) {
                missing_ = missing;
                left_ = cuts_.left(here, missing.left);
                right_ = cuts_.right(here, missing.right);
                change_ = cuts_.next_change(here);
                step_ = 1;
            }
            until_ = std::min(rows + step_, last);
            step_ *= 2;
            if (until_ <= rows || !(threshold(until_) < change_)) {
                until_ = rows;
                step_ = 1;
            }
        }
    }

    const CutBounds& cuts_;
    const Bounds whole_, every_;
    Bounds left_, right_;  // of the cut looked at last
    MissingSides missing_{};
    size_t until_ = 0, step_ = 1;  // rows up to which the bounds are known to be the same
    double change_ = -infinity;
};

/// Groups of features that may share a path: a node may use the features of those groups that hold every feature used above it.
class Interactions {
public:
    using Open = std::shared_ptr<const std::vector<size_t>>;  // groups that hold all features used so far; null = all
    using Features = std::shared_ptr<const std::vector<int32_t>>;

    explicit Interactions(const std::vector<std::vector<int32_t>>& groups) : groups_(groups) {}

    bool free() const { return groups_.empty(); }

    /// Those of the features that may stand in one split: of each open group, or all if there are no groups.
    std::vector<std::vector<int32_t>> sets(const std::vector<int32_t>& features, const Open& open) const;
    /// The groups that are still open below a split on this feature.
    Open below(const Open& open, int32_t feature) const;
    /// Those of the features that an open group holds.
    Features among(const std::vector<int32_t>& features, const Open& open) const;

private:
    bool holds(size_t group, int32_t feature) const;
    template <class Use>
    void each_open(const Open& open, Use&& use) const;

    const std::vector<std::vector<int32_t>>& groups_;
};

}  // namespace treewright
