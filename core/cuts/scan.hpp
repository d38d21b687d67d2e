// Every cut of a sorted list, from the left.
#pragma once
#include "base/midpoint.hpp"
#include "criteria/formula.hpp"
#include "cuts/cut.hpp"

namespace treewright {

/// A scorer over n rows, all on the right; those that cannot start from totals are given each row.
template <class Scorer, class C, class List>
Scorer started_scorer(const C& criterion, const LocalRows& rows, const Totals& totals, Scratch& scratch, const List* list,
                      size_t n) {
    Scorer scorer = make_scorer<Scorer>(criterion, rows, totals, scratch);
    if constexpr (requires { scorer.started(); }) {
        for (size_t i = 0; i < n; ++i) scorer.start(list[i].row);
        scorer.started();
    }
    return scorer;
}

template <class Scorer>
bool beats(const Scorer& scorer, double least) {
    if constexpr (requires { scorer.beats(least); }) return scorer.beats(least);
    else return scorer.score() > least;
}

/// Scan the known rows of a sorted list from the left; `already` rows stand on the left before the first.
/// Cuts stand between rows of different rank; `to_the_end` also allows the cut after the last known row.
template <class Scorer, class List>
void scan(const List* list, size_t known, size_t already, size_t total, bool to_the_end, bool missing_left, Scorer scorer,
          const CutLimits& limits, BestCut& best) {
    const size_t first = limits.min_count > already ? std::max<size_t>(limits.min_count - already, 1) : 1;
    if (total < already + limits.min_count) return;
    size_t last = std::min(known - 1, total - limits.min_count - already);  // most known rows on the left
    if (known == 0 || first > known) return;
    const bool free = !limits.cuts && limits.bounds.free();
    // Scorers that are a few numbers are copied to be looked at: the one that moves stays in registers.
    using At = std::conditional_t<std::is_trivially_copyable_v<Scorer>, const Scorer, const Scorer&>;
    const auto permitted = [&, known, total, missing_left](At at, size_t left) {
        const auto threshold = [&] { return left < known ? limits.between(list[left - 1].row, list[left].row) : infinity; };
        return limits.allow(at, threshold, [&] {
            if (known < total) return MissingSides{missing_left, !missing_left};
            return limits.larger(left, total - left, at.left_weight_now(), at.right_weight_now());
        });
    };
    const auto allowed = [&permitted, free, min_weight = limits.min_weight](const Scorer& at, size_t left) {
        return free ? both_weigh(at.left_weight_now(), at.right_weight_now(), min_weight) : permitted(at, left);
    };
    size_t i = 0;
    for (; i + 1 < first; ++i) scorer.add(list[i].row);
    const auto to_beat = [&] { return limits.last_of_ties ? -1e300 : std::max(best.least(), -1e300); };
    double least = to_beat();
    for (; i < last; ++i) {
        scorer.add(list[i].row);
        if (list[i].rank == list[i + 1].rank || !beats(scorer, least)) continue;
        if (!allowed(scorer, i + 1)) continue;
        best.offer(scorer.score(), {i + 1, missing_left});
        least = to_beat();
    }
    if (to_the_end && known + already + limits.min_count <= total) {
        for (; i < known; ++i) scorer.add(list[i].row);
        if (allowed(scorer, known)) best.offer(scorer.score(), {known, missing_left});
    }
}

}  // namespace treewright
