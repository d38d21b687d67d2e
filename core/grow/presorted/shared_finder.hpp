// The finder for rows that may be shared over branches: every node holds its rows with their weights, and every policy for
// missing values is at home.
//
// Numeric features are sorted once and their order is handed down (inherited_order.hpp); where a policy fills in values, the
// order changes from node to node, and the feature is sorted anew.
#pragma once
#include <set>

#include "cuts/drawn.hpp"
#include "grow/feature_draw.hpp"
#include "grow/choice.hpp"
#include "grow/kernel.hpp"
#include "grow/presorted/compound_splits.hpp"
#include "grow/presorted/shared_rows.hpp"
#include "base/random.hpp"
#include "grow/significance.hpp"
#include "splits/categorical.hpp"
#include "splits/surrogate_search.hpp"

namespace treewright {

template <class Index>
class SharedRowsFinder {
    friend class CompoundSplits<SharedRowsFinder>;
    using Rows = SharedRows<Index>;
    using List = typename Rows::List;
    static constexpr bool has_compound_splits = sizeof(Index) == 4;  // subtrees of narrow rows are not asked for them

public:
    using Item = typename Rows::Node;
    using SubtreeRows = RowShares;

    SharedRowsFinder(const GrowTask& task, bool unit)
        : task_(task),
          recipe_(task.recipe),
          criterion_(*task.formula),
          kernel_(task.make_kernel(task, unit)),
          rows_(task, kernel_->wants_pairs()),
          interactions_(recipe_.interaction),
          draw_(task.n_features()) {
        limits_.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits_.min_weight = recipe_.min_weight_leaf;
        limits_.last_of_ties = recipe_.ties == Ties::last;
    }

    /// Take over these rows of the table.
    void load(const RowShares& parts, Builder&, int = 0) {
        parts_ = &parts;
        rows_.forget();
    }
    /// The root of what grows from the rows.
    Item root(int32_t depth, uint64_t seed, const Interactions::Open& groups = nullptr) {
        Item item;
        item.depth = depth;
        item.seed = seed;
        item.groups = groups;
        item.parts = *parts_;
        return item;
    }

    // ---- what the driver asks --------------------------------------------------------------------------------

    Description describe(Item& item) { return rows_.describe(item); }

    bool search(Item& item) {
        if (!item.lists.ready()) rows_.sort_features(item, [&](size_t f) { return keeps_order(f); });
        rows_.prepare(item);
        n_candidates_ = 0;
        const NodeView node = view(item);
        choice_.start(recipe_, node.tolerance);
        Random random(item.seed);
        const std::vector<int32_t> features = chosen_features(item, random);
        for (int32_t feature : features) choice_.offer(find_on(node, item, feature, choice_.least_merit(feature), random));
        if constexpr (has_compound_splits) CompoundSplits(*this).search(item, features, choice_);
        if (!choice_.take(item)) return false;
        missing_category_to_default(item.split);
        for (Candidate& other : item.competitors) missing_category_to_default(other);
        return true;
    }
    /// The rows of each branch; a row counts in a branch by its share.
    std::vector<BranchSums> branch_sums(Item& item) {
        std::vector<BranchSums> branches;
        partition(item);
        for (const RowShares& parts : sent_) {
            BranchSums& branch = branches.emplace_back();
            branch.classes.resize(rows_.n_classes());
            for (size_t i = 0; i < parts.size(); ++i) add_row(branch, parts, i, item.centre);
        }
        return branches;
    }
    std::vector<BranchSums> category_sums(Item& item, int32_t feature) {
        rows_.gather(item, feature);
        const auto n_categories = static_cast<size_t>(rows_.feature_at(feature).n_categories);
        return sums_by_category(n_categories, rows_.n_classes(), [&](auto&& of) {
            for (size_t i = 0; i < item.size(); ++i) add_row(of(code_of(i)), item.parts, i, item.centre);
        });
    }
    double most_candidates(const Item&) const { return n_candidates_; }
    double count_candidates(const Item&) const { return n_candidates_; }
    bool varies(const Item& item, int32_t feature) {
        rows_.gather_raw(item, rows_.feature_at(feature));
        const std::vector<double>& value = rows_.values();
        const auto same = [&](double x) { return x == value[0] || (std::isnan(x) && std::isnan(value[0])); };
        return !std::all_of(value.begin(), value.end(), same);
    }

    void partition(Item& item) {
        rows_.prepare(item);
        sent_ = send(item);
    }
    void take_branches(const Item&, std::vector<Item>& children) {
        for (size_t b = 0; b < children.size(); ++b) children[b].parts = std::move(sent_[b]);
    }
    void finish(const Item&, Candidate&) const {}
    void pass_on(Item& item, std::vector<Item>& children) {
        if (children.size() == 2) hand_down(item, children[0], children[1]);
    }

private:
    NodeView view(const Item& item) const {
        return {rows_.local(), item.totals, item.impurity, criterion_.tolerance(item.totals, item.impurity), rows_.pairs()};
    }
    void add_row(BranchSums& sums, const RowShares& parts, size_t i, double centre) const {
        const bool classes = task_.n_classes > 0;
        sums.add(parts.weight_of(i), classes, classes ? static_cast<size_t>(task_.label[parts.row[i]]) : 0,
                 classes ? 0.0 : task_.target[parts.row[i]] - centre, task_.rank_of(parts.row[i]));
    }
    bool counting() const { return recipe_.significance < 1; }
    /// Whether the order of a feature's values stays the same from node to node.
    bool keeps_order(size_t feature) const {
        return (recipe_.threshold || recipe_.hyperplane) && !rows_.feature_at(feature).categorical() &&
               !fills(rows_.policy_of(feature));
    }
    std::vector<int32_t> chosen_features(const Item& item, Random& random) {
        const auto allowed = [&](int32_t f) {
            return !item.features || std::binary_search(item.features->begin(), item.features->end(), f);
        };
        if (draw_.chooses(recipe_))
            return draw_.choose(recipe_, random, [&](int32_t f) { return allowed(f) && varies(item, f); });
        std::vector<int32_t> features(task_.n_features());
        if (item.features) features = *item.features;
        else std::iota(features.begin(), features.end(), 0);
        if (recipe_.ties == Ties::random) order_.apply(features, item.seed);
        return features;
    }

    // ---- the best split of a feature -----------------------------------------------------------------------------

    /// It need not be found if its merit is below `least`.
    Candidate find_on(const NodeView& node, const Item& item, int32_t feature, double least, Random& random) {
        if (keeps_order(static_cast<size_t>(feature))) return cut_inherited(node, item, feature, least, random);
        rows_.gather(item, feature);
        if (rows_.feature_at(feature).categorical()) return group_categories(node, item, feature);
        return recipe_.threshold || recipe_.hyperplane ? cut_values(node, item, feature, least, random) : Candidate{};
    }
    /// The best cut of a list that was handed down.
    Candidate cut_inherited(const NodeView& node, const Item& item, int32_t feature, double least, Random& random) {
        std::span<const List> list = item.lists.of(static_cast<size_t>(feature));
        const size_t known = list.size();
        if (known == 0) return {};
        if (known < item.size() && !left_out(rows_.policy_of(feature))) {  // the rows without the value take a side
            std::vector<List>& with_missing = rows_.list();
            with_missing.assign(list.begin(), list.end());
            for (size_t i = 0; i < item.size(); ++i)
                if (std::isnan(rows_.number(item, static_cast<size_t>(feature), i)))
                    with_missing.push_back({List::missing, static_cast<Index>(i)});
            list = with_missing;
        }
        if (list.front().rank == list.back().rank) return {};
        const auto value = [&](size_t i) { return rows_.number(item, static_cast<size_t>(feature), list[i].row); };
        return cut(node, feature, list, known, least, value, random, true);
    }
    /// The best cut of the values gathered.
    Candidate cut_values(const NodeView& node, const Item& item, int32_t feature, double least, Random& random) {
        const size_t known = rows_.sort_values(item);
        const std::vector<List>& list = rows_.list();
        if (list.front().rank == list.back().rank) return {};
        const bool without = left_out(rows_.policy_of(feature));
        return cut(
            node, feature, std::span(list).first(without ? known : list.size()), known, least,
            [&](size_t i) { return rows_.sorted()[i]; }, random, false);
    }
    /// The best cut of a sorted list, or one that is drawn. value(i) is that of its i-th row.
    template <class Value>
    Candidate cut(const NodeView& node, int32_t feature, std::span<const List> list, size_t known, double least, Value&& value,
                  Random& random, bool inherited) {
        if (known == 0) return {};
        if (counting()) n_candidates_ += count_cuts(list.data(), known, list.size());
        const Missing policy = rows_.policy_of(feature);
        CutTask<Index> task{list, known, limits_, left_out(policy)};
        task.shared = policy == Missing::fractional;
        task.by_shares = policy == Missing::fractional_counts;
        task.bounded = criterion_.traits.bounded && !recipe_.plain && recipe_.ties != Ties::last;
        task.least = least;
        FoundCut found;
        double threshold = 0;
        if (recipe_.random_cuts) {
            const DrawnCut drawn = draw_cut(value(0), value(known - 1), known < list.size(), random);
            threshold = drawn.threshold;
            found.cut = {rows_left(known, value, threshold), drawn.missing_left};
            found.merit = kernel_->merit_of_cut(node, task, found.cut, threshold);
        } else {
            found = kernel_->best_cut(node, task);
        }
        if (found.merit == -infinity || found.merit < least) return {};  // before its values are looked up, far from here
        const size_t at = found.cut.position();
        if (!recipe_.random_cuts) threshold = at == known ? infinity : cut_between(value(at - 1), value(at), recipe_.short_cuts);
        Candidate candidate;
        candidate.merit = found.merit;
        candidate.feature = feature;
        candidate.threshold = threshold;
        if (inherited) candidate.position = at;
        if (known < list.size()) candidate.default_branch = found.cut.missing_left() ? 0 : 1;
        return candidate;
    }

    /// The best grouping of the categories gathered.
    Candidate group_categories(const NodeView& node, const Item& item, int32_t feature) {
        const bool without = left_out(rows_.policy_of(feature));
        Candidate candidate =
            criterion_.traits.by_rows ? group_rows(node, item, feature, without) : group_levels(node, item, feature, without);
        if (candidate.found() && without) candidate.default_branch = -1;
        return candidate;
    }
    int32_t code_of(size_t row) const {
        const double value = rows_.values()[row];
        return std::isnan(value) ? -1 : static_cast<int32_t>(value);
    }
    Candidate group_levels(const NodeView& node, const Item& item, int32_t feature, bool without) {
        counter_.count(
            static_cast<size_t>(rows_.feature_at(feature).n_categories), task_.width(), node.rows,
            [&](auto&& use) {
                for (size_t i = 0; i < item.size(); ++i) use(code_of(i), i);
            },
            levels_);
        if (levels_.size() + (levels_.missing.count > 0) < 2) return {};
        if (counting()) n_candidates_ += count_groupings(recipe_, levels_.size() + (levels_.missing.count > 0 && !without));
        if (rows_.policy_of(feature) == Missing::fractional_counts) levels_.share_missing();
        Candidate candidate = kernel_->best_grouping(node, rows_.table(), feature, levels_, Bounds{});
        if (candidate.found() && criterion_.merit_of_known && rows_.policy_of(feature) == Missing::fractional)
            candidate.merit = merit_of_known(item, candidate);
        return candidate;
    }
    double merit_of_known(const Item& item, const Candidate& candidate) const {
        std::vector<Totals> branch(static_cast<size_t>(candidate.n_branches), Totals(task_.width()));
        for (size_t level = 0; level < levels_.size(); ++level)
            levels_.add_to(branch[static_cast<size_t>(candidate.branch_of(levels_.code[level]))], level);
        std::vector<const Totals*> all;
        for (const Totals& b : branch) all.push_back(&b);
        return criterion_.merit_of_known(levels_.known, item.totals.weight, all);
    }
    /// A criterion that is no function of sums: groups of categories are valued by moving rows.
    Candidate group_rows(const NodeView& node, const Item& item, int32_t feature, bool without) {
        std::vector<int32_t> codes;
        std::vector<uint32_t> numbers;
        std::set<int32_t> present;
        for (size_t i = 0; i < item.size(); ++i) {
            const int32_t code = code_of(i);
            if (code < 0 && without) continue;
            codes.push_back(code);
            numbers.push_back(static_cast<uint32_t>(i));
            present.insert(code);
        }
        if (present.size() < 2) return {};
        if (counting()) n_candidates_ += count_groupings(recipe_, present.size());
        return kernel_->best_grouping(node, rows_.table(), feature, codes, numbers, limits_);
    }
    /// Entries of the category that stands for missing become the default branch.
    void missing_category_to_default(Candidate& candidate) const {
        if (candidate.kind != SplitKind::table || rows_.policy_of(candidate.feature) != Missing::value) return;
        const int32_t extra = task_.table.features[static_cast<size_t>(candidate.feature)].n_categories;
        if (candidate.table.empty() || candidate.table.back().first != extra) return;
        candidate.default_branch = candidate.table.back().second;
        candidate.table.pop_back();
    }

    // ---- sending rows down -------------------------------------------------------------------------------------------------

    /// What an oblique split compares, or the values of the split's feature.
    Fill gather_answers(const Item& item, const Candidate& split) {
        if constexpr (has_compound_splits)
            if (split.oblique()) return CompoundSplits(*this).gather(item, split);
        return rows_.gather(item, split.feature);
    }
    /// The branch of every row by the split's own feature; −1 where it does not answer. Settles the default branch.
    std::vector<int32_t> answers(const Item& item, Candidate& split) {
        std::vector<int32_t> branch(item.size());
        Fill fill;
        if (split.position > 0) {
            std::fill(branch.begin(), branch.end(), -1);  // rows stand on either side of the cut's place in the list
            const std::span<const List> list = item.lists.of(static_cast<size_t>(split.feature));
            for (size_t i = 0; i < list.size(); ++i) branch[list[i].row] = i < split.position ? 0 : 1;
        } else {
            fill = gather_answers(item, split);
            for (size_t i = 0; i < branch.size(); ++i) branch[i] = value_branch(split, rows_.values()[i]);
        }
        const Missing policy = rows_.policy_of(split.feature);
        const bool by_rows = policy == Missing::direction || policy == Missing::value;
        std::vector<double> size(static_cast<size_t>(split.n_branches), 0.0);
        for (size_t i = 0; i < branch.size(); ++i)
            if (branch[i] >= 0) size[static_cast<size_t>(branch[i])] += by_rows ? 1.0 : item.parts.weight_of(i);
        if (fill.found) split.default_branch = value_branch(split, fill.value);
        choose_default_branch(policy, recipe_, size, split.default_branch);
        return branch;
    }
    std::vector<RowShares> send(Item& item) {
        std::vector<int32_t> branch = answers(item, item.split);
        if (uses_surrogates(recipe_, rows_.policy_of(item.split.feature))) {
            const auto row_of = [&](size_t i) { return item.parts.row[i]; };
            const BranchAssignment assigned{branch, item.parts.weight, static_cast<size_t>(item.split.n_branches)};
            signed_weight_.resize(branch.size());
            for (size_t i = 0; i < branch.size(); ++i) signed_weight_[i] = assigned.signed_weight(i);
            item.surrogates = find_surrogates(task_.table, recipe_, item.split, assigned, assigned.sides(signed_weight_), row_of,
                                              [&](size_t feature, const PrimarySides& sides, double, TwoSidedSplit& split) {
                                                  return agreeing_cut(item, feature, sides, split);
                                              });
            follow_surrogates(task_.table, item.surrogates, row_of, branch);
        }
        return treewright::send(item.parts, branch, item.split.default_branch, static_cast<size_t>(item.split.n_branches),
                                task_.lightest);
    }
    Agreement agreeing_cut(const Item& item, size_t feature, const PrimarySides& sides, TwoSidedSplit& split) {
        std::span<const List> list = item.lists.of(feature);
        if (!keeps_order(feature)) {
            rows_.gather_raw(item, rows_.feature_at(feature));
            list = sorted_list(item);
        }
        size_t place = 0;
        const Agreement agreement = treewright::agreeing_cut(
            list.size(), [&](size_t i) { return list[i].row; }, [&](size_t i) { return list[i].rank != list[i - 1].rank; }, sides,
            place, split.below);
        if (agreement.found)
            split.cut = surrogate_cut(split.below, rows_.number(item, feature, list[place - 1].row),
                                      rows_.number(item, feature, list[place].row));
        return agreement;
    }

    /// Give the order of the features to the children that may be split further.
    void hand_down(const Item& item, Item& left, Item& right) {
        if (left.node < 0 && right.node < 0) return;
        using Place = typename BranchPlaces<Index>::Place;
        places_.find(item.parts.row, left.parts.row, right.parts.row);
        if (left.node >= 0 && right.node >= 0) {
            auto lists = item.lists.children(places_, left.size(), right.size());
            left.lists = std::move(lists[0]);
            right.lists = std::move(lists[1]);
        } else if (left.node >= 0) {
            left.lists = item.lists.child(places_, &Place::left, left.size());
        } else {
            right.lists = item.lists.child(places_, &Place::right, right.size());
        }
    }

    std::span<const List> sorted_list(const Item& item) {
        const size_t known = rows_.sort_values(item);
        return std::span<const List>(rows_.list()).first(known);
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    const Formula& criterion_;
    std::unique_ptr<Kernel> kernel_;
    Rows rows_;
    const RowShares* parts_ = nullptr;
    Interactions interactions_;
    CutLimits limits_;

    // of the node in hand
    double n_candidates_ = 0;  // for tests of significance
    SplitChoice choice_;
    FeatureDraw draw_;
    FeatureOrder order_;
    LevelCounter counter_;
    Levels levels_;
    std::vector<RowShares> sent_;        // the rows of each branch of the node partitioned last
    std::vector<double> signed_weight_;  // for surrogates
    BranchPlaces<Index> places_;
};

}  // namespace treewright
