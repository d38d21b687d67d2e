// The best cut of one feature of a node by one criterion, whatever becomes of the rows without a value.
#pragma once
#include <optional>

#include "cuts/around_zeros.hpp"
#include "cuts/bounded.hpp"
#include "cuts/shared_counts.hpp"
#include "cuts/scan.hpp"

namespace treewright {

/// Lists of whole rows are all that several targets are searched on: no sparse ones, none whose rows are shared over branches.
template <class C>
inline constexpr bool takes_any_list = !goes_by_rows<C> && !requires { C::several; };

/// Stands where no list names some of its rows only.
struct NoZeros {
    template <class C>
    NoZeros(const C&, Scratch&) {}
};

template <class C, class Scorer>
class CutSearch {
public:
    CutSearch(const C& criterion, Scratch& scratch)
        : criterion_(criterion), scratch_(scratch), class_scan_(criterion), around_zeros_(criterion, scratch) {}
    CutSearch(const CutSearch&) = delete;  // it refers to the memory of its owner
    CutSearch& operator=(const CutSearch&) = delete;

    template <class Index>
    FoundCut best(const NodeView& node, const CutTask<Index>& task) {
        if constexpr (takes_any_list<C>)
            if (task.zeros > 0) return around_zeros_.best(node, task, best_);
        if (task.known == 0) return {};
        if (tries_both_sides(node, task)) return best_of_both_sides(node, task);
        if constexpr (takes_any_list<C>)
            if (task.by_shares && task.known < node.totals.count) return best_by_shares(node, widened(task, wide_));
        if constexpr (requires { criterion_.merit_of_known; })
            if (task.shared && criterion_.merit_of_known) return best_of_known(node, widened(task, wide_));
        if constexpr (may_be_bounded<C>)
            if (task.bounded) return best_by_bounds(node, task);
        return best_of_all(node, task);
    }
    /// The merit of one cut, −infinity if it is not allowed.
    double merit(const NodeView& node, const CutTask<uint32_t>& task, const Cut& cut, double threshold) {
        if constexpr (takes_any_list<C>)
            if (task.zeros > 0) return around_zeros_.merit(node, task, cut);
        const TakingPart basis = basis_of(node, task);
        if constexpr (takes_any_list<C>)
            if (task.by_shares && task.known < node.totals.count)
                return merit_by(SharedCountsScorer<C>(criterion_, node.rows, node.totals, basis.totals), task, cut, threshold);
        if constexpr (requires { criterion_.merit_of_known; })
            if (task.shared && criterion_.merit_of_known)
                return merit_by(KnownScorer(node.rows, basis.totals, node.totals.weight, criterion_), task, cut, threshold);
        return merit_by(scorer(node, task, basis, cut.missing_left()), task, cut, threshold) * basis.share;
    }

private:
    template <class Index>
    static bool tries_both_sides(const NodeView& node, const CutTask<Index>& task) {
        return task.known < node.totals.count && !task.left_out;
    }
    template <class Index>
    TakingPart basis_of(const NodeView& node, const CutTask<Index>& task) {
        if (task.known == node.totals.count || !task.left_out) return {node.totals, node.totals.count, 1.0};
        known_ = Totals(node.totals.sums.size());
        known_.count = task.known;
        for (size_t i = 0; i < task.known; ++i) add_row<C::classification>(node.rows, task.list[i].row, known_);
        return {known_, task.known, known_.weight / node.totals.weight};
    }
    /// With all rows that take part on the right; those without a value will go left last, or first.
    template <class Index>
    Scorer scorer(const NodeView& node, const CutTask<Index>& task, const TakingPart& basis, bool missing_first = false) {
        const size_t first = missing_first && task.known < basis.n ? task.known : 0;
        return started_scorer<Scorer>(criterion_, node.rows, basis.totals, scratch_, task.list.data(), basis.n, first);
    }
    /// The best cut that a scan has left, as its scorer values it.
    template <class S>
    FoundCut found(const S& scorer, double share) {
        if (!best_.found()) return {};
        return {scorer.merit(best_.merit()) * share, best_.get()};
    }

    /// The score below which no cut matters, nor is equal to one that does: merits are linear in scores.
    template <class Index>
    static double floor(const NodeView& node, const CutTask<Index>& task, const Scorer& made, double share) {
        if (!(task.least > -infinity)) return -1e300;
        return made.score_step((task.least - 2 * node.tolerance) / share - made.merit(0.0));
    }
    template <class Index>
    FoundCut best_of_all(const NodeView& node, const CutTask<Index>& task) {
        const TakingPart basis = basis_of(node, task);
        const Scorer made = scorer(node, task, basis);
        best_.start(made.score_step(node.tolerance / basis.share), task.limits.last_of_ties);
        scan(task.list.data(), task.known, 0, basis.n, false, false, made, task.limits, best_,
             floor(node, task, made, basis.share));
        return found(made, basis.share);
    }
    template <class Index>
    FoundCut best_of_both_sides(const NodeView& node, const CutTask<Index>& task) {
        const TakingPart basis = basis_of(node, task);
        const size_t n = basis.n, known = task.known;
        const Scorer right = scorer(node, task, basis);
        best_.start(right.score_step(node.tolerance), task.limits.last_of_ties);
        const double least = floor(node, task, right, basis.share);
        scan(task.list.data(), known, 0, n, true, false, right, task.limits, best_, least);
        Scorer left = scorer(node, task, basis, true);
        for (size_t i = known; i < n; ++i) left.add(task.list[i].row);
        scan(task.list.data(), known, n - known, n, false, true, left, task.limits, best_, least);
        return found(left, basis.share);
    }
    /// Rows without a value are shared over the branches, and the formula knows of it.
    FoundCut best_of_known(const NodeView& node, const CutTask<uint32_t>& task) {
        const TakingPart basis = basis_of(node, task);
        const KnownScorer made(node.rows, basis.totals, node.totals.weight, criterion_);
        best_.start(node.tolerance, task.limits.last_of_ties);
        scan(task.list.data(), task.known, 0, task.known, false, false, made, task.limits, best_);
        return found(made, 1);
    }
    /// Rows without a value are shared over the branches, and counted there.
    FoundCut best_by_shares(const NodeView& node, const CutTask<uint32_t>& task) {
        const TakingPart basis = basis_of(node, task);
        const SharedCountsScorer<C> made(criterion_, node.rows, node.totals, basis.totals);
        best_.start(node.tolerance, task.limits.last_of_ties);
        scan(task.list.data(), task.known, 0, task.known, false, false, made, task.limits, best_);
        return found(made, 1);
    }
    template <class Index>
    FoundCut best_by_bounds(const NodeView& node, const CutTask<Index>& task) {
        const std::span<const Entry<Index>> list = task.list.first(task.known);
        if constexpr (requires { typename C::PairScorer; })
            if (node.pairs) {
                const Totals totals = pair_scan_.sum(list, *node.pairs, C::classification);
                const double share = totals.weight / node.totals.weight;
                const typename C::PairScorer made(node.rows, totals, scratch_);
                const double step = made.score_step(node.tolerance / share);
                best_.start(step);
                pair_scan_.scan(list, *node.pairs, made, made.score_step(task.least / share), task.limits, step, best_);
                return found(made, share);
            }
        if constexpr (C::classification) {
            const Totals totals = class_scan_.sum(list, node.rows, node.totals.sums.size());
            const double share = totals.weight / node.totals.weight;
            Scorer made = make_scorer<Scorer>(criterion_, node.rows, totals, scratch_);
            best_.start(made.score_step(node.tolerance / share));
            class_scan_.scan(list, totals, made, task.least / share, task.limits, node.tolerance / share, best_);
            return found(made, share);
        } else {
            return best_of_all(node, task);
        }
    }

    template <class S>
    static double merit_by(S made, const CutTask<uint32_t>& task, const Cut& cut, double threshold) {
        const size_t n = task.left_out ? task.known : task.list.size(), missing = cut.missing_left() ? n - task.known : 0;
        const size_t left = cut.position() + missing, right = n - left;
        if (left < task.limits.min_count || right < task.limits.min_count || right == 0) return -infinity;
        for (size_t i = 0; i < missing; ++i) made.add(task.list[task.known + i].row);
        for (size_t i = 0; i < cut.position(); ++i) made.add(task.list[i].row);
        const MissingSides missing_sides = task.known < n
                                               ? MissingSides{cut.missing_left(), !cut.missing_left()}
                                               : task.limits.larger(left, right, made.left_weight_now(), made.right_weight_now());
        if (!task.limits.allow(made, threshold, missing_sides)) return -infinity;
        return made.merit(made.score());
    }

    const C& criterion_;
    Scratch& scratch_;
    Totals known_;
    BestCut best_;
    PairScanFor<C> pair_scan_;
    ClassScanFor<C> class_scan_;
    std::conditional_t<takes_any_list<C>, CutsAroundZeros<C, Scorer>, NoZeros> around_zeros_;
    WideList wide_;
};

}  // namespace treewright
