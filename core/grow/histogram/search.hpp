// The best split of every feature at a node of the trunk: bin edges from histograms, and inside bins only where a bound allows.
#pragma once
#include <atomic>

#include "grow/presorted/rows.hpp"
#include "cuts/bounded.hpp"
#include "grow/histogram/histograms.hpp"
#include "parallel.hpp"
#include "splits/categorical.hpp"

namespace treewright {

template <class C, class Scorer>
class TrunkSearch : protected Histograms<C> {
protected:
    using Base = Histograms<C>;
    using Base::problem_, Base::recipe_, Base::coded_, Base::label_, Base::local_;
    using Base::stride, Base::rows_in, Base::add_bin, Base::bins, Base::basis, Base::rows_apart, Base::is_bit, Base::is_coded;
    using typename Base::Basis, typename Base::Item;

    /// Where a cut stands, in the order of candidates: after all of a bin, or after a value inside it.
    struct Place {
        bool missing_left = false;
        int bin = -1;
        double value = infinity;  // infinity = the whole bin goes left
        auto operator<=>(const Place&) const = default;
    };
    struct Found {
        double merit = -infinity;
        Best<Place> cuts;  // of a coded feature
        bool has_missing = false;
        Candidate table;  // of a categorical feature
    };
    struct Workspace {
        Scratch scratch;
        LevelCounter counter;
        Levels levels;
        RowSorter sorter;
        std::vector<double> values;
        std::vector<uint32_t> local;
        std::vector<Entry<uint32_t>> sorted;
    };

    TrunkSearch(const Problem& problem, bool unit)
        : Base(problem, unit),
          criterion_(criterion_of<C>(problem)),
          workspace_(static_cast<size_t>(std::max(problem.recipe.threads, 1))) {
        for (Workspace& work : workspace_) work.scratch.n_log_n = problem.n_log_n;
    }

    /// The best cut or grouping of each feature; those that can neither win nor tie may be left unrefined.
    std::vector<Found> search(Item& item) {
        Base::histograms(item);
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
        parallel_for(p, recipe_.threads, [&](size_t f, int thread) {
            if (!item.may_use(f)) return;
            problem_.monitor.poll(thread);
            auto& work = workspace_[static_cast<size_t>(thread)];
            if (problem_.table.features[f].categorical()) found[f] = search_categories(item, f, work);
            else if (is_bit(f)) found[f].merit = search_bit(item, f, work);
            else if (recipe_.threshold) score_edges(item, f, work, found[f]);
            note(best, f, found[f]);
        });
        parallel_for(p, recipe_.threads, [&](size_t f, int thread) {
            if (is_coded(f) && item.may_use(f) && recipe_.threshold)
                suspect_bins(item, f, workspace_[static_cast<size_t>(thread)], bar(item, f, best, found[f]), suspects[f]);
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
            refine(item, order[i], suspects[order[i]], workspace_[static_cast<size_t>(thread)], best, found[order[i]]);
        });
        for (Found& of_feature : found)
            if (of_feature.cuts.found()) of_feature.merit = of_feature.cuts.merit();
        return found;
    }

    /// What was found on a feature, as a split.
    Candidate candidate(const Item& item, size_t feature, Found& found) const {
        if (problem_.table.features[feature].categorical()) return std::move(found.table);
        Candidate c;
        c.merit = found.merit;
        c.feature = static_cast<int32_t>(feature);
        if (is_bit(feature)) {
            c.threshold = problem_.bits->threshold(static_cast<size_t>(problem_.bits->bit_of(feature)));
            return c;
        }
        const Place place = found.cuts.get();
        if (found.has_missing && !left_out(recipe_.policy(feature))) c.default_branch = place.missing_left ? 0 : 1;
        const uint8_t* code = coded_.of(feature);
        const double* column = problem_.table.features[feature].numbers;
        const uint32_t* rows = item.parts.row.data();
        double low = -infinity, high = infinity;
        for (size_t i = 0; i < item.size(); ++i) {
            const int bin = code[rows[i]];
            if (bin == missing_bin) continue;
            const double x = column[rows[i]];
            if (bin < place.bin || (bin == place.bin && x <= place.value)) low = std::max(low, x);
            else high = std::min(high, x);
        }
        c.threshold = high == infinity ? infinity : midpoint(low, high);
        return c;
    }

    double tolerance(const Item& item) const { return criterion_.tolerance(item.totals, item.impurity); }

    const C& criterion_;
    std::vector<Workspace> workspace_;  // of each thread

private:
    /// A bin that may hold a better cut than its edges.
    struct Suspect {
        int bin;
        double bound;
        bool missing_left;
    };

    void note(std::atomic<double>& best, size_t feature, const Found& found) const {
        const double worth = recipe_.worth(std::max(found.merit, found.cuts.most()), static_cast<int32_t>(feature));
        double seen = best.load();
        while (worth > seen && !best.compare_exchange_weak(seen, worth)) {
        }
    }
    /// A cut of this feature with less merit than this does not matter. The best of a feature may be one tolerance below its
    /// largest merit, the feature that wins one below the best of another, and that one below the largest merit of all.
    double bar(const Item& item, size_t feature, const std::atomic<double>& best, const Found& found) const {
        if (recipe_.max_competitors) return found.cuts.most() - tolerance(item);
        const double price = recipe_.feature_costs.empty() ? 1.0 : recipe_.feature_costs[feature];
        return best.load() * price - 3 * tolerance(item) * std::max(price, 1.0);
    }

    bool valid(const Totals& basis, const Totals& left) const {
        const auto least = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        return left.count >= least && basis.count >= left.count + least &&
               both_weigh(left.weight, basis.weight - left.weight, recipe_.min_weight_leaf);
    }

    template <class Use>
    static void each_direction(const Basis& b, Use&& use) {
        use(false);
        if (b.by_direction) use(true);
    }

    void score_edges(const Item& item, size_t feature, Workspace& work, Found& found) const {
        const Basis b = basis(item, feature);
        found.has_missing = b.has_missing;
        if (b.totals.count == 0) return;
        const double* bin = bins(item, feature);
        const size_t step = stride();
        found.cuts.start(tolerance(item));
        Scorer scorer = make_scorer<Scorer>(criterion_, local_, b.totals, work.scratch);
        each_direction(b, [&](bool missing_left) {
            Totals left = missing_left ? b.missing : Totals(problem_.width());
            for (int i = 0; i < missing_bin; ++i) {
                const double* at = bin + static_cast<size_t>(i) * step;
                if (rows_in(at) == 0) continue;
                add_bin(at, left);
                if (!valid(b.totals, left)) continue;
                scorer.jump(left);
                found.cuts.offer(b.share * scorer.merit(scorer.score()), {missing_left, i, infinity});
            }
        });
    }

    /// Bins inside which a cut might reach the bar.
    void suspect_bins(const Item& item, size_t feature, Workspace& work, double bar, std::vector<Suspect>& out) const {
        const Basis b = basis(item, feature);
        if (b.totals.count == 0) return;
        const double* bin = bins(item, feature);
        std::array<double, 256> bound;
        each_direction(b, [&](bool missing_left) {
            bound_bins(b, bin, missing_left, work, bound);
            for (int i = 0; i < missing_bin; ++i) {
                const auto at = static_cast<size_t>(i);
                if (coded_.single[feature][at] || rows_in(bin + at * stride()) < 2) continue;
                // bounds round by 1e-15 of their parts, in another order than scores do
                const double most =
                    b.share * (bound[at] * (1 + bound_safety) + bound_safety * (C::classification ? 1e-5 : item.impurity));
                if (most >= bar) out.push_back({i, most, missing_left});
            }
        });
    }
    /// No cut inside a bin that holds rows has more merit, on the rows of the basis, than its bound.
    void bound_bins(const Basis& b, const double* bin, bool missing_left, Workspace& work, std::array<double, 256>& bound) const {
        const size_t step = stride();
        Totals left = missing_left ? b.missing : Totals(problem_.width()), here(problem_.width()), other(problem_.width());
        const auto each_bin = [&](auto&& use) {  // with what is left of it, and itself
            for (size_t i = 0; i < missing_bin; ++i) {
                here.clear();
                add_bin(bin + i * step, here);
                if (here.count == 0) continue;
                use(i);
                left.add(here);
            }
        };
        if constexpr (!C::classification) {
            each_bin(
                [&](size_t i) { bound[i] = C::most_inside(b.totals, left, here, rows_apart(bin + i * step), local_.centre); });
        } else if (problem_.n_classes == 2) {
            // the merit is convex in the left class weights: its largest value on the bin's box stands at a corner
            Scorer scorer = make_scorer<Scorer>(criterion_, local_, b.totals, work.scratch);
            each_bin([&](size_t i) {
                bound[i] = -infinity;
                for (size_t corner = 0; corner < 4; ++corner) {
                    other.sums = left.sums;
                    other.weight = left.weight;
                    for (size_t k = 0; k < 2; ++k)
                        if (corner >> k & 1) {
                            other.sums[k] += here.sums[k];
                            other.weight += here.sums[k];
                        }
                    if (other.weight <= 0 || other.weight >= b.totals.weight) continue;
                    scorer.jump(other);
                    bound[i] = std::max(bound[i], scorer.merit(scorer.score()));
                }
            });
        } else {
            typename C::SideCosts costs(criterion_);
            costs.start(b.totals.weight);
            const auto cut = [&] {
                other.weight = 0;
                for (size_t k = 0; k < left.sums.size(); ++k)
                    other.weight += other.sums[k] = rest_of(b.totals.sums[k], left.sums[k]);
                costs.add(left, other);
            };
            std::array<size_t, 256> group;
            size_t n = 0;
            each_bin([&](size_t i) {
                cut();
                group[n++] = i;
            });
            cut();
            const double whole = criterion_.impurity(b.totals);
            for (size_t g = 0; g < n; ++g) bound[group[g]] = whole - costs.inside(g) / b.totals.weight;
        }
    }
    /// Sort the rows of the suspect bins and scan every cut inside them.
    void refine(const Item& item, size_t feature, std::vector<Suspect>& suspects, Workspace& work, std::atomic<double>& best,
                Found& found) const {
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
        Scorer scorer = make_scorer<Scorer>(criterion_, local_, b.totals, work.scratch);
        const double slack = tolerance(item);
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
                    note(best, feature, found);
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
            if (!both_weigh(scorer.left_weight_now(), scorer.right_weight_now(), recipe_.min_weight_leaf)) continue;
            const double merit = b.share * scorer.merit(score);
            if (merit < found.cuts.most() - slack) continue;
            bar = score - scorer.score_step(slack / b.share);
            found.cuts.offer_in_place(merit, {missing_left, bin, work.values[work.sorted[i].row]});
        }
    }

    double search_bit(const Item& item, size_t feature, Workspace& work) const {
        if constexpr (C::classification) {
            Scorer scorer = make_scorer<Scorer>(criterion_, local_, item.totals, work.scratch);
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

    BitCounter bit_counter_;
};

}  // namespace treewright
