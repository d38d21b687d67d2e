// The trunk: large nodes, split exactly with the help of coarse histograms.
//
// Every numeric feature is coded into at most 255 bins once. At a node, the bin edges are scored from a histogram, and for
// each bin an upper bound on any cut inside it follows from the concavity of the impurity: only bins whose bound reaches the
// best score are gathered, sorted and scanned. The result is the exact best cut; most rows are never sorted.
#pragma once
#include "binned_pulls.hpp"
#include "random.hpp"
#include "significance.hpp"
#include "trunk_search.hpp"

namespace treewright {

/// A node to be grown in a block of its own: small, or the last of a run of thin splits.
struct Graft {
    int32_t node, depth;
    uint64_t seed;
    Interactions::Open groups;
    Parts parts;
};

template <class C, class Scorer>
class Trunk : TrunkSearch<C, Scorer> {
    using Search = TrunkSearch<C, Scorer>;
    using Base = typename Search::Base;
    using Base::gather, Base::histograms, Base::unit, Base::is_coded;
    using Base::problem_, Base::recipe_, Base::coded_, Base::label_, Base::target_, Base::local_;
    using Search::search, Search::candidate, Search::tolerance, Search::workspace_;
    using typename Base::Item, typename Search::Found, typename Search::Workspace;

public:
    Trunk(const Problem& problem, bool unit, size_t block_rows, Builder& out)
        : Search(problem, unit), block_rows_(block_rows), out_(out), interactions_(recipe_.interaction) {}

    /// Split the large nodes that grow from these rows; the small ones left are the grafts.
    std::vector<Graft> grow(Parts&& rows) {
        std::vector<Item> stack;
        Item root;
        root.parts = std::move(rows);
        root.seed = Random(recipe_.random_state).next();
        if (place(root, -1)) stack.push_back(std::move(root));
        while (!stack.empty()) {
            Item item = std::move(stack.back());
            stack.pop_back();
            problem_.monitor.poll(0);
            if (item.size() <= block_rows_ || item.thin_splits >= most_thin_splits) {
                grafts_.push_back({item.node, item.depth, item.seed, std::move(item.groups), std::move(item.parts)});
                continue;
            }
            if (!find(item)) {
                problem_.monitor.settled += item.size();
                continue;
            }
            split(item, stack);
        }
        return std::move(grafts_);
    }

private:
    /// After so many splits in a row that took off next to nothing, a long chain is likely; there bounds rule out few bins,
    /// and lists sorted once are the cheaper way down.
    static constexpr int most_thin_splits = 8;

    // ---- finding the split of a node ---------------------------------------------------------------------------

    /// Append a node; true if it may be split.
    bool place(Item& item, int32_t parent) {
        Description description;
        if constexpr (C::classification) {
            item.totals = class_weights(item.parts, problem_.label, problem_.width());
            describe_classes<C>(problem_, item.totals, description);
        } else {
            gather(item);
            describe_numbers<C>(target_, item.parts.weight, description);
            item.totals = Totals(problem_.width());
            item.totals.weight = description.weight;
            item.totals.count = item.size();
            item.centre = description.centre;
        }
        item.impurity = description.impurity;
        item.node = out_.append(parent, item.depth, description);
        return !description.pure && (recipe_.max_depth < 0 || item.depth < recipe_.max_depth) &&
               item.size() >= static_cast<size_t>(std::max(recipe_.min_samples_split, 2 * recipe_.min_samples_leaf)) &&
               item.totals.weight >= std::max(2 * recipe_.min_weight_leaf, recipe_.min_weight_split);
    }

    bool find(Item& item) {
        gather(item);
        if constexpr (!C::classification) {
            local_.centre = item.centre;
            double sum = 0;
            for (size_t i = 0; i < item.size(); ++i) {
                target_[i] -= item.centre;
                sum += local_.weight_of(i) * target_[i];
            }
            item.totals.sums[0] = sum;
        }
        std::vector<Found> found = search(item);
        return choose(item, found) && (recipe_.significance >= 1 || significant(item));
    }

    bool choose(Item& item, std::vector<Found>& found) {
        Best<size_t> ties(tolerance(item));
        Random random(item.seed);
        FeatureDraw draw(recipe_.ties == Ties::random ? found.size() : 0);
        for (size_t i = 0; i < found.size(); ++i) {
            const size_t f = draw.any_left() ? static_cast<size_t>(draw.next(random)) : i;
            ties.offer(worth(found, f), f);
        }
        if (!ties.found()) return false;
        const size_t best = ties.get();
        if (!(found[best].merit > recipe_.min_merit)) return false;
        const int32_t branches = problem_.table.features[best].categorical() ? found[best].table.n_branches : 2;
        const double least = recipe_.least_decrease(branches);  // 0 asks for nothing, not even of the rounding
        if (least > 0 && found[best].merit * item.totals.weight / problem_.total_weight + 2.2e-16 < least) return false;
        item.split = candidate(item, best, found[best]);
        if (recipe_.max_competitors > 0) {
            std::vector<size_t> others;
            for (size_t f = 0; f < found.size(); ++f)
                if (f != best && found[f].merit != -infinity) others.push_back(f);
            std::stable_sort(others.begin(), others.end(), [&](size_t a, size_t b) { return worth(found, a) > worth(found, b); });
            if (others.size() > static_cast<size_t>(recipe_.max_competitors))
                others.resize(static_cast<size_t>(recipe_.max_competitors));
            for (size_t f : others) item.competitors.push_back(candidate(item, f, found[f]));
        }
        return true;
    }
    double worth(const std::vector<Found>& found, size_t feature) const {
        return recipe_.worth(found[feature].merit, static_cast<int32_t>(feature));
    }
    /// Whether the split is more than chance; every row goes down one branch. Candidates are counted only where the number there
    /// could be leaves it open.
    bool significant(Item& item) {
        answer(item, item.split);
        std::vector<BranchSums> branches(static_cast<size_t>(item.split.n_branches));
        for (BranchSums& branch : branches) branch.classes.resize(C::classification ? problem_.width() : 0);
        for (size_t i = 0; i < item.size(); ++i) {
            const double w = local_.weight_of(i);
            BranchSums& branch = branches[static_cast<size_t>(branch_[i] >= 0 ? branch_[i] : item.split.default_branch)];
            branch.weight += w;
            ++branch.count;
            if constexpr (C::classification) branch.classes[static_cast<size_t>(label_[i])] += w;
            else {
                branch.sum += w * target_[i];
                branch.squares += w * target_[i] * target_[i];
            }
        }
        const double p = C::classification ? chi_square_p(branches) : f_test_p(branches);
        const auto count = [&](auto&& of_feature) {
            double sum = 0;
            for (size_t f = 0; f < problem_.n_features(); ++f)
                if (item.may_use(f)) sum += of_feature(f);
            return sum;
        };
        const double most = count([&](size_t f) {
            const Feature& feature = problem_.table.features[f];
            return feature.categorical() ? count_groupings(recipe_, static_cast<size_t>(feature.n_categories) + 1)
                                         : 2.0 * static_cast<double>(item.size());
        });
        return p * most <= recipe_.significance ||
               p * count([&](size_t f) { return count_candidates(item, f); }) <= recipe_.significance;
    }
    /// How many candidates a feature has at a node.
    double count_candidates(const Item& item, size_t f) {
        const Feature& feature = problem_.table.features[f];
        const uint32_t* rows = item.parts.row.data();
        const size_t n = item.size();
        if (feature.categorical()) {
            std::vector<int32_t> codes(n);
            for (size_t i = 0; i < n; ++i) codes[i] = feature.codes[rows[i]];
            std::sort(codes.begin(), codes.end());
            return count_groupings(recipe_, static_cast<size_t>(std::unique(codes.begin(), codes.end()) - codes.begin()));
        }
        if (!recipe_.threshold) return 0;
        Workspace& work = workspace_[0];
        work.values.resize(n);
        work.sorted.resize(n);
        for (size_t i = 0; i < n; ++i) work.values[i] = feature.numbers[rows[i]];
        return count_cuts(work.sorted.data(), work.sorter.sort(work.values.data(), n, work.sorted.data()), n);
    }
    // ---- carrying it out -----------------------------------------------------------------------------------------

    /// The branch of every row, −1 where the split does not answer; settles the default branch.
    void answer(const Item& item, Candidate& split) {
        const Feature& feature = problem_.table.features[static_cast<size_t>(split.feature)];
        const std::vector<uint32_t>& rows = item.parts.row;
        const Missing policy = recipe_.policy(static_cast<size_t>(split.feature));
        branch_.resize(item.size());
        std::vector<double> size(static_cast<size_t>(split.n_branches), 0.0);
        std::vector<int32_t> lookup(static_cast<size_t>(feature.n_categories), -1);
        for (const auto& [code, branch] : split.table) lookup[static_cast<size_t>(code)] = branch;
        for (size_t i = 0; i < rows.size(); ++i) {
            if (feature.categorical()) {
                branch_[i] = feature.codes[rows[i]] < 0 ? -1 : lookup[static_cast<size_t>(feature.codes[rows[i]])];
            } else {
                const double x = feature.numbers[rows[i]];
                branch_[i] = std::isnan(x) ? -1 : x <= split.threshold ? 0 : 1;
            }
            if (branch_[i] >= 0) size[static_cast<size_t>(branch_[i])] += left_out(policy) ? item.parts.weight_of(i) : 1.0;
        }
        settle_default(policy, recipe_, size, split.default_branch);
    }
    /// Surrogates of the split; rows that it does not answer follow them.
    std::vector<Candidate> stand_in(const Item& item) {
        const std::vector<uint32_t>& rows = item.parts.row;
        const auto row_of = [&](size_t i) { return rows[i]; };
        const Sent sent{branch_, item.parts.weight, static_cast<size_t>(item.split.n_branches)};
        const auto skip = [&](size_t f) { return !is_coded(f) || item.split.n_branches != 2; };
        BinnedPulls pulls(problem_.table, coded_, rows, sent, recipe_.threads, skip);
        std::vector<Candidate> surrogates =
            find_surrogates(problem_.table, recipe_, item.split, sent, sent.ways({}), row_of,
                            [&](size_t feature, const cart::Ways& ways, double least, cart::Split& split) {
                                return pulls.best_cut(feature, ways, least, split);
                            });
        follow_surrogates(problem_.table, surrogates, row_of, branch_);
        return surrogates;
    }
    void split(Item& item, std::vector<Item>& stack) {
        Candidate& chosen = item.split;
        const auto branches = static_cast<size_t>(chosen.n_branches);
        answer(item, chosen);
        std::vector<Candidate> surrogates;
        if (uses_surrogates(recipe_, recipe_.policy(static_cast<size_t>(chosen.feature)))) surrogates = stand_in(item);
        std::vector<Parts> parts = send(item.parts, branch_, chosen.default_branch, branches);
        if (!interactions_.free()) {
            item.groups = interactions_.below(item.groups, chosen.feature);
            item.features = interactions_.among(all_features(), item.groups);
        }
        const auto first = static_cast<int32_t>(out_.nodes.size());
        std::vector<Item> children(branches);
        for (size_t b = 0; b < branches; ++b) {
            Item& child = children[b];
            child.depth = item.depth + 1;
            child.parts = std::move(parts[b]);
            child.seed = child_seed(item.seed, b);
            child.groups = item.groups;
            child.features = item.features;
            const bool further = child.size() > 0 ? place(child, item.node) : empty(child, item.node);
            if (!further) {
                problem_.monitor.settled += child.size();
                child.node = -1;
            }
        }
        for (Candidate& other : item.competitors) unrank(other);
        unrank(chosen);
        out_.set_split(item.node, chosen, first, std::move(item.competitors));
        out_.set_surrogates(item.node, std::move(surrogates));
        for (Item& child : children)
            child.thin_splits = item.size() - child.size() <= item.size() / 256 ? item.thin_splits + 1 : 0;
        share_histogram(item, children);
        for (size_t b = branches; b-- > 0;)
            if (children[b].node >= 0) stack.push_back(std::move(children[b]));
    }
    std::vector<int32_t> all_features() const {
        std::vector<int32_t> features(problem_.n_features());
        std::iota(features.begin(), features.end(), 0);
        return features;
    }
    /// A split on ranked categories as a table of all of them: large nodes know where to send even those they lack.
    void unrank(Candidate& split) const {
        if (!problem_.rankings) return;
        const Ranking* ranking = (*problem_.rankings)[static_cast<size_t>(split.feature)];
        if (ranking && split.kind == SplitKind::threshold) to_table(*ranking, split, [](size_t) { return true; });
    }
    /// An empty branch predicts what its parent does.
    bool empty(Item& child, int32_t parent) {
        Description description;
        const auto width = static_cast<int64_t>(out_.width);
        const auto at = out_.value.begin() + parent * width;
        description.value.assign(at, at + width);
        child.node = out_.append(parent, child.depth, description);
        return false;
    }
    /// Whole counts subtract without rounding: the histogram of the larger child is the parent's less the smaller's.
    void share_histogram(Item& item, std::vector<Item>& children) {
        if (!(C::classification && unit()) || children.size() != 2) return;
        if (children[0].size() + children[1].size() < item.size()) return;  // some rows stayed at the node
        Item& small = children[children[0].size() <= children[1].size() ? 0 : 1];
        Item& large = children[children[0].size() <= children[1].size() ? 1 : 0];
        if (large.node < 0 || large.size() <= block_rows_) return;
        gather(small);
        small.histogram.reset();
        histograms(small);
        large.histogram = std::move(item.histogram);
        for (size_t i = 0; i < large.histogram->size(); ++i) (*large.histogram)[i] -= (*small.histogram)[i];
        if (small.node < 0 || small.size() <= block_rows_) small.histogram.reset();
    }

    size_t block_rows_;
    Builder& out_;
    Interactions interactions_;
    std::vector<Graft> grafts_;
    std::vector<int32_t> branch_;  // of the rows of the node in hand
};

}  // namespace treewright
