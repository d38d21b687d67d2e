// Splits of a numeric feature: x ≤ t, for a feature whose rows stand sorted.
#pragma once
#include <bit>
#include <cstring>

#include "best.hpp"
#include "candidate.hpp"
#include "constraints.hpp"
#include "problem.hpp"

namespace treewright {

/// A row in the order of one feature: rank counts distinct values, the largest rank of all stands for missing.
template <class Index>
struct Entry {
    Index rank, row;
    static constexpr Index missing = std::numeric_limits<Index>::max();
};

/// Doubles as integers of the same order; both zeros are one value.
inline uint64_t sort_key(double x) {
    const auto bits = std::bit_cast<uint64_t>(x + 0.0);
    return bits ^ ((bits >> 63) ? ~uint64_t{0} : uint64_t{1} << 63);
}

/// Sorts rows by value: a radix sort on the leading 32 bits of (key − smallest key), ties repaired on the whole value.
class RowSorter {
public:
    /// value(i) for i < n; rows with NaN go last, in row order. Returns the number of known values.
    template <class Index>
    size_t sort(const double* value, size_t n, Entry<Index>* out) {
        items_.resize(n + 1);  // one to spare: what is not kept is written over
        spare_.resize(n + 1);
        uint64_t low = ~uint64_t{0}, high = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint64_t key = sort_key(value[i]);
            const bool missing = std::isnan(value[i]);
            low = std::min(low, missing ? ~uint64_t{0} : key);
            high = std::max(high, missing ? 0 : key);
        }
        const int width = low > high ? 0 : static_cast<int>(std::bit_width(high - low));
        const int shift = std::max(0, width - 32);
        size_t known = 0;
        for (size_t i = 0; i < n; ++i) {  // without a branch, as holes stand anywhere
            items_[known] = ((sort_key(value[i]) - low) >> shift) << 32 | i;
            known += !std::isnan(value[i]);
        }
        sort_items(known, std::min(width, 32));
        if (shift) repair(value, known);
        Index rank = 0;
        for (size_t i = 0; i < known; ++i) {
            const auto row = static_cast<uint32_t>(items_[i]);
            if (i && (items_[i] >> 32 != items_[i - 1] >> 32 || value[row] != value[static_cast<uint32_t>(items_[i - 1])]))
                ++rank;
            out[i] = {rank, static_cast<Index>(row)};
        }
        if (known < n) {
            size_t missing = known;
            for (size_t i = 0; i < n; ++i)
                if (std::isnan(value[i])) out[missing++] = {Entry<Index>::missing, static_cast<Index>(i)};
        }
        return known;
    }

private:
    void sort_items(size_t n, int bits) {
        if (n < 192) {
            std::sort(items_.begin(), items_.begin() + static_cast<int64_t>(n));
            return;
        }
        constexpr int digit = 11;
        uint32_t place[1 << digit];
        for (int from = 0; from < bits; from += digit) {
            std::memset(place, 0, sizeof place);
            const int down = 32 + from;
            constexpr uint64_t mask = (1u << digit) - 1;
            for (size_t i = 0; i < n; ++i) ++place[items_[i] >> down & mask];
            uint32_t sum = 0;
            for (uint32_t& p : place) sum += std::exchange(p, sum);
            for (size_t i = 0; i < n; ++i) spare_[place[items_[i] >> down & mask]++] = items_[i];
            items_.swap(spare_);
        }
    }
    /// Values that share their leading bits are put in order by the whole value, then by row.
    void repair(const double* value, size_t n) {
        for (size_t begin = 0; begin < n;) {
            size_t end = begin + 1;
            while (end < n && items_[end] >> 32 == items_[begin] >> 32) ++end;
            if (end - begin > 1)
                std::sort(items_.begin() + static_cast<int64_t>(begin), items_.begin() + static_cast<int64_t>(end),
                          [&](uint64_t a, uint64_t b) {
                              const double x = value[static_cast<uint32_t>(a)], y = value[static_cast<uint32_t>(b)];
                              return x < y || (x == y && a < b);
                          });
            begin = end;
        }
    }
    std::vector<uint64_t> items_, spare_;
};

/// A cut of one feature: `position` known rows go left.
struct Cut {
    size_t position = 0;
    bool missing_left = false;
};

/// The best cut of one feature, by its score.
using BestCut = Best<Cut>;

/// What a cut must respect.
struct CutLimits {
    size_t min_count = 1;
    double min_weight = 0;
    Bounds bounds;                    // on the branches of any split
    const CutBounds* cuts = nullptr;  // on those of each cut; values then tell where a cut stands
    const double* column = nullptr;
    const uint32_t* rows = nullptr;
    bool by_weight = false;  // rows without the value follow the heavier branch, not the larger
    bool last_of_ties = false;

    /// Whether the branches may be made that the scorer stands at.
    template <class Scorer>
    bool allow(const Scorer& scorer) const {
        if (!both_weigh(scorer.left_weight_now(), scorer.right_weight_now(), min_weight)) return false;
        return bounds.free() || bounds.allow(scorer.left_mean(), scorer.right_mean());
    }
    /// The same of a cut; threshold() and missing() are asked if they matter.
    template <class Scorer, class Threshold, class Missing>
    bool allow(const Scorer& scorer, Threshold&& threshold, Missing&& missing) const {
        if (!allow(scorer)) return false;
        return !cuts || cuts->free() || cuts->allow(scorer.left_mean(), scorer.right_mean(), threshold(), missing());
    }
    double value(size_t local_row) const { return column[rows[local_row]]; }
    /// Where rows will go that miss the value, if none of the node's does: to the larger branch, of equals the second (by weight
    /// the first, and either where rounding decides).
    MissingSides larger(size_t left, size_t right, double left_weight, double right_weight) const {
        if (!by_weight) return {left > right, right >= left};
        constexpr double dust = 1e-12;
        return {left_weight >= right_weight * (1 - dust),
                right_weight != left_weight && right_weight >= left_weight * (1 - dust)};
    }
};

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
bool beats(const Scorer& scorer, double bar) {
    if constexpr (requires { scorer.beats(bar); }) return scorer.beats(bar);
    else return scorer.score() > bar;
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
    const auto allowed = [&](size_t i) {  // with rows up to the i-th on the left
        return limits.allow(
            scorer, [&] { return i + 1 < known ? midpoint(limits.value(list[i].row), limits.value(list[i + 1].row)) : infinity; },
            [&] {
                if (known < total) return MissingSides{missing_left, !missing_left};
                return limits.larger(i + 1, total - i - 1, scorer.left_weight_now(), scorer.right_weight_now());
            });
    };
    size_t i = 0;
    for (; i + 1 < first; ++i) scorer.add(list[i].row);
    double bar = std::max(best.least(), -1e300);
    for (; i < last; ++i) {
        scorer.add(list[i].row);
        if (list[i].rank == list[i + 1].rank) continue;
        if ((beats(scorer, bar) || limits.last_of_ties) && allowed(i)) {
            best.offer(scorer.score(), {i + 1, missing_left});
            bar = std::max(best.least(), -1e300);
        }
    }
    if (to_the_end && known + already + limits.min_count <= total) {
        for (; i < known; ++i) scorer.add(list[i].row);
        if (allowed(i)) best.offer(scorer.score(), {known, missing_left});
    }
}

}  // namespace treewright
