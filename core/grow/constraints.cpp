#include "grow/constraints.hpp"

#include <algorithm>

namespace treewright {

bool CutBounds::allow(double first, double second, double threshold, MissingSides missing) const {
    return left(threshold, missing.left).hold(first) && right(threshold, missing.right).hold(second) &&
           (threshold == infinity || whole.in_order(first, second));  // missing values have no place in the order
}

Bounds CutBounds::of_every_cut() const {
    Bounds always = whole;  // the least strict neighbour may be one for every cut
    always.lowest = !lower.empty() && lower.back().meets_every_cut() ? lower.back().prediction : -infinity;
    always.highest = !upper.empty() && upper.back().meets_every_cut() ? upper.back().prediction : infinity;
    return always;
}

Bounds CutBounds::left(double threshold, bool with_missing) const {
    return part([&](const Neighbour& other) { return other.meets_left(threshold, with_missing); });
}

Bounds CutBounds::right(double threshold, bool with_missing) const {
    return part([&](const Neighbour& other) { return other.meets_right(threshold, with_missing); });
}

double CutBounds::next_change(double threshold) const {
    double next = infinity;
    for (const auto* neighbours : {&lower, &upper})
        for (const Neighbour& other : *neighbours)
            for (const double end : {other.low, other.high})
                if (end >= threshold) next = std::min(next, end);
    return next;
}

template <class Meets>
Bounds CutBounds::part(Meets&& meets) const {
    Bounds bounds = whole;
    const auto below = std::find_if(lower.begin(), lower.end(), meets), above = std::find_if(upper.begin(), upper.end(), meets);
    bounds.lowest = below == lower.end() ? -infinity : below->prediction;
    bounds.highest = above == upper.end() ? infinity : above->prediction;
    return bounds;
}

bool Interactions::holds(size_t group, int32_t feature) const {
    return std::find(groups_[group].begin(), groups_[group].end(), feature) != groups_[group].end();
}

template <class Use>
void Interactions::each_open(const Open& open, Use&& use) const {
    const size_t n = open ? open->size() : groups_.size();
    for (size_t i = 0; i < n; ++i) use(open ? (*open)[i] : i);
}

std::vector<std::vector<int32_t>> Interactions::sets(const std::vector<int32_t>& features, const Open& open) const {
    if (free()) return {features};
    std::vector<std::vector<int32_t>> sets;
    each_open(open, [&](size_t group) {
        std::vector<int32_t>& set = sets.emplace_back();
        for (int32_t feature : features)
            if (holds(group, feature)) set.push_back(feature);
    });
    std::sort(sets.begin(), sets.end());
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    return sets;
}

Interactions::Open Interactions::below(const Open& open, int32_t feature) const {
    auto kept = std::make_shared<std::vector<size_t>>();
    each_open(open, [&](size_t group) {
        if (holds(group, feature)) kept->push_back(group);
    });
    return kept;
}

Interactions::Features Interactions::among(const std::vector<int32_t>& features, const Open& open) const {
    auto kept = std::make_shared<std::vector<int32_t>>();
    for (int32_t feature : features)
        if (std::any_of(open->begin(), open->end(), [&](size_t group) { return holds(group, feature); }))
            kept->push_back(feature);
    return kept;
}

}  // namespace treewright
