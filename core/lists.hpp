// The plain engine: every node holds its rows with their weights, and every policy for missing values is at home.
//
// Numeric features are sorted once and their order is handed down (part_lists.hpp); where a policy fills in values, the order
// changes from node to node, and the feature is sorted anew. Blocks (block.hpp) serve the policies `direction` and `available`.
#pragma once
#include "forms.hpp"
#include "list_search.hpp"
#include "random.hpp"
#include "stand_ins.hpp"

namespace treewright {

template <class C, class Index>
class Lists : ListSearch<C, Index> {
    friend class Forms<Lists>;
    using Base = ListSearch<C, Index>;
    using Criterion = C;
    using Base::describe, Base::prepare, Base::gather, Base::gather_raw, Base::feature_at, Base::policy_of, Base::number,
        Base::n_classes, Base::keeps_order, Base::sort_features, Base::search, Base::search_cuts, Base::limits, Base::sort_values,
        Base::totals_of;
    using Base::problem_, Base::recipe_, Base::table_, Base::local_, Base::value_, Base::sorted_, Base::list_, Base::sorter_,
        Base::scratch_, Base::candidates_, Base::criterion_;
    using typename Base::List;

public:
    using Item = typename Base::Node;

    explicit Lists(const Problem& problem) : Base(problem), interactions_(recipe_.interaction) {}

    /// Take over these rows of the table; nodes go to `out`.
    void load(const Parts& parts, Builder& out, int thread = 0) {
        out_ = &out;
        thread_ = thread;
        parts_ = &parts;
        Base::forget();
    }

    /// The root of what grows from the rows.
    Item root(int32_t depth, uint64_t seed, const Interactions::Open& groups = nullptr) {
        Item item;
        item.depth = depth;
        item.seed = seed;
        item.groups = groups;
        if (groups) item.features = interactions_.among(allowed_features(item), groups);
        item.parts = *parts_;
        const Description description = describe(item);
        item.node = out_->append(-1, depth, description);
        pure_root_ = description.pure;
        return item;
    }
    bool root_may_split(const Item& item) const { return !pure_root_ && may_split(item); }

    void grow(Item item) {
        std::vector<Item> stack;
        stack.push_back(std::move(item));
        uint64_t work = 0;
        while (!stack.empty()) {
            Item next = std::move(stack.back());
            stack.pop_back();
            work += next.size() * table_.features.size();
            if (work > 1'000'000) {
                problem_.monitor.poll(thread_);
                work = 0;
            }
            if (!find(next)) {
                problem_.monitor.settled += next.size();
                continue;
            }
            std::vector<Item> children = split(next);
            for (size_t i = children.size(); i-- > 0;) stack.push_back(std::move(children[i]));
        }
    }

    /// Find the best split of an impure node; false if there is none.
    bool find(Item& item) {
        if (!item.lists.ready()) sort_features(item, [&](size_t f) { return keeps_order(f); });
        prepare(item);
        std::vector<Candidate> found;
        Random random(item.seed);
        const double tolerance = criterion_.tolerance(item.totals, item.impurity);
        ties_.start(tolerance, recipe_.ties == Ties::last);
        candidates_ = 0;
        const auto consider = [&](Candidate&& candidate) {
            if (!candidate.found()) return;
            if (recipe_.max_competitors > 0) found.push_back(candidate);
            const double worth = worth_of(candidate);
            ties_.offer(worth, std::move(candidate));
        };
        const auto least = [&](int32_t feature) {  // merit that a split must have to matter
            if (recipe_.max_competitors > 0 || recipe_.ties == Ties::last) return -infinity;
            const double price = recipe_.feature_costs.empty() ? 1.0 : recipe_.feature_costs[static_cast<size_t>(feature)];
            return (ties_.most() - tolerance) * price - tolerance;
        };
        std::vector<int32_t> rest, features = chosen_features(item, random, rest);
        while (!features.empty()) {
            for (int32_t feature : features) consider(search(item, feature, least(feature)));
            if constexpr (std::is_same_v<Index, uint32_t>) Forms<Lists>(*this).search(item, features, ties_, consider);
            features.clear();
            if (ties_.found() || rest.empty()) break;
            features.push_back(rest.back());  // nothing to be split by among those drawn: draw on
            rest.pop_back();
        }
        if (!ties_.found() || !(ties_.get().merit > recipe_.min_merit)) return false;
        item.split = std::move(ties_.get());
        keep_competitors(item, std::move(found));
        if (recipe_.min_impurity_decrease > 0 || recipe_.complexity > 0 || recipe_.order == Order::best_first) {
            item.decrease = decrease(item) * item.totals.weight / problem_.total_weight;
            if (item.decrease + 2.2e-16 < recipe_.least_decrease(item.split.n_branches)) return false;
        }
        return recipe_.significance >= 1 || significant(item);
    }

    /// Carry out the split of an item: append the children, give back those that may be split further.
    std::vector<Item> split(Item& item) {
        prepare(item);
        std::vector<Candidate> surrogates;
        std::vector<Parts> parts = send(item, surrogates);
        const auto branches = parts.size();
        std::vector<Item> children(branches);
        const auto first = static_cast<int32_t>(out_->nodes.size());
        if (!interactions_.free()) {
            for (int32_t feature : item.split.features()) item.groups = interactions_.below(item.groups, feature);
            item.features = interactions_.among(allowed_features(item), item.groups);
        }
        for (size_t b = 0; b < branches; ++b) make_child(item, b, std::move(parts[b]), children[b]);
        if (branches == 2) hand_down(item, children[0], children[1]);
        out_->set_split(item.node, item.split, first, std::move(item.competitors));
        out_->set_surrogates(item.node, std::move(surrogates));
        item.parts = {};
        item.lists = {};
        std::erase_if(children, [](const Item& child) { return child.node < 0; });
        return children;
    }

private:
    bool may_split(const Item& item) const {
        return (recipe_.max_depth < 0 || item.depth < recipe_.max_depth) &&
               item.size() >= static_cast<size_t>(std::max(recipe_.min_samples_split, 2 * recipe_.min_samples_leaf)) &&
               item.totals.weight >= std::max(2 * recipe_.min_weight_leaf, recipe_.min_weight_split);
    }

    // ---- searching -------------------------------------------------------------------------------------------------

    std::vector<int32_t> allowed_features(const Item& item) const {
        if (item.features) return *item.features;
        std::vector<int32_t> features(table_.features.size());
        std::iota(features.begin(), features.end(), 0);
        return features;
    }
    /// The features to look at: all, or max_features drawn of them, and the rest in the order in which it would be drawn, the
    /// next one last. As drawn, so that chance decides between equals, or else ascending.
    std::vector<int32_t> chosen_features(const Item& item, Random& random, std::vector<int32_t>& rest) const {
        std::vector<int32_t> features = allowed_features(item);
        const size_t n = features.size();
        const size_t wanted = recipe_.max_features == 0 ? n : std::min(static_cast<size_t>(recipe_.max_features), n);
        if (wanted == n && recipe_.ties != Ties::random) return features;
        for (size_t i = 0; i < n; ++i) std::swap(features[i], features[i + random.below(n - i)]);
        rest.assign(features.rbegin(), features.rend() - static_cast<std::ptrdiff_t>(wanted));
        features.resize(wanted);
        if (recipe_.ties != Ties::random) std::sort(features.begin(), features.end());
        return features;
    }

    /// What a merit counts for where features have their price: a split pays for every feature it looks at.
    double worth_of(const Candidate& candidate) const {
        if (recipe_.feature_costs.empty()) return candidate.merit;
        double paid = 0;
        for (int32_t feature : candidate.features()) paid += recipe_.feature_costs[static_cast<size_t>(feature)];
        return candidate.merit / paid;
    }
    /// Entries of the category that stands for missing become the default branch.
    void settle_missing_category(Candidate& candidate) const {
        if (candidate.kind != SplitKind::table || policy_of(candidate.feature) != Missing::value) return;
        const int32_t extra = problem_.table.features[static_cast<size_t>(candidate.feature)].n_categories;
        if (candidate.table.empty() || candidate.table.back().first != extra) return;
        candidate.default_branch = candidate.table.back().second;
        candidate.table.pop_back();
    }
    void keep_competitors(Item& item, std::vector<Candidate>&& found) {
        settle_missing_category(item.split);
        std::erase_if(found,
                      [&](const Candidate& c) { return c.feature == item.split.feature && c.oblique() == item.split.oblique(); });
        std::stable_sort(found.begin(), found.end(),
                         [&](const Candidate& a, const Candidate& b) { return worth_of(a) > worth_of(b); });
        if (found.size() > static_cast<size_t>(recipe_.max_competitors))
            found.resize(static_cast<size_t>(recipe_.max_competitors));
        for (Candidate& candidate : found) settle_missing_category(candidate);
        item.competitors = std::move(found);
    }
    /// Whether the split is more than chance (significance.hpp); a row counts in a branch by its share.
    bool significant(Item& item) {
        std::vector<Candidate> unused;
        std::vector<BranchSums> branches;
        for (const Parts& parts : send(item, unused)) {
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
        const double p = C::classification ? chi_square_p(branches) : f_test_p(branches);
        const double candidates = recipe_.n_families() * (item.split.rivals > 0 ? item.split.rivals : candidates_);
        return p * std::min(candidates, 1e300) <= recipe_.significance;
    }
    /// Decrease of the node's impurity by its split.
    double decrease(Item& item) {
        if (criterion_.traits.decrease) return item.split.merit;
        if constexpr (C::classification) {
            std::vector<Candidate> unused;
            double after = 0;
            for (const Parts& parts : send(item, unused)) {
                const Totals t = class_weights(parts, problem_.label, problem_.width());
                if (t.weight > 0) after += t.weight * criterion_.impurity(t);
            }
            return item.impurity - after / item.totals.weight;
        } else {
            return item.split.merit;
        }
    }

    // ---- sending rows down -------------------------------------------------------------------------------------------------

    int32_t branch_of(const Candidate& split, double value) const {
        if (std::isnan(value)) return -1;
        if (split.kind == SplitKind::interval) return interval_of(split.pool(), value);
        if (split.kind != SplitKind::table) return value <= split.threshold ? 0 : 1;
        return split.branch_of(static_cast<int32_t>(value));
    }
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
            for (size_t i = 0; i < branch.size(); ++i) branch[i] = branch_of(split, value_[i]);
        }
        const Missing policy = policy_of(split.feature);
        const bool by_rows = policy == Missing::direction || policy == Missing::value;
        std::vector<double> size(static_cast<size_t>(split.n_branches), 0.0);
        for (size_t i = 0; i < branch.size(); ++i)
            if (branch[i] >= 0) size[static_cast<size_t>(branch[i])] += by_rows ? 1.0 : item.parts.weight_of(i);
        if (fill.found) split.default_branch = branch_of(split, fill.value);
        settle_default(policy, recipe_, size, split.default_branch);
        return branch;
    }
    std::vector<Parts> send(Item& item, std::vector<Candidate>& surrogates) {
        std::vector<int32_t> branch = answers(item, item.split);
        if (uses_surrogates(recipe_, policy_of(item.split.feature))) {
            const auto row_of = [&](size_t i) { return item.parts.row[i]; };
            const Sent sent{branch, item.parts.weight, static_cast<size_t>(item.split.n_branches)};
            pull_.resize(branch.size());
            for (size_t i = 0; i < branch.size(); ++i) pull_[i] = sent.pull(i);
            surrogates = find_surrogates(problem_.table, recipe_, item.split, sent, sent.ways(pull_), row_of,
                                         [&](size_t feature, const cart::Ways& ways, double, cart::Split& split) {
                                             return agreeing_cut(item, feature, ways, split);
                                         });
            follow_surrogates(problem_.table, surrogates, row_of, branch);
        }
        return treewright::send(item.parts, branch, item.split.default_branch, static_cast<size_t>(item.split.n_branches));
    }
    cart::Agreement agreeing_cut(const Item& item, size_t feature, const cart::Ways& ways, cart::Split& split) {
        std::span<const List> list = item.lists.of(feature);
        if (!keeps_order(feature)) {
            gather_raw(item, feature_at(feature));
            list = std::span(list_.data(), sort_values(item));
        }
        size_t place = 0;
        const cart::Agreement agreement = cart::agreeing_cut(
            list.size(), [&](size_t i) { return list[i].row; }, [&](size_t i) { return list[i].rank != list[i - 1].rank; }, ways,
            place, split.below);
        if (agreement.found)
            split.cut = (number(item, feature, list[place - 1].row) + number(item, feature, list[place].row)) / 2;
        return agreement;
    }

    void make_child(const Item& item, size_t b, Parts&& parts, Item& child) {
        child.depth = item.depth + 1;
        child.seed = child_seed(item.seed, b);
        child.parts = std::move(parts);
        child.groups = item.groups;
        child.features = item.features;
        Description description = describe(child);
        if (child.size() == 0) {  // an empty branch predicts what its parent does
            const auto width = static_cast<int64_t>(out_->width);
            const auto at = out_->value.begin() + static_cast<int64_t>(item.node) * width;
            description.value.assign(at, at + width);
            description.weight = description.risk = description.impurity = 0;
        }
        child.node = out_->append(item.node, child.depth, description);
        if (description.pure || !may_split(child)) {
            problem_.monitor.settled += child.size();
            child.node = -1;
        }
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

    Builder* out_ = nullptr;
    int thread_ = 0;
    const Parts* parts_ = nullptr;
    Interactions interactions_;
    bool pure_root_ = false;
    Best<Candidate> ties_;
    std::vector<double> pull_;  // of surrogates, by part
    Places<Index> places_;
};

}  // namespace treewright
