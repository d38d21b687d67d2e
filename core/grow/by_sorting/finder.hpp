// Finds splits by sorting: each node looks only at the features it has drawn, and sorts them anew (search.hpp).
//
// Where a node looks at few of many features this beats presorted lists, which must carry every feature down every branch.
// It gives the tree that they give on the same rows, weights and seed.
#pragma once
#include <memory>

#include "forest/writer.hpp"
#include "grow/node.hpp"
#include "grow/by_sorting/search.hpp"

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
        const size_t n = node.size();
        const double* weight = rows_.weight(node);
        if (task_.n_classes) {
            const int32_t* label = rows_.label(node);
            totals_.clear();
            if (weight)
                for (size_t i = 0; i < n; ++i) totals_.sums[static_cast<size_t>(label[i])] += weight[i];
            else
                for (size_t i = 0; i < n; ++i) totals_.sums[static_cast<size_t>(label[i])] += 1.0;
            for (double sum : totals_.sums) totals_.weight += sum;
            totals_.count = n;
            describe_classes(task_, totals_, leaf_);
        } else {
            describe_numbers(task_, {rows_.target(node), n}, {weight, weight ? n : 0}, leaf_);
            totals_.weight = leaf_.weight;
        }
        return leaf_;
    }
    bool search(const Item& node) {
        rows_.look_at(node);
        recall(node);
        split_ = search_->find(node, node.seed, totals_, impurity_, centre_);
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
    /// Bring back what was found when the node was described.
    void recall(const Item& node) {
        totals_.count = node.size();
        if (task_.n_classes) {
            out_.copy_value(node.node, totals_.sums);
            totals_.weight = 0;
            for (double sum : totals_.sums) totals_.weight += sum;
            impurity_ = task_.formula->impurity(totals_);
        } else {
            out_.copy_value(node.node, totals_.sums);
            centre_ = totals_.sums[0];
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
    double impurity_ = 0, centre_ = 0;
    SortedSplit* split_ = nullptr;
    size_t n_left_ = 0;
};

}  // namespace treewright
