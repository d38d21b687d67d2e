// A tree of CART while it grows, the price at which each split stops paying, and its writing as arrays.
#pragma once
#include "programs/cart/cart.hpp"
#include "programs/cart/search.hpp"
#include "base/writer.hpp"
#include "splits/surrogate_agreement.hpp"

namespace treewright::cart {

/// What stands below a node: the risk of its leaves and its splits.
struct Below {
    double risk = 0;
    int64_t splits = 0;
};

/// A node while the tree grows; left and right are those of its split.
struct Node {
    Leaf leaf;
    size_t count = 0;
    int32_t child[2] = {-1, -1};
    Below below;
    double complexity = 0;              // the price of a split at which the node collapses
    double inherited_bound = 0;         // on what it may save, by the nodes above
    double bound = 0;                   // the same with its own risk
    Side majority = Side::none;         // where the weight of rows with the split known goes
    std::vector<TwoSidedSplit> splits;  // the split, then its competitors
    std::vector<TwoSidedSplit> surrogates;

    bool is_leaf() const { return child[0] < 0; }
};

/// Set the weakest-link price of a node whose children have theirs (Breiman et al., 1984, §3.3): what each split below it takes
/// off its risk, once the splits that pay less are gone. A node that pays no more than alpha becomes a leaf.
inline void set_complexity(std::vector<Node>& nodes, size_t at, double alpha) {
    Node& node = nodes[at];
    node.below = {node.leaf.risk, 0};
    node.complexity = alpha;
    if (node.is_leaf()) return;
    const Node &low = nodes[static_cast<size_t>(node.child[0])], &high = nodes[static_cast<size_t>(node.child[1])];
    Below kept[2] = {low.below, high.below};
    const auto splits = [&] { return kept[0].splits + kept[1].splits + 1; };
    const auto saved = [&] { return (node.leaf.risk - (kept[0].risk + kept[1].risk)) / static_cast<double>(splits()); };
    const int weaker = low.complexity < high.complexity ? 0 : 1;
    for (int side : {weaker, 1 - weaker}) {
        const Node& child = side == 0 ? low : high;
        if (!(saved() > child.complexity)) break;
        kept[side] = {child.leaf.risk, 0};
    }
    node.complexity = saved();
    if (node.complexity > alpha) node.below = {kept[0].risk + kept[1].risk, splits()};
    else node.child[0] = node.child[1] = -1;
}

/// A node collapses no later than its parent.
inline void cap_complexity(std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
        if (node.is_leaf()) continue;
        for (int32_t child : node.child) {
            double& complexity = nodes[static_cast<size_t>(child)].complexity;
            complexity = std::min(complexity, node.complexity);
        }
    }
}

/// What rpart thinks the children of a node may save: no more than the node itself less the price of its split and, on the
/// right, no more than the left has shown. Now and then that is too little, and a split that would pay is not tried.
inline double bound_of_left(const Node& node, double alpha) { return node.bound - alpha; }
inline double bound_of_right(const Node& node, const Node& left, double alpha) {
    const double shown = (node.leaf.risk - left.below.risk) / static_cast<double>(left.below.splits + 1);
    return std::min(std::max(shown, node.leaf.risk - left.leaf.risk), node.inherited_bound) - alpha;
}

/// Writes a tree. In its arrays branch 0 is `x ≤ threshold`, or for categories the left side.
class TreeOutput {
public:
    TreeOutput(const std::vector<Node>& nodes, const Table& table, const Options& options)
        : nodes_(nodes), table_(table), options_(options) {}

    Grown write() {
        const auto children = [this](size_t at, std::vector<size_t>& list) {
            const Node& node = nodes_[at];
            if (node.is_leaf()) return;
            const bool swapped = first_side(node.splits[0]) == Side::right;
            for (bool second : {swapped, !swapped}) list.push_back(static_cast<size_t>(node.child[second]));
        };
        out_.tree = write_tree(size_t{0}, children, [this](size_t at, TreeArrays& tree) { return write_node(nodes_[at], tree); });
        return std::move(out_);
    }

private:
    bool categorical(const TwoSidedSplit& split) const {
        return table_.features[static_cast<size_t>(split.feature)].categorical();
    }
    /// The side that is branch 0.
    Side first_side(const TwoSidedSplit& split) const {
        if (!categorical(split)) return split.below;
        const bool truth = table_.features[static_cast<size_t>(split.feature)].truth && !options_.rpart;
        return truth && split.side[0] != Side::none ? split.side[0] : Side::left;
    }

    NodeSummary write_node(const Node& node, TreeArrays& tree) {
        NodeSummary summary{node.count, node.leaf.weight, node.leaf.impurity, node.leaf.risk, node.leaf.value};
        out_.complexity.push_back(node.complexity);
        out_.credit.resize(out_.credit.size() + table_.features.size(), 0.0);
        if (node.is_leaf()) return summary;
        const TwoSidedSplit& split = node.splits[0];
        const Side first = first_side(split);
        double* credit = &out_.credit[out_.credit.size() - table_.features.size()];
        const double gain = split.score * (options_.criterion == "squared_error" ? node.leaf.risk : 1.0);
        credit[split.feature] = gain;
        append(tree.splits, split, first, out_.split_rows, out_.split_below);
        for (const TwoSidedSplit& surrogate : node.surrogates) {
            credit[surrogate.feature] = gain * surrogate.adjusted;
            if (options_.use_surrogates == 0) continue;
            append(tree.splits, surrogate, first, out_.split_rows, out_.split_below);
            tree.splits.adjust_last(surrogate.adjusted);
        }
        for (const TwoSidedSplit& other : std::span(node.splits).subspan(1))
            append(tree.competitors, other, first_side(other), out_.competitor_rows, out_.competitor_below);
        summary.merit = split.score;
        summary.default_branch = default_branch(node, first);
        return summary;
    }
    void append(SplitTable& to, const TwoSidedSplit& split, Side first, std::vector<int64_t>& rows,
                std::vector<int8_t>& below) const {
        if (categorical(split)) {
            for (size_t code = 0; code < split.side.size(); ++code) {
                if (split.side[code] == Side::none) continue;
                to.pool_index.push_back(static_cast<int32_t>(code));
                to.pool_value.push_back(split.side[code] == first ? 0.0 : 1.0);
            }
            to.append(SplitKind::table, split.feature, 0.0, split.score);
        } else if (split.below == first) {
            to.append(SplitKind::threshold, split.feature, threshold(split), split.score);
        } else {  // a surrogate that runs the other way: −x ≤ −(the number after the threshold)
            to.pool_index.push_back(split.feature);
            to.pool_value.push_back(-1.0);
            to.append(SplitKind::hyperplane, split.feature, -std::nextafter(threshold(split), infinity), split.score);
        }
        rows.push_back(static_cast<int64_t>(split.rows));
        below.push_back(static_cast<int8_t>(split.below));
    }
    /// The largest number below a cut. rpart's test is x < cut; but of ordered categories it predicts by a list of those below,
    /// and one on the cut, which no row of the node had, is among them.
    double threshold(const TwoSidedSplit& split) const {
        const bool strictly_below = options_.rpart && !options_.ordinal[static_cast<size_t>(split.feature)];
        return strictly_below ? std::nextafter(split.cut, -infinity) : split.cut;
    }
    int32_t default_branch(const Node& node, Side first) const {
        if (options_.use_surrogates < 2) return stay_at_node;
        Side side = node.majority;
        if (options_.rpart) {  // when predicting, rpart follows the child with more rows
            const size_t low = nodes_[static_cast<size_t>(node.child[0])].count,
                         high = nodes_[static_cast<size_t>(node.child[1])].count;
            side = low == high ? Side::none : low > high ? Side::left : Side::right;
        }
        return side == Side::none ? stay_at_node : side == first ? 0 : 1;
    }

    const std::vector<Node>& nodes_;
    const Table& table_;
    const Options& options_;
    Grown out_;
};

}  // namespace treewright::cart
