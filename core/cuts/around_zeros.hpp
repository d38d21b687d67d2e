// Cuts of a feature most of whose rows are zero: the list names the others only, and zeros are passed in one step.
#pragma once
#include "criteria/mean_difference.hpp"
#include "cuts/scan.hpp"

namespace treewright {

/// The rows at zero stand between the entries below and above zero; what they add up to is what the node has and the list has
/// not.
template <class C, class Scorer>
class CutsAroundZeros {
public:
    CutsAroundZeros(const C& criterion, Scratch& scratch) : criterion_(criterion), scratch_(scratch) {}

    template <class Index>
    FoundCut best(const NodeView& node, const CutTask<Index>& task, BestCut& best) {
        const TakingPart basis = basis_of(node, task);
        const size_t n_missing = task.list.size() - task.known;
        const bool both_sides = n_missing > 0 && !task.left_out;
        Scorer scorer = make_scorer<Scorer>(criterion_, node.rows, basis.totals, scratch_);
        best.start(scorer.score_step(node.tolerance / basis.share), task.limits.last_of_ties);
        set_rest(node, basis, task.list.subspan(task.below, task.known - task.below + (both_sides ? n_missing : 0)));
        scan(task, Part{0, basis.n, both_sides, false}, scorer, best);
        if (both_sides) {
            Scorer left = make_scorer<Scorer>(criterion_, node.rows, basis.totals, scratch_);
            for (const auto& entry : task.list.subspan(task.known)) left.add(entry.row);
            set_rest(node, basis, task.list.subspan(task.below, task.known - task.below));
            scan(task, Part{n_missing, basis.n, false, true}, left, best);
        }
        if (!best.found()) return {};
        return {scorer.merit(best.merit()) * basis.share, best.get()};
    }
    /// The merit of one cut, −infinity if it is not allowed.
    template <class Index>
    double merit(const NodeView& node, const CutTask<Index>& task, const Cut& cut) {
        const TakingPart basis = basis_of(node, task);
        const size_t n_missing = task.left_out ? 0 : task.list.size() - task.known;
        const size_t left = cut.position() + (cut.missing_left() ? n_missing : 0), right = basis.n - left;
        if (left < task.limits.min_count || right < task.limits.min_count || right == 0) return -infinity;
        Scorer scorer = make_scorer<Scorer>(criterion_, node.rows, basis.totals, scratch_);
        const size_t above = task.known - task.below;
        if (cut.position() > task.below) {  // zeros go left
            const size_t missing_right = cut.missing_left() ? 0 : n_missing;
            set_rest(node, basis, task.list.subspan(task.below, above + missing_right));
            scorer.jump(rest_);
            for (size_t i = task.below; i + task.zeros < cut.position(); ++i) scorer.add(task.list[i].row);
        } else {
            for (size_t i = 0; i < cut.position(); ++i) scorer.add(task.list[i].row);
            if (cut.missing_left())
                for (const auto& entry : task.list.subspan(task.known)) scorer.add(entry.row);
        }
        return task.limits.allow(scorer) ? scorer.merit(scorer.score()) * basis.share : -infinity;
    }

private:
    template <class Index>
    TakingPart basis_of(const NodeView& node, const CutTask<Index>& task) {
        if (!task.left_out || task.known == task.list.size()) return {node.totals, node.totals.count, 1.0};
        sum_up(node, task.list.subspan(task.known));
        known_ = node.totals;
        take_off(known_);
        known_.count = task.known + task.zeros;
        return {known_, known_.count, known_.weight / node.totals.weight};
    }
    /// What some entries of a list add up to, into `part_`.
    template <class Index>
    void sum_up(const NodeView& node, std::span<const Entry<Index>> entries) {
        part_.sums.resize(node.totals.sums.size());
        part_.clear();
        for (const auto& entry : entries) add_row<C::classification>(node.rows, entry.row, part_);
    }
    /// Take `part_` off the totals of more rows.
    void take_off(Totals& totals) const {
        totals.weight = rest_of(totals.weight, part_.weight);
        for (size_t k = 0; k < totals.sums.size(); ++k)
            totals.sums[k] = C::classification ? rest_of(totals.sums[k], part_.sums[k]) : totals.sums[k] - part_.sums[k];
    }
    /// What the rows that take part add up to without these entries, into `rest_`.
    template <class Index>
    void set_rest(const NodeView& node, const TakingPart& basis, std::span<const Entry<Index>> entries) {
        if constexpr (OfPairs<Scorer>) {
            rest_ = {basis.totals.weight, basis.totals.sums[C::classification ? 1 : 0], 0};
            PairSum sum;
            for (const auto& entry : entries) sum.add(Scorer::pair_of(node.rows, entry.row));
            rest_.weight -= sum.weight;
            rest_.amount = C::classification ? rest_of(rest_.amount, sum.amount) : rest_.amount - sum.amount;
        } else {
            sum_up(node, entries);
            rest_ = basis.totals;
            take_off(rest_);
        }
    }

    struct Part {
        size_t already, total;  // rows on the left before the first, and all that take part
        bool to_the_end, missing_left;
    };
    /// Every cut from the left; those up to zero are counted by the list, those above stand behind the zeros as well.
    template <class Index>
    void scan(const CutTask<Index>& task, const Part& part, Scorer scorer, BestCut& best) {
        const CutLimits& limits = task.limits;
        const auto to_beat = [&] { return limits.last_of_ties ? -1e300 : std::max(best.least(), -1e300); };
        double least = to_beat();
        const auto offer = [&](size_t position) {
            const size_t left = position + part.already;
            if (left < limits.min_count || part.total < left + limits.min_count || !beats(scorer, least)) return;
            if (!both_weigh(scorer.left_weight_now(), scorer.right_weight_now(), limits.min_weight)) return;
            best.offer(scorer.score(), {position, part.missing_left});
            least = to_beat();
        };
        const Entry<Index>* list = task.list.data();
        for (size_t i = 0; i < task.below; ++i) {
            scorer.add(list[i].row);
            if (i + 1 == task.below || list[i].rank != list[i + 1].rank) offer(i + 1);
        }
        scorer.jump(rest_);
        if (task.below < task.known) offer(task.below + task.zeros);
        for (size_t i = task.below; i + 1 < task.known; ++i) {
            scorer.add(list[i].row);
            if (list[i].rank != list[i + 1].rank) offer(i + 1 + task.zeros);
        }
        if (!part.to_the_end) return;
        if (task.below < task.known) scorer.add(list[task.known - 1].row);
        offer(task.known + task.zeros);
    }

    const C& criterion_;
    Scratch& scratch_;
    Totals known_, part_;
    std::conditional_t<OfPairs<Scorer>, PairSum, Totals> rest_{};  // of the rows on the left of all above zero
};

}  // namespace treewright
