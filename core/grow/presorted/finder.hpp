// A subtree grown on presorted lists: every feature is sorted once, then each split partitions the lists stably.
//
// Rows are renumbered 0, 1, … inside the block, with 16-bit numbers for blocks that fit a cache (the design of
// presorted attribute lists: Mehta, Agrawal & Rissanen, 1996; here in cache-sized blocks).
#pragma once
#include "grow/presorted/search.hpp"
#include "parts.hpp"

namespace treewright {

template <class C, class Scorer, class Index>
class Block : BlockSearch<C, Scorer, Index> {
    using Search = BlockSearch<C, Scorer, Index>;
    using Rows = typename Search::Rows;
    using Rows::order_, Rows::active_, Rows::begin_, Rows::buffer_, Rows::problem_, Rows::recipe_, Rows::n_, Rows::thread_,
        Rows::weight_, Rows::target_, Rows::label_, Rows::local_;
    using Rows::partition_lists, Rows::set_threshold, Rows::assign_branches, Rows::unrank;
    using Search::criterion_, Search::monotone, Search::look_around, Search::neighbours_, Search::candidates_;

public:
    using typename Search::Item;
    using Criterion = C;
    using SubtreeRows = Parts;

    Block(const Problem& problem, const std::vector<double>& weight) : Search(problem, weight) {}

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
        item.features = active_;
        return item;
    }

    // ---- what the driver asks --------------------------------------------------------------------------------

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
        return node;
    }
    bool search(Item& item) {
        if (monotone() && item.node == 0) neighbours_.start(*out_, prediction(item));
        if (!Search::find_best(item)) return false;
        set_threshold(item, item.split);
        for (Candidate& other : item.competitors) set_threshold(item, other);
        return true;
    }
    std::vector<BranchSums> branch_sums(Item& item) { return Rows::branch_sums(item, item.split, item.centre); }
    double most_candidates(const Item&) const { return candidates_; }
    double count_candidates(const Item&) const { return candidates_; }

    void partition(Item& item) {
        if (monotone() && neighbours_.looked_at() != item.node) look_around(item);
        assign_branches(item, item.split);
        Rows::partition(order_[item.buffer].data() + item.begin, order_[1 - item.buffer].data() + item.begin, item.size(),
                        static_cast<size_t>(item.split.n_branches), [](Index row) { return row; });
    }
    void take_branches(const Item& item, std::vector<Item>& children) const {
        for (size_t b = 0; b < children.size(); ++b) {
            children[b].begin = item.begin + begin_[b];
            children[b].end = item.begin + begin_[b + 1];
            children[b].buffer = static_cast<uint8_t>(1 - item.buffer);
        }
        share_totals(item, children);
    }
    void finish(const Item& item, Candidate& split) const { unrank(item, split); }
    void pass_on(const Item& item, const std::vector<Item>& children) {
        if (monotone()) settle_children(item, children);
        if (std::ranges::any_of(children, [](const Item& child) { return child.node >= 0; }))
            partition_lists(item, item.split, *item.features, children.size());
    }

private:
    void count_classes(Item& item) const {
        const Index* order = order_[item.buffer].data() + item.begin;
        Totals& t = item.totals;
        t = Totals(problem_.width());
        for (size_t i = 0; i < item.size(); ++i) {
            const double w = local_.weight_of(order[i]);
            t.sums[static_cast<size_t>(label_[order[i]])] += w;
        }
        t.weight = std::accumulate(t.sums.begin(), t.sums.end(), 0.0);
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
    std::vector<double> weight_buffer_;
};

}  // namespace treewright
