// Constraints on a tree: bounds that keep its predictions monotone, and which features may share a path.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "stats.hpp"

namespace treewright {

/// What the two branches of a split, and all that grows below them, may predict.
///
/// A split on a constrained feature parts the predictions below it at the middle of its branches', so that rows which differ in
/// that feature alone can never come out in the wrong order (Chipman, George, McCulloch & Shively, 2022, use the same bounds).
struct Bounds {
    int sign = 0;  // branch 0 may not predict more than branch 1 (+1), or less (−1)
    double lowest = -infinity, highest = infinity;
    double margin = 0;  // kept from the bounds where sums of weights are rounded

    bool free() const { return sign == 0 && lowest == -infinity && highest == infinity; }
    bool hold(double prediction) const { return prediction >= lowest + margin && prediction <= highest - margin; }
    bool allow(double first, double second) const {
        if (!hold(first) || !hold(second)) return false;
        return sign == 0 || (sign > 0 ? first + margin <= second : first >= second + margin);
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
