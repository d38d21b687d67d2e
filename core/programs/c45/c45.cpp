// C4.5: growing, collapsing and pruning; nothing here is recursive, so that deep trees are safe.
#include "programs/c45/c45.hpp"

#include "programs/c45/search.hpp"
#include "base/writer.hpp"
#include "criteria/criteria.hpp"

namespace treewright::c45 {

namespace {

class Learner {
public:
    Learner(const C45Data& data, Monitor& monitor)
        : data_(data), options_(data.options), monitor_(monitor), chooser_(data, monitor), weight_(data.table.n_rows, 0.0) {}

    void learn() {
        Node& root = nodes_.root();
        for (uint32_t row = 0; row < data_.table.n_rows; ++row) {
            const double weight = data_.target.weight ? data_.target.weight[row] : 1.0;
            if (weight > 0) root.rows.push_back({row, weight});  // the others have values to cut at, no more
        }
        n_rows_ = root.rows.size();
        grow(root);
        if (options_.collapse) collapse(root);
        if (options_.prune) prune(root);
    }
    const Nodes& nodes() const { return nodes_; }
    size_t n_rows() const { return n_rows_; }

private:
    /// Listen for Ctrl-C once in so many rows that were gone over.
    void listen(size_t rows) {
        work_ += rows;
        if (work_ < 500'000) return;
        work_ = 0;
        monitor_.poll(0);
    }

    // ---- growing ---------------------------------------------------------------------------------------------------

    void grow(Node& root) {
        std::vector<Node*> stack{&root};
        const size_t looked_up = options_.observed ? data_.table.n_rows / 8 : 0;  // for the cut of a node
        while (!stack.empty()) {
            Node& node = *stack.back();
            stack.pop_back();
            listen((node.rows.size() + 1) * data_.table.features.size() + looked_up);
            Test test = chooser_.choose(node.rows, node.competitors);
            if (test.feature < 0) {
                node.test.distribution = data_.count(node.rows);
                monitor_.rows_done += node.rows.size();
                continue;
            }
            nodes_.add_children(node, data_.send(test, test.distribution, node.rows));
            node.test = std::move(test);
            node.rows = WeightedRows();
            for (size_t b = node.n_children; b-- > 0;) stack.push_back(&nodes_.child(node, b));
        }
    }

    // ---- rows under a node -------------------------------------------------------------------------------------------

    /// The rows of a node, put together again from the leaves below.
    WeightedRows gather(const Node& node) {
        std::vector<const Node*> stack{&node};
        std::vector<uint32_t> numbers;
        while (!stack.empty()) {
            const Node& at = *stack.back();
            stack.pop_back();
            listen(at.rows.size() + 1);
            for (const WeightedRow& part : at.rows) {
                if (weight_[part.row] == 0) numbers.push_back(part.row);
                weight_[part.row] += part.weight;
            }
            for (size_t b = 0; b < at.n_children; ++b) stack.push_back(&nodes_.child(at, b));
        }
        std::sort(numbers.begin(), numbers.end());
        WeightedRows rows;
        rows.reserve(numbers.size());
        for (uint32_t row : numbers) rows.push_back({row, std::exchange(weight_[row], 0.0)});
        return rows;
    }
    void make_leaf(Node& node) {
        node.rows = gather(node);
        nodes_.remove_children(node);
        node.competitors.clear();
        node.test.feature = -1;
        node.test.distribution = node.test.distribution.merged();
    }
    /// Send rows down a tree: `at_leaf` takes those of a leaf, `at_inner` says how those of another node are distributed.
    template <class AnyNode, class Leaf, class Inner>
    void send_down(AnyNode& root, WeightedRows&& rows, Leaf&& at_leaf, Inner&& at_inner) {
        std::vector<std::pair<AnyNode*, WeightedRows>> stack;
        stack.emplace_back(&root, std::move(rows));
        while (!stack.empty()) {
            auto [node, here] = std::move(stack.back());
            stack.pop_back();
            listen(here.size() + 1);
            if (node->is_leaf()) {
                at_leaf(*node, std::move(here));
                continue;
            }
            std::vector<WeightedRows> below = data_.send(node->test, at_inner(*node, here), here);
            for (size_t b = below.size(); b-- > 0;) stack.emplace_back(&nodes_.child(*node, b), std::move(below[b]));
        }
    }
    /// Every count below is taken anew, of other rows.
    void count_again(Node& root, WeightedRows&& rows) {
        send_down(
            root, std::move(rows),
            [&](Node& leaf, WeightedRows&& here) {
                leaf.test.distribution = data_.count(here);
                leaf.rows = std::move(here);
            },
            [&](Node& node, const WeightedRows& here) -> const Distribution& {
                return node.test.distribution = data_.count(node.test, here);
            });
    }

    // ---- collapsing and pruning ------------------------------------------------------------------------------------------

    /// From the top: a subtree that makes no fewer errors on its rows than a leaf becomes one.
    void collapse(Node& root) {
        std::vector<Node*> stack{&root};
        while (!stack.empty()) {
            Node& node = *stack.back();
            stack.pop_back();
            if (node.is_leaf()) continue;
            const double below = sum_over_leaves(node, [&](const Node& leaf) { return data_.errors(leaf.distribution()); });
            if (below >= data_.errors(node.distribution()) - 1e-3) make_leaf(node);
            else
                for (size_t b = 0; b < node.n_children; ++b) stack.push_back(&nodes_.child(node, b));
        }
    }
    template <class Term>
    double sum_over_leaves(const Node& root, Term&& term) {
        double sum = 0;
        std::vector<const Node*> stack{&root};
        while (!stack.empty()) {
            const Node* node = stack.back();
            stack.pop_back();
            listen(4);
            if (node->is_leaf()) sum += term(*node);
            for (size_t b = node->n_children; b-- > 0;) stack.push_back(&nodes_.child(*node, b));
        }
        return sum;
    }

    /// Errors to expect beyond the e of N seen: the upper confidence limit on a binomial rate, less e (Quinlan, 1993, ch. 4).
    double further_errors(double n, double e) const {
        if (options_.confidence > 0.5) return 0;
        if (e < 1) {
            const double none = n * (1 - treewright::pow(options_.confidence, 1 / n));
            return e == 0 ? none : none + e * (further_errors(n, 1) - none);
        }
        if (e + 0.5 >= n) return std::max(options_.last_half * (n - e), 0.0);
        const double z = options_.deviate, f = (e + 0.5) / n;
        const double rate = (f + z * z / (2 * n) + z * std::sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n);
        return rate * n - e;
    }
    double estimate(const Distribution& d) const {
        if (data_.equal(d.total, 0)) return 0;
        const double e = data_.errors(d);
        return e + further_errors(d.total, e);
    }
    /// What a branch would cost if all these rows went down it.
    double estimate_for(const Node& root, WeightedRows&& rows) {
        double sum = 0;
        send_down(
            root, std::move(rows), [&](const Node&, const WeightedRows& here) { sum += estimate(data_.count(here)); },
            [&](const Node& node, const WeightedRows& here) { return data_.count(node.test, here); });
        return sum;
    }
    /// From below: leave a subtree, make it a leaf, or raise its largest branch and prune again.
    void prune(Node& root) {
        std::vector<std::pair<Node*, bool>> stack{{&root, false}};
        while (!stack.empty()) {
            auto [node, children_are_done] = stack.back();
            stack.pop_back();
            if (node->is_leaf()) continue;
            if (!children_are_done) {
                stack.emplace_back(node, true);
                for (size_t b = node->n_children; b-- > 0;) stack.emplace_back(&nodes_.child(*node, b), false);
                continue;
            }
            if (prune_here(*node)) stack.emplace_back(node, false);
        }
    }
    /// True if a branch was raised.
    bool prune_here(Node& node) {
        const size_t largest = data_.largest_branch(node.distribution());
        const double raised = options_.raising ? estimate_for(nodes_.child(node, largest), gather(node)) : infinity;
        const double leaf = estimate(node.distribution());
        const double tree = sum_over_leaves(node, [&](const Node& below) { return estimate(below.distribution()); });
        if (data_.at_least(tree + 0.1, leaf) && data_.at_least(raised + 0.1, leaf)) {
            make_leaf(node);
            return false;
        }
        if (!data_.at_least(tree + 0.1, raised)) return false;
        WeightedRows rows = gather(node);
        nodes_.raise_branch(node, largest);
        count_again(node, std::move(rows));
        return true;
    }

    const C45Data& data_;
    const Options& options_;
    Monitor& monitor_;
    Chooser chooser_;
    Nodes nodes_;
    std::vector<double> weight_;
    size_t n_rows_ = 0;  // that are grown on
    size_t work_ = 0;    // rows gone over since it last listened
};

/// Writes the tree. Where rows are shared, each counts once at a node, however many parts of it arrive there.
class TreeOutput {
public:
    TreeOutput(const Nodes& nodes, const C45Data& data, size_t n_rows)
        : nodes_(nodes), data_(data), shared_(nodes.n_rows() != n_rows), seen_(data.table.n_rows, 0) {}

    TreeArrays write() {
        const auto children = [this](const Node* node, std::vector<const Node*>& list) {
            for (size_t b = 0; b < node->n_children; ++b) list.push_back(&nodes_.child(*node, b));
        };
        TreeArrays tree =
            write_tree(&nodes_.root(), children, [this](const Node* node, TreeArrays& to) { return write_node(*node, to); });
        for (size_t id = tree.parent.size(); !shared_ && id-- > 1;)
            tree.count[static_cast<size_t>(tree.parent[id])] += tree.count[id];
        return tree;
    }

private:
    NodeSummary write_node(const Node& node, TreeArrays& tree) {
        if (!node.is_leaf()) append(tree.splits, node.test);
        for (const Test& test : node.competitors) append(tree.competitors, test);
        const Distribution& d = node.distribution();
        NodeSummary summary;
        summary.count = shared_ ? count_rows(node) : node.rows.size();
        summary.merit = node.test.gain_ratio;
        summary.default_branch = share_row;
        if (data_.equal(d.total, 0) && &node != &nodes_.root()) return summary;  // empty but for rounding
        summary.value = d.classes;
        Totals totals(data_.n_classes());
        totals.sums = d.classes;
        totals.weight = d.total;
        summary.weight = d.total;
        summary.impurity = Entropy::impurity(totals);
        summary.risk = data_.errors(d);
        return summary;
    }
    void append(SplitTable& to, const Test& test) const {
        const int32_t n_categories = data_.table.features[static_cast<size_t>(test.feature)].n_categories;
        for (int32_t code = 0; test.categorical && code < n_categories; ++code) {
            to.pool_index.push_back(code);
            to.pool_value.push_back(test.binary ? (code == test.category ? 0 : 1) : code);
        }
        to.append(test.categorical ? SplitKind::table : SplitKind::threshold, test.feature, test.cut, test.gain_ratio);
    }
    size_t count_rows(const Node& node) {
        if (node.is_leaf()) return node.rows.size();
        ++mark_;
        size_t n = 0;
        std::vector<const Node*> stack{&node};
        while (!stack.empty()) {
            const Node& at = *stack.back();
            stack.pop_back();
            for (const WeightedRow& part : at.rows)
                if (std::exchange(seen_[part.row], mark_) != mark_) ++n;
            for (size_t b = 0; b < at.n_children; ++b) stack.push_back(&nodes_.child(at, b));
        }
        return n;
    }

    const Nodes& nodes_;
    const C45Data& data_;
    bool shared_;
    std::vector<uint32_t> seen_;  // by row: the mark of the node that counted it last
    uint32_t mark_ = 0;
};

}  // namespace

TreeArrays grow(const Table& table, const Target& target, const Options& options, Monitor& monitor) {
    if (target.n_classes == 0) throw std::invalid_argument("C4.5 grows classification trees");
    monitor.total = static_cast<double>(table.n_rows);
    const LogTable logs(table.n_rows);
    const C45Data data{table, target, options, logs};
    Learner learner(data, monitor);
    learner.learn();
    return TreeOutput(learner.nodes(), data, learner.n_rows()).write();
}

}  // namespace treewright::c45
