// The kernel of any criterion: its cuts, groupings, bounds and turns. Each file of grow/kernels/ instantiates it for some.
#pragma once
#include "grow/bits.hpp"
#include "cuts/search.hpp"
#include "grow/kernel.hpp"
#include "splits/categorical.hpp"
#include "splits/categorical_by_rows.hpp"
#include "splits/category_evidence.hpp"
#include "splits/scaled_cutter.hpp"

namespace treewright {

/// What does not depend on the scorer.
template <class C>
class CriterionKernel : public Kernel {
public:
    explicit CriterionKernel(const GrowTask& task)
        : task_(task), recipe_(task.recipe), criterion_(criterion_of<C>(task)), scratch_(task.n_log_n) {}
    CriterionKernel(const CriterionKernel&) = delete;  // scorers point into its memory
    CriterionKernel& operator=(const CriterionKernel&) = delete;

    bool wants_pairs() const override { return C::by_pairs(task_.n_classes); }

    Candidate best_grouping(const NodeView& node, const Table& table, int32_t feature, const Levels& levels,
                            const Bounds& bounds) override {
        if constexpr (goes_by_rows<C>) {
            return {};
        } else {
            GroupingBy<C> criterion(criterion_);
            const auto task = [&](const Levels& counted) {
                return GroupingTask{criterion,      recipe_,      table,   counted, node.totals,
                                    node.tolerance, spread(node), feature, bounds,  node.rows.levels};
            };
            if (!recipe_.fair_categories) return treewright::best_grouping(task(levels));
            shrunk_ = levels;
            if (!shrink(shrunk_, C::classification)) return {};
            Candidate found = treewright::best_grouping(task(shrunk_));
            return found.found() && allows(task(levels), found) ? std::move(found) : Candidate{};
        }
    }
    Candidate best_grouping(const NodeView& node, const Table& table, int32_t feature, std::span<const int32_t> codes,
                            std::span<const uint32_t> rows, const CutLimits& limits) override {
        if constexpr (goes_by_rows<C>) {
            GroupSearch<C> search(recipe_, table, node, limits, feature, scratch_);
            for (size_t i = 0; i < codes.size(); ++i) search.add(codes[i], rows[i]);
            return search.best();
        } else {
            return {};
        }
    }
    void rows_apart(const LocalRows& rows, size_t n, std::vector<double>& out) override {
        if constexpr (requires { &C::apart; }) {
            out.resize(n);
            for (size_t i = 0; i < n; ++i) out[i] = rows.weight_of(i) * C::apart(rows.target[i], rows.centre);
        }
    }
    std::unique_ptr<ScaledCutter> make_cutter(const ScaledRows& rows, double impurity) override {
        return std::make_unique<CriterionCutter<C>>(criterion_, rows, impurity);
    }

private:
    static double spread(const NodeView& node) {
        if constexpr (C::classification) return 1.0;
        else return C::spread(node.impurity, node.rows.centre);
    }

protected:
    const GrowTask& task_;
    const Recipe& recipe_;
    const C& criterion_;
    Scratch scratch_;
    Levels shrunk_;
};

template <class C, class Scorer>
class ScorerKernel final : public CriterionKernel<C> {
    using Base = CriterionKernel<C>;
    using Base::criterion_, Base::scratch_, Base::recipe_, Base::task_;

public:
    explicit ScorerKernel(const GrowTask& task) : Base(task), cuts_(criterion_, scratch_) {}

    FoundCut best_cut(const NodeView& node, const CutTask<uint16_t>& task) override { return cuts_.best(node, task); }
    FoundCut best_cut(const NodeView& node, const CutTask<uint32_t>& task) override { return cuts_.best(node, task); }
    double merit_of_cut(const NodeView& node, const CutTask<uint32_t>& task, const Cut& cut, double threshold) override {
        return cuts_.merit(node, task, cut, threshold);
    }
    std::pair<double, size_t> cut_bit(const NodeView& node, const uint32_t* ones) override {
        if constexpr (C::classification) {
            Scorer scorer = make_scorer<Scorer>(criterion_, node.rows, node.totals, scratch_);
            left_.sums.resize(task_.width());
            return score_bit(ones, node.totals, recipe_, scorer, left_);
        } else {
            return {-infinity, 0};
        }
    }

    void score_edges(const NodeView& node, const BinnedFeature& feature, Best<BinCut>& best) override {
        if constexpr (may_be_bounded<C>) {
            best.start(node.tolerance);
            Scorer scorer = make_scorer<Scorer>(criterion_, node.rows, feature.totals, scratch_);
            feature.each_side([&](bool missing_left) {
                Totals left = feature.start(missing_left);
                for (size_t i = 0; i < feature.n_bins; ++i) {
                    const double* bin = feature.bin(i);
                    if (feature.layout.count(bin) == 0) continue;
                    feature.layout.add(bin, left);
                    if (!allowed(feature.totals, left.count, left.weight, feature.totals.weight - left.weight)) continue;
                    scorer.jump(left);
                    best.offer(feature.share * scorer.merit(scorer.score()), {missing_left, static_cast<int>(i), infinity});
                }
            });
        }
    }
    void scan_bin(const NodeView& node, const BinnedFeature& feature, const SortedBin& bin, Best<BinCut>& best) override {
        if constexpr (may_be_bounded<C>) {
            Scorer scorer = make_scorer<Scorer>(criterion_, node.rows, feature.totals, scratch_);
            scorer.jump(bin.before);
            size_t count = bin.before.count;
            double least = -infinity;  // in scores: below it nothing can matter
            for (size_t i = 0; i + 1 < bin.entries.size(); ++i) {
                scorer.add(bin.row[bin.entries[i].row]);
                ++count;
                if (bin.entries[i].rank == bin.entries[i + 1].rank) continue;
                const double score = scorer.score();
                if (score < least) continue;
                if (!allowed(feature.totals, count, scorer.left_weight_now(), scorer.right_weight_now())) continue;
                const double merit = feature.share * scorer.merit(score);
                if (merit < best.most() - node.tolerance) continue;
                least = score - scorer.score_step(node.tolerance / feature.share);
                best.offer_in_place(merit, {bin.start.missing_left, bin.start.bin, bin.value[bin.entries[i].row]});
            }
        }
    }
    void bound_bins(const NodeView& node, const BinnedFeature& feature, bool missing_left, double least,
                    std::span<double> bound) override {
        if constexpr (may_be_bounded<C>) {
            const Totals& totals = feature.totals;
            Totals left = feature.start(missing_left), here(left.sums.size()), other(left.sums.size());
            const auto each_bin = [&](auto&& use) {  // with what is left of it, and itself
                for (size_t i = 0; i < feature.n_bins; ++i) {
                    here.clear();
                    feature.layout.add(feature.bin(i), here);
                    if (here.count == 0) continue;
                    use(i);
                    left.add(here);
                }
            };
            if constexpr (!C::classification) {
                each_bin([&](size_t i) {
                    bound[i] = C::most_inside(totals, left, here, BinLayout::rows_apart(feature.bin(i)), node.rows.centre);
                });
            } else if (task_.n_classes == 2) {
                Scorer scorer = make_scorer<Scorer>(criterion_, node.rows, totals, scratch_);
                each_bin([&](size_t i) { bound[i] = largest_at_corner(scorer, totals.weight, left, here, other); });
            } else {
                typename C::SideCosts costs(criterion_);
                costs.start(totals.weight);
                const auto cut = [&] {
                    other.weight = 0;
                    for (size_t k = 0; k < left.sums.size(); ++k)
                        other.weight += other.sums[k] = rest_of(totals.sums[k], left.sums[k]);
                    costs.add(left, other);
                };
                std::vector<size_t> group;
                each_bin([&](size_t i) {
                    cut();
                    group.push_back(i);
                });
                cut();
                const double whole = criterion_.impurity(totals);
                for (size_t g = 0; g < group.size(); ++g) bound[group[g]] = whole - costs.inside(g) / totals.weight;
                // corners bound better; they are worth their time where that is little beside sorting the bin
                left = feature.start(missing_left);
                Scorer scorer = make_scorer<Scorer>(criterion_, node.rows, totals, scratch_);
                each_bin([&](size_t i) {
                    if (feature.share * bound[i] < least) return;
                    const auto present = std::count_if(here.sums.begin(), here.sums.end(), [](double sum) { return sum > 0; });
                    if (present <= 8 && (left.sums.size() << present) <= 8 * here.count)
                        bound[i] = std::min(bound[i], largest_at_corner(scorer, totals.weight, left, here, other));
                });
            }
        }
    }

private:
    /// The largest merit on the box of what a part of a group may add to the left: it is convex in the left class weights, and so
    /// largest at a corner, where some classes have gone left and the others have not.
    static double largest_at_corner(Scorer& scorer, double weight, const Totals& left, const Totals& group, Totals& corner) {
        double most = -infinity;
        std::array<size_t, 8> classes;
        size_t n = 0;
        for (size_t k = 0; k < group.sums.size(); ++k)
            if (group.sums[k] > 0) classes[n++] = k;
        for (size_t gone = 0; gone < size_t{1} << n; ++gone) {
            corner.sums = left.sums;
            corner.weight = left.weight;
            for (size_t j = 0; j < n; ++j)
                if (gone >> j & 1) {
                    corner.sums[classes[j]] += group.sums[classes[j]];
                    corner.weight += group.sums[classes[j]];
                }
            if (corner.weight <= 0 || corner.weight >= weight) continue;
            scorer.jump(corner);
            most = std::max(most, scorer.merit(scorer.score()));
        }
        return most;
    }
    bool allowed(const Totals& all, size_t left, double left_weight, double right_weight) const {
        const auto least = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        return left >= least && all.count >= left + least && both_weigh(left_weight, right_weight, recipe_.min_weight_leaf);
    }

    CutSearch<C, Scorer> cuts_;
    Totals left_;
};

template <class C>
std::unique_ptr<Kernel> make_kernel(const GrowTask& task, bool unit) {
    return C::with_scorer(task.n_classes, unit, [&]<class Scorer>() -> std::unique_ptr<Kernel> {
        return std::make_unique<ScorerKernel<C, Scorer>>(task);
    });
}

}  // namespace treewright
