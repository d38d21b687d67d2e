// A tree of CART while it grows, the price at which each split stops paying, and its writing as arrays.
#pragma once
#include "cart.hpp"
#include "../../splits/surrogate_agreement.hpp"

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
    double complexity = 0;       // the price of a split at which the node collapses
    double hope = 0, bound = 0;  // what it may save at most, seen from above, and by itself
    int8_t majority = nowhere;   // where the weight of rows with the split known goes
    std::vector<Split> splits;   // the split, then its competitors
    std::vector<Split> surrogates;

    bool is_leaf() const { return child[0] < 0; }
};

/// The weakest-link price of a node whose children are settled (Breiman et al., 1984, §3.3): what each split below it takes off
/// its risk, once the splits that pay less are gone. A node that pays no more than alpha becomes a leaf.
inline void settle(std::vector<Node>& nodes, size_t at, double alpha) {
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
inline double hope_of_left(const Node& node, double alpha) { return node.bound - alpha; }
inline double hope_of_right(const Node& node, const Node& left, double alpha) {
    const double shown = (node.leaf.risk - left.below.risk) / static_cast<double>(left.below.splits + 1);
    return std::min(std::max(shown, node.leaf.risk - left.leaf.risk), node.hope) - alpha;
}

/// Writes splits in branch numbers: branch 0 is `x ≤ threshold`, or for categories the left side.
struct Writer {
    const Table& table;
    const Options& options;

    /// The largest number below a cut. rpart's test is x < cut; but of ordered categories it predicts by a list of those below,
    /// and one on the cut, which no row of the node had, is among them.
    double threshold(const Split& split) const {
        return options.rpart && !options.ordinal[static_cast<size_t>(split.feature)] ? std::nextafter(split.cut, -infinity)
                                                                                     : split.cut;
    }

    void append(SplitTable& to, const Split& split, int8_t first_side) const {
        to.feature.push_back(split.feature);
        to.score.push_back(split.improve);
        if (table.features[static_cast<size_t>(split.feature)].categorical()) {
            to.kind.push_back(static_cast<uint8_t>(SplitKind::table));
            to.threshold.push_back(0.0);
            for (size_t code = 0; code < split.side.size(); ++code) {
                if (split.side[code] == nowhere) continue;
                to.pool_index.push_back(static_cast<int32_t>(code));
                to.pool_value.push_back(split.side[code] == first_side ? 0.0 : 1.0);
            }
        } else if (split.below == first_side) {
            to.kind.push_back(static_cast<uint8_t>(SplitKind::threshold));
            to.threshold.push_back(threshold(split));
        } else {  // a surrogate that runs the other way: −x ≤ −(the number after the threshold)
            to.feature.back() = -1;
            to.kind.push_back(static_cast<uint8_t>(SplitKind::hyperplane));
            to.threshold.push_back(-std::nextafter(threshold(split), infinity));
            to.pool_index.push_back(split.feature);
            to.pool_value.push_back(-1.0);
        }
        to.pool_begin.push_back(static_cast<int64_t>(to.pool_index.size()));
    }
};

inline int32_t default_branch(const std::vector<Node>& nodes, const Node& node, const Options& options, int8_t first_side) {
    if (options.use_surrogates < 2) return stay_at_node;
    int8_t way = node.majority;
    if (options.rpart) {  // when predicting, rpart follows the child with more rows
        const size_t low = nodes[static_cast<size_t>(node.child[0])].count,
                     high = nodes[static_cast<size_t>(node.child[1])].count;
        way = low == high ? nowhere : low > high ? left : right;
    }
    return way == nowhere ? stay_at_node : way == first_side ? 0 : 1;
}

inline Grown write_tree(const std::vector<Node>& nodes, const Table& table, const Options& options) {
    struct Place {
        int32_t node, parent;
    };
    Grown out;
    const size_t p = table.features.size();
    TreeArrays& tree = out.tree;
    const Writer writer{table, options};
    const auto first_side = [&](const Node& node) {
        const Split& split = node.splits[0];
        return table.features[static_cast<size_t>(split.feature)].categorical() ? left : split.below;
    };
    std::vector<Place> places{{0, -1}};
    std::vector<int32_t> stack{0};
    tree.first_child.assign(1, -1);
    while (!stack.empty()) {
        const int32_t id = stack.back();
        stack.pop_back();
        const Node& node = nodes[static_cast<size_t>(places[static_cast<size_t>(id)].node)];
        if (node.is_leaf()) continue;
        const auto first = static_cast<int32_t>(places.size());
        tree.first_child[static_cast<size_t>(id)] = first;
        const bool turned = first_side(node) == right;
        for (int b = 0; b < 2; ++b) {
            places.push_back({node.child[turned ? 1 - b : b], id});
            tree.first_child.push_back(-1);
        }
        stack.push_back(first + 1);
        stack.push_back(first);
    }
    for (const Place& place : places) {
        const Node& node = nodes[static_cast<size_t>(place.node)];
        const bool leaf = node.is_leaf();
        tree.parent.push_back(place.parent);
        tree.n_children.push_back(leaf ? 0 : 2);
        tree.count.push_back(static_cast<int64_t>(node.count));
        tree.weight.push_back(node.leaf.weight);
        tree.impurity.push_back(node.leaf.impurity);
        tree.risk.push_back(node.leaf.risk);
        tree.merit.push_back(leaf ? 0.0 : node.splits[0].improve);
        tree.value.insert(tree.value.end(), node.leaf.value.begin(), node.leaf.value.end());
        tree.default_branch.push_back(leaf ? -1 : default_branch(nodes, node, options, first_side(node)));
        out.complexity.push_back(node.complexity);
        out.credit.resize(out.credit.size() + p, 0.0);
        double* credit = out.credit.data() + out.credit.size() - p;
        if (!leaf) {
            const int8_t first = first_side(node);
            const double gain = node.splits[0].improve * (options.criterion == "squared_error" ? node.leaf.risk : 1.0);
            writer.append(tree.splits, node.splits[0], first);
            out.split_rows.push_back(static_cast<int64_t>(node.splits[0].rows));
            out.split_below.push_back(node.splits[0].below);
            credit[node.splits[0].feature] = gain;
            for (const Split& surrogate : node.surrogates) {
                credit[surrogate.feature] = gain * surrogate.adjusted;
                if (options.use_surrogates == 0) continue;
                writer.append(tree.splits, surrogate, first);
                tree.splits.adjust_last(surrogate.adjusted);
                out.split_rows.push_back(static_cast<int64_t>(surrogate.rows));
                out.split_below.push_back(surrogate.below);
            }
            for (size_t i = 1; i < node.splits.size(); ++i) {
                const Split& other = node.splits[i];
                writer.append(tree.competitors, other,
                              table.features[static_cast<size_t>(other.feature)].categorical() ? left : other.below);
                out.competitor_rows.push_back(static_cast<int64_t>(other.rows));
                out.competitor_below.push_back(other.below);
            }
        }
        tree.split_begin.push_back(static_cast<int64_t>(tree.splits.kind.size()));
        tree.competitor_begin.push_back(static_cast<int64_t>(tree.competitors.kind.size()));
    }
    return out;
}

}  // namespace treewright::cart
