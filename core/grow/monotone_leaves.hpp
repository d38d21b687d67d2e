// The leaves that a node must stay in order with under monotone constraints.
//
// Two rows that differ in a constrained feature alone part at a split on that feature. So a tree is monotone if any two leaves
// that two such rows can reach, neighbours, predict in the right order. A split is made only if the tree is monotone after it:
// each branch is held to the leaves there are now, not to the middle of an earlier split, which would part all predictions
// below it whatever other features say (Auguste, Malory & Smirnov, 2020).
#pragma once
#include <numeric>

#include "base/builder.hpp"
#include "grow/constraints.hpp"

namespace treewright {

/// The values of one feature that rows of a node may have.
struct Reach {
    int32_t feature;
    double low = -infinity, high = infinity;  // known numbers above low, up to high
    bool missing = true;                      // or nothing, or a category that no split names
    std::vector<char> codes = {};             // of a feature split by tables: 1 for each category that may be

    bool meets(const Reach& other) const {
        if (missing && other.missing) return true;
        if (codes.empty() || other.codes.empty()) return std::max(low, other.low) < std::min(high, other.high);
        for (size_t code = 0; code < std::min(codes.size(), other.codes.size()); ++code)
            if (codes[code] && other.codes[code]) return true;
        return false;
    }
};

class MonotoneLeaves {
public:
    MonotoneLeaves(const GrowTask& task) : task_(task), sign_(task.recipe.monotonic) {}
    MonotoneLeaves(const MonotoneLeaves&) = delete;  // it points into itself
    MonotoneLeaves& operator=(const MonotoneLeaves&) = delete;

    void start(const Builder& tree, double prediction) {
        tree_ = &tree;
        prediction_.assign(1, prediction);
        least_ = most_ = prediction_;
        may_miss_.clear();
        for (const Feature& feature : task_.table.features)
            may_miss_.push_back(!feature.categorical() && std::any_of(feature.numbers, feature.numbers + task_.table.n_rows,
                                                                      [](double x) { return std::isnan(x); }));
    }
    /// The branches of a node have been appended, and predict this.
    void split(int32_t node, const std::vector<double>& predictions) {
        looked_at_ = -1;
        for (auto* by_node : {&prediction_, &least_, &most_})
            by_node->insert(by_node->end(), predictions.begin(), predictions.end());
        for (int32_t at = node; at >= 0; at = record(at).parent) {
            const auto [first, end] = children(at);
            least_[index(at)] = *std::min_element(least_.begin() + first, least_.begin() + end);
            most_[index(at)] = *std::max_element(most_.begin() + first, most_.begin() + end);
        }
    }

    /// Find the leaves that branches of a node must stay in order with; branches predict from `least` to `most` whatever the
    /// split.
    void look(int32_t node, double least, double most) {
        looked_at_ = node;
        trace(node, region_, [](const Reach&) { return true; });
        own_.assign(task_.n_features(), nullptr);
        for (const Reach& reach : region_) own_[index(reach.feature)] = &reach;
        collect(node, true, least, lower_);
        collect(node, false, -most, upper_);
    }
    /// What the leaves found say to any split of the node.
    Bounds bounds() const {
        Bounds bounds;
        if (!lower_.empty()) bounds.lowest = lower_[0].prediction;
        if (!upper_.empty()) bounds.highest = upper_[0].prediction;
        return bounds;
    }
    /// What they say to cuts of one feature.
    CutBounds bounds(int32_t feature) const {
        CutBounds cuts;
        cuts.whole = bounds();
        cuts.whole.sign = sign_[index(feature)];
        share(lower_, feature, cuts.lower);
        share(upper_, feature, cuts.upper);
        return cuts;
    }
    /// The node looked at last, −1 if the tree has changed since.
    int32_t looked_at() const { return looked_at_; }
    double prediction(int32_t node) const { return prediction_[index(node)]; }

private:
    using Region = std::vector<Reach>;
    struct Leaf {
        double prediction;
        int32_t feature;  // the one in which rows of the two leaves differ
        Region region;
    };

    static size_t index(int32_t at) { return static_cast<size_t>(at); }
    const NodeRecord& record(int32_t node) const { return tree_->nodes[index(node)]; }
    std::pair<int32_t, int32_t> children(int32_t node) const {
        return {record(node).first_child, record(node).first_child + record(node).n_children};
    }
    static const Reach* find(const Region& region, int32_t feature) {
        const auto at = std::find_if(region.begin(), region.end(), [&](const Reach& reach) { return reach.feature == feature; });
        return at == region.end() ? nullptr : &*at;
    }

    /// What the way to a node says of its rows; false once this does not go on, for reaches only become narrower.
    template <class GoesOn>
    bool trace(int32_t node, Region& region, GoesOn&& goes_on) const {
        region.clear();
        for (int32_t at = node; at > 0; at = record(at).parent) {
            const NodeRecord& above = record(record(at).parent);
            auto* reach = const_cast<Reach*>(find(region, above.feature));
            if (!reach) reach = &region.emplace_back(Reach{above.feature});
            narrow(*reach, above, at - above.first_child);
            if (!goes_on(*reach)) return false;
        }
        return true;
    }
    void narrow(Reach& reach, const NodeRecord& split, int32_t branch) const {
        const bool unanswered = split.default_branch == branch;
        reach.missing = reach.missing && unanswered;
        if (split.kind == SplitKind::threshold) {
            if (branch == 0) reach.high = std::min(reach.high, split.threshold);
            else reach.low = std::max(reach.low, split.threshold);
            return;
        }
        if (reach.codes.empty()) reach.codes.assign(n_codes(split.feature), 1);
        std::vector<char> taken(reach.codes.size(), unanswered);
        for (int64_t i = split.pool_begin; i < split.pool_end; ++i)
            taken[index(tree_->pool_index[static_cast<size_t>(i)])] =
                static_cast<int32_t>(tree_->pool_value[static_cast<size_t>(i)]) == branch;
        for (size_t code = 0; code < taken.size(); ++code) reach.codes[code] = reach.codes[code] && taken[code];
    }
    size_t n_codes(int32_t feature) const {
        if (const Ranking* ranking = (*task_.rankings)[index(feature)])
            return index(*std::max_element(ranking->code_of.begin(), ranking->code_of.end())) + 1;
        return index(task_.table.features[index(feature)].n_categories);
    }

    /// A subtree on the other side of a split on a constrained feature, and the strictest of its leaves.
    struct Side {
        double strictest;  // the largest prediction of those that may not predict more, else less the smallest
        int32_t node, feature;
        bool operator<(const Side& other) const { return strictest < other.strictest; }
    };
    double strictest(int32_t node, bool below) const { return below ? most_[index(node)] : -least_[index(node)]; }

    /// Collect leaves that rows of the region can reach by another value of one constrained feature, the strictest first: until
    /// for each feature there is one that every cut must respect, or none is left that any branch could break with.
    void collect(int32_t node, bool below, double limit, std::vector<Leaf>& found) {
        found.clear();
        sides_.clear();
        const auto put = [&](int32_t at, int32_t feature) {
            sides_.push_back({strictest(at, below), at, feature});
            std::push_heap(sides_.begin(), sides_.end());
        };
        for (int32_t at = node; at > 0; at = record(at).parent) {
            const NodeRecord& above = record(record(at).parent);
            const int sign = above.kind == SplitKind::threshold ? sign_[index(above.feature)] : 0;
            const int32_t branch = at - above.first_child;
            if (sign == 0 || above.threshold == infinity || ((branch == 1) == (sign > 0)) != below) continue;
            const Reach* own = own_[index(above.feature)];
            if (own->low < own->high) put(above.first_child + 1 - branch, above.feature);  // else no row here knows the value
        }
        open_features_.resize(task_.n_features());
        std::iota(open_features_.begin(), open_features_.end(), 0);
        while (!sides_.empty() && !open_features_.empty() && sides_.front().strictest >= limit) {
            const Side side = sides_.front();
            std::pop_heap(sides_.begin(), sides_.end());
            sides_.pop_back();
            const NodeRecord& split = record(side.node);
            for (int32_t branch = 0; branch < split.n_children; ++branch)
                if (open(split, branch, side.feature)) put(split.first_child + branch, side.feature);
            if (split.n_children > 0) continue;
            if (!trace(side.node, traced_, [&](const Reach& reach) { return shares(reach, side.feature); })) continue;
            Leaf leaf{prediction_[index(side.node)], side.feature, traced_};
            std::erase_if(open_features_, [&](int32_t feature) { return meets_every_cut(leaf, feature); });
            found.push_back(std::move(leaf));
        }
    }
    /// Whether a leaf shares values of a feature with both branches of any cut of it, or more than cuts can say.
    bool meets_every_cut(const Leaf& leaf, int32_t feature) const {
        if (task_.table.features[index(feature)].categorical()) return true;
        if (leaf.feature == feature) return !may_miss_[index(feature)];
        const Reach* reach = find(leaf.region, feature);
        if (!reach || !reach->codes.empty()) return true;
        const Reach* own = own_[index(feature)];
        return own && reach->low <= own->low && reach->high >= own->high && (reach->missing || !own->missing);
    }
    /// Whether rows of the region, with another value of the feature, may take a branch: a first look, by this split alone.
    bool open(const NodeRecord& split, int32_t branch, int32_t feature) const {
        if (split.kind != SplitKind::threshold) return true;
        if (split.feature == feature) return branch == 0 || split.threshold < infinity;
        const Reach* reach = own_[index(split.feature)];
        if (!reach || (reach->missing && split.default_branch == branch)) return true;
        return branch == 0 ? reach->low < split.threshold : reach->high > split.threshold;
    }
    /// Whether rows of the region, with another value of the feature, may be where another leaf reaches.
    bool shares(const Reach& other, int32_t feature) const {
        if (other.feature == feature) return other.low < other.high;
        const Reach* own = own_[index(other.feature)];
        return !own || own->meets(other);
    }
    /// The strictest leaves, down to one that meets every branch of a cut: what is less strict than that does not matter. Leaves
    /// that lie on another side of the very feature meet every branch whose rows know its value.
    void share(const std::vector<Leaf>& leaves, int32_t feature, std::vector<CutBounds::Neighbour>& out) const {
        for (const Leaf& leaf : leaves) {
            if (meets_every_cut(leaf, feature)) {
                out.push_back({leaf.prediction});
                return;
            }
            const Reach* reach = find(leaf.region, feature);
            if (leaf.feature == feature) out.push_back({leaf.prediction, -infinity, infinity, false});
            else out.push_back({leaf.prediction, reach->low, reach->high, reach->missing});
        }
    }

    const GrowTask& task_;
    const std::vector<int8_t>& sign_;
    const Builder* tree_ = nullptr;
    int32_t looked_at_ = -1;
    std::vector<double> prediction_, least_, most_;  // by node; the extremes are of the leaves below it
    Region region_, traced_;
    std::vector<Leaf> lower_, upper_;
    std::vector<char> may_miss_;     // by feature: whether any row of the table does
    std::vector<const Reach*> own_;  // by feature: the region looked at
    std::vector<Side> sides_;
    std::vector<int32_t> open_features_;
};

}  // namespace treewright
