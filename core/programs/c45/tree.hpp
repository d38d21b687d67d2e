// The tree of C4.5 while it grows and is pruned: class distributions by branch, rows shared by weight.
#pragma once
#include <deque>

#include "programs/c45/c45.hpp"

namespace treewright::c45 {

/// A row, or the part of it that comes this way.
struct WeightedRow {
    uint32_t row;
    double weight;
};
using WeightedRows = std::vector<WeightedRow>;

/// Weights by branch and class.
struct Distribution {
    size_t n_classes = 0;
    std::vector<double> cell, branch, classes;  // branch × class, and its margins
    double total = 0;

    Distribution() = default;
    Distribution(size_t branches, size_t k) : n_classes(k), cell(branches * k, 0.0), branch(branches, 0.0), classes(k, 0.0) {}

    size_t branches() const { return branch.size(); }
    void add(size_t b, size_t k, double weight) {
        cell[b * n_classes + k] += weight;
        branch[b] += weight;
        classes[k] += weight;
        total += weight;
    }
    /// All branches as one.
    Distribution merged() const {
        Distribution one(1, n_classes);
        one.cell = one.classes = classes;
        one.branch[0] = one.total = total;
        return one;
    }
    /// Branch b against the rest.
    Distribution against_rest(size_t b) const {
        Distribution two(2, n_classes);
        for (size_t i = 0; i < branches(); ++i)
            for (size_t k = 0; k < n_classes; ++k) two.add(i == b ? 0 : 1, k, cell[i * n_classes + k]);
        return two;
    }
};

/// A test of one feature: a number at most `cut`, one category (binary), or every category a branch.
struct Test {
    int32_t feature = -1;
    bool categorical = false, binary = false;
    int32_t category = -1;
    double cut = 0;
    double gain = 0, gain_ratio = 0;
    Distribution distribution;  // of the rows with a known value, until the node is made

    bool valid() const { return distribution.branches() > 1; }
    size_t branches() const { return distribution.branches(); }
};

/// A node by number: its children are those from `first_child` on.
struct Node {
    Test test;                      // without a feature at a leaf; its distribution is the node's own
    std::vector<Test> competitors;  // of the test, by gain ratio; without distributions
    size_t first_child = 0, n_children = 0;
    WeightedRows rows;  // at leaves only

    bool is_leaf() const { return n_children == 0; }
    const Distribution& distribution() const { return test.distribution; }
};

/// The nodes of a tree, the root first. No node owns another, so that a tree of any depth is freed without recursion; and none
/// moves when others are added.
class Nodes {
public:
    Node& root() { return nodes_.front(); }
    const Node& root() const { return nodes_.front(); }
    Node& child(const Node& node, size_t branch) { return nodes_[node.first_child + branch]; }
    const Node& child(const Node& node, size_t branch) const { return nodes_[node.first_child + branch]; }

    void add_children(Node& node, std::vector<WeightedRows>&& rows) {
        node.first_child = nodes_.size();
        node.n_children = rows.size();
        for (WeightedRows& of_branch : rows) nodes_.emplace_back().rows = std::move(of_branch);
    }
    /// Empty all nodes below one, which becomes a leaf.
    void remove_children(Node& node) {
        std::vector<Node*> stack;
        const auto pass = [&](Node& above) {
            for (size_t b = 0; b < above.n_children; ++b) stack.push_back(&child(above, b));
            above.n_children = 0;
        };
        pass(node);
        while (!stack.empty()) {
            Node& removed = *stack.back();
            stack.pop_back();
            pass(removed);
            removed = Node();
        }
    }
    /// Put a branch in the place of its node; the others are emptied.
    void raise_branch(Node& node, size_t branch) {
        Node raised = std::exchange(child(node, branch), Node());
        remove_children(node);
        node = std::move(raised);
    }
    size_t n_rows() const {
        size_t n = 0;
        for (const Node& node : nodes_) n += node.rows.size();
        return n;
    }

private:
    std::deque<Node> nodes_ = std::deque<Node>(1);
};

/// What all nodes look at: the table, the classes, and comparisons up to a tolerance.
struct C45Data {
    const Table& table;
    const Target& target;
    const Options& options;
    const LogTable& logs;

    double n_log_n(double n) const { return n < 1e-6 ? 0.0 : logs.of(n); }
    size_t n_classes() const { return static_cast<size_t>(target.n_classes); }
    size_t label(uint32_t row) const { return static_cast<size_t>(target.label[row]); }
    bool above(double a, double b) const { return a - b > options.tolerance; }
    bool at_least(double a, double b) const { return b - a < options.tolerance; }
    bool equal(double a, double b) const { return std::fabs(a - b) < options.tolerance; }

    /// Branch of a row, −1 if its value is missing.
    int32_t branch(const Test& test, uint32_t row) const {
        const Feature& feature = table.features[static_cast<size_t>(test.feature)];
        if (test.categorical) {
            const int32_t code = feature.codes[row];
            if (code < 0) return -1;
            return test.binary ? (code == test.category ? 0 : 1) : code;
        }
        const double x = feature.numbers[row];
        return std::isnan(x) ? -1 : x <= test.cut ? 0 : 1;
    }
    size_t heaviest_class(const Distribution& d) const {
        size_t best = 0;
        double most = 0;
        for (size_t k = 0; k < d.n_classes; ++k)
            if (above(d.classes[k], most)) {
                most = d.classes[k];
                best = k;
            }
        return best;
    }
    double errors(const Distribution& d) const { return d.total - d.classes[heaviest_class(d)]; }
    size_t largest_branch(const Distribution& d) const {
        size_t best = 0;
        for (size_t b = 1; b < d.branches(); ++b)
            if (options.last_of_largest ? at_least(d.branch[b], d.branch[best]) : above(d.branch[b], d.branch[best])) best = b;
        return best;
    }

    Distribution count(const WeightedRows& rows) const {
        Distribution d(1, n_classes());
        for (const WeightedRow& at : rows) d.add(0, label(at.row), at.weight);
        return d;
    }
    /// Count the rows by a test; those with a missing value are shared in proportion to the known.
    Distribution count(const Test& test, const WeightedRows& rows) const {
        Distribution d(test.branches(), n_classes());
        for (const WeightedRow& at : rows) {
            const int32_t b = branch(test, at.row);
            if (b >= 0) d.add(static_cast<size_t>(b), label(at.row), at.weight);
        }
        share_missing(test, rows, d);
        return d;
    }
    void share_missing(const Test& test, const WeightedRows& rows, Distribution& d) const {
        const std::vector<double> share = shares(d);
        for (const WeightedRow& at : rows) {
            if (branch(test, at.row) >= 0) continue;
            const size_t k = label(at.row);
            for (size_t b = 0; b < share.size(); ++b) {
                d.cell[b * d.n_classes + k] += share[b] * at.weight;
                d.branch[b] += share[b] * at.weight;
            }
            d.classes[k] += at.weight;
            d.total += at.weight;
        }
    }
    std::vector<double> shares(const Distribution& d) const {
        std::vector<double> share(d.branches());
        for (size_t b = 0; b < share.size(); ++b)
            share[b] = equal(d.total, 0) ? 1.0 / static_cast<double>(share.size()) : d.branch[b] / d.total;
        return share;
    }
    /// Send the rows down the branches of a test whose distribution is that of these rows.
    std::vector<WeightedRows> send(const Test& test, const Distribution& d, const WeightedRows& rows) const {
        const std::vector<double> share = shares(d);
        std::vector<WeightedRows> out(share.size());
        for (const WeightedRow& at : rows) {
            const int32_t b = branch(test, at.row);
            if (b >= 0) {
                out[static_cast<size_t>(b)].push_back(at);
                continue;
            }
            for (size_t i = 0; i < share.size(); ++i)
                if (above(share[i], 0)) out[i].push_back({at.row, share[i] * at.weight});
        }
        return out;
    }
};

}  // namespace treewright::c45
