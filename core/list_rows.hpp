// The rows of the plain engine: columns under local row numbers, and a node's weights, target and values on them.
#pragma once
#include <numeric>

#include "builder.hpp"
#include "constraints.hpp"
#include "missing.hpp"
#include "part_lists.hpp"
#include "parts.hpp"
#include "problem.hpp"

namespace treewright {

/// The weight of a row, and the same if it is of the second class, else 0.
struct WeightPair {
    double weight, second;
};

/// Two classes by Gini, for rows of any weight: what a row adds stands in one place.
struct PairScorer : MeanDifferenceScorer<false, true> {
    const WeightPair* pair;

    PairScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch, const WeightPair* pair_)
        : MeanDifferenceScorer<false, true>(rows_, node, scratch), pair(pair_) {}
    void add(size_t row) {
        left_weight += pair[row].weight;
        left += pair[row].second;
    }
};

/// Rows are numbered 0, 1, … once and for all that grows from them; what depends on the node in hand is written anew.
template <class C, class Index>
class ListRows {
protected:
    using List = Entry<Index>;

    struct Node {
        int32_t node = 0, depth = 0;
        uint64_t seed = 0;
        Parts<Index> parts;
        PartLists<Index> lists;           // made when the node is searched, unless its parent handed them down
        Interactions::Open groups;        // of features that may still be used together
        Interactions::Features features;  // that may be used here; null = all
        Totals totals;
        double impurity = 0, centre = 0;
        Candidate split;
        std::vector<Candidate> competitors;
        double decrease = 0;  // of overall impurity, by weight

        size_t size() const { return parts.size(); }
    };

    explicit ListRows(const Problem& problem) : problem_(problem), recipe_(problem.recipe), table_(problem.table) {
        for (size_t f = 0; f < table_.features.size(); ++f) {  // a missing category is one more category
            Feature& feature = table_.features[f];
            const auto missing = [&] {
                return std::any_of(feature.codes, feature.codes + table_.n_rows, [](int32_t code) { return code < 0; });
            };
            if (feature.categorical() && policy_of(f) == Missing::value && missing()) ++feature.n_categories;
        }
    }

    const Feature& feature_at(size_t feature) const { return table_.features[feature]; }
    const Feature& feature_at(int32_t feature) const { return feature_at(static_cast<size_t>(feature)); }
    Missing policy_of(size_t feature) const { return recipe_.policy(feature); }
    Missing policy_of(int32_t feature) const { return policy_of(static_cast<size_t>(feature)); }
    size_t n_classes() const { return static_cast<size_t>(problem_.n_classes); }
    /// The value of a numeric feature.
    double number(size_t feature, size_t row) const { return feature_at(feature).numbers[rows_[row]]; }

    /// Take over these rows of the table.
    void take(std::span<const uint32_t> rows, bool unit) {
        rows_ = rows;
        prepared_ = -1;
        const size_t n = rows.size();
        local_ = LocalRows{};
        if (!unit) {
            weight_.resize(n);
            local_.weight = weight_.data();
        }
        if constexpr (C::classification) {
            label_.resize(n);
            bit_.resize(n);
            for (size_t i = 0; i < n; ++i) {
                label_[i] = problem_.label[rows[i]];
                bit_[i] = label_[i] == 1;
            }
            local_.label = label_.data();
            local_.bit = bit_.data();
            pair_.resize(!unit && std::is_same_v<C, Gini> && problem_.n_classes == 2 ? n : 0);
        } else {
            target_.resize(n);
            local_.target = target_.data();
        }
        holes_.clear(n, table_.features.size());
    }

    // ---- a node's rows ---------------------------------------------------------------------------------------------

    Description describe(Node& item) {
        Description node;
        item.totals = Totals(problem_.width());
        item.totals.count = item.size();
        if constexpr (C::classification) {
            for (size_t i = 0; i < item.size(); ++i) {
                const double w = item.parts.weight_of(i);
                item.totals.sums[static_cast<size_t>(label_[item.parts.row[i]])] += w;
                item.totals.weight += w;
            }
            describe_classes<C>(problem_, item.totals, node);
        } else {
            value_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) value_[i] = problem_.target[rows_[item.parts.row[i]]];
            describe_numbers<C>(value_, item.parts.weight, node);
            item.totals.weight = node.weight;
        }
        item.impurity = node.impurity;
        item.centre = node.centre;
        return node;
    }
    /// Bring weights and target into the form the scorers want for this node.
    void prepare(Node& item) {
        if (std::exchange(prepared_, item.node) == item.node) return;
        const std::vector<Index>& row = item.parts.row;
        if (local_.weight)
            for (size_t i = 0; i < row.size(); ++i) {
                const double w = item.parts.weight[i];
                weight_[row[i]] = w;
                if (!pair_.empty()) pair_[row[i]] = {w, bit_[row[i]] * w};
            }
        if constexpr (!C::classification) {
            const double centre = C::centred ? item.centre : 0.0;
            double sum = 0;
            for (size_t i = 0; i < row.size(); ++i) {
                target_[row[i]] = problem_.target[rows_[row[i]]] - centre;
                sum += item.parts.weight_of(i) * target_[row[i]];
            }
            item.totals.sums[0] = sum;
            if constexpr (std::is_same_v<C, AbsoluteError>) rank_targets(row);
        }
        sum_holes(item);
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
        const auto label = [&](size_t i) { return C::classification ? label_[item.parts.row[i]] : 0; };
        fill = make_fill(policy, from.categorical(), n_classes(), [&](auto&& use) {
            for (size_t i = 0; i < n; ++i)
                if (!std::isnan(value_[i])) use(value_[i], item.parts.weight_of(i), label(i));
        });
        if (missing && fill.found)
            for (size_t i = 0; i < n; ++i)
                if (std::isnan(value_[i])) value_[i] = fill.of(label(i));
        return fill;
    }
    /// Values of a feature by part as they are in the table; true if one is missing.
    bool gather_raw(const Node& item, const Feature& from) {
        const std::vector<Index>& row = item.parts.row;
        value_.resize(row.size());
        bool missing = false;
        for (size_t i = 0; i < row.size(); ++i) {
            if (!from.categorical()) value_[i] = from.numbers[rows_[row[i]]];
            else if (const int32_t code = from.codes[rows_[row[i]]]; code >= 0) value_[i] = code;
            else value_[i] = std::numeric_limits<double>::quiet_NaN();
            missing |= std::isnan(value_[i]);
        }
        return missing;
    }
    /// Sort the features that keep their order from node to node, and note where those have holes whose search leaves them out.
    template <class Keeps>
    void sort_features(Node& item, Keeps&& keeps_order) {
        item.lists = PartLists<Index>(table_.features.size(), item.size());
        for (size_t f = 0; f < table_.features.size(); ++f) {
            if (!keeps_order(f)) continue;
            if (gather_raw(item, table_.features[f]) && left_out(policy_of(f)))
                for (size_t i = 0; i < item.size(); ++i)
                    if (std::isnan(value_[i])) holes_.add(item.parts.row[i], f);
            item.lists.sort(f, value_, item.parts.row, sorter_);
        }
    }
    /// Sort what was gathered, into `list_` and `sorted_`; the number of known values.
    size_t sort_values(const Node& item) {
        const size_t n = item.size();
        list_.resize(n);
        sorted_.resize(n);
        const size_t known = sorter_.sort(value_.data(), n, list_.data());
        for (size_t i = 0; i < n; ++i) {
            sorted_[i] = value_[list_[i].row];
            list_[i].row = item.parts.row[list_[i].row];
        }
        return known;
    }

    // ---- totals of rows --------------------------------------------------------------------------------------------

    /// Totals of the rows that know a feature: those of the node less the rows that do not, unless these are nearly all.
    Totals known_totals(const Node& item, int32_t feature, std::span<const List> known) const {
        if (known.size() == item.size()) return item.totals;
        if (known.size() * 64 < item.size()) return totals_of(known.data(), known.size());
        Totals t = item.totals;
        t.count = known.size();
        const double* missing = missing_sums_.data() + static_cast<size_t>(feature) * missing_width();
        for (size_t k = 0; k < t.sums.size(); ++k)
            t.sums[k] = C::classification ? remainder(t.sums[k], missing[k]) : t.sums[k] - missing[k];
        t.weight -= C::classification ? std::accumulate(missing, missing + t.sums.size(), 0.0) : missing[1];
        return t;
    }
    Totals totals_of(const List* list, size_t n) const {
        Totals t(problem_.width());
        t.count = n;
        for (size_t i = 0; i < n; ++i) {
            const size_t row = list[i].row;
            const double w = local_.weight_of(row);
            t.weight += w;
            if constexpr (C::classification) t.sums[static_cast<size_t>(label_[row])] += w;
            else t.sums[0] += w * target_[row];
        }
        return t;
    }

    const Problem& problem_;
    const Recipe& recipe_;
    Table table_;  // with a category for missing ones where that is the policy
    std::span<const uint32_t> rows_;

    LocalRows local_;
    std::vector<double> weight_, target_;
    std::vector<WeightPair> pair_;  // where PairScorer serves
    std::vector<int32_t> label_;

    // reused while growing
    std::vector<double> value_, sorted_;
    std::vector<List> list_;
    RowSorter sorter_;

private:
    /// Numbers a feature: class weights, or the sum of the target and the weight.
    size_t missing_width() const { return C::classification ? problem_.width() : 2; }
    /// What the node's rows with holes sum up to, by feature.
    void sum_holes(const Node& item) {
        const size_t width = missing_width();
        missing_sums_.assign(table_.features.size() * width, 0.0);
        for (size_t i = 0; i < item.size(); ++i) {
            const size_t row = item.parts.row[i];
            const double w = item.parts.weight_of(i);
            if constexpr (C::classification) {
                double* sums = missing_sums_.data() + label_[row];
                holes_.each(row, [&](size_t feature) { sums[feature * width] += w; });
            } else {
                holes_.each(row, [&](size_t feature) {
                    missing_sums_[feature * 2] += w * target_[row];
                    missing_sums_[feature * 2 + 1] += w;
                });
            }
        }
    }
    void rank_targets(const std::vector<Index>& row) {
        std::vector<Index> order = row;
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return target_[a] < target_[b]; });
        sorted_target_.resize(row.size());
        target_rank_.resize(rows_.size());
        for (size_t i = 0; i < order.size(); ++i) {
            sorted_target_[i] = target_[order[i]];
            target_rank_[order[i]] = static_cast<int32_t>(i);
        }
        local_.target_rank = target_rank_.data();
        local_.sorted_target = sorted_target_.data();
        local_.n_targets = row.size();
    }

    int32_t prepared_ = -1;             // the node whose weights and target stand here
    Holes holes_;                       // of the features whose search leaves out rows without the value
    std::vector<double> missing_sums_;  // of the node's rows without a value, by feature
    std::vector<double> sorted_target_;
    std::vector<int32_t> target_rank_;
    std::vector<uint8_t> bit_;
};

}  // namespace treewright
