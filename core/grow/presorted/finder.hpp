// The finder for rows in presorted lists: every feature is sorted once, then each split partitions the lists stably.
//
// Rows are numbered 0, 1, … anew, with 16-bit numbers for subtrees that fit a cache (presorted attribute lists: Mehta, Agrawal &
// Rissanen, 1996; here in cache-sized blocks).
#pragma once
#include <optional>

#include "criteria/few_rows.hpp"
#include "cuts/drawn.hpp"
#include "grow/feature_draw.hpp"
#include "grow/choice.hpp"
#include "grow/kernel.hpp"
#include "grow/presorted/rows.hpp"
#include "grow/presorted/user_criterion_search.hpp"
#include "grow/monotone_leaves.hpp"
#include "grow/row_shares.hpp"
#include "base/random.hpp"

namespace treewright {

template <class Index>
class PresortedFinder {
    using Rows = PresortedRows<Index>;
    using List = typename Rows::List;

public:
    /// A node; its features are those that are not constant here, and allowed.
    struct Item : GrowingNode, RowSpan {
        using RowSpan::size;
    };
    using SubtreeRows = RowShares;

    PresortedFinder(const GrowTask& task, const std::vector<double>& weight)
        : task_(task),
          recipe_(task.recipe),
          criterion_(*task.formula),
          rows_(task, weight),
          monotone_leaves_(task),
          draw_(task.n_features()) {
        if (task.make_kernel) kernel_ = task.make_kernel(task, weight.empty());
        else user_criterion_.emplace(task, rows_);
        if (monotone()) rows_.local().levels = &task.levels;
        limits_.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits_.min_weight = recipe_.min_weight_leaf;
        limits_.last_of_ties = recipe_.ties == Ties::last;
        limits_.short_cuts = recipe_.short_cuts;
        limits_.by_weight = recipe_.missing == Missing::available;
    }

    /// Take over these rows of the table; nodes go to `out`. Memory is kept from one load to the next.
    void load(const RowShares& parts, Builder& out, int thread = 0) {
        out_ = &out;
        rows_.load(parts.row, thread);
    }
    /// The root of the rows.
    Item root(int32_t depth, uint64_t seed, const Interactions::Open& groups = nullptr) {
        Item item;
        item.depth = depth;
        item.end = static_cast<uint32_t>(rows_.size());
        item.seed = seed;
        item.groups = groups;
        item.features = rows_.features();
        return item;
    }

    // ---- what the driver asks --------------------------------------------------------------------------------

    /// Good until the next node is described.
    Description& describe(Item& item) {
        description_.clear();
        rows_.describe(item, description_);
        return description_;
    }
    bool search(Item& item) {
        if (monotone() && item.node == 0) monotone_leaves_.start(*out_, prediction(item));
        if (!find_best(item)) return false;
        return true;
    }
    std::vector<BranchSums> branch_sums(Item& item) { return rows_.branch_sums(item, item.split, item.centre); }
    std::vector<BranchSums> category_sums(const Item& item, int32_t feature) const {
        return rows_.category_sums(item, feature, item.centre);
    }
    double most_candidates(const Item&) const { return n_candidates_; }
    double count_candidates(const Item&) const { return n_candidates_; }
    bool varies(const Item& item, int32_t feature) const {
        return std::binary_search(item.features->begin(), item.features->end(), feature) &&
               (rows_.is_bit(feature) ? bit_varies(item, feature) : rows_.varies(item, feature));
    }

    void partition(Item& item) {
        if (monotone() && monotone_leaves_.looked_at() != item.node) look_around(item);
        rows_.assign_branches(item, item.split);
        rows_.partition_order(item, static_cast<size_t>(item.split.n_branches));
    }
    void take_branches(const Item& item, std::vector<Item>& children) const {
        for (size_t b = 0; b < children.size(); ++b) static_cast<RowSpan&>(children[b]) = rows_.branch_rows(item, b);
        rows_.share_totals(item.totals, children);
    }
    void finish(const Item& item, Candidate& split) {
        if (&split == &item.split && !monotone() && rows_.beside_cut(item, item.node, split, late_)) return;
        rows_.set_threshold(item, split);
        rows_.unrank(item, split);
    }
    void pass_on(const Item& item, const std::vector<Item>& children) {
        if (late_.size() >= most_late) set_late_thresholds();
        if (monotone()) put_in_order(item, children);
        grows_.clear();
        for (const Item& child : children) grows_.push_back(child.node >= 0);
        if (std::ranges::any_of(grows_, [](uint8_t grows) { return grows; }))
            rows_.partition_lists(item, item.split, *item.features, children.size(), grows_);
    }
    /// All nodes of the rows are written.
    void done() { set_late_thresholds(); }

private:
    /// The values beside a cut are anywhere in the table: those of many cuts are waited for together.
    static constexpr size_t most_late = 64;
    void set_late_thresholds() {
        for (const CutValues& cut : late_)
            out_->nodes[static_cast<size_t>(cut.node)].threshold = cut_between(*cut.below, *cut.above, recipe_.short_cuts);
        late_.clear();
    }

    // ---- the best split of a node ----------------------------------------------------------------------------

    /// Find the best candidate, and others if competitors are kept; features constant here are dropped.
    bool find_best(Item& item) {
        if (task_.bits) rows_.count_bits(item, bit_counter_);
        if (!task_.n_classes) rows_.centre_targets(item, criterion_.traits.centred ? item.centre : 0.0, item.totals);
        if (monotone()) look_around(item);
        constant_.clear();
        n_candidates_ = 0;
        Random random(item.seed);
        const std::vector<int32_t>& features = chosen_features(item, random);
        if (user_criterion_) {
            asked_.clear();
            in_order(item, features, [&](int32_t feature) { return asked_.push_back(feature), true; });
            user_criterion_->ask(item, item.totals.weight, item.centre, asked_, constant_,
                                 [&](int32_t feature) { return limits(feature); });
        }
        const double tolerance =
            user_criterion_ ? user_criterion_->tolerance() : criterion_.tolerance(item.totals, item.impurity);
        const NodeView node{rows_.local(), item.totals, item.impurity, tolerance};
        const bool may_stop = criterion_.traits.bounded && !recipe_.plain && recipe_.ties != Ties::last &&
                              recipe_.max_competitors == 0 && recipe_.feature_costs.empty() && recipe_.significance >= 1;
        const double enough = may_stop ? most_merit(item) - tolerance / 2 : infinity;
        choice_.start(recipe_, tolerance);
        size_t answered = 0;
        in_order(item, features, [&](int32_t feature) {
            if (item.size() > most_narrow_rows) task_.monitor.poll(rows_.thread());
            if (user_criterion_) choice_.offer(user_criterion_->answer(answered++));
            else offer_best_on(feature, node, item, random);
            if (recipe_.significance < 1) n_candidates_ += count_candidates(item, feature);
            return !(choice_.found() && choice_.best().merit >= enough);  // what comes later loses the tie
        });
        if (!constant_.empty()) drop_constant(item);
        return choice_.take(item);
    }
    /// No split of the node has more merit: that of pure branches, or less where two cannot be pure. Rows that take no part for
    /// want of a value may part the others better than two branches of all.
    double most_merit(const Item& item) {
        const size_t n = item.size();
        const bool two_branches = !recipe_.multiway && recipe_.max_groups <= 2;
        if (n > few_rows || rows_.local().weight || !two_branches || task_.n_outputs() > 1 || left_out(recipe_.missing))
            return item.impurity;
        if (criterion_.most_of_few_classes && task_.n_classes > 2)
            return criterion_.most_of_few_classes(item.totals.sums, item.totals.weight);
        if (!criterion_.most_of_few_numbers) return item.impurity;
        std::array<double, few_rows> target;
        const Index* order = rows_.order(item);
        for (size_t i = 0; i < n; ++i) target[i] = rows_.local().target[order[i]];
        return criterion_.most_of_few_numbers(std::span(target).first(n));
    }
    const std::vector<int32_t>& chosen_features(const Item& item, Random& random) {
        if (!draw_.chooses(recipe_)) return *item.features;
        return draw_.choose(recipe_, random, [&](int32_t feature) { return varies(item, feature); });
    }
    /// Look at features in the order in which they win ties.
    template <class Look>
    void in_order(const Item& item, const std::vector<int32_t>& features, Look&& look) {
        const bool by_chance = recipe_.ties == Ties::random && !draw_.chooses(recipe_);
        if (by_chance) order_.start(features, item.seed);
        constexpr size_t many = 256, ahead = 8;  // the lists of many features are far apart, and come in no order
        const bool brings = by_chance && features.size() >= many;
        for (size_t i = 0; i < features.size(); ++i) {
            if (brings && i >= ahead && i + ahead < features.size()) rows_.bring_near(item, order_[i + ahead]);
            if (!look(by_chance ? order_[i] : features[i])) return;
        }
    }
    bool bit_varies(const Item& item, int32_t feature) const {
        const uint32_t* ones = bit_counter_.ones(static_cast<size_t>(task_.bits->bit_of(static_cast<size_t>(feature))));
        const size_t sum = std::accumulate(ones, ones + task_.width(), size_t{0});
        return sum > 0 && sum < item.size();
    }
    void drop_constant(Item& item) {
        const std::vector<int32_t>& active = *item.features;
        auto kept = std::make_shared<std::vector<int32_t>>();
        std::sort(constant_.begin(), constant_.end());
        std::set_difference(active.begin(), active.end(), constant_.begin(), constant_.end(), std::back_inserter(*kept));
        item.features = std::move(kept);
    }
    double count_candidates(const Item& item, int32_t feature) const {
        return rows_.is_bit(feature) ? bit_varies(item, feature) : rows_.count_candidates(item, feature);
    }

    // ---- the best candidate of a feature -----------------------------------------------------------------------

    void offer_best_on(int32_t feature, const NodeView& node, const Item& item, Random& random) {
        if (rows_.is_bit(feature)) cut_bit(node, item, feature);
        else if (rows_.is_categorical(feature)) group_categories(node, item, feature);
        else cut_list(node, item, feature, random);
    }
    void cut_bit(const NodeView& node, const Item& item, int32_t feature) {
        if (!bit_varies(item, feature)) return constant_.push_back(feature);
        const auto bit = static_cast<size_t>(task_.bits->bit_of(static_cast<size_t>(feature)));
        const auto [merit, left] = kernel_->cut_bit(node, bit_counter_.ones(bit));
        if (!choice_.matters(merit, feature)) return;
        Candidate candidate;
        candidate.merit = merit;
        candidate.feature = feature;
        candidate.threshold = task_.bits->threshold(bit, recipe_.short_cuts);
        candidate.position = left;
        choice_.offer(std::move(candidate));
    }
    void cut_list(const NodeView& node, const Item& item, int32_t feature, Random& random) {
        const List* list = rows_.list(item, feature);
        const size_t n = item.size(), known = rows_.known(item, feature);
        if (list[0].rank == list[n - 1].rank) return constant_.push_back(feature);
        if (known == 0) return;
        CutTask<Index> task{std::span(list, n), known, limits(feature),
                            recipe_.missing == Missing::available && !recipe_.random_cuts};
        task.least = choice_.least_merit(feature);
        FoundCut found;
        double threshold = std::numeric_limits<double>::quiet_NaN();  // looked up if it wins: finish
        if (recipe_.random_cuts) {
            const auto value = [&](size_t i) { return rows_.number(feature, list[i].row); };
            const DrawnCut drawn = draw_cut(value(0), value(known - 1), known < n, random);
            threshold = drawn.threshold;
            found.cut = {rows_left(known, value, threshold), drawn.missing_left};
            found.merit = kernel_->merit_of_cut(node, task, found.cut, threshold);
        } else {
            found = kernel_->best_cut(node, task);
        }
        if (!choice_.matters(found.merit, feature)) return;
        Candidate candidate;
        candidate.merit = found.merit;
        candidate.feature = feature;
        candidate.position = found.cut.position();
        candidate.threshold = threshold;
        if (known < n && (recipe_.random_cuts || recipe_.missing == Missing::direction))
            candidate.default_branch = found.cut.missing_left() ? 0 : 1;
        choice_.offer(std::move(candidate));
    }
    void group_categories(const NodeView& node, const Item& item, int32_t feature) {
        const std::vector<int32_t>& codes = rows_.codes(feature);
        const Index* order = rows_.order(item);
        if (criterion_.traits.by_rows) {
            if (!rows_.varies(item, feature)) return constant_.push_back(feature);
            codes_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) codes_[i] = codes[order[i]];
            row_numbers_.assign(order, order + item.size());
            return choice_.offer(kernel_->best_grouping(node, task_.table, feature, codes_, row_numbers_, limits(feature)));
        }
        counter_.count(
            static_cast<size_t>(task_.table.features[static_cast<size_t>(feature)].n_categories), task_.width(), node.rows,
            [&](auto&& use) {
                for (size_t i = 0; i < item.size(); ++i) use(codes[order[i]], order[i]);
            },
            levels_);
        if (levels_.size() + (levels_.missing.count > 0) < 2) return constant_.push_back(feature);
        choice_.offer(kernel_->best_grouping(node, task_.table, feature, levels_, limits(feature).bounds));
    }

    // ---- monotone constraints ----------------------------------------------------------------------------------

    bool monotone() const { return !recipe_.monotonic.empty(); }
    /// What a cut of the feature must respect; good until the next feature is asked for.
    const CutLimits& limits(int32_t feature) {
        if (!monotone()) return limits_;
        if (rows_.is_categorical(feature)) {
            limits_.bounds = measured(monotone_leaves_.bounds());
            limits_.cuts = nullptr;
            return limits_;
        }
        cut_bounds_ = monotone_leaves_.bounds(feature);
        cut_bounds_.whole = measured(cut_bounds_.whole);
        limits_.bounds = {};
        limits_.cuts = &cut_bounds_;
        limits_.column = task_.table.features[static_cast<size_t>(feature)].numbers;
        limits_.rows = rows_.rows();
        return limits_;
    }
    /// Bounds on predictions, as the search measures these.
    Bounds measured(Bounds bounds) const {
        if (task_.n_classes) bounds.margin = task_.levels.margin;
        else bounds.centre = rows_.local().centre;
        return bounds;
    }
    /// Find the leaves that the branches of this node must stay in order with.
    void look_around(const Item& item) {
        double least = infinity, most = -infinity;
        const auto meet = [&](double prediction) {
            least = std::min(least, prediction);
            most = std::max(most, prediction);
        };
        if (task_.n_classes) {
            for (size_t k = 0; k < item.totals.sums.size(); ++k)
                if (item.totals.sums[k] > 0) meet(task_.levels.level[k] / task_.levels.size[k]);
        } else {
            const Index* order = rows_.order(item);
            for (size_t i = 0; i < item.size(); ++i) meet(rows_.target(order[i]));
        }
        monotone_leaves_.look(item.node, least, most);
    }
    /// What a node predicts, as monotone constraints speak of it.
    double prediction(const Item& item) const {
        return task_.n_classes ? task_.levels.mean(item.totals.sums.data()) : out_->value[static_cast<size_t>(item.node)];
    }
    /// The branches are leaves now. The search adds numbers in another order than leaves do: what it rounded is put right.
    void put_in_order(const Item& item, const std::vector<Item>& children) {
        std::vector<double> predictions(children.size());
        const auto first = out_->nodes.size() - children.size();
        if (task_.n_classes) {
            for (size_t b = 0; b < children.size(); ++b)
                predictions[b] = children[b].size() ? prediction(children[b]) : monotone_leaves_.prediction(item.node);
        } else {
            keep_in_order(item, std::span(out_->value).subspan(first, children.size()));
            for (size_t b = 0; b < children.size(); ++b) predictions[b] = out_->value[first + b];
        }
        monotone_leaves_.split(item.node, predictions);
    }
    void keep_in_order(const Item& item, std::span<double> value) const {
        const auto hold = [](double& prediction, const Bounds& bounds) {
            prediction = std::clamp(prediction, bounds.lowest, bounds.highest);
        };
        if (rows_.is_categorical(item.split.feature)) {
            for (double& prediction : value) hold(prediction, monotone_leaves_.bounds());
            return;
        }
        const CutBounds cuts = monotone_leaves_.bounds(item.split.feature);
        if (item.split.threshold < infinity && !cuts.whole.in_order(value[0], value[1]))
            value[0] = value[1] = value[0] / 2 + value[1] / 2;
        hold(value[0], cuts.left(item.split.threshold, item.split.default_branch == 0));
        hold(value[1], cuts.right(item.split.threshold, item.split.default_branch == 1));
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    const Formula& criterion_;
    Rows rows_;
    std::unique_ptr<Kernel> kernel_;
    std::optional<UserCriterionSearch<Index>> user_criterion_;
    MonotoneLeaves monotone_leaves_;
    Builder* out_ = nullptr;
    Description description_;

    std::vector<uint8_t> grows_;   // whether a branch of the node in hand is split further
    std::vector<CutValues> late_;  // of nodes that are written without their thresholds

    // of the node in hand
    double n_candidates_ = 0;  // for tests of significance
    std::vector<int32_t> constant_;
    SplitChoice choice_;
    FeatureDraw draw_;
    FeatureOrder order_;
    std::vector<int32_t> asked_;  // of the user's criterion, in order
    BitCounter bit_counter_;
    CutLimits limits_;
    CutBounds cut_bounds_;
    LevelCounter counter_;
    Levels levels_;
    std::vector<int32_t> codes_;
    std::vector<uint32_t> row_numbers_;
};

}  // namespace treewright
