// The choice of a node's split among those found on its features.
#pragma once
#include "cuts/best.hpp"
#include "grow/node.hpp"
#include "base/recipe.hpp"

namespace treewright {

/// The merit of a split for what it costs to look at its features.
inline double merit_per_cost(const Recipe& recipe, const Candidate& split) {
    if (recipe.feature_costs.empty()) return split.merit;
    double paid = 0;
    for (int32_t feature : split.features()) paid += recipe.feature_costs[static_cast<size_t>(feature)];
    return split.merit / paid;
}

/// Candidates come in the order in which they win ties.
class SplitChoice {
public:
    /// Merits of the node that are closer than this are equal.
    void start(const Recipe& recipe, double tolerance) {
        recipe_ = &recipe;
        tolerance_ = tolerance;
        best_.start(tolerance, recipe.ties == Ties::last);
        all_.clear();
    }
    void offer(Candidate&& candidate) {
        if (!candidate.found() || candidate.merit == -infinity) return;  // a branch that cannot be, as one without events
        if (recipe_->max_competitors > 0) all_.push_back(candidate);
        const double merit = merit_per_cost(*recipe_, candidate);
        best_.offer(merit, std::move(candidate));
    }
    /// The largest merit for its cost so far.
    double most() const { return best_.most(); }
    /// A split on this feature of less merit than this does not matter.
    double least_merit(int32_t feature) const {
        if (recipe_->max_competitors > 0 || recipe_->ties == Ties::last) return -infinity;
        const double price = recipe_->feature_costs.empty() ? 1.0 : recipe_->feature_costs[static_cast<size_t>(feature)];
        return (most() - tolerance_) * price - tolerance_;
    }
    bool matters(double merit, int32_t feature) const { return merit > -infinity && merit >= least_merit(feature); }
    bool found() const { return best_.found(); }
    const Candidate& best() const { return best_.get(); }
    /// Give the node its split, and the best of those on other features.
    bool take(GrowingNode& node) {
        if (!best_.found()) return false;
        node.split = std::move(best_.get());
        if (recipe_->max_competitors > 0) take_competitors(node);
        return true;
    }

private:
    void take_competitors(GrowingNode& node) {
        std::erase_if(all_, [&](const Candidate& other) {
            return other.feature == node.split.feature && other.oblique() == node.split.oblique();
        });
        std::stable_sort(all_.begin(), all_.end(), [&](const Candidate& a, const Candidate& b) {
            return merit_per_cost(*recipe_, a) > merit_per_cost(*recipe_, b);
        });
        if (all_.size() > static_cast<size_t>(recipe_->max_competitors))
            all_.resize(static_cast<size_t>(recipe_->max_competitors));
        node.competitors = std::move(all_);
        all_ = {};
    }

    const Recipe* recipe_ = nullptr;
    double tolerance_ = 0;
    Best<Candidate> best_;
    std::vector<Candidate> all_;
};

}  // namespace treewright
