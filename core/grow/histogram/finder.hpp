// The finder for large nodes: exact splits with the help of coarse histograms.
//
// Every numeric feature is coded into at most 255 bins once. At a node, the bin edges are scored from a histogram, and for each
// bin an upper bound on any cut inside it follows from the concavity of the impurity: only bins whose bound reaches the best
// score are gathered, sorted and scanned. The result is the exact best cut; most rows are never sorted.
#pragma once
#include <atomic>

#include "cuts/best.hpp"
#include "grow/bits.hpp"
#include "base/builder.hpp"
#include "grow/feature_draw.hpp"
#include "grow/histogram/histograms.hpp"
#include "grow/histogram/suspect_bins.hpp"
#include "grow/histogram/surrogate_histogram.hpp"
#include "grow/kernel.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "grow/significance.hpp"
#include "cuts/bounded.hpp"
#include "splits/categorical.hpp"

namespace treewright {

class HistogramFinder {
public:
    using Item = HistogramNode;
    using SubtreeRows = RowShares;

    /// Nodes of at most `small` rows are handed over. `unit` tells that every row weighs one.
    HistogramFinder(const GrowTask& task, bool unit, size_t small)
        : task_(task),
          recipe_(task.recipe),
          criterion_(*task.formula),
          histograms_(task, unit),
          small_(few_values() ? std::min(small, most_rows_of_few_values) : small),
          workspace_(static_cast<size_t>(std::max(task.recipe.threads, 1))),
          draw_(task.n_features()) {
        for (Workspace& work : workspace_) work.kernel = task.make_kernel(task, unit);
    }

    Item root(RowShares&& rows) const {
        Item root;
        root.parts = std::move(rows);
        root.seed = task_.root_seed;
        return root;
    }

    // ---- what the driver asks --------------------------------------------------------------------------------

    /// Small nodes, and those below a run of thin splits, are grown on sorted lists.
    bool hands_over(const Item& item) const { return is_small(item) || item.thin_splits >= most_thin_splits; }
    RowShares hand_over(Item& item) const { return std::move(item.parts); }

    Description describe(Item& item) {
        Description description;
        if (task_.n_classes) {
            item.totals = class_weights(item.parts, task_.label, task_.width());
            describe_classes(task_, item.totals, description);
        } else {
            histograms_.gather(item);
            describe_numbers(task_, histograms_.target(), item.parts.weight, description);
            item.totals = Totals(task_.width());
            item.totals.weight = description.weight;
            item.totals.count = item.size();
            item.centre = description.centre;
        }
        return description;
    }
    bool search(Item& item) {
        histograms_.gather(item);
        if (!task_.n_classes) item.totals.sums[0] = histograms_.centre_targets(item.centre);
        const Interactions::Features allowed = item.features;
        const std::vector<int32_t> order = features_in_order(item);
        if (draws()) {
            auto drawn = std::make_shared<std::vector<int32_t>>(order);
            std::sort(drawn->begin(), drawn->end());
            item.features = std::move(drawn);
        }
        std::vector<Found> found = find_on_all(item);
        item.features = allowed;
        return choose(item, order, found);
    }
    /// Every row goes down one branch.
    std::vector<BranchSums> branch_sums(Item& item) {
        answer(item, item.split);
        std::vector<BranchSums> branches(static_cast<size_t>(item.split.n_branches));
        for (BranchSums& branch : branches) branch.classes.resize(task_.n_classes ? task_.width() : 0);
        for (size_t i = 0; i < item.size(); ++i) {
            add_row(branches[static_cast<size_t>(branch_[i] >= 0 ? branch_[i] : item.split.default_branch)], item, i);
        }
        return branches;
    }
    std::vector<BranchSums> category_sums(const Item& item, int32_t feature) const {
        const auto f = static_cast<size_t>(feature);
        const Feature& column = task_.table.features[f];
        const Ranking* ranking = task_.ranking(f);
        const size_t n_categories = ranking ? ranking->code_of.size() : static_cast<size_t>(column.n_categories);
        return sums_by_category(n_categories, static_cast<size_t>(task_.n_classes), [&](auto&& of) {
            const uint32_t* rows = item.parts.row.data();
            for (size_t i = 0; i < item.size(); ++i) add_row(of(code(f, rows[i])), item, i);
        });
    }
    double most_candidates(const Item& item) const {
        return sum_over_features(item, [&](size_t f) {
            const Feature& feature = task_.table.features[f];
            const Ranking* ranking = task_.ranking(f);
            if (ranking) return most_groupings(recipe_, ranking->code_of.size() + 1);
            return feature.categorical() ? most_groupings(recipe_, static_cast<size_t>(feature.n_categories) + 1)
                                         : 2.0 * static_cast<double>(item.size());
        });
    }
    double count_candidates(const Item& item) {
        return sum_over_features(item, [&](size_t f) { return count_candidates(item, f); });
    }
    void partition(Item& item) {
        answer(item, item.split);
        if (uses_surrogates(recipe_, recipe_.policy(static_cast<size_t>(item.split.feature)))) item.surrogates = surrogates(item);
        sent_ = send(item.parts, branch_, item.split.default_branch, static_cast<size_t>(item.split.n_branches), task_.lightest);
    }
    void take_branches(const Item& item, std::vector<Item>& children) {
        for (size_t b = 0; b < children.size(); ++b) {
            children[b].parts = std::move(sent_[b]);
            children[b].thin_splits = item.size() - children[b].size() <= item.size() / 256 ? item.thin_splits + 1 : 0;
        }
    }
    void finish(const Item& item, Candidate& split) const { unrank(item, split); }
    void pass_on(Item& item, std::vector<Item>& children) { share_histogram(item, children); }

private:
    /// After so many splits in a row that took off next to nothing, a long chain is likely; there bounds rule out few bins,
    /// and lists sorted once are the cheaper way down.
    static constexpr int most_thin_splits = 8;
    /// Lists are not worth sorting for a level or two, but where rows are few.
    static constexpr int64_t few_levels_left = 2;
    static constexpr size_t most_rows_of_few_levels = 1024;
    bool is_small(const Item& item) const {
        const bool few_levels = recipe_.max_depth >= 0 && recipe_.max_depth - item.depth <= few_levels_left;
        return item.size() <= (few_levels ? std::min(small_, most_rows_of_few_levels) : small_);
    }
    /// Where every feature has few values, histograms of them tell nearly all, and only nodes of few rows want lists.
    static constexpr size_t most_rows_of_few_values = 32;
    bool few_values() const {
        for (size_t f = 0; f < task_.n_features(); ++f)
            if (task_.table.features[f].categorical() || task_.ranking(f)) return false;
        return histograms_.coded().by_rows();
    }
    /// Memory for the histograms of nodes that wait to be split.
    static constexpr size_t most_bytes_kept = size_t{128} << 20;

    /// What was found on a feature.
    struct Found {
        double merit = -infinity;
        Best<BinCut> cuts;  // of a coded feature
        bool some_missing = false;
        Candidate table;  // of a categorical feature
    };
    /// A bin that may hold a better cut than its edges.
    struct Suspect {
        int bin;
        double bound;
        bool missing_left;
    };
    struct Workspace {
        std::unique_ptr<Kernel> kernel;
        LevelCounter counter;
        Levels levels;
        RowSorter sorter;
        std::vector<double> values;
        std::vector<uint32_t> local;
        std::vector<Entry<uint32_t>> sorted;
    };
    Workspace& of_thread(int thread) { return workspace_[static_cast<size_t>(thread)]; }

    // ---- the best split of every feature -----------------------------------------------------------------------

    bool draws() const { return draw_.chooses(recipe_); }
    /// The features that a node looks at, in the order in which they win ties.
    std::vector<int32_t> features_in_order(const Item& item) {
        if (draws()) {
            Random random(item.seed);
            return draw_.choose(recipe_, random, [&](int32_t feature) { return varies(item, static_cast<size_t>(feature)); });
        }
        return order_of_features(recipe_, task_.n_features(), item.seed);
    }
    /// Whether a feature may be used and has several values here, where to be missing is one.
    bool varies(const Item& item, size_t f) const {
        if (!item.may_use(f)) return false;
        const Feature& feature = task_.table.features[f];
        const std::vector<uint32_t>& rows = item.parts.row;
        return std::any_of(rows.begin(), rows.end(), [&](uint32_t row) {
            if (feature.categorical()) return feature.codes[row] != feature.codes[rows[0]];
            const double x = feature.numbers[row], first = feature.numbers[rows[0]];
            return x != first && !(std::isnan(x) && std::isnan(first));
        });
    }

    /// Features that can neither win nor tie may be left unrefined.
    std::vector<Found> find_on_all(Item& item) {
        histograms_.count(item, *workspace_[0].kernel);
        if (task_.bits) {
            const uint32_t* rows = item.parts.row.data();
            bit_counter_.count(
                item.size(), task_.bits->size(), task_.width(), [&](size_t i) { return task_.bits->mask(rows[i]); },
                [&](size_t i) { return histograms_.label(i); });
        }
        const NodeView node{histograms_.local(), item.totals, item.impurity, criterion_.tolerance(item.totals, item.impurity)};
        const size_t p = task_.n_features();
        std::vector<Found> found(p);
        std::vector<std::vector<Suspect>> suspects(p);
        std::atomic<double> best{-infinity};  // what the best split so far is worth
        parallel_for(p, histograms_.threads_for(item), [&](size_t f, int thread) {
            if (!item.may_use(f)) return;
            task_.monitor.poll(thread);
            if (task_.table.features[f].categorical()) group_categories(node, item, f, of_thread(thread), found[f]);
            else if (histograms_.is_bit(f)) found[f].merit = of_thread(thread).kernel->cut_bit(node, ones(f)).first;
            else if (recipe_.threshold) score_edges(node, item, f, of_thread(thread), found[f]);
            note(best, f, found[f]);
        });
        parallel_for(p, histograms_.threads_for(item), [&](size_t f, int thread) {
            if (histograms_.is_coded(f) && item.may_use(f) && recipe_.threshold && histograms_.coded().values(f).empty())
                suspect_bins(node, item, f, of_thread(thread), least_useful(node, f, best, found[f]), suspects[f]);
        });
        std::vector<size_t> order;
        for (size_t f = 0; f < p; ++f)
            if (!suspects[f].empty()) order.push_back(f);
        const auto highest = [&](size_t f) {
            return std::max_element(suspects[f].begin(), suspects[f].end(),
                                    [](const Suspect& a, const Suspect& b) { return a.bound < b.bound; })
                ->bound;
        };
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return highest(a) > highest(b); });
        parallel_for(order.size(), histograms_.threads_for(item), [&](size_t i, int thread) {
            refine(node, item, order[i], suspects[order[i]], of_thread(thread), best, found[order[i]]);
        });
        for (Found& of_feature : found)
            if (of_feature.cuts.found()) of_feature.merit = of_feature.cuts.merit();
        return found;
    }
    const uint32_t* ones(size_t feature) const { return bit_counter_.ones(static_cast<size_t>(task_.bits->bit_of(feature))); }
    void note(std::atomic<double>& best, size_t feature, const Found& found) const {
        const double merit = recipe_.merit_per_cost(std::max(found.merit, found.cuts.most()), static_cast<int32_t>(feature));
        double seen = best.load();
        while (merit > seen && !best.compare_exchange_weak(seen, merit)) {
        }
    }
    /// A cut of this feature with less merit than this does not matter.
    double least_useful(const NodeView& node, size_t feature, const std::atomic<double>& best, const Found& found) const {
        if (recipe_.max_competitors) return found.cuts.most() - node.tolerance;
        return treewright::least_useful(recipe_, feature, best.load(), node.tolerance);
    }

    void group_categories(const NodeView& node, const Item& item, size_t feature, Workspace& work, Found& found) const {
        const int32_t* codes = task_.table.features[feature].codes;
        const uint32_t* rows = item.parts.row.data();
        work.counter.count(
            static_cast<size_t>(task_.table.features[feature].n_categories), task_.width(), node.rows,
            [&](auto&& use) {
                for (size_t i = 0; i < item.size(); ++i) use(codes[rows[i]], i);
            },
            work.levels);
        if (work.levels.size() + (work.levels.missing.count > 0) < 2) return;
        found.table = work.kernel->best_grouping(node, task_.table, static_cast<int32_t>(feature), work.levels, Bounds{});
        found.merit = found.table.merit;
    }
    void score_edges(const NodeView& node, const Item& item, size_t feature, Workspace& work, Found& found) const {
        const BinnedFeature binned = histograms_.feature(item, feature);
        found.some_missing = binned.some_missing;
        if (binned.totals.count > 0) work.kernel->score_edges(node, binned, found.cuts);
    }
    /// Bins inside which a cut might be useful.
    void suspect_bins(const NodeView& node, const Item& item, size_t feature, Workspace& work, double least,
                      std::vector<Suspect>& out) const {
        const BinnedFeature binned = histograms_.feature(item, feature);
        if (binned.totals.count == 0) return;
        std::array<double, 256> bound;
        binned.each_side([&](bool missing_left) {
            work.kernel->bound_bins(node, binned, missing_left, least, bound);
            for (int i = 0; i < static_cast<int>(binned.n_bins); ++i) {
                const auto at = static_cast<size_t>(i);
                if (histograms_.coded().single(feature, at) || binned.layout.count(binned.bin(at)) < 2) continue;
                const double most = safe_bound(task_, node, binned, bound[at]);
                if (most >= least) out.push_back({i, most, missing_left});
            }
        });
    }
    /// Sort the rows of the suspect bins and look at every cut inside them.
    void refine(const NodeView& node, const Item& item, size_t feature, std::vector<Suspect>& suspects, Workspace& work,
                std::atomic<double>& best, Found& found) const {
        const auto possible = [&](const Suspect& s) { return s.bound >= least_useful(node, feature, best, found); };
        std::erase_if(suspects, [&](const Suspect& s) { return !possible(s); });
        if (suspects.empty()) return;
        const BinnedFeature binned = histograms_.feature(item, feature);
        std::array<uint8_t, 256> wanted{};
        for (const Suspect& s : suspects) wanted[static_cast<size_t>(s.bin)] = 1;
        const Codes code = histograms_.coded().of(feature);
        const double* column = task_.table.features[feature].numbers;
        const uint32_t* rows = item.parts.row.data();
        size_t n = 0;
        work.local.resize(item.size() + 1);
        for (size_t i = 0; i < item.size(); ++i) {
            work.local[n] = static_cast<uint32_t>(i);
            n += wanted[code[rows[i]]];
        }
        work.values.resize(n);
        for (size_t i = 0; i < n; ++i) work.values[i] = column[rows[work.local[i]]];
        work.sorted.resize(n);
        work.sorter.sort(work.values.data(), n, work.sorted.data());
        binned.each_side([&](bool missing_left) {
            Totals left = binned.start(missing_left);
            size_t at = 0;
            for (int i = 0; i < static_cast<int>(binned.n_bins); ++i) {
                const double* bin = binned.bin(static_cast<size_t>(i));
                if (wanted[static_cast<size_t>(i)]) {
                    const size_t rows_here = binned.layout.count(bin);
                    const bool suspect = std::any_of(suspects.begin(), suspects.end(), [&](const Suspect& s) {
                        return s.bin == i && s.missing_left == missing_left && possible(s);
                    });
                    if (suspect)
                        work.kernel->scan_bin(node, binned,
                                              {{missing_left, i},
                                               left,
                                               std::span(work.sorted).subspan(at, rows_here),
                                               work.local.data(),
                                               work.values.data()},
                                              found.cuts);
                    note(best, feature, found);
                    at += rows_here;
                }
                binned.layout.add(bin, left);
            }
        });
    }

    // ---- the split of the node -----------------------------------------------------------------------------------

    bool choose(Item& item, const std::vector<int32_t>& features, std::vector<Found>& found) {
        std::vector<double> merits;
        for (const Found& of_feature : found) merits.push_back(of_feature.merit);
        const double tolerance = criterion_.tolerance(item.totals, item.impurity);
        const std::optional<size_t> best = best_feature(recipe_, features, merits, tolerance);
        if (!best) return false;
        item.split = candidate(item, *best, found[*best]);
        item.bin = histograms_.is_coded(*best) ? found[*best].cuts.get().bin : -1;
        item.inside = item.bin >= 0 && found[*best].cuts.get().value < infinity;
        if (recipe_.max_competitors > 0) {
            const auto merit = [&](size_t f) { return recipe_.merit_per_cost(merits[f], static_cast<int32_t>(f)); };
            std::vector<size_t> others;
            for (int32_t feature : features)
                if (const auto f = static_cast<size_t>(feature); f != *best && merits[f] != -infinity) others.push_back(f);
            std::stable_sort(others.begin(), others.end(), [&](size_t a, size_t b) { return merit(a) > merit(b); });
            if (others.size() > static_cast<size_t>(recipe_.max_competitors))
                others.resize(static_cast<size_t>(recipe_.max_competitors));
            for (size_t f : others) item.competitors.push_back(candidate(item, f, found[f]));
        }
        return true;
    }
    /// What was found on a feature, as a split.
    Candidate candidate(const Item& item, size_t feature, Found& found) const {
        if (task_.table.features[feature].categorical()) return std::move(found.table);
        Candidate c;
        c.merit = found.merit;
        c.feature = static_cast<int32_t>(feature);
        if (histograms_.is_bit(feature)) {
            c.threshold = task_.bits->threshold(static_cast<size_t>(task_.bits->bit_of(feature)), recipe_.short_cuts);
            return c;
        }
        const BinCut cut = found.cuts.get();
        if (found.some_missing && !left_out(recipe_.policy(feature))) c.default_branch = cut.missing_left ? 0 : 1;
        const Codes code = histograms_.coded().of(feature);
        const double* column = task_.table.features[feature].numbers;
        const uint32_t* rows = item.parts.row.data();
        const auto [below, above] = bins_beside(item, feature, cut);
        double low = -infinity, high = infinity;
        if (const std::span<const double> values = histograms_.coded().values(feature); !values.empty()) {
            c.threshold = above < 0 ? infinity
                                    : cut_between(values[static_cast<size_t>(below)], values[static_cast<size_t>(above)],
                                                  recipe_.short_cuts);
            return c;
        }
        for (size_t i = 0; i < item.size(); ++i) {
            const int bin = code[rows[i]];
            if (bin != below && bin != above) continue;
            const double x = column[rows[i]];
            if (bin < cut.bin || (bin == cut.bin && x <= cut.value)) low = std::max(low, x);
            else high = std::min(high, x);
        }
        c.threshold = high == infinity ? infinity : cut_between(low, high, recipe_.short_cuts);
        return c;
    }
    /// The bins of the values next to a cut, below and above it; −1 where there are none.
    std::pair<int, int> bins_beside(const Item& item, size_t feature, const BinCut& cut) const {
        if (cut.value < infinity) return {cut.bin, cut.bin};
        const BinnedFeature binned = histograms_.feature(item, feature);
        const auto empty = [&](int bin) { return binned.layout.count(binned.bin(static_cast<size_t>(bin))) == 0; };
        int below = cut.bin, above = cut.bin + 1;
        while (below >= 0 && empty(below)) --below;
        while (above < static_cast<int>(binned.n_bins) && empty(above)) ++above;
        return {below, above < static_cast<int>(binned.n_bins) ? above : -1};
    }
    template <class OfFeature>
    double sum_over_features(const Item& item, OfFeature&& of_feature) const {
        double sum = 0;
        for (size_t f = 0; f < task_.n_features(); ++f)
            if (item.may_use(f)) sum += of_feature(f);
        return sum;
    }
    void add_row(BranchSums& sums, const Item& item, size_t i) const {
        const bool classes = task_.n_classes > 0;
        sums.add(histograms_.local().weight_of(i), classes, classes ? static_cast<size_t>(histograms_.label(i)) : 0,
                 classes ? 0.0 : histograms_.target()[i], task_.rank_of(item.parts.row[i]));
    }
    /// Category of a row of the table, or its rank where categories are ranked; −1 if it has none.
    int32_t code(size_t f, uint32_t row) const {
        if (!task_.ranking(f)) return task_.table.features[f].codes[row];
        const double rank = task_.table.features[f].numbers[row];
        return std::isnan(rank) ? -1 : static_cast<int32_t>(rank);
    }
    /// How many candidates a feature has at a node.
    double count_candidates(const Item& item, size_t f) {
        const Feature& feature = task_.table.features[f];
        const uint32_t* rows = item.parts.row.data();
        const size_t n = item.size();
        if (feature.categorical() || task_.ranking(f)) {
            std::vector<int32_t> codes(n);
            for (size_t i = 0; i < n; ++i) codes[i] = code(f, rows[i]);
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
        const Feature& feature = task_.table.features[static_cast<size_t>(split.feature)];
        const std::vector<uint32_t>& rows = item.parts.row;
        const Missing policy = recipe_.policy(static_cast<size_t>(split.feature));
        branch_.resize(item.size());
        std::vector<double> size(static_cast<size_t>(split.n_branches), 0.0);
        std::vector<int32_t> lookup(static_cast<size_t>(feature.n_categories), -1);
        for (const auto& [code, branch] : split.table) lookup[static_cast<size_t>(code)] = branch;
        if (item.bin >= 0) {  // codes tell the branch of all but the rows of a bin that is cut
            const Codes code = histograms_.coded().of(static_cast<size_t>(split.feature));
            const int missing_bin = histograms_.coded().missing();
            for (size_t i = 0; i < rows.size(); ++i) {
                const int bin = code[rows[i]];
                branch_[i] = bin == missing_bin ? -1 : bin > item.bin;
                if (item.inside && bin == item.bin) branch_[i] = threshold_branch(feature.numbers[rows[i]], split.threshold);
            }
        } else {
            for (size_t i = 0; i < rows.size(); ++i) {
                if (feature.categorical())
                    branch_[i] = feature.codes[rows[i]] < 0 ? -1 : lookup[static_cast<size_t>(feature.codes[rows[i]])];
                else branch_[i] = threshold_branch(feature.numbers[rows[i]], split.threshold);
            }
        }
        if (left_out(policy) || size.size() > 2) {
            for (size_t i = 0; i < rows.size(); ++i)
                if (branch_[i] >= 0) size[static_cast<size_t>(branch_[i])] += left_out(policy) ? item.parts.weight_of(i) : 1.0;
        } else {
            size[0] = static_cast<double>(std::ranges::count(branch_, 0));
            size[1] = static_cast<double>(std::ranges::count(branch_, 1));
        }
        choose_default_branch(policy, recipe_, size, split.default_branch);
    }
    /// Surrogates of the split; rows that it does not answer follow them.
    std::vector<Candidate> surrogates(const Item& item) {
        const std::vector<uint32_t>& rows = item.parts.row;
        const auto row_of = [&](size_t i) { return rows[i]; };
        const BranchAssignment assigned{branch_, item.parts.weight, static_cast<size_t>(item.split.n_branches)};
        const auto skip = [&](size_t f) { return !histograms_.is_coded(f) || item.split.n_branches != 2; };
        SurrogateHistogram histogram(task_.table, histograms_.coded(), rows, assigned, recipe_.threads, skip);
        std::vector<Candidate> found =
            find_surrogates(task_.table, recipe_, item.split, assigned, assigned.sides({}), row_of,
                            [&](size_t feature, const PrimarySides& sides, double least, TwoSidedSplit& split) {
                                return histogram.best_cut(feature, sides, least, split);
                            });
        follow_surrogates(task_.table, found, row_of, branch_);
        return found;
    }
    /// A split on ranked categories as a table of them.
    void unrank(const Item& item, Candidate& split) const {
        const auto f = static_cast<size_t>(split.feature);
        const Ranking* ranking = task_.ranking(f);
        if (!ranking || split.kind != SplitKind::threshold) return;
        std::vector<bool> present(ranking->code_of.size());
        for (const uint32_t row : item.parts.row)
            if (const int32_t rank = code(f, row); rank >= 0) present[static_cast<size_t>(rank)] = true;
        to_table(*ranking, item.size(), split, [&](size_t rank) { return present[rank]; });
    }
    /// Whole counts subtract without rounding: the histogram of the larger child is the parent's less the smaller's. They wait
    /// for their nodes while there is room; without one a node is counted anew.
    void share_histogram(Item& item, std::vector<Item>& children) {
        if (!(histograms_.layout().classes && histograms_.layout().unit) || children.size() != 2 || draws()) return;
        if (children[0].size() + children[1].size() < item.size()) return;  // some rows stayed at the node
        Item& small = children[children[0].size() <= children[1].size() ? 0 : 1];
        Item& large = children[children[0].size() <= children[1].size() ? 1 : 0];
        if (large.node < 0 || is_small(large)) return;
        histograms_.gather(small);
        histograms_.count(small, *workspace_[0].kernel);
        large.histogram = std::move(item.histogram);
        for (size_t i = 0; i < large.histogram->size(); ++i) (*large.histogram)[i] -= (*small.histogram)[i];
        if (small.node < 0 || is_small(small)) small.histogram.reset();
        if (histograms_.bytes_kept() > most_bytes_kept) children[1].histogram.reset();  // the other is next
        if (histograms_.bytes_kept() > most_bytes_kept && recipe_.limited()) children[0].histogram.reset();
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    const Formula& criterion_;
    Histograms histograms_;
    size_t small_;
    std::vector<Workspace> workspace_;  // of each thread
    FeatureDraw draw_;
    BitCounter bit_counter_;
    std::vector<RowShares> sent_;  // the rows of each branch of the node partitioned last
    std::vector<int32_t> branch_;  // of the rows of the node in hand
};

}  // namespace treewright
