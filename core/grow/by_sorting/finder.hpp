// Finds splits by sorting: each node looks only at the features it has drawn, and sorts them anew (search.hpp).
//
// Where a node looks at few of many features this beats presorted lists, which must carry every feature down every branch.
// It gives the tree that they give on the same rows, weights and seed.
#pragma once
#include <memory>

#include "forest/writer.hpp"
#include "grow/node.hpp"
#include "grow/by_sorting/search.hpp"
#include "grow/by_sorting/whole_weights.hpp"

namespace treewright {

class SortingFinder {
public:
    struct Item : QueuedNode, RowRange {
        using Split = SortedSplit;
    };
    using SubtreeRows = RowRange;

    /// Finds the splits of trees that are written to `out`.
    SortingFinder(const GrowTask& task, const SortedColumns& columns, bool unit, const ForestWriter& out)
        : task_(task), out_(out), rows_(task, columns), search_(make_sorted_search(task, unit, rows_)), totals_(task.width()) {}

    /// Take these rows of the table; `weight` goes by row of the table, empty = every row weighs one.
    Item root(std::span<const uint32_t> rows, std::span<const double> weight, uint64_t seed) {
        rows_.load(rows, weight);
        search_->start(rows.size());
        Item root;
        root.end = static_cast<uint32_t>(rows.size());
        root.seed = seed;
        return root;
    }

    // ---- what the driver asks --------------------------------------------------------------------------------

    Description& describe(const Item& node) {
        const size_t n = node.size(), outputs = task_.n_outputs();
        const double* weight = rows_.weight(node);
        if (task_.n_classes) {
            count_classes(rows_.label(node), n * outputs, weight);
            totals_.weight = weight_of_classes(task_, totals_.sums);
            totals_.count = n;
            describe_classes(task_, totals_, leaf_);
        } else {
            if (outputs == 1) describe_number(rows_.target(node), n, weight);
            else describe_several_numbers(rows_.target(node), n, {weight, weight ? n : 0});
            totals_.weight = leaf_.weight;
        }
        return leaf_;
    }
    bool search(const Item& node) {
        rows_.look_at(node);
        recall(node);
        split_ = search_->find(node, node.seed, totals_, impurity_);
        return split_ != nullptr;
    }
    double weight_of(const Item&) const { return totals_.weight; }
    SortedSplit& split_of(const Item&) { return *split_; }

    void partition(const Item& node) { n_left_ = rows_.partition(node, *split_); }
    void take_branches(const Item& node, std::vector<Item>& children) const {
        const uint32_t middle = node.begin + static_cast<uint32_t>(n_left_);
        children[0].begin = node.begin;
        children[0].end = children[1].begin = middle;
        children[1].end = node.end;
    }
    void finish(const Item& node, SortedSplit& split) { rows_.finish(node, split); }
    void pass_on(const Item&, const std::vector<Item>&) const {}

private:
    /// Add up the weights of each class, in row order.
    void count_classes(const int32_t* label, size_t n, const double* weight) {
        const size_t outputs = task_.n_outputs();
        totals_.clear();
        std::vector<double>& sums = totals_.sums;
        if (sums.size() == 2 && !weight) {  // two classes: in registers
            size_t second = 0;
            for (size_t i = 0; i < n; ++i) second += static_cast<size_t>(label[i] == 1);
            sums = {static_cast<double>(n - second), static_cast<double>(second)};
        } else if (sums.size() == 2 && outputs == 1 && rows_.whole()) {
            sums = {0, 0};
            weigh_two_classes(label, n, weight, sums[0], sums[1]);
        } else if (rows_.whole()) {
            for (size_t i = 0; i < n; ++i) sums[static_cast<size_t>(label[i])] += weight ? weight[i / outputs] : 1.0;
        } else {
            orderless_class_weights(n, [&](size_t i) { return weight[i / outputs]; }, [&](size_t i) { return label[i]; }, sums);
        }
    }
    /// Of whole weights, whose sums are exact in any order: several at a time, so that none waits for the one before.
    static void weigh_two_classes(const int32_t* label, size_t n, const double* weight, double& first, double& second) {
        constexpr size_t width = 4;
        double of_second[width] = {}, of_both[width] = {};
        const size_t even = n - n % width;
        for (size_t i = 0; i < even; i += width)
            for (size_t k = 0; k < width; ++k) {
                of_both[k] += weight[i + k];
                of_second[k] += weight[i + k] * static_cast<double>(label[i + k]);
            }
        for (size_t i = even; i < n; ++i) {
            of_both[0] += weight[i];
            of_second[0] += weight[i] * static_cast<double>(label[i]);
        }
        second = (of_second[0] + of_second[1]) + (of_second[2] + of_second[3]);
        first = (of_both[0] + of_both[1]) + (of_both[2] + of_both[3]) - second;
    }
    void describe_number(const double* target, size_t n, const double* weight) {
        if (n == 1 && rows_.whole() && (!weight || *weight > 0)) {
            describe_one_number(*target, weight ? *weight : 1.0, leaf_);
        } else if (weight && n > 0 && rows_.whole()) {
            leaf_.count = n;
            WholeWeightRows rows(target, weight, n);
            SquaredError::describe_rows(rows, leaf_);  // no other criterion of numbers grows by sorting
        } else {
            describe_numbers(task_, {target, n}, {weight, weight ? n : 0}, leaf_);
        }
    }
    void describe_several_numbers(const double* target, size_t n, std::span<const double> weight) {
        const size_t outputs = task_.n_outputs();
        one_target_.resize(n);
        describe_each(
            outputs,
            [&](size_t output, Description& one) {
                for (size_t i = 0; i < n; ++i) one_target_[i] = target[i * outputs + output];
                describe_numbers(task_, one_target_, weight, one);
            },
            leaf_);
    }
    /// Bring back what was found when the node was described: class weights, or means.
    void recall(const Item& node) {
        totals_.count = node.size();
        out_.copy_value(node.node, totals_.sums);
        if (task_.n_classes) {
            totals_.weight = weight_of_classes(task_, totals_.sums);
            impurity_ = impurity_of_classes(task_, totals_);
        } else {
            totals_.weight = out_.weight(node.node);
            impurity_ = out_.risk(node.node) / totals_.weight;
        }
    }

    const GrowTask& task_;
    const ForestWriter& out_;
    SortedRows rows_;
    std::unique_ptr<SortedSearch> search_;

    // the node in hand
    Description leaf_;
    Totals totals_;
    std::vector<double> one_target_;
    double impurity_ = 0;
    SortedSplit* split_ = nullptr;
    size_t n_left_ = 0;
};

}  // namespace treewright
