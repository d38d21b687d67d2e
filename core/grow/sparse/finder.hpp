// The finder for sparse tables: only values other than zero are stored, sorted and moved; zeros are one group of each feature.
//
// A cut costs as much as there are stored values, not rows: what the zeros add up to is what the node has and the others have
// not (cuts/around_zeros.hpp). The tree is the one that the same table grows as a dense one.
#pragma once
#include "cuts/drawn.hpp"
#include "grow/choice.hpp"
#include "grow/driver.hpp"
#include "grow/feature_draw.hpp"
#include "grow/kernel.hpp"
#include "grow/presorted/rows.hpp"
#include "grow/row_shares.hpp"
#include "grow/sparse/lists.hpp"

namespace treewright {

struct SparseNode : GrowingNode, RowSpan {
    NodeLists lists;
    using RowSpan::size;
};

template <class Index, template <class> class Lists>
class SparseFinder final : public AnyEngine<SparseNode, RowShares> {
    using List = SparseList<Index>;

public:
    SparseFinder(const GrowTask& task, const std::vector<double>& weight)
        : task_(task),
          recipe_(task.recipe),
          criterion_(*task.formula),
          no_columns_{task.table.n_rows, {}},
          row_task_{no_columns_, task.recipe, task.n_classes, task.label, task.target, task.total_weight, task.monitor},
          rows_(with_formula(row_task_, task), weight),
          kernel_(task.make_kernel(task, weight.empty())),
          draw_(task.n_features()) {
        limits_.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits_.min_weight = recipe_.min_weight_leaf;
        limits_.last_of_ties = recipe_.ties == Ties::last;
        limits_.short_cuts = recipe_.short_cuts;
    }

    /// Take over all rows of the table.
    void load(const RowShares& parts, Builder&, int thread = 0) {
        rows_.load(parts.row, thread);
        lists_.load(*task_.table.sparse, rows_.size(), root_.lists);
    }
    Item root(int32_t depth, uint64_t seed) {
        root_.depth = depth;
        root_.end = static_cast<uint32_t>(rows_.size());
        root_.seed = seed;
        return std::move(root_);
    }

    // ---- what the driver asks --------------------------------------------------------------------------------

    Description& describe(Item& item) override {
        description_ = {};
        rows_.describe(item, description_);
        return description_;
    }
    bool search(Item& item) override {
        if (!task_.n_classes) rows_.centre_targets(item, criterion_.traits.centred ? item.centre : 0.0, item.totals);
        const double tolerance = criterion_.tolerance(item.totals, item.impurity);
        const NodeView node{rows_.local(), item.totals, item.impurity, tolerance};
        lists_.look_at(item.lists, order(item), features_a_node());
        choice_.start(recipe_, tolerance);
        Random random(item.seed);
        if (draw_.chooses(recipe_)) offer_drawn(node, item, random);
        else if (recipe_.ties == Ties::random) offer_best_by_key(node, item, random);
        else offer_all(node, item, random);
        if (!choice_.take(item)) return false;
        set_threshold(item, item.split);
        for (Candidate& other : item.competitors) set_threshold(item, other);
        return true;
    }
    std::vector<BranchSums> branch_sums(Item& item) override {
        assign_branches(item);
        return rows_.branch_sums(item, item.centre);
    }
    // no feature is categorical, splits are not tested for significance, and constant features do not matter
    std::vector<BranchSums> category_sums(Item&, int32_t) override { return {}; }
    double most_candidates(const Item&) override { return 0; }
    double count_candidates(const Item&) override { return 0; }
    bool varies(const Item&, int32_t) override { return true; }

    void partition(Item& item) override {
        assign_branches(item);
        rows_.partition_order(item, 2);
    }
    void take_branches(const Item& item, std::vector<Item>& children) override {
        for (size_t b = 0; b < 2; ++b) static_cast<RowSpan&>(children[b]) = rows_.branch_rows(item, b);
        rows_.share_totals(item.totals, children);
    }
    void finish(const Item&, Candidate&) override {}
    void pass_on(const Item& item, std::vector<Item>& children) override {
        const auto below = [&](size_t b) { return children[b].node >= 0 ? &children[b].lists : nullptr; };
        if (below(0) || below(1))
            lists_.partition(item.lists, rows_.sides(), order(children[0]), order(children[1]), below(0), below(1));
    }

private:
    static const GrowTask& with_formula(GrowTask& task, const GrowTask& from) {
        task.formula = from.formula;
        return task;
    }
    std::span<const Index> order(const Item& item) const { return {rows_.order(item), item.size()}; }
    size_t features_a_node() const {
        return recipe_.max_features > 0 ? static_cast<size_t>(recipe_.max_features) : task_.n_features();
    }

    // ---- which features, in which order ------------------------------------------------------------------------

    void offer_all(const NodeView& node, const Item& item, Random& random) {
        lists_.each(item.lists, [&](int32_t feature, const List& list) { offer(node, feature, list, random); });
    }
    void offer_drawn(const NodeView& node, const Item& item, Random& random) {
        const std::vector<int32_t>& features = draw_.choose(
            recipe_, random, [&](int32_t feature) { return lists_.list(item.lists, feature).varies(item.size()); },
            [&](std::span<const int32_t> drawn) { lists_.call_for(drawn, recipe_.random_cuts); });
        for (int32_t feature : features) offer(node, feature, lists_.list(item.lists, feature), random);
    }
    /// The best of all features; of equals the one whose key comes first, as if all were offered in the order of their keys.
    void offer_best_by_key(const NodeView& node, const Item& item, Random& random) {
        tied_.clear();
        double most = -infinity;
        const auto worth = [&](const Candidate& found) { return recipe_.merit_per_cost(found.merit, found.feature); };
        lists_.each(item.lists, [&](int32_t feature, const List& list) {
            Candidate found = find(node, feature, list, random);
            if (!found.found() || worth(found) < most - node.tolerance) return;
            most = std::max(most, worth(found));
            tied_.push_back(std::move(found));
        });
        std::erase_if(tied_, [&](const Candidate& other) { return worth(other) < most - node.tolerance; });
        if (tied_.empty()) return;
        choice_.offer(std::move(*std::ranges::min_element(
            tied_, {}, [&](const Candidate& found) { return FeatureOrder::key(item.seed, found.feature); })));
    }

    // ---- the best cut of a feature -----------------------------------------------------------------------------

    void offer(const NodeView& node, int32_t feature, const List& list, Random& random) {
        Candidate found = find(node, feature, list, random);
        if (found.found() && choice_.matters(found.merit, feature)) choice_.offer(std::move(found));
    }
    Candidate find(const NodeView& node, int32_t feature, const List& list, Random& random) {
        const size_t n = node.totals.count, zeros = n - list.entries.size(), known = list.known(), below = list.below();
        Candidate candidate;
        if (known + zeros == 0) return candidate;
        CutTask<Index> task{list.entries, known, limits_, recipe_.missing == Missing::available && !recipe_.random_cuts};
        task.zeros = zeros;
        task.below = below;
        const bool some_missing = known < list.entries.size();
        FoundCut found;
        candidate.threshold = std::numeric_limits<double>::quiet_NaN();  // looked up if it wins: set_threshold
        if (recipe_.random_cuts) {
            const auto value = [&](size_t i) { return lists_.value(static_cast<size_t>(feature), list.entries[i].rank); };
            const double low = zeros && below == 0 ? 0.0 : value(0), high = zeros && below == known ? 0.0 : value(known - 1);
            const DrawnCut drawn = draw_cut(low, high, some_missing, random);
            candidate.threshold = drawn.threshold;
            const size_t left = rows_left(known, value, drawn.threshold);
            found.cut = {left + (drawn.threshold >= 0 ? zeros : 0), drawn.missing_left};
            found.merit = kernel_->merit_of_cut(node, task, found.cut, drawn.threshold);
        } else {
            found = kernel_->best_cut(node, task);
        }
        if (!(found.merit > -infinity)) return candidate;
        candidate.feature = feature;
        candidate.merit = found.merit;
        candidate.position = found.cut.position();
        if (some_missing && (recipe_.random_cuts || recipe_.missing == Missing::direction))
            candidate.default_branch = found.cut.missing_left() ? 0 : 1;
        return candidate;
    }
    /// Half-way between the values on either side of a cut.
    void set_threshold(const Item& item, Candidate& split) {
        if (!std::isnan(split.threshold)) return;
        const List list = lists_.list(item.lists, split.feature);
        const size_t zeros = item.size() - list.entries.size(), below = list.below();
        const auto value = [&](size_t place) {  // of the row that stands there
            if (place >= below && place < below + zeros) return 0.0;
            return lists_.value(static_cast<size_t>(split.feature), list.entries[place < below ? place : place - zeros].rank);
        };
        const bool end = split.position == list.known() + zeros;
        split.threshold = end ? infinity : cut_between(value(split.position - 1), value(split.position), recipe_.short_cuts);
    }

    // ---- which row goes where ----------------------------------------------------------------------------------

    /// Zeros go one way, and the rows that are stored are told one by one.
    void assign_branches(Item& item) {
        Candidate& split = item.split;
        lists_.look_at(item.lists, order(item), 1);  // others may have been looked at since its split was found
        const List list = lists_.list(item.lists, split.feature);
        const size_t n = item.size(), zeros = n - list.entries.size(), known = list.known(), below = list.below();
        const bool zeros_left = zeros > 0 && split.position > below;
        const size_t stored_left = split.position - (zeros_left ? zeros : 0), n_known = known + zeros;
        const auto sides = [&](auto&& put) {
            for (size_t i = 0; i < known; ++i) put(list.entries[i].row, i < stored_left);
            for (size_t i = known; i < list.entries.size(); ++i) put(list.entries[i].row, split.default_branch == 0);
        };
        if (split.default_branch < 0) {
            double size[2] = {static_cast<double>(split.position), static_cast<double>(n_known - split.position)};
            if (recipe_.missing == Missing::available) {
                rows_.assign_sides(item, zeros_left, split.position, sides);
                weigh_sides(item, list.entries.subspan(known), size);
            }
            choose_default_branch(recipe_.missing, recipe_, size, split.default_branch);
        }
        const size_t n_left = split.position + (split.default_branch == 0 ? n - n_known : 0);
        rows_.assign_sides(item, zeros_left, n_left, sides);
    }
    /// What the rows that have a value weigh on each side.
    void weigh_sides(const Item& item, std::span<const Entry<Index>> missing, double* size) const {
        size[0] = size[1] = 0;
        for (Index row : order(item)) size[rows_.sides()[row] ? 0 : 1] += rows_.local().weight_of(row);
        for (const auto& entry : missing) size[rows_.sides()[entry.row] ? 0 : 1] -= rows_.local().weight_of(entry.row);
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    const Formula& criterion_;
    const Table no_columns_;
    GrowTask row_task_;
    PresortedRows<Index> rows_;  // their order, target and weights; it has no lists
    Lists<Index> lists_;
    Item root_;
    std::unique_ptr<Kernel> kernel_;

    // of the node in hand
    Description description_;
    SplitChoice choice_;
    FeatureDraw draw_;
    CutLimits limits_;
    std::vector<Candidate> tied_;
};

}  // namespace treewright
