// Every cut of a sorted list, from the left.
#pragma once
#include "base/midpoint.hpp"
#include "criteria/formula.hpp"
#include "cuts/cut.hpp"

namespace treewright {

/// A scorer over n rows, all on the right; those that cannot start from totals are given each row, in the order in which it goes
/// left: from `first` to the end of the list, then from its beginning.
template <class Scorer, class C, class List>
Scorer started_scorer(const C& criterion, const LocalRows& rows, const Totals& totals, Scratch& scratch, const List* list,
                      size_t n, size_t first = 0) {
    Scorer scorer = make_scorer<Scorer>(criterion, rows, totals, scratch);
    if constexpr (requires { scorer.started(); }) {
        for (size_t i = first; i < n; ++i) scorer.start(list[i].row);
        for (size_t i = 0; i < first; ++i) scorer.start(list[i].row);
        scorer.started();
    }
    return scorer;
}

template <class Scorer>
bool beats(const Scorer& scorer, double least) {
    if constexpr (requires { scorer.beats(least); }) return scorer.beats(least);
    else return scorer.score() > least;
}

/// Where a score costs so much that it is asked for once, and only where it may be more than that of the best.
template <class Scorer>
inline constexpr bool costs_much = requires(const Scorer& scorer) { scorer.may_beat(0.0); };
template <class Scorer>
bool may_beat(const Scorer& scorer, double least) {
    if constexpr (costs_much<Scorer>) return scorer.may_beat(least);
    else return beats(scorer, least);
}

/// Scan the known rows of a sorted list from the left; `already` rows stand on the left before the first.
/// Cuts stand between rows of different rank; `to_the_end` also allows the cut after the last known row. Cuts whose score is
/// below `floor` need not be offered.
template <class Scorer, class List>
void scan(const List* list, size_t known, size_t already, size_t total, bool to_the_end, bool missing_left, Scorer scorer,
          const CutLimits& limits, BestCut& best, double floor = -1e300) {
    const size_t first = limits.min_count > already ? std::max<size_t>(limits.min_count - already, 1) : 1;
    if (total < already + limits.min_count) return;
    size_t last = std::min(known - 1, total - limits.min_count - already);  // most known rows on the left
    if (known == 0 || first > known) return;
    const bool free = limits.free();
    AllowedCuts cuts(limits, list, known, total, missing_left);
    // Of the scorer that moves only numbers are given away: so it stays in registers.
    const auto allowed = [&cuts, free, min_weight = limits.min_weight](const Scorer& at, size_t left) {
        return free ? both_weigh(at.left_weight_now(), at.right_weight_now(), min_weight) : cuts.hold(sides_of(at), left);
    };
    size_t i = 0;
    for (; i + 1 < first; ++i) scorer.add(list[i].row);
    const auto to_beat = [&] { return limits.last_of_ties ? -1e300 : std::max(best.least(), floor); };
    double least = to_beat();
    for (; i < last; ++i) {
        scorer.add(list[i].row);
        if (list[i].rank == list[i + 1].rank || !may_beat(scorer, least)) continue;
        if (!allowed(scorer, i + 1)) continue;
        const double score = scorer.score();
        if (costs_much<Scorer> && !(score > least)) continue;
        best.offer(score, {i + 1, missing_left});
        least = to_beat();
    }
    if (to_the_end && known + already + limits.min_count <= total) {
        for (; i < known; ++i) scorer.add(list[i].row);
        if (allowed(scorer, known)) best.offer(scorer.score(), {known, missing_left});
    }
}

}  // namespace treewright
