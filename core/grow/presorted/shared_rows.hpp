// Rows that may be shared over branches: the weights, target and values of a node's rows, which are numbered 0, 1, … in each
// node.
#pragma once
#include <numeric>

#include "base/builder.hpp"
#include "criteria/mean_difference.hpp"
#include "grow/node.hpp"
#include "grow/presorted/inherited_order.hpp"
#include "grow/missing_policy.hpp"
#include "grow/row_shares.hpp"
#include "grow/grow_task.hpp"

namespace treewright {

template <class Index>
struct SharedRowsNode : GrowingNode {
    RowShares parts;
    InheritedOrder<Index> lists;  // made when the node is searched, unless its parent handed them down

    size_t size() const { return parts.size(); }
};

/// What is known of the rows of the node in hand is written anew for each.
template <class Index>
class SharedRows {
public:
    using List = Entry<Index>;
    using Node = SharedRowsNode<Index>;

    /// `pairs`: what each row adds is asked for.
    SharedRows(const GrowTask& task, bool pairs) : task_(task), recipe_(task.recipe), table_(task.table), pairs_(pairs) {
        for (size_t f = 0; f < table_.features.size(); ++f) {  // a missing category is one more category
            Feature& feature = table_.features[f];
            const auto missing = [&] {
                return std::any_of(feature.codes, feature.codes + table_.n_rows, [](int32_t code) { return code < 0; });
            };
            if (feature.categorical() && policy_of(f) == Missing::value && missing()) ++feature.n_categories;
        }
    }
    SharedRows(const SharedRows&) = delete;  // it points into itself
    SharedRows& operator=(const SharedRows&) = delete;

    const Table& table() const { return table_; }
    const LocalRows& local() const { return local_; }
    /// What each row adds, where that is asked for.
    const std::vector<PairSum>* pairs() const { return pairs_ ? &pair_ : nullptr; }
    /// Values of the feature gathered last, by row of the node.
    std::vector<double>& values() { return value_; }
    const std::vector<double>& values() const { return value_; }
    /// The same in ascending order, once they are sorted, and the rows they belong to.
    const std::vector<double>& sorted() const { return sorted_; }
    std::vector<List>& list() { return list_; }
    size_t label(size_t row) const { return static_cast<size_t>(label_[row]); }

    const Feature& feature_at(size_t feature) const { return table_.features[feature]; }
    const Feature& feature_at(int32_t feature) const { return feature_at(static_cast<size_t>(feature)); }
    Missing policy_of(size_t feature) const { return recipe_.policy(feature); }
    Missing policy_of(int32_t feature) const { return policy_of(static_cast<size_t>(feature)); }
    size_t n_classes() const { return static_cast<size_t>(task_.n_classes); }
    /// The value of a numeric feature.
    double number(const Node& item, size_t feature, size_t row) const { return feature_at(feature).numbers[item.parts.row[row]]; }

    /// What was prepared belongs to another tree.
    void forget() { prepared_ = -1; }

    // ---- a node's rows ---------------------------------------------------------------------------------------------

    Description describe(Node& item) {
        Description node;
        if (task_.n_classes) {
            item.totals = class_weights(item.parts, task_.label, task_.width());
            describe_classes(task_, item.totals, node);
        } else {
            item.totals = Totals(task_.width());
            item.totals.count = item.size();
            value_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) value_[i] = task_.target[item.parts.row[i]];
            describe_numbers(task_, value_, item.parts.weight, node);
            item.totals.weight = node.weight;
        }
        item.centre = node.centre;
        return node;
    }
    /// Bring weights and target into the form the scorers want for this node.
    void prepare(Node& item) {
        if (std::exchange(prepared_, item.node) == item.node) return;
        const size_t n = item.size();
        local_ = LocalRows{};
        if (!item.parts.weight.empty()) local_.weight = item.parts.weight.data();
        pair_.resize(pairs_ ? n : 0);
        if (task_.n_classes) {
            gather_labels(item.parts, task_.label, label_, bit_);
            local_.label = label_.data();
            local_.bit = bit_.data();
            for (size_t i = 0; i < pair_.size(); ++i) pair_[i] = {local_.weight_of(i), bit_[i] * local_.weight_of(i), 0};
        } else {
            target_.resize(n);
            local_.centre = task_.formula->traits.centred ? item.centre : 0.0;
            double sum = 0;
            for (size_t i = 0; i < n; ++i) {
                target_[i] = task_.target[item.parts.row[i]] - local_.centre;
                const double amount = item.parts.weight_of(i) * target_[i];
                if (pairs_) pair_[i] = {item.parts.weight_of(i), amount, 0};
                sum += amount;
            }
            item.totals.sums[0] = sum;
            local_.target = target_.data();
            if (task_.formula->traits.by_rows) rank_targets();
        }
    }

    /// Values of a feature by part, filled by its policy; NaN where they stay missing.
    Fill gather(const Node& item, int32_t feature) {
        const Feature& from = feature_at(feature);
        const Missing policy = policy_of(feature);
        const size_t n = item.size();
        const bool missing = gather_raw(item, from);
        Fill fill;
        if (!fills(policy)) {
            if (missing && policy == Missing::value && from.categorical())
                for (double& value : value_)
                    if (std::isnan(value)) value = from.n_categories - 1;
            return fill;
        }
        const auto label = [&](size_t i) { return task_.n_classes ? task_.label[item.parts.row[i]] : 0; };
        fill = make_fill(policy, from.categorical(), n_classes(), [&](auto&& use) {
            for (size_t i = 0; i < n; ++i)
                if (!std::isnan(value_[i])) use(value_[i], item.parts.weight_of(i), label(i));
        });
        if (missing && fill.found)
            for (size_t i = 0; i < n; ++i)
                if (std::isnan(value_[i])) value_[i] = fill.of(label(i));
        return fill;
    }
    /// Values of a feature by row of the node as they are in the table; true if one is missing.
    bool gather_raw(const Node& item, const Feature& from) {
        const std::vector<uint32_t>& row = item.parts.row;
        value_.resize(row.size());
        bool missing = false;
        for (size_t i = 0; i < row.size(); ++i) {
            if (!from.categorical()) value_[i] = from.numbers[row[i]];
            else if (const int32_t code = from.codes[row[i]]; code >= 0) value_[i] = code;
            else value_[i] = std::numeric_limits<double>::quiet_NaN();
            missing |= std::isnan(value_[i]);
        }
        return missing;
    }
    /// Sort the features that keep their order from node to node.
    template <class Keeps>
    void sort_features(Node& item, Keeps&& keeps_order) {
        item.lists = InheritedOrder<Index>(table_.features.size(), item.size());
        for (size_t f = 0; f < table_.features.size(); ++f) {
            if (!keeps_order(f)) continue;
            gather_raw(item, table_.features[f]);
            item.lists.sort(f, value_, sorter_);
        }
    }
    /// Sort what was gathered, into `list_` and `sorted_`; the number of known values.
    size_t sort_values(const Node& item) {
        const size_t n = item.size();
        list_.resize(n);
        sorted_.resize(n);
        const size_t known = sorter_.sort(value_.data(), n, list_.data());
        for (size_t i = 0; i < n; ++i) sorted_[i] = value_[list_[i].row];
        return known;
    }

private:
    void rank_targets() {
        std::vector<uint32_t> order(target_.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return target_[a] < target_[b]; });
        sorted_target_.resize(order.size());
        target_rank_.resize(order.size());
        for (size_t i = 0; i < order.size(); ++i) {
            sorted_target_[i] = target_[order[i]];
            target_rank_[order[i]] = static_cast<int32_t>(i);
        }
        local_.target_rank = target_rank_.data();
        local_.sorted_target = sorted_target_.data();
        local_.n_targets = order.size();
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    Table table_;  // with a category for missing ones where that is the policy
    bool pairs_;

    // of the node in hand
    LocalRows local_;
    std::vector<double> target_;
    std::vector<PairSum> pair_;  // where they say it all
    std::vector<int32_t> label_;

    // reused while growing
    std::vector<double> value_, sorted_;
    std::vector<List> list_;
    RowSorter sorter_;
    int32_t prepared_ = -1;  // the node in hand
    std::vector<double> sorted_target_;
    std::vector<int32_t> target_rank_;
    std::vector<uint8_t> bit_;
};

}  // namespace treewright
