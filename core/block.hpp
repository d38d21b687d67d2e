// A subtree grown on presorted lists: every feature is sorted once, then each split partitions the lists stably.
//
// Rows are renumbered 0, 1, … inside the block, with 16-bit numbers for blocks that fit a cache (the design of
// presorted attribute lists: Mehta, Agrawal & Rissanen, 1996; here in cache-sized blocks).
#pragma once
#include "block_search.hpp"
#include "parts.hpp"

namespace treewright {

template <class C, class Scorer, class Index>
class Block : BlockSearch<C, Scorer, Index> {
    using Search = BlockSearch<C, Scorer, Index>;
    using Rows = typename Search::Rows;
    using Rows::order_, Rows::active_, Rows::begin_, Rows::buffer_, Rows::problem_, Rows::recipe_, Rows::n_, Rows::thread_,
        Rows::weight_, Rows::target_, Rows::label_, Rows::local_;
    using Rows::partition, Rows::partition_lists, Rows::set_threshold, Rows::assign_branches, Rows::unrank, Rows::branch_sums;
    using Search::criterion_, Search::monotone, Search::look_around, Search::search, Search::neighbours_, Search::best_,
        Search::found_, Search::candidates_;

public:
    using typename Search::Item;

    Block(const Problem& problem, const std::vector<double>& weight)
        : Search(problem, weight), interactions_(recipe_.interaction) {}

    /// Take over these rows of the table; nodes go to `out`. Memory is kept from one load to the next.
    void load(const Parts& parts, Builder& out, int thread = 0) {
        out_ = &out;
        Rows::gather(parts.row, thread);
    }

    /// The root of the block.
    Item root(int32_t depth, uint64_t seed, const Interactions::Open& groups = nullptr) {
        Item item;
        item.depth = depth;
        item.end = static_cast<uint32_t>(n_);
        item.seed = seed;
        item.groups = groups;
        item.active = groups ? interactions_.among(*active_, groups) : active_;
        const Description description = describe(item);
        item.node = out_->append(-1, depth, description);
        pure_root_ = description.pure;
        if (monotone()) neighbours_.start(*out_, prediction(item));
        return item;
    }
    bool root_may_split(const Item& item) const { return !pure_root_ && may_split(item); }

    /// Grow everything below the item, depth first.
    void grow(Item item) {
        std::vector<Item> stack;
        stack.push_back(std::move(item));
        uint64_t work = 0;
        while (!stack.empty()) {
            Item next = std::move(stack.back());
            stack.pop_back();
            work += next.size() * problem_.n_features();
            if (work > 4'000'000) {
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

    bool may_split(const Item& item) const {
        return (recipe_.max_depth < 0 || item.depth < recipe_.max_depth) &&
               item.size() >= static_cast<size_t>(std::max(recipe_.min_samples_split, 2 * recipe_.min_samples_leaf)) &&
               item.totals.weight >= 2 * recipe_.min_weight_leaf;
    }

    /// Find the best split of an impure node; false if there is none.
    bool find(Item& item) {
        search(item);
        if (!best_.found() || !(best_.merit > recipe_.min_merit)) return false;
        set_threshold(item, best_);
        item.split = std::move(best_);
        if (recipe_.max_competitors > 0) keep_competitors(item);
        if (recipe_.min_impurity_decrease > 0 || recipe_.complexity > 0 || recipe_.order == Order::best_first) {
            item.decrease = decrease(item) * item.totals.weight / problem_.total_weight;
            if (item.decrease + 2.2e-16 < recipe_.least_decrease(item.split.n_branches)) return false;
        }
        return recipe_.significance >= 1 || significant(item);
    }

    /// Carry out the split of an item: append the children, give back those that may be split further.
    std::vector<Item> split(Item& item) {
        const size_t branches = static_cast<size_t>(item.split.n_branches);
        if (monotone() && neighbours_.looked_at() != item.node) look_around(item);
        assign_branches(item, item.split);
        partition(order_[item.buffer].data() + item.begin, order_[1 - item.buffer].data() + item.begin, item.size(), branches,
                  [](Index row) { return row; });
        if (!interactions_.free()) {
            item.groups = interactions_.below(item.groups, item.split.feature);
            item.active = interactions_.among(*item.active, item.groups);
        }
        std::vector<Item> children(branches);
        for (size_t b = 0; b < branches; ++b) take_branch(item, b, children[b]);
        share_totals(item, children);
        const auto first = static_cast<int32_t>(out_->nodes.size());
        bool any = false;
        for (Item& child : children) any |= append_child(item, child);
        unrank(item, item.split);
        for (Candidate& other : item.competitors) unrank(item, other);
        out_->set_split(item.node, item.split, first, std::move(item.competitors));
        if (monotone()) settle_children(item, children);
        if (any) partition_lists(item, item.split, *item.active, branches);
        std::erase_if(children, [](const Item& child) { return child.node < 0; });
        return children;
    }

private:
    // ---- describing a node -----------------------------------------------------------------------------------

    Description describe(Item& item) {
        const Index* order = order_[item.buffer].data() + item.begin;
        Description node;
        if (problem_.n_classes) {
            if (item.totals.sums.empty()) count_classes(item);
            if constexpr (C::classification) describe_classes<C>(problem_, item.totals, node);
        } else {
            item.totals = Totals(problem_.width());
            buffer_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) buffer_[i] = target_[order[i]];
            if (local_.weight) {
                weight_buffer_.resize(item.size());
                for (size_t i = 0; i < item.size(); ++i) weight_buffer_[i] = weight_[order[i]];
            }
            if constexpr (!C::classification) describe_numbers<C>(buffer_, weight_buffer_, node);
            item.totals.count = item.size();
            item.totals.weight = node.weight;
            item.centre = node.centre;
        }
        item.impurity = node.impurity;
        return node;
    }

    void count_classes(Item& item) const {
        const Index* order = order_[item.buffer].data() + item.begin;
        Totals& t = item.totals;
        t = Totals(problem_.width());
        for (size_t i = 0; i < item.size(); ++i) {
            const double w = local_.weight_of(order[i]);
            t.sums[static_cast<size_t>(label_[order[i]])] += w;
            t.weight += w;
        }
        t.count = item.size();
    }
    /// Whole counts subtract without rounding: only the smaller of two branches is counted.
    void share_totals(const Item& item, std::vector<Item>& children) const {
        if (children.size() != 2 || !problem_.n_classes || local_.weight) return;
        const bool first = children[0].size() <= children[1].size();
        Item &small = children[first ? 0 : 1], &large = children[first ? 1 : 0];
        count_classes(small);
        large.totals = item.totals;
        large.totals.remove(small.totals);
    }

    // ---- after the search ------------------------------------------------------------------------------------

    bool significant(Item& item) {
        const std::vector<BranchSums> branches = branch_sums(item, item.split, item.centre);
        const double p = problem_.n_classes ? chi_square_p(branches) : f_test_p(branches);
        return p * candidates_ <= recipe_.significance;
    }
    void keep_competitors(Item& item) {
        std::erase_if(found_, [&](const Candidate& c) { return c.feature == item.split.feature; });
        std::stable_sort(found_.begin(), found_.end(), [&](const Candidate& a, const Candidate& b) {
            return recipe_.worth(a.merit, a.feature) > recipe_.worth(b.merit, b.feature);
        });
        if (found_.size() > static_cast<size_t>(recipe_.max_competitors))
            found_.resize(static_cast<size_t>(recipe_.max_competitors));
        for (Candidate& candidate : found_) set_threshold(item, candidate);
        item.competitors = std::move(found_);
        found_ = {};
    }

    /// Decrease of the node's impurity by its split.
    double decrease(Item& item) {
        if (criterion_.traits.decrease) return item.split.merit;
        double after = 0;
        for (const BranchSums& branch : branch_sums(item, item.split, item.centre)) {
            if (branch.weight <= 0) continue;
            if constexpr (C::classification) {
                Totals t(problem_.width());
                t.weight = branch.weight;
                t.sums = branch.classes;
                after += t.weight * criterion_.impurity(t);
            } else {
                after += branch.squares - branch.sum * branch.sum / branch.weight;
            }
        }
        return item.impurity - after / item.totals.weight;
    }

    void take_branch(const Item& item, size_t b, Item& child) const {
        child.depth = item.depth + 1;
        child.begin = item.begin + begin_[b];
        child.end = item.begin + begin_[b + 1];
        child.buffer = static_cast<uint8_t>(1 - item.buffer);
        child.seed = child_seed(item.seed, b);
        child.active = item.active;
        child.groups = item.groups;
    }
    /// Append a child; true if it may be split further (else its item is emptied).
    bool append_child(const Item& item, Item& child) {
        Description description = describe(child);
        if (child.size() == 0) {  // an empty branch predicts what its parent does
            const auto width = static_cast<int64_t>(out_->width);
            const auto at = out_->value.begin() + static_cast<int64_t>(item.node) * width;
            description.value.assign(at, at + width);
            description.weight = description.risk = description.impurity = 0;
        }
        child.node = out_->append(item.node, child.depth, description);
        const bool further = !description.pure && may_split(child);
        if (!further) {
            problem_.monitor.settled += child.size();
            child.node = -1;
        }
        return further;
    }

    // ---- monotone constraints ----------------------------------------------------------------------------------

    /// What a node predicts, as monotone constraints speak of it.
    double prediction(const Item& item) const {
        return problem_.n_classes ? local_.levels->mean(item.totals.sums.data()) : out_->value[static_cast<size_t>(item.node)];
    }
    /// The branches are leaves now. The search adds numbers in another order than leaves do: what it rounded is put right.
    void settle_children(const Item& item, const std::vector<Item>& children) {
        std::vector<double> predictions(children.size());
        const auto first = out_->nodes.size() - children.size();
        if constexpr (C::classification) {
            for (size_t b = 0; b < children.size(); ++b)
                predictions[b] = children[b].size() ? prediction(children[b]) : neighbours_.prediction(item.node);
        } else {
            keep_in_order(item, std::span(out_->value).subspan(first, children.size()));
            for (size_t b = 0; b < children.size(); ++b) predictions[b] = out_->value[first + b];
        }
        neighbours_.split(item.node, predictions);
    }
    void keep_in_order(const Item& item, std::span<double> value) const {
        const auto hold = [](double& prediction, const Bounds& bounds) {
            prediction = std::clamp(prediction, bounds.lowest, bounds.highest);
        };
        if (problem_.table.features[static_cast<size_t>(item.split.feature)].categorical()) {
            for (double& prediction : value) hold(prediction, neighbours_.bounds());
            return;
        }
        const CutBounds cuts = neighbours_.bounds(item.split.feature);
        if (item.split.threshold < infinity && !cuts.whole.in_order(value[0], value[1]))
            value[0] = value[1] = value[0] / 2 + value[1] / 2;
        hold(value[0], cuts.left(item.split.threshold, item.split.default_branch == 0));
        hold(value[1], cuts.right(item.split.threshold, item.split.default_branch == 1));
    }

    Builder* out_ = nullptr;
    bool pure_root_ = false;
    Interactions interactions_;
    std::vector<double> weight_buffer_;
};

}  // namespace treewright
