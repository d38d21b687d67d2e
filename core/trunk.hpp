// The trunk: large nodes, split exactly with the help of coarse histograms.
//
// Every numeric feature is coded into at most 255 bins once. At a node, the bin edges are scored from a histogram, and for
// each bin an upper bound on any cut inside it follows from the concavity of the impurity: only bins whose bound reaches the
// best score are gathered, sorted and scanned. The result is the exact best cut; most rows are never sorted.
#pragma once
#include <memory>

#include "binned_pulls.hpp"
#include "block.hpp"
#include "histogram.hpp"
#include "significance.hpp"

namespace treewright {

/// A node to be grown in a block of its own: small, or the last of a run of thin splits.
struct Graft {
    int32_t node, depth;
    uint64_t seed;
    Interactions::Open groups;
    Parts parts;
};

template <class C, class Scorer>
class Trunk : Histograms<C> {
    using Base = Histograms<C>;
    using Base::gather, Base::histograms;
    using Base::problem_, Base::recipe_, Base::coded_, Base::label_, Base::target_, Base::local_;
    using Base::unit, Base::stride, Base::rows_in, Base::add_bin, Base::bins, Base::basis, Base::spread_of, Base::is_bit,
        Base::is_coded;
    using typename Base::Basis, typename Base::Item;

public:
    Trunk(const Problem& problem, bool unit, size_t block_rows, Builder& out)
        : Base(problem, unit),
          block_rows_(block_rows),
          out_(out),
          interactions_(recipe_.interaction),
          workspace_(static_cast<size_t>(std::max(problem.recipe.threads, 1))) {}

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

    /// Where a cut stands: after all of a bin, or after a value inside it.
    struct Place {
        int bin = -1;
        double value = infinity;  // infinity = the whole bin goes left
        bool missing_left = false;
        auto operator<=>(const Place&) const = default;
    };
    struct Found {
        double merit = -infinity;
        Place place;
        bool has_missing = false;
        Candidate table;  // of a categorical feature
    };
    /// A bin that may hold a better cut than its edges.
    struct Suspect {
        int bin;
        double bound;
        bool missing_left;
    };
    struct Workspace {
        Scratch scratch;
        LevelCounter counter;
        Levels levels;
        RowSorter sorter;
        std::vector<double> values;
        std::vector<uint32_t> local;
        std::vector<Entry<uint32_t>> sorted;
        std::vector<Suspect> suspects;
    };

    // ---- finding the split of a node ---------------------------------------------------------------------------

    /// Append a node and gather its target under local numbers; true if it may be split.
    bool place(Item& item, int32_t parent) {
        gather(item);
        Description description;
        item.totals = Totals(problem_.width());
        if constexpr (C::classification) {
            for (size_t i = 0; i < item.size(); ++i) {
                const double w = local_.weight_of(i);
                item.totals.sums[static_cast<size_t>(label_[i])] += w;
                item.totals.weight += w;
            }
            item.totals.count = item.size();
            describe_classes<C>(problem_, item.totals, description);
        } else {
            describe_numbers<C>(target_, item.parts.weight, description);
            item.totals.weight = description.weight;
            item.totals.count = item.size();
            item.centre = C::centred ? description.centre : 0.0;
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
            double sum = 0;
            for (size_t i = 0; i < item.size(); ++i) {
                target_[i] -= item.centre;
                sum += local_.weight_of(i) * target_[i];
            }
            item.totals.sums[0] = sum;
        }
        histograms(item);
        if (problem_.bits) {
            const uint32_t* rows = item.parts.row.data();
            bit_counter_.count(
                item.size(), problem_.bits->size(), problem_.width(), [&](size_t i) { return problem_.bits->mask(rows[i]); },
                [&](size_t i) { return label_[i]; });
        }
        const size_t p = problem_.n_features();
        std::vector<Found> found(p);
        std::vector<std::vector<Suspect>> suspects(p);
        std::atomic<double> best{-infinity};  // what the best split so far is worth
        std::vector<Workspace>& workspace = workspace_;
        parallel_for(p, recipe_.threads, [&](size_t f, int thread) {
            if (!item.may_use(f)) return;
            problem_.monitor.poll(thread);
            auto& work = workspace[static_cast<size_t>(thread)];
            if (problem_.table.features[f].categorical()) found[f] = search_categories(item, f, work);
            else if (is_bit(f)) found[f].merit = search_bit(item, f, work);
            else if (recipe_.threshold) score_edges(item, f, work, found[f]);
            raise(best, f, found[f]);
        });
        parallel_for(p, recipe_.threads, [&](size_t f, int thread) {
            if (is_coded(f) && item.may_use(f) && recipe_.threshold)
                suspect_bins(item, f, workspace[static_cast<size_t>(thread)], bar(item, f, best, found[f]), suspects[f]);
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
        parallel_for(order.size(), recipe_.threads, [&](size_t i, int thread) {
            refine(item, order[i], suspects[order[i]], workspace[static_cast<size_t>(thread)], best, found[order[i]]);
        });
        return choose(item, found) && (recipe_.significance >= 1 || significant(item));
    }

    void raise(std::atomic<double>& best, size_t feature, const Found& found) const {
        const double worth = recipe_.worth(found.merit, static_cast<int32_t>(feature));
        double seen = best.load();
        while (worth > seen && !best.compare_exchange_weak(seen, worth)) {
        }
    }
    /// A cut of this feature with less merit than this can neither win nor tie.
    double bar(const Item& item, size_t feature, const std::atomic<double>& best, const Found& found) const {
        const double slack = 2 * tolerance(item);
        if (recipe_.max_competitors) return found.merit - slack;
        const double price = recipe_.feature_costs.empty() ? 1.0 : recipe_.feature_costs[feature];
        return best.load() * price - slack * std::max(price, 1.0);
    }

    double tolerance(const Item& item) const { return C::tolerance(item.totals, item.impurity); }

    bool valid(const Totals& basis, const Totals& left) const {
        const auto least = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        return left.count >= least && basis.count >= left.count + least &&
               (recipe_.min_weight_leaf <= 0 ||
                (left.weight >= recipe_.min_weight_leaf && basis.weight - left.weight >= recipe_.min_weight_leaf));
    }

    template <class Use>
    static void each_direction(const Basis& b, Use&& use) {
        use(false);
        if (b.by_direction) use(true);
    }

    static void offer(Found& found, double merit, Place place, double slack) {
        if (merit > found.merit + slack || (merit >= found.merit - slack && place < found.place)) {
            found.merit = std::max(merit, found.merit);
            found.place = place;
        }
    }

    void score_edges(const Item& item, size_t feature, Workspace& work, Found& found) const {
        const Basis b = basis(item, feature);
        found.has_missing = b.has_missing;
        if (b.totals.count == 0) return;
        const double* bin = bins(item, feature);
        const size_t step = stride();
        const double slack = tolerance(item);
        Scorer scorer(local_, b.totals, work.scratch);
        each_direction(b, [&](bool missing_left) {
            Totals left = missing_left ? b.missing : Totals(problem_.width());
            for (int i = 0; i < missing_bin; ++i) {
                const double* at = bin + static_cast<size_t>(i) * step;
                if (rows_in(at) == 0) continue;
                add_bin(at, left);
                if (!valid(b.totals, left)) continue;
                scorer.jump(left);
                offer(found, b.share * scorer.merit(scorer.score()), {i, infinity, missing_left}, slack);
            }
        });
    }

    /// Bins inside which a cut might reach the bar.
    void suspect_bins(const Item& item, size_t feature, Workspace& work, double bar, std::vector<Suspect>& out) const {
        const Basis b = basis(item, feature);
        if (b.totals.count == 0) return;
        const double* bin = bins(item, feature);
        const size_t step = stride();
        Scorer scorer(local_, b.totals, work.scratch);
        Totals here(problem_.width()), right(problem_.width());
        each_direction(b, [&](bool missing_left) {
            Totals left = missing_left ? b.missing : Totals(problem_.width());
            double left_spread = missing_left ? spread_of(bin + missing_bin * step) : 0.0;
            for (int i = 0; i < missing_bin; ++i) {
                const double* at = bin + static_cast<size_t>(i) * step;
                here.clear();
                add_bin(at, here);
                if (here.count == 0) continue;
                if (here.count > 1 && !coded_.single[feature][static_cast<size_t>(i)]) {
                    const double bound = b.share * upper_bound<C>(b, left, here, left_spread, spread_of(at), item, scorer, right);
                    if (bound >= bar) out.push_back({i, bound, missing_left});
                }
                left.add(here);
                left_spread += spread_of(at);
            }
        });
    }
    /// Sort the rows of the suspect bins and scan every cut inside them.
    void refine(const Item& item, size_t feature, std::vector<Suspect>& suspects, Workspace& work, std::atomic<double>& best,
                Found& found) const {
        const double slack = tolerance(item);
        const auto possible = [&](const Suspect& s) { return s.bound >= bar(item, feature, best, found); };
        std::erase_if(suspects, [&](const Suspect& s) { return !possible(s); });
        if (suspects.empty()) return;
        const Basis b = basis(item, feature);
        const double* bin = bins(item, feature);
        const size_t step = stride();
        std::array<uint8_t, 256> wanted{};
        for (const Suspect& s : suspects) wanted[static_cast<size_t>(s.bin)] = 1;
        const uint8_t* code = coded_.of(feature);
        const double* column = problem_.table.features[feature].numbers;
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
        const auto row = [&](size_t i) { return work.local[work.sorted[i].row]; };
        Scorer scorer(local_, b.totals, work.scratch);
        each_direction(b, [&](bool missing_left) {
            Totals left = missing_left ? b.missing : Totals(problem_.width());
            size_t at = 0;
            for (int i = 0; i < missing_bin; ++i) {
                const double* here = bin + static_cast<size_t>(i) * step;
                if (wanted[static_cast<size_t>(i)]) {
                    const bool suspect = std::any_of(suspects.begin(), suspects.end(), [&](const Suspect& s) {
                        return s.bin == i && s.missing_left == missing_left && possible(s);
                    });
                    if (suspect) scan_bin(b, left, i, missing_left, at, rows_in(here), row, work, scorer, slack, found);
                    raise(best, feature, found);
                    at += rows_in(here);
                }
                add_bin(here, left);
            }
        });
    }
    template <class Row>
    void scan_bin(const Basis& b, const Totals& left, int bin, bool missing_left, size_t begin, size_t n, Row&& row,
                  Workspace& work, Scorer& scorer, double slack, Found& found) const {
        scorer.jump(left);
        size_t count = left.count;
        const auto least = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        double bar = -infinity;  // in scores: below it nothing can matter
        for (size_t i = begin; i + 1 < begin + n; ++i) {
            scorer.add(row(i));
            ++count;
            if (work.sorted[i].rank == work.sorted[i + 1].rank) continue;
            const double score = scorer.score();
            if (score < bar || count < least || b.totals.count < count + least) continue;
            if (recipe_.min_weight_leaf > 0 &&
                (scorer.left_weight_now() < recipe_.min_weight_leaf || scorer.right_weight_now() < recipe_.min_weight_leaf))
                continue;
            const double merit = b.share * scorer.merit(score);
            if (merit < found.merit - slack) continue;
            bar = score - scorer.tolerance(1.0);
            offer(found, merit, {bin, work.values[work.sorted[i].row], missing_left}, slack);
        }
    }

    double search_bit(const Item& item, size_t feature, Workspace& work) const {
        if constexpr (C::classification) {
            Scorer scorer(local_, item.totals, work.scratch);
            Totals left(problem_.width());
            return score_bit(bit_counter_.ones(static_cast<size_t>(problem_.bits->bit_of(feature))), item.totals, recipe_, scorer,
                             left)
                .first;
        } else {
            return -infinity;
        }
    }

    Found search_categories(const Item& item, size_t feature, Workspace& work) const {
        const int32_t* codes = problem_.table.features[feature].codes;
        const uint32_t* rows = item.parts.row.data();
        work.counter.count(
            static_cast<size_t>(problem_.table.features[feature].n_categories), problem_.width(), local_,
            [&](auto&& use) {
                for (size_t i = 0; i < item.size(); ++i) use(codes[rows[i]], i);
            },
            work.levels);
        Found found;
        if (work.levels.size() + (work.levels.missing.count > 0) < 2) return found;
        found.table = CategorySearch<C>(problem_, work.levels, item.totals, item.impurity, static_cast<int32_t>(feature)).best();
        found.merit = found.table.merit;
        return found;
    }

    bool choose(Item& item, std::vector<Found>& found) {
        const double slack = tolerance(item);
        size_t best = found.size();
        Random random(item.seed);
        FeatureDraw draw(recipe_.ties == Ties::random ? found.size() : 0);
        for (size_t i = 0; i < found.size(); ++i) {
            const size_t f = draw.any_left() ? static_cast<size_t>(draw.next(random)) : i;
            if (found[f].merit == -infinity) continue;
            if (best == found.size() || worth(found, f) > worth(found, best) + slack) best = f;
        }
        if (best == found.size() || !(found[best].merit > recipe_.min_merit)) return false;
        const int32_t branches = problem_.table.features[best].categorical() ? found[best].table.n_branches : 2;
        if (found[best].merit * item.totals.weight / problem_.total_weight + 2.2e-16 < recipe_.least_decrease(branches))
            return false;
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
                const double difference = target_[i] - (C::centred ? 0.0 : item.totals.sums[0] / item.totals.weight);
                branch.sum += w * difference;
                branch.squares += w * difference * difference;
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
    Candidate candidate(const Item& item, size_t feature, Found& found) const {
        if (problem_.table.features[feature].categorical()) return std::move(found.table);
        Candidate c;
        c.merit = found.merit;
        c.feature = static_cast<int32_t>(feature);
        if (is_bit(feature)) {
            c.threshold = problem_.bits->threshold(static_cast<size_t>(problem_.bits->bit_of(feature)));
            return c;
        }
        if (found.has_missing && !left_out(recipe_.policy(feature))) c.default_branch = found.place.missing_left ? 0 : 1;
        const uint8_t* code = coded_.of(feature);
        const double* column = problem_.table.features[feature].numbers;
        const uint32_t* rows = item.parts.row.data();
        double low = -infinity, high = infinity;
        for (size_t i = 0; i < item.size(); ++i) {
            const int bin = code[rows[i]];
            if (bin == missing_bin) continue;
            const double x = column[rows[i]];
            if (bin < found.place.bin || (bin == found.place.bin && x <= found.place.value)) low = std::max(low, x);
            else high = std::min(high, x);
        }
        c.threshold = high == infinity ? infinity : midpoint(low, high);
        return c;
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
    std::vector<Workspace> workspace_;
    BitCounter bit_counter_;
};

}  // namespace treewright
