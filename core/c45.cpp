// C4.5: growing, collapsing and pruning; nothing here is recursive, so that deep trees are safe.
#include "c45.hpp"

#include "c45_search.hpp"
#include "criteria.hpp"

namespace treewright::c45 {

namespace {

/// Take the sons out before they go, one by one: a chain of destructors could be as deep as the tree.
void dismantle(std::vector<std::unique_ptr<Node>>&& nodes) {
    std::vector<std::unique_ptr<Node>> waiting = std::move(nodes);
    nodes.clear();
    while (!waiting.empty()) {
        std::unique_ptr<Node> node = std::move(waiting.back());
        waiting.pop_back();
        for (auto& son : node->sons) waiting.push_back(std::move(son));
        node->sons.clear();
    }
}

class Learner {
public:
    Learner(const Ground& ground, Monitor& monitor)
        : ground_(ground), options_(ground.options), monitor_(monitor), chooser_(ground), weight_(ground.table.n_rows, 0.0) {}

    std::unique_ptr<Node> learn() {
        auto root = std::make_unique<Node>();
        for (uint32_t row = 0; row < ground_.table.n_rows; ++row) {
            const double weight = ground_.target.weight ? ground_.target.weight[row] : 1.0;
            if (weight > 0) root->parts.push_back({row, weight});  // the others have values to cut at, no more
        }
        n_rows_ = root->parts.size();
        grow(*root);
        if (options_.collapse) collapse(*root);
        if (options_.prune) prune(*root);
        return root;
    }
    size_t n_rows() const { return n_rows_; }

private:
    // ---- growing ---------------------------------------------------------------------------------------------------

    void grow(Node& root) {
        std::vector<Node*> stack{&root};
        uint64_t work = 0;
        while (!stack.empty()) {
            Node& node = *stack.back();
            stack.pop_back();
            work += (node.parts.size() + 1) * ground_.table.features.size();
            if (work > 500'000) {
                monitor_.poll(0);
                work = 0;
            }
            Test test = chooser_.choose(node.parts, node.competitors);
            if (test.feature < 0) {
                node.test.distribution = ground_.count(node.parts);
                monitor_.settled += node.parts.size();
                continue;
            }
            std::vector<Parts> parts = ground_.send(test, test.distribution, node.parts);
            node.test = std::move(test);
            node.parts = Parts();
            for (Parts& part : parts) {
                node.sons.push_back(std::make_unique<Node>());
                node.sons.back()->parts = std::move(part);
            }
            for (size_t b = node.sons.size(); b-- > 0;) stack.push_back(node.sons[b].get());
        }
    }

    // ---- rows under a node -------------------------------------------------------------------------------------------

    /// The rows of a node, put together again from the leaves below.
    Parts gather(Node& node) {
        std::vector<Node*> stack{&node};
        std::vector<uint32_t> rows;
        while (!stack.empty()) {
            Node* at = stack.back();
            stack.pop_back();
            for (const Part& part : at->parts) {
                if (weight_[part.row] == 0) rows.push_back(part.row);
                weight_[part.row] += part.weight;
            }
            for (auto& son : at->sons) stack.push_back(son.get());
        }
        std::sort(rows.begin(), rows.end());
        Parts parts;
        parts.reserve(rows.size());
        for (uint32_t row : rows) parts.push_back({row, std::exchange(weight_[row], 0.0)});
        return parts;
    }
    void make_leaf(Node& node) {
        node.parts = gather(node);
        dismantle(std::move(node.sons));
        node.competitors.clear();
        node.test.feature = -1;
        node.test.distribution = node.test.distribution.merged();
    }
    /// Send other rows down a tree: every count below is taken anew.
    void count_again(Node& root, Parts&& parts) {
        std::vector<std::pair<Node*, Parts>> stack;
        stack.emplace_back(&root, std::move(parts));
        while (!stack.empty()) {
            auto [node, here] = std::move(stack.back());
            stack.pop_back();
            if (node->is_leaf()) {
                node->test.distribution = ground_.count(here);
                node->parts = std::move(here);
                continue;
            }
            node->test.distribution = ground_.count(node->test, here);
            std::vector<Parts> below = ground_.send(node->test, node->test.distribution, here);
            for (size_t b = 0; b < below.size(); ++b) stack.emplace_back(node->sons[b].get(), std::move(below[b]));
        }
    }

    // ---- collapsing and pruning ------------------------------------------------------------------------------------------

    /// From the top: a subtree that makes no fewer errors on its rows than a leaf becomes one.
    void collapse(Node& root) {
        std::vector<Node*> stack{&root};
        while (!stack.empty()) {
            Node& node = *stack.back();
            stack.pop_back();
            if (node.is_leaf()) continue;
            const double below = sum_over_leaves(node, [&](const Node& leaf) { return ground_.errors(leaf.distribution()); });
            if (below >= ground_.errors(node.distribution()) - 1e-3) make_leaf(node);
            else
                for (auto& son : node.sons) stack.push_back(son.get());
        }
    }
    template <class Term>
    static double sum_over_leaves(const Node& root, Term&& term) {
        double sum = 0;
        std::vector<const Node*> stack{&root};
        while (!stack.empty()) {
            const Node* node = stack.back();
            stack.pop_back();
            if (node->is_leaf()) sum += term(*node);
            for (size_t b = node->sons.size(); b-- > 0;) stack.push_back(node->sons[b].get());
        }
        return sum;
    }

    /// Errors to expect beyond the e of N seen: the upper confidence limit on a binomial rate, less e (Quinlan, 1993, ch. 4).
    double further_errors(double n, double e) const {
        if (options_.confidence > 0.5) return 0;
        if (e < 1) {
            const double none = n * (1 - pow(options_.confidence, 1 / n));
            return e == 0 ? none : none + e * (further_errors(n, 1) - none);
        }
        if (e + 0.5 >= n) return std::max(options_.last_half * (n - e), 0.0);
        const double z = options_.deviate, f = (e + 0.5) / n;
        const double rate = (f + z * z / (2 * n) + z * std::sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n);
        return rate * n - e;
    }
    double estimate(const Distribution& d) const {
        if (ground_.equal(d.total, 0)) return 0;
        const double e = ground_.errors(d);
        return e + further_errors(d.total, e);
    }
    /// What a branch would cost if all these rows went down it.
    double estimate_for(const Node& root, Parts&& parts) const {
        double sum = 0;
        std::vector<std::pair<const Node*, Parts>> stack;
        stack.emplace_back(&root, std::move(parts));
        while (!stack.empty()) {
            auto [node, here] = std::move(stack.back());
            stack.pop_back();
            if (node->is_leaf()) {
                sum += estimate(ground_.count(here));
                continue;
            }
            std::vector<Parts> below = ground_.send(node->test, ground_.count(node->test, here), here);
            for (size_t b = below.size(); b-- > 0;) stack.emplace_back(node->sons[b].get(), std::move(below[b]));
        }
        return sum;
    }
    /// From below: leave a subtree, make it a leaf, or raise its largest branch and prune again.
    void prune(Node& root) {
        std::vector<std::pair<Node*, bool>> stack{{&root, false}};
        while (!stack.empty()) {
            auto [node, sons_are_done] = stack.back();
            stack.pop_back();
            if (node->is_leaf()) continue;
            if (!sons_are_done) {
                stack.emplace_back(node, true);
                for (size_t b = node->sons.size(); b-- > 0;) stack.emplace_back(node->sons[b].get(), false);
                continue;
            }
            monitor_.poll(0);
            if (prune_here(*node)) stack.emplace_back(node, false);
        }
    }
    /// True if a branch was raised.
    bool prune_here(Node& node) {
        const size_t largest = ground_.largest_branch(node.distribution());
        const double raised = options_.raising ? estimate_for(*node.sons[largest], gather(node)) : infinity;
        const double leaf = estimate(node.distribution());
        const double tree = sum_over_leaves(node, [&](const Node& below) { return estimate(below.distribution()); });
        if (ground_.at_least(tree + 0.1, leaf) && ground_.at_least(raised + 0.1, leaf)) {
            make_leaf(node);
            return false;
        }
        if (!ground_.at_least(tree + 0.1, raised)) return false;
        Parts parts = gather(node);
        const std::unique_ptr<Node> branch = std::move(node.sons[largest]);
        std::erase(node.sons, nullptr);
        dismantle(std::move(node.sons));
        node.test = std::move(branch->test);
        node.competitors = std::move(branch->competitors);
        node.sons = std::move(branch->sons);
        node.parts = std::move(branch->parts);
        count_again(node, std::move(parts));
        return true;
    }

    const Ground& ground_;
    const Options& options_;
    Monitor& monitor_;
    Chooser chooser_;
    std::vector<double> weight_;
    size_t n_rows_ = 0;  // that are grown on
};

/// Rows that reach a node, each once, however many of its parts do.
size_t count_rows(const Node& node, std::vector<uint32_t>& seen, uint32_t mark) {
    if (node.is_leaf()) return node.parts.size();
    size_t rows = 0;
    std::vector<const Node*> stack{&node};
    while (!stack.empty()) {
        const Node* at = stack.back();
        stack.pop_back();
        for (const Part& part : at->parts)
            if (std::exchange(seen[part.row], mark) != mark) ++rows;
        for (const auto& son : at->sons) stack.push_back(son.get());
    }
    return rows;
}

void append_test(SplitTable& to, const Test& test, const Table& table) {
    const int32_t n_categories = table.features[static_cast<size_t>(test.feature)].n_categories;
    to.feature.push_back(test.feature);
    to.kind.push_back(static_cast<uint8_t>(test.categorical ? SplitKind::table : SplitKind::threshold));
    to.threshold.push_back(test.categorical ? 0.0 : test.cut);
    to.score.push_back(test.gain_ratio);
    for (int32_t code = 0; test.categorical && code < n_categories; ++code) {
        to.pool_index.push_back(code);
        to.pool_value.push_back(test.binary ? (code == test.category ? 0 : 1) : code);
    }
    to.pool_begin.push_back(static_cast<int64_t>(to.pool_index.size()));
}

TreeArrays write_tree(const Node& root, const Ground& ground, size_t n_rows) {
    struct Place {
        const Node* node;
        int32_t parent;
    };
    TreeArrays tree;
    std::vector<Place> places{{&root, -1}};
    std::vector<int32_t> stack{0};
    tree.first_child.assign(1, -1);
    while (!stack.empty()) {
        const int32_t id = stack.back();
        stack.pop_back();
        const Node& node = *places[static_cast<size_t>(id)].node;
        if (node.is_leaf()) continue;
        const auto first = static_cast<int32_t>(places.size());
        tree.first_child[static_cast<size_t>(id)] = first;
        for (const auto& son : node.sons) {
            places.push_back({son.get(), id});
            tree.first_child.push_back(-1);
        }
        for (auto b = static_cast<int32_t>(node.sons.size()); b-- > 0;) stack.push_back(first + b);
    }
    const size_t k = ground.n_classes();
    std::vector<uint32_t> seen(ground.table.n_rows, 0);
    size_t parts = 0;
    for (const Place& place : places) parts += place.node->parts.size();
    const bool shared = parts != n_rows;
    for (size_t id = 0; id < places.size(); ++id) {
        const Node& node = *places[id].node;
        const Distribution& d = node.distribution();
        const bool empty = ground.equal(d.total, 0);
        tree.parent.push_back(places[id].parent);
        tree.n_children.push_back(static_cast<int32_t>(node.sons.size()));
        tree.default_branch.push_back(share_row);
        tree.count.push_back(shared ? static_cast<int64_t>(count_rows(node, seen, static_cast<uint32_t>(id + 1)))
                                    : static_cast<int64_t>(node.parts.size()));
        tree.weight.push_back(empty ? 0.0 : d.total);
        if (empty && id > 0) {  // an empty branch says what its parent would
            const auto above = static_cast<size_t>(places[id].parent) * k;
            for (size_t i = 0; i < k; ++i) tree.value.push_back(tree.value[above + i]);
        } else {
            tree.value.insert(tree.value.end(), d.classes.begin(), d.classes.end());
        }
        Totals totals(k);
        totals.sums = d.classes;
        totals.weight = d.total;
        tree.impurity.push_back(empty ? 0.0 : Entropy::impurity(totals));
        tree.risk.push_back(empty ? 0.0 : ground.errors(d));
        tree.merit.push_back(node.is_leaf() ? 0.0 : node.test.gain_ratio);
        if (!node.is_leaf()) append_test(tree.splits, node.test, ground.table);
        for (const Test& test : node.competitors) append_test(tree.competitors, test, ground.table);
        tree.split_begin.push_back(static_cast<int64_t>(tree.splits.kind.size()));
        tree.competitor_begin.push_back(static_cast<int64_t>(tree.competitors.kind.size()));
    }
    for (size_t id = places.size(); !shared && id-- > 1;) tree.count[static_cast<size_t>(tree.parent[id])] += tree.count[id];
    return tree;
}

}  // namespace

TreeArrays grow(const Table& table, const Target& target, const Options& options, Monitor& monitor) {
    if (target.n_classes == 0) throw std::invalid_argument("C4.5 grows classification trees");
    monitor.total = static_cast<double>(table.n_rows);
    const Ground ground{table, target, options};
    Learner learner(ground, monitor);
    std::unique_ptr<Node> root = learner.learn();
    TreeArrays tree = write_tree(*root, ground, learner.n_rows());
    dismantle(std::move(root->sons));
    return tree;
}

}  // namespace treewright::c45
