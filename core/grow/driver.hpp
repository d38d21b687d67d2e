// The driver: which node is split next, whether its split is good enough, what is written down of it.
//
// Engines only find splits and partition rows. What they are asked, in this order:
//   describe(node)           the node as a leaf, and its totals
//   hands_over(node)         whether another engine shall grow the subtree (if they have it)
//   search(node)             the best split into node.split, others into node.competitors; false if there is none
//   branch_sums(node)        the rows of each branch, summed up
//   category_sums(node, f)   the rows of each category of a feature, summed up
//   count_candidates(node)   how many splits the best one was chosen from; most_candidates(node) a quick upper bound (where
//                            significance is offered)
//   varies(node, feature)    whether a feature has several values (where stop_on_constant is offered)
//   partition(node)          the branch of every row: settles node.split.default_branch and node.surrogates
//   take_branches(node, children), then pass_on(node, children) once these are described and the split is written
//   finish(node, split)      the split as it is written: ranks of categories become a table
//
// Nodes are GrowingNodes, or only QueuedNodes: then the engine keeps what it finds of the node it was asked about last, and is
// asked for it:
//   weight_of(node)          of its rows, once it is described or searched
//   split_of(node)           what `search` has found; its merit is the decrease of the impurity
// Such trees grow depth first; they have no competitors, surrogates, tests of significance or groups of features.
#pragma once
#include <set>

#include "base/builder.hpp"
#include "grow/node.hpp"
#include "grow/missing_policy.hpp"
#include "base/random.hpp"
#include "grow/significance.hpp"

namespace treewright {

/// What a tree is written to: Builder, or ForestWriter.
template <class Output, class Split>
concept TreeOutput = requires(Output out, int32_t node, const Description& leaf, const Split& split, std::vector<double>& value) {
    { out.size() } -> std::same_as<size_t>;                     // nodes so far
    { out.append(node, node, leaf) } -> std::same_as<int32_t>;  // below a parent, at a depth; gives its number
    out.copy_value(node, value);                                // what a node predicts
    out.set_split(node, split, node);                           // with the number of the first child; the others follow
};

/// What is asked of engines whose nodes are the same, behind one call each: they share one driver.
template <class Node, class Rows>
class AnyEngine {
public:
    using Item = Node;
    using SubtreeRows = Rows;

    virtual ~AnyEngine() = default;
    virtual Description& describe(Item& node) = 0;  // good until the next node is described
    virtual bool search(Item& node) = 0;
    virtual std::vector<BranchSums> branch_sums(Item& node) = 0;
    virtual std::vector<BranchSums> category_sums(Item& node, int32_t feature) = 0;
    virtual double most_candidates(const Item& node) = 0;
    virtual double count_candidates(const Item& node) = 0;
    virtual bool varies(const Item& node, int32_t feature) = 0;
    virtual void partition(Item& node) = 0;
    virtual void take_branches(const Item& node, std::vector<Item>& children) = 0;
    virtual void pass_on(const Item& node, std::vector<Item>& children) = 0;
    virtual void finish(const Item& node, Candidate& split) = 0;
};

/// An engine as its driver knows it.
template <class Engine>
auto& known_engine(Engine& engine) {
    using Any = AnyEngine<typename Engine::Item, typename Engine::SubtreeRows>;
    if constexpr (std::derived_from<Engine, Any>) return static_cast<Any&>(engine);
    else return engine;
}

template <class Engine, TreeOutput<typename Engine::Item::Split> Output>
class Driver {
    using Node = typename Engine::Item;
    using Rows = typename Engine::SubtreeRows;
    static constexpr bool keeps = std::derived_from<Node, GrowingNode>;  // what was found of a node
    static_assert(std::derived_from<Node, QueuedNode>);

public:
    Driver(const GrowTask& task, Engine& engine, Output& out, int thread = 0)
        : task_(task),
          recipe_(task.recipe),
          criterion_(*task.formula),
          engine_(engine),
          out_(out),
          interactions_(recipe_.interaction),
          thread_(thread),
          features_a_node_(recipe_.max_features > 0 ? static_cast<size_t>(recipe_.max_features) : task.n_features()),
          asks_decrease_(recipe_.min_impurity_decrease > 0 || recipe_.complexity > 0) {}

    /// Grow the tree below a root that holds its rows; gives the nodes that are handed over.
    std::vector<Subtree<Rows>> grow(Node root) {
        if constexpr (keeps)
            if (root.groups) root.features = interactions_.among(features_of(root), root.groups);
        if (append(root, nullptr)) grow_below(std::move(root));
        task_.monitor.rows_done += rows_done_;
        return std::move(subtrees_);
    }

private:
    // ---- which node is next ----------------------------------------------------------------------------------

    void grow_below(Node&& root) {
        if constexpr (keeps)
            if (recipe_.limited() || !recipe_.monotonic.empty()) return grow_by_frontier(std::move(root));
        grow_depth_first(std::move(root));
    }

    void grow_depth_first(Node root) {
        std::vector<Node> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Node node = std::move(stack.back());
            stack.pop_back();
            poll(node);
            if constexpr (requires { engine_.hands_over(node); })
                if (engine_.hands_over(node)) {
                    subtrees_.push_back({node.node, node.depth, node.seed, std::move(node.groups), engine_.hand_over(node)});
                    continue;
                }
            if (!find(node)) continue;
            split(node);
            for (size_t b = children_.size(); b-- > 0;)
                if (children_[b].node >= 0) stack.push_back(std::move(children_[b]));
        }
    }

    /// A node that waits to be split.
    struct Waiting {
        double priority, slack;  // and by how much less is equal
        int64_t age;
        size_t at;
        size_t n_nodes;                               // of the tree its split was found in, 0 = not yet looked for
        bool operator<(const Waiting& other) const {  // the first is the next; of equals the oldest
            return priority != other.priority ? priority > other.priority : age < other.age;
        }
    };
    using Frontier = std::set<Waiting>;

    /// The next of the frontier: of priorities that are equal but for rounding the oldest.
    static Waiting take_next(Frontier& frontier) {
        auto next = frontier.begin();
        const double enough = next->priority - next->slack;
        for (auto at = next; at != frontier.end() && at->priority + at->slack >= enough;
             at = frontier.lower_bound({at->priority, 0, std::numeric_limits<int64_t>::max(), 0, 0}))
            if (at->age < next->age) next = at;
        return frontier.extract(next).value();
    }

    /// In the order the recipe asks for, up to the limits on the size of the tree.
    ///
    /// Under monotone constraints what a node may do hangs on the leaves there are. So a split is looked for when it is to be
    /// made: level by level, that no part of the tree grows at the expense of another, or best first, where a split found among
    /// other leaves is looked for again.
    void grow_by_frontier(Node root) {
        const bool best_first = recipe_.order == Order::best_first, monotone = !recipe_.monotonic.empty();
        const bool by_level = recipe_.order == Order::breadth_first || monotone;
        std::vector<Node> nodes;
        Frontier frontier;
        int64_t age = 0, leaves = 1;
        const auto full = [&](int64_t branches) {
            return (recipe_.max_leaf_nodes > 0 && leaves + branches - 1 > recipe_.max_leaf_nodes) ||
                   (recipe_.max_nodes > 0 && static_cast<int64_t>(out_.nodes.size()) + branches > recipe_.max_nodes);
        };
        const auto put = [&](Node&& node) {
            if (full(2) || (best_first && !find(node))) return;
            const double priority = best_first ? node.decrease : by_level ? 0.0 : static_cast<double>(node.depth);
            const double slack = best_first ? node.slack : 0.0;
            nodes.push_back(std::move(node));
            frontier.insert({priority, slack, age++, nodes.size() - 1, best_first ? out_.nodes.size() : 0});
        };
        put(std::move(root));
        double risk = out_.nodes[0].risk;
        const double enough = recipe_.enough_risk * out_.nodes[0].weight;
        while (!frontier.empty() && risk > enough && !full(2)) {
            poll();
            Waiting next = take_next(frontier);
            if (!best_first || (monotone && next.n_nodes != out_.nodes.size())) {
                if (!find(nodes[next.at])) continue;
                if (best_first && nodes[next.at].decrease < next.priority) {
                    frontier.insert({nodes[next.at].decrease, nodes[next.at].slack, next.age, next.at, out_.nodes.size()});
                    continue;
                }
            }
            Node node = std::move(nodes[next.at]);
            const int64_t branches = node.split.n_branches;
            if (full(branches)) continue;
            leaves += branches - 1;
            const auto first = static_cast<int64_t>(out_.nodes.size());
            risk -= out_.nodes[static_cast<size_t>(node.node)].risk;
            split(node);
            for (int64_t b = 0; b < branches; ++b) risk += out_.nodes[static_cast<size_t>(first + b)].risk;
            if (risk <= enough) break;
            std::vector<Node> children = std::move(children_);
            for (Node& child : children)
                if (child.node >= 0) put(std::move(child));
        }
    }

    void poll(const Node& node) {
        work_ += (node.size() + 16) * features_a_node_;
        if (work_ < 2'000'000) return;
        poll();
        work_ = 0;
    }
    void poll() {
        task_.monitor.rows_done += std::exchange(rows_done_, 0);
        task_.monitor.poll(thread_);
    }

    // ---- may it be split -------------------------------------------------------------------------------------

    bool may_split(const Node& node) const {
        return (recipe_.max_depth < 0 || node.depth < recipe_.max_depth) &&
               node.size() >= static_cast<size_t>(std::max(recipe_.min_samples_split, 2 * recipe_.min_samples_leaf)) &&
               weight_of(node) >= std::max(2 * recipe_.min_weight_leaf, recipe_.min_weight_split);
    }

    /// Find a split that is good enough; false if there is none.
    bool find(Node& node) {
        if (engine_.search(node) && accepts(node)) return true;
        rows_done_ += node.size();
        return false;
    }
    bool accepts(Node& node) {
        if (!(split_of(node).merit > recipe_.min_merit)) return false;
        if (asks_decrease_ || recipe_.order == Order::best_first) {
            const double gain = decrease(node), share = weight_of(node) / task_.total_weight;
            if (asks_decrease_ && gain * share + rounding < recipe_.least_decrease(split_of(node).n_branches)) return false;
            if constexpr (keeps) {
                const double nothing = least_gain(node);
                node.decrease = std::abs(gain) > nothing ? gain * share : 0.0;
                node.slack = nothing * share + tie_tolerance * std::abs(node.decrease);
            }
        }
        if constexpr (keeps) {
            if (!gains_enough(node)) return false;
            if constexpr (requires { engine_.count_candidates(node); }) return recipe_.significance >= 1 || significant(node);
        }
        return true;
    }
    bool gains_enough(Node& node) {
        if (recipe_.min_gain == -no_limit && !recipe_.stop_on_constant) return true;
        const double gain = decrease(node), nothing = least_gain(node);
        return gain > recipe_.min_gain + nothing && !(recipe_.stop_on_constant && gain <= nothing && constant_before(node));
    }
    /// Whether a feature that no node above has used, and that comes before that of the split, has one value only.
    bool constant_before(const Node& node) {
        std::vector<bool> used(task_.n_features());
        for (int32_t at = node.node; (at = out_.nodes[static_cast<size_t>(at)].parent) >= 0;)
            used[static_cast<size_t>(out_.nodes[static_cast<size_t>(at)].feature)] = true;
        if constexpr (requires { engine_.varies(node, 0); })
            for (int32_t feature = 0; feature < node.split.feature; ++feature)
                if (!used[static_cast<size_t>(feature)] && !engine_.varies(node, feature)) return true;
        return false;
    }
    /// Decrease of the node's impurity by its split.
    double decrease(Node& node) {
        if constexpr (keeps)
            if (!criterion_.traits.decrease) return node.impurity - impurity_after(node);
        return split_of(node).merit;
    }
    /// A decrease of the node's impurity that is nothing but rounding.
    double least_gain(const Node& node) const {
        if (criterion_.traits.decrease) return criterion_.tolerance(node.totals, node.impurity);
        return tie_tolerance * node.impurity + (task_.n_classes ? 4e-15 : 0.0);
    }
    /// Impurity of the branches together.
    double impurity_after(Node& node) {
        double after = 0;
        for (const BranchSums& branch : engine_.branch_sums(node)) {
            if (branch.weight <= 0) continue;
            if (task_.n_classes) {
                Totals totals(task_.width());
                totals.weight = branch.weight;
                totals.sums = branch.classes;
                after += totals.weight * criterion_.impurity(totals);
            } else {
                after += branch.squares - branch.sum * branch.sum / branch.weight;
            }
        }
        return after / node.totals.weight;
    }
    /// Whether the split is more than chance. Candidates are counted only where the number there could be leaves it open.
    bool significant(Node& node) {
        const double p = p_value(node);
        const auto passes = [&](double candidates) {
            return p * std::min(recipe_.n_families() * candidates, 1e300) <= recipe_.significance;
        };
        if (node.split.rivals > 0) return passes(node.split.rivals);
        return passes(engine_.most_candidates(node)) || passes(engine_.count_candidates(node));
    }

    double p_value(Node& node) {
        const bool grouped = node.split.kind == SplitKind::table || task_.ranking(static_cast<size_t>(node.split.feature));
        if (grouped && node.split.rivals == 0) {
            const std::vector<BranchSums> categories = engine_.category_sums(node, node.split.feature);
            if (categories.size() > most_grouped_categories) return whole_table_p(categories, task_.n_classes > 0);
        }
        const std::vector<BranchSums> branches = engine_.branch_sums(node);
        return task_.n_classes ? chi_square_p(branches) : f_test_p(branches);
    }

    // ---- carrying a split out --------------------------------------------------------------------------------

    /// Append the branches of a node, `children_`; those that may not be split further have no number.
    void split(Node& node) {
        engine_.partition(node);
        if constexpr (keeps) keep_open(node);
        auto& split = split_of(node);
        children_.clear();
        children_.resize(static_cast<size_t>(split.n_branches));
        for (size_t b = 0; b < children_.size(); ++b) children_[b].descend(node, b);
        engine_.take_branches(node, children_);
        const auto first = static_cast<int32_t>(out_.size());
        for (Node& child : children_) append(child, &node);
        if constexpr (keeps) set_merit_of_branches(node);
        engine_.finish(node, split);
        out_.set_split(node.node, split, first);
        if constexpr (keeps) {
            for (Candidate& other : node.competitors) engine_.finish(node, other);
            out_.set_others(node.node, std::move(node.competitors), std::move(node.surrogates));
        }
        engine_.pass_on(node, children_);
    }
    /// Which groups of features, and which features, stay open below the split of a node.
    void keep_open(Node& node) const {
        if (interactions_.free()) return;
        for (int32_t feature : node.split.features()) node.groups = interactions_.below(node.groups, feature);
        node.features = interactions_.among(features_of(node), node.groups);
    }
    /// The merit of a split as its branches have it: whichever finder found it, and in whatever order rows came, it is the same
    /// to the last bit. Where rows without a value took no part, and of a user's function, it stays as it was found.
    void set_merit_of_branches(Node& node) {
        if (left_out(recipe_.policy(static_cast<size_t>(node.split.feature)))) return;
        if (criterion_.traits.decrease) {
            double after = 0;
            for (const Node& child : children_) after += child.totals.weight * child.impurity;
            const double merit = node.impurity - after / node.totals.weight;
            node.split.merit = task_.n_classes ? merit : std::max(merit, 0.0);
        } else if (criterion_.merit) {
            std::vector<const Totals*> branches;
            for (const Node& child : children_)
                if (child.size() > 0) branches.push_back(&child.totals);
            node.split.merit = criterion_.merit(node.totals, branches);
        }
    }
    /// Append a node; true if it may be split.
    bool append(Node& node, const Node* parent) {
        auto&& leaf = engine_.describe(node);
        if (parent && (node.size() == 0 || leaf.weight == 0)) {  // a branch of no weight predicts what its parent does
            out_.copy_value(parent->node, leaf.value);
            leaf.weight = leaf.risk = leaf.impurity = 0;
        }
        if constexpr (keeps) node.impurity = leaf.impurity;
        node.node = out_.append(parent ? parent->node : -1, node.depth, leaf);
        if (!leaf.pure && may_split(node)) return true;
        rows_done_ += node.size();
        if (parent) node.node = -1;
        return false;
    }
    std::vector<int32_t> features_of(const Node& node) const {
        if (node.features) return *node.features;
        std::vector<int32_t> features(task_.n_features());
        std::iota(features.begin(), features.end(), 0);
        return features;
    }

    // ---- what was found of a node ----------------------------------------------------------------------------

    auto& split_of(Node& node) {
        if constexpr (keeps) return node.split;
        else return engine_.split_of(node);
    }
    double weight_of(const Node& node) const {
        if constexpr (keeps) return node.totals.weight;
        else return engine_.weight_of(node);
    }

    static constexpr double rounding = 2.2e-16;  // of a decrease that is just enough, as scikit-learn has it

    const GrowTask& task_;
    const Recipe& recipe_;
    const Formula& criterion_;
    Engine& engine_;
    Output& out_;
    Interactions interactions_;
    int thread_;
    size_t features_a_node_;
    bool asks_decrease_;
    uint64_t work_ = 0, rows_done_ = 0;
    std::vector<Node> children_;
    std::vector<Subtree<Rows>> subtrees_;
};

}  // namespace treewright
