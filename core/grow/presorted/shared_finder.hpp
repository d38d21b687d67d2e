// The plain engine: every node holds its rows with their weights, and every policy for missing values is at home.
//
// Numeric features are sorted once and their order is handed down (part_lists.hpp); where a policy fills in values, the order
// changes from node to node, and the feature is sorted anew. Blocks (block.hpp) serve the policies `direction` and `available`.
#pragma once
#include "grow/presorted/compound_splits.hpp"
#include "feature_draw.hpp"
#include "grow/choice.hpp"
#include "grow/presorted/shared_search.hpp"
#include "random.hpp"
#include "splits/surrogate_search.hpp"

namespace treewright {

template <class C, class Index>
class Lists : ListSearch<C, Index> {
    friend class Forms<Lists>;
    using Base = ListSearch<C, Index>;
    using Base::prepare, Base::gather, Base::gather_raw, Base::feature_at, Base::policy_of, Base::number, Base::n_classes,
        Base::keeps_order, Base::sort_features, Base::search_cuts, Base::limits, Base::sort_values, Base::totals_of;
    using Base::problem_, Base::recipe_, Base::table_, Base::local_, Base::value_, Base::sorted_, Base::list_, Base::sorter_,
        Base::scratch_, Base::candidates_, Base::criterion_;
    using typename Base::List;

public:
    using Criterion = C;
    using Item = typename Base::Node;
    using SubtreeRows = Parts;

    explicit Lists(const Problem& problem) : Base(problem), interactions_(recipe_.interaction), draw_(problem.n_features()) {}

    /// Take over these rows of the table.
    void load(const Parts& parts, Builder&, int = 0) {
        parts_ = &parts;
        Base::forget();
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

    using Base::describe;

    bool search(Item& item) {
        if (!item.lists.ready()) sort_features(item, [&](size_t f) { return keeps_order(f); });
        prepare(item);
        candidates_ = 0;
        choice_.start(recipe_, criterion_.tolerance(item.totals, item.impurity));
        Random random(item.seed);
        const std::vector<int32_t> features = chosen_features(item, random);
        for (int32_t feature : features) choice_.offer(Base::search(item, feature, choice_.least_merit(feature)));
        if constexpr (std::is_same_v<Index, uint32_t>) Forms<Lists>(*this).search(item, features, choice_);
        if (!choice_.take(item)) return false;
        settle_missing_category(item.split);
        for (Candidate& other : item.competitors) settle_missing_category(other);
        return true;
    }
    /// The rows of each branch; a row counts in a branch by its share.
    std::vector<BranchSums> branch_sums(Item& item) {
        std::vector<BranchSums> branches;
        partition(item);
        for (const Parts& parts : sent_) {
            BranchSums& branch = branches.emplace_back();
            branch.classes.resize(n_classes());
            branch.count = static_cast<double>(parts.size());
            for (size_t i = 0; i < parts.size(); ++i) {
                const double w = parts.weight_of(i);
                branch.weight += w;
                if constexpr (C::classification) {
                    branch.classes[static_cast<size_t>(problem_.label[parts.row[i]])] += w;
                } else {
                    const double difference = problem_.target[parts.row[i]] - item.centre;
                    branch.sum += w * difference;
                    branch.squares += w * difference * difference;
                }
            }
        }
        return branches;
    }
    double most_candidates(const Item&) const { return candidates_; }
    double count_candidates(const Item&) const { return candidates_; }

    void partition(Item& item) {
        prepare(item);
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
    // ---- searching -------------------------------------------------------------------------------------------------

    std::vector<int32_t> allowed_features(const Item& item) const {
        if (item.features) return *item.features;
        std::vector<int32_t> features(table_.features.size());
        std::iota(features.begin(), features.end(), 0);
        return features;
    }
    /// The features to look at: all, or max_features drawn of them and more until one varies; in the order of the draw, so that
    /// chance decides between equals, or else ascending.
    std::vector<int32_t> chosen_features(const Item& item, Random& random) {
        const size_t p = table_.features.size();
        const size_t wanted = recipe_.max_features == 0 ? p : static_cast<size_t>(recipe_.max_features);
        if (wanted == p && recipe_.ties != Ties::random) return allowed_features(item);
        std::vector<int32_t> chosen;
        const auto allowed = [&](int32_t f) {
            return !item.features || std::binary_search(item.features->begin(), item.features->end(), f);
        };
        for (size_t i = 0; draw_.any_left() && (i < wanted || chosen.empty()); ++i)
            if (const int32_t f = draw_.next(random); allowed(f) && varies(item, f)) chosen.push_back(f);
        draw_.undo();
        if (recipe_.ties != Ties::random) std::sort(chosen.begin(), chosen.end());
        return chosen;
    }
    bool varies(const Item& item, int32_t feature) {
        gather_raw(item, feature_at(feature));
        const auto same = [&](double x) { return x == value_[0] || (std::isnan(x) && std::isnan(value_[0])); };
        return !std::all_of(value_.begin(), value_.end(), same);
    }

    /// Entries of the category that stands for missing become the default branch.
    void settle_missing_category(Candidate& candidate) const {
        if (candidate.kind != SplitKind::table || policy_of(candidate.feature) != Missing::value) return;
        const int32_t extra = problem_.table.features[static_cast<size_t>(candidate.feature)].n_categories;
        if (candidate.table.empty() || candidate.table.back().first != extra) return;
        candidate.default_branch = candidate.table.back().second;
        candidate.table.pop_back();
    }
    // ---- sending rows down -------------------------------------------------------------------------------------------------

    /// What an oblique split compares, or the values of the split's feature.
    Fill gather_answers(const Item& item, const Candidate& split) {
        if constexpr (std::is_same_v<Index, uint32_t>)
            if (split.oblique()) return Forms<Lists>(*this).gather(item, split);
        return gather(item, split.feature);
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
            for (size_t i = 0; i < branch.size(); ++i) branch[i] = value_branch(split, value_[i]);
        }
        const Missing policy = policy_of(split.feature);
        const bool by_rows = policy == Missing::direction || policy == Missing::value;
        std::vector<double> size(static_cast<size_t>(split.n_branches), 0.0);
        for (size_t i = 0; i < branch.size(); ++i)
            if (branch[i] >= 0) size[static_cast<size_t>(branch[i])] += by_rows ? 1.0 : item.parts.weight_of(i);
        if (fill.found) split.default_branch = value_branch(split, fill.value);
        settle_default(policy, recipe_, size, split.default_branch);
        return branch;
    }
    std::vector<Parts> send(Item& item) {
        std::vector<int32_t> branch = answers(item, item.split);
        if (uses_surrogates(recipe_, policy_of(item.split.feature))) {
            const auto row_of = [&](size_t i) { return item.parts.row[i]; };
            const Sent sent{branch, item.parts.weight, static_cast<size_t>(item.split.n_branches)};
            pull_.resize(branch.size());
            for (size_t i = 0; i < branch.size(); ++i) pull_[i] = sent.pull(i);
            item.surrogates = find_surrogates(problem_.table, recipe_, item.split, sent, sent.ways(pull_), row_of,
                                              [&](size_t feature, const PrimarySides& ways, double, TwoSidedSplit& split) {
                                                  return agreeing_cut(item, feature, ways, split);
                                              });
            follow_surrogates(problem_.table, item.surrogates, row_of, branch);
        }
        return treewright::send(item.parts, branch, item.split.default_branch, static_cast<size_t>(item.split.n_branches));
    }
    Agreement agreeing_cut(const Item& item, size_t feature, const PrimarySides& ways, TwoSidedSplit& split) {
        std::span<const List> list = item.lists.of(feature);
        if (!keeps_order(feature)) {
            gather_raw(item, feature_at(feature));
            list = std::span(list_.data(), sort_values(item));
        }
        size_t place = 0;
        const Agreement agreement = treewright::agreeing_cut(
            list.size(), [&](size_t i) { return list[i].row; }, [&](size_t i) { return list[i].rank != list[i - 1].rank; }, ways,
            place, split.below);
        if (agreement.found)
            split.cut =
                surrogate_cut(split.below, number(item, feature, list[place - 1].row), number(item, feature, list[place].row));
        return agreement;
    }

    /// Give the order of the features to the children that may be split further.
    void hand_down(const Item& item, Item& left, Item& right) {
        if (left.node < 0 && right.node < 0) return;
        using Place = typename Places<Index>::Place;
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

    const Parts* parts_ = nullptr;
    Interactions interactions_;
    SplitChoice choice_;
    FeatureDraw draw_;
    std::vector<Parts> sent_;   // the rows of each branch of the node partitioned last
    std::vector<double> pull_;  // of surrogates, by part
    Places<Index> places_;
};

}  // namespace treewright
