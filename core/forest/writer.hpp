// Writes the trees of a forest as they grow, straight into their compact form.
#pragma once
#include <array>
#include <bit>
#include <numeric>

#include "base/description.hpp"
#include "forest/forest.hpp"
#include "grow/missing_policy.hpp"
#include "grow/by_sorting/rows.hpp"

namespace treewright {

class ForestWriter {
public:
    ForestWriter(const GrowTask& task, std::span<const int32_t> position, std::span<const int32_t> n_categories)
        : task_(task), position_(position), n_categories_(n_categories) {
        for (size_t f = 0; f < task.n_features(); ++f)
            if (n_categories[f] == 0) {
                feature_of_.resize(std::max(feature_of_.size(), static_cast<size_t>(position[f]) + 1));
                feature_of_[static_cast<size_t>(position[f])] = static_cast<int32_t>(f);
            }
    }

    /// Begin a tree behind those of a forest.
    void start(Forest& out) {
        out.reserve(size() + size() / 16, task_.n_classes > 0);  // as many nodes as the tree before, and some
        out_ = &out;
        first_ = out.node.size();
        merit_.clear();
        impurity_.clear();
        table_of_.clear();
        tables_.clear();
        groups_.clear();
    }

    // ---- what the driver writes --------------------------------------------------------------------------------

    size_t size() const { return merit_.size(); }
    int32_t append(int32_t, int32_t, const Description& leaf) {
        const size_t node = size();
        for (double value : leaf.value) out_->value.add(value);
        if (!task_.n_classes) {
            out_->weight.add(leaf.weight);
            out_->risk.push_back(leaf.risk);
            if (task_.n_outputs() > 1) impurity_.push_back(leaf.impurity);
        }
        out_->count.push_back(static_cast<uint32_t>(leaf.count));
        out_->node.push_back({infinity, missing_left, static_cast<uint32_t>(node)});
        merit_.push_back(0.0);
        table_of_.push_back(no_table);
        return static_cast<int32_t>(node);
    }
    void copy_value(int32_t node, std::vector<double>& to) const {
        to.resize(out_->width);
        for (size_t k = 0; k < to.size(); ++k) to[k] = out_->value[at(node) * to.size() + k];
    }
    void set_split(int32_t node, const SortedSplit& split, int32_t first_child) {
        const auto f = static_cast<size_t>(split.feature), own = static_cast<size_t>(node);
        PackedNode& packed = out_->node[at(node)];
        packed.first_child = static_cast<uint32_t>(first_child);
        packed.column = static_cast<uint32_t>(position_[f]) | (split.default_branch == 0 ? missing_left : 0);
        packed.threshold = split.threshold;
        merit_[own] = split.merit;
        if (split.between) {
            packed.threshold = std::bit_cast<double>(static_cast<uint64_t>(split.left_row) << 32 | split.right_row);
            table_of_[own] = between_rows;
        }
        if (!split.table) return;
        table_of_[own] = static_cast<int32_t>(tables_.size());
        tables_.push_back({n_categories_[f], groups_.size(), split.groups.size()});
        groups_.insert(groups_.end(), split.groups.begin(), split.groups.end());
    }

    // ---- what was written of a node ------------------------------------------------------------------------------

    double weight(int32_t node) const { return out_->weight[at(node)]; }
    double risk(int32_t node) const { return out_->risk[at(node)]; }

    /// Call the nodes written a tree: what belongs to splits goes into the order of their nodes.
    void finish() {
        const bool by_impurity = !left_out(task_.recipe.missing) && task_.n_classes && task_.formula->traits.decrease;
        if (by_impurity) measure_nodes();
        for (size_t node = 0; node < size(); ++node) {
            if (node + ahead < size() && table_of_[node + ahead] == between_rows) call_for(out_->node[first_ + node + ahead]);
            PackedNode& packed = out_->node[first_ + node];
            if (packed.first_child == node) continue;
            out_->merit.push_back(by_impurity ? decrease_of(node, packed.first_child) : merit_of(node, packed.first_child));
            if (table_of_[node] == between_rows) packed.threshold = middle(packed);
            if (table_of_[node] < 0) continue;
            const SplitGroups& table = tables_[static_cast<size_t>(table_of_[node])];
            out_->add_table(packed, Groups(groups_).subspan(table.begin, table.size), table.n_categories);
        }
        out_->close(out_->merit.size());
    }

private:
    static constexpr size_t ahead = 16;                         // nodes whose values are on their way
    static constexpr int32_t no_table = -1, between_rows = -2;  // in table_of_
    struct SplitGroups {
        int32_t n_categories;
        size_t begin, size;  // in groups_
    };

    /// Weight and impurity of every node, from its class weights.
    void measure_nodes() {
        measured_.resize(size());
        const size_t width = out_->width;
        totals_[0].sums.resize(width);
        const bool several = task_.n_outputs() > 1;
        for (size_t node = 0; node < size(); ++node) {
            Totals& totals = totals_[0];
            size_t classes = 0;
            for (size_t k = 0; k < width; ++k) {
                totals.sums[k] = out_->value[(first_ + node) * width + k];
                classes += totals.sums[k] > 0;
            }
            totals.weight = weight_of_classes(task_, totals.sums);
            measured_[node] = {totals.weight, several || classes > 1 ? impurity_of_classes(task_, totals) : 0.0};
        }
    }
    double decrease_of(size_t node, size_t child) const {
        double after = 0;
        for (size_t i : {child, child + 1}) after += measured_[i].first * measured_[i].second;
        return measured_[node].second - after / measured_[node].first;
    }
    /// As the branches of the split have it, and as Driver::set_merit_of_branches adds it up.
    double merit_of(size_t node, size_t child) {
        if (left_out(task_.recipe.missing)) return merit_[node];
        if (task_.n_classes) {
            const size_t nodes[] = {node, child, child + 1};
            for (size_t i = 0; i < 3; ++i) {
                copy_value(static_cast<int32_t>(nodes[i]), totals_[i].sums);
                totals_[i].weight = std::accumulate(totals_[i].sums.begin(), totals_[i].sums.end(), 0.0);
            }
            const Totals* branches[] = {&totals_[1], &totals_[2]};
            return task_.formula->merit(totals_[0], Branches(branches));
        }
        double after = 0;
        for (size_t i : {child, child + 1}) after += weight(static_cast<int32_t>(i)) * impurity(i);
        return std::max(impurity(node) - after / weight(static_cast<int32_t>(node)), 0.0);
    }
    double impurity(size_t node) const {
        if (!impurity_.empty()) return impurity_[node];
        return risk(static_cast<int32_t>(node)) / weight(static_cast<int32_t>(node));
    }

    size_t at(int32_t node) const { return first_ + static_cast<size_t>(node); }
    /// The threshold of a node that lies between two rows. Values are looked up all at once, since each is far away in memory,
    /// and called for before.
    double middle(const PackedNode& packed) const {
        const auto [left, right] = values_beside(packed);
        return midpoint(*left, *right);
    }
    void call_for(const PackedNode& packed) const {
        const auto [left, right] = values_beside(packed);
        __builtin_prefetch(left);
        __builtin_prefetch(right);
    }
    std::pair<const double*, const double*> values_beside(const PackedNode& packed) const {
        const auto rows = std::bit_cast<uint64_t>(packed.threshold);
        const double* value = task_.table.features[static_cast<size_t>(feature_of_[packed.column & column_bits])].numbers;
        return {value + (rows >> 32), value + (rows & 0xffffffffu)};
    }

    const GrowTask& task_;
    std::span<const int32_t> position_, n_categories_;
    std::vector<int32_t> feature_of_;  // by column of numbers
    Forest* out_ = nullptr;
    size_t first_ = 0;  // node of the tree

    std::array<Totals, 3> totals_;  // of a node and its branches
    std::vector<std::pair<double, double>> measured_;

    // by node, until the tree is done
    std::vector<double> merit_, impurity_;  // impurity: the mean over several targets of numbers
    std::vector<int32_t> table_of_;
    std::vector<SplitGroups> tables_;
    std::vector<std::pair<int32_t, int32_t>> groups_;
};

}  // namespace treewright
