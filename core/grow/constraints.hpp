// Constraints on a tree: what branches may predict so that it stays monotone, and which features may share a path.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
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
    };
    Bounds whole;                         // those of the node
    std::vector<Neighbour> lower, upper;  // leaves that may not predict more, or less; the strictest first

    bool free() const { return whole.sign == 0 && lower.empty() && upper.empty(); }
    bool allow(double first, double second, double threshold, MissingSides missing) const {
        return left(threshold, missing.left).hold(first) && right(threshold, missing.right).hold(second) &&
               (threshold == infinity || whole.in_order(first, second));  // missing values have no place in the order
    }
    Bounds left(double threshold, bool with_missing) const {
        return part([&](const Neighbour& other) { return other.meets_left(threshold, with_missing); });
    }
    Bounds right(double threshold, bool with_missing) const {
        return part([&](const Neighbour& other) { return other.meets_right(threshold, with_missing); });
    }

private:
    template <class Meets>
    Bounds part(Meets&& meets) const {
        Bounds bounds = whole;
        const auto below = std::find_if(lower.begin(), lower.end(), meets),
                   above = std::find_if(upper.begin(), upper.end(), meets);
        bounds.lowest = below == lower.end() ? -infinity : below->prediction;
        bounds.highest = above == upper.end() ? infinity : above->prediction;
        return bounds;
    }
};

/// Groups of features that may share a path: a node may use the features of those groups that hold every feature used above it.
class Interactions {
public:
    using Open = std::shared_ptr<const std::vector<size_t>>;  // groups that hold all features used so far; null = all
    using Features = std::shared_ptr<const std::vector<int32_t>>;

    explicit Interactions(const std::vector<std::vector<int32_t>>& groups) : groups_(groups) {}

    bool free() const { return groups_.empty(); }

    /// Those of the features that may stand in one split: of each open group, or all if there are no groups.
    std::vector<std::vector<int32_t>> sets(const std::vector<int32_t>& features, const Open& open) const {
        if (free()) return {features};
        std::vector<std::vector<int32_t>> sets;
        const auto add = [&](size_t group) {
            std::vector<int32_t>& set = sets.emplace_back();
            for (int32_t feature : features)
                if (std::find(groups_[group].begin(), groups_[group].end(), feature) != groups_[group].end())
                    set.push_back(feature);
        };
        if (open)
            for (size_t group : *open) add(group);
        else
            for (size_t group = 0; group < groups_.size(); ++group) add(group);
        std::sort(sets.begin(), sets.end());
        sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
        return sets;
    }
    /// The groups that are still open below a split on this feature.
    Open below(const Open& open, int32_t feature) const {
        auto kept = std::make_shared<std::vector<size_t>>();
        const auto keep = [&](size_t group) {
            if (std::find(groups_[group].begin(), groups_[group].end(), feature) != groups_[group].end()) kept->push_back(group);
        };
        if (open)
            for (size_t group : *open) keep(group);
        else
            for (size_t group = 0; group < groups_.size(); ++group) keep(group);
        return kept;
    }
    /// Those of the features that an open group holds.
    Features among(const std::vector<int32_t>& features, const Open& open) const {
        auto kept = std::make_shared<std::vector<int32_t>>();
        for (int32_t feature : features)
            if (std::any_of(open->begin(), open->end(), [&](size_t group) {
                    return std::find(groups_[group].begin(), groups_[group].end(), feature) != groups_[group].end();
                }))
                kept->push_back(feature);
        return kept;
    }

private:
    const std::vector<std::vector<int32_t>>& groups_;
};

}  // namespace treewright
