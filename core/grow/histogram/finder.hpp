// The trunk: large nodes, split exactly with the help of coarse histograms.
//
// Every numeric feature is coded into at most 255 bins once. At a node, the bin edges are scored from a histogram, and for
// each bin an upper bound on any cut inside it follows from the concavity of the impurity: only bins whose bound reaches the
// best score are gathered, sorted and scanned. The result is the exact best cut; most rows are never sorted.
#pragma once
#include "grow/histogram/surrogate_histogram.hpp"
#include "best.hpp"
#include "feature_draw.hpp"
#include "random.hpp"
#include "significance.hpp"
#include "grow/histogram/search.hpp"

namespace treewright {

template <class C, class Scorer>
class Trunk : TrunkSearch<C, Scorer> {
    using Search = TrunkSearch<C, Scorer>;
    using Base = typename Search::Base;
    using Base::gather, Base::histograms, Base::unit, Base::is_coded;
    using Base::problem_, Base::recipe_, Base::coded_, Base::label_, Base::target_, Base::local_;
    using Search::candidate, Search::tolerance, Search::workspace_;
    using typename Search::Found, typename Search::Workspace;

public:
    using typename Base::Item;
    using Criterion = C;
    using SubtreeRows = Parts;

    Trunk(const Problem& problem, bool unit, size_t block_rows) : Search(problem, unit), block_rows_(block_rows) {}

    Item root(Parts&& rows) const {
        Item root;
        root.parts = std::move(rows);
        root.seed = Random(recipe_.random_state).next();
        return root;
    }

    // ---- what the driver asks --------------------------------------------------------------------------------

    /// Small nodes, and those below a run of thin splits, are grown on sorted lists.
    bool hands_over(const Item& item) const { return item.size() <= block_rows_ || item.thin_splits >= most_thin_splits; }
    Parts hand_over(Item& item) const { return std::move(item.parts); }

    Description describe(Item& item) {
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
        return description;
    }
    bool search(Item& item) {
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
        std::vector<Found> found = Search::search(item);
        return choose(item, found);
    }
    /// Every row goes down one branch.
    std::vector<BranchSums> branch_sums(Item& item) {
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
        return branches;
    }
    double most_candidates(const Item& item) const {
        return sum_over_features(item, [&](size_t f) {
            const Feature& feature = problem_.table.features[f];
            return feature.categorical() ? count_groupings(recipe_, static_cast<size_t>(feature.n_categories) + 1)
                                         : 2.0 * static_cast<double>(item.size());
        });
    }
    double count_candidates(const Item& item) {
        return sum_over_features(item, [&](size_t f) { return count_candidates(item, f); });
    }
    void partition(Item& item) {
        answer(item, item.split);
        if (uses_surrogates(recipe_, recipe_.policy(static_cast<size_t>(item.split.feature)))) item.surrogates = stand_in(item);
        sent_ = send(item.parts, branch_, item.split.default_branch, static_cast<size_t>(item.split.n_branches));
    }
    void take_branches(const Item& item, std::vector<Item>& children) {
        for (size_t b = 0; b < children.size(); ++b) {
            children[b].parts = std::move(sent_[b]);
            children[b].thin_splits = item.size() - children[b].size() <= item.size() / 256 ? item.thin_splits + 1 : 0;
        }
    }
    void finish(const Item&, Candidate& split) const { unrank(split); }
    void pass_on(Item& item, std::vector<Item>& children) { share_histogram(item, children); }

private:
    /// After so many splits in a row that took off next to nothing, a long chain is likely; there bounds rule out few bins,
    /// and lists sorted once are the cheaper way down.
    static constexpr int most_thin_splits = 8;

    // ---- finding the split of a node ---------------------------------------------------------------------------

    bool choose(Item& item, std::vector<Found>& found) {
        Best<size_t> best(tolerance(item));
        Random random(item.seed);
        FeatureDraw draw(recipe_.ties == Ties::random ? found.size() : 0);
        for (size_t i = 0; i < found.size(); ++i) {
            const size_t f = draw.any_left() ? static_cast<size_t>(draw.next(random)) : i;
            best.offer(worth(found, f), f);
        }
        if (!best.found()) return false;
        item.split = candidate(item, best.get(), found[best.get()]);
        if (recipe_.max_competitors > 0) {
            std::vector<size_t> others;
            for (size_t f = 0; f < found.size(); ++f)
                if (f != best.get() && found[f].merit != -infinity) others.push_back(f);
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
    template <class OfFeature>
    double sum_over_features(const Item& item, OfFeature&& of_feature) const {
        double sum = 0;
        for (size_t f = 0; f < problem_.n_features(); ++f)
            if (item.may_use(f)) sum += of_feature(f);
        return sum;
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
                branch_[i] = threshold_branch(feature.numbers[rows[i]], split.threshold);
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
                            [&](size_t feature, const PrimarySides& ways, double least, TwoSidedSplit& split) {
                                return pulls.best_cut(feature, ways, least, split);
                            });
        follow_surrogates(problem_.table, surrogates, row_of, branch_);
        return surrogates;
    }
    /// A split on ranked categories as a table of all of them: large nodes know where to send even those they lack.
    void unrank(Candidate& split) const {
        if (!problem_.rankings) return;
        const Ranking* ranking = (*problem_.rankings)[static_cast<size_t>(split.feature)];
        if (ranking && split.kind == SplitKind::threshold) to_table(*ranking, split, [](size_t) { return true; });
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
    std::vector<Parts> sent_;      // the rows of each branch of the node partitioned last
    std::vector<int32_t> branch_;  // of the rows of the node in hand
};

}  // namespace treewright
