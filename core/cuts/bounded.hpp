// The best cut of a sorted list without looking at every cut: chunks of the list are summed up, and only those are scanned
// whose sums leave room for a better cut than those between chunks, or than the best cut of other features.
#pragma once
#include <numeric>

#include "criteria/mean_difference.hpp"
#include "cuts/scan.hpp"

namespace treewright {

/// Bounds are lowered by this share of what they are held against: they round by 1e-15 of it, in another order than scores do.
inline constexpr double bound_safety = 1e-9;

/// Scorers of pairs: what stands on the left is two numbers, and they bound what a cut inside a chunk is worth.
template <OfPairs Scorer>
class PairScan {
    static constexpr size_t chunk_rows = 16;

public:
    /// Sum up the list; pair[row] is what a row adds. The totals of its rows.
    template <class List>
    Totals sum(std::span<const List> list, const std::vector<PairSum>& pair, bool classes) {
        chunks_.clear();
        PairSum all;
        for (size_t begin = 0; begin < list.size(); begin += chunk_rows) {
            const List* entry = list.data() + begin;
            chunks_.push_back(list.size() - begin < chunk_rows ? sum_up(entry, list.size() - begin, pair.data())
                                                               : sum_up(entry, chunk_rows, pair.data()));
            all.add(chunks_.back());
        }
        Totals totals(classes ? 2 : 1);
        totals.count = list.size();
        totals.weight = all.weight;
        totals.sums.back() = all.amount;
        if (classes) totals.sums[0] = rest_of(all.weight, all.amount);
        return totals;
    }

    /// The best cut of the list summed up last; cuts whose score is below `least` need not be looked at.
    template <class List>
    void scan(std::span<const List> list, const std::vector<PairSum>& pair, Scorer scorer, double least, const CutLimits& limits,
              double tolerance, BestCut& best) const {
        const size_t n = list.size(), first = std::max<size_t>(limits.min_count, 1);
        if (n < 2 * first) return;
        const bool free = limits.bounds.free();
        const auto allowed = [&](size_t left) {  // rows
            if (list[left - 1].rank == list[left].rank || left < first || n - left < first) return false;
            return free ? both_weigh(scorer.left_weight_now(), scorer.right_weight_now(), limits.min_weight)
                        : limits.allow(scorer);
        };
        double high = -1e300;  // the best cut between chunks
        PairSum passed;
        for (size_t c = 0; c + 1 < chunks_.size(); ++c) {
            passed.add(chunks_[c]);
            scorer.jump(passed);
            if (beats(scorer, high) && allowed((c + 1) * chunk_rows)) high = scorer.score();
        }
        const double enough =
            std::max({high - tolerance - bound_safety * std::fabs(high), least - bound_safety * std::fabs(least), -1e300});
        double highest = -1e300;
        PairSum before;
        for (size_t c = 0; c < chunks_.size(); ++c) {
            scorer.jump(before);
            if (scorer.reaches(chunks_[c], enough)) {
                for (size_t i = c * chunk_rows; i < std::min((c + 1) * chunk_rows, n - 1); ++i) {
                    scorer.add(pair[list[i].row]);
                    if (!beats(scorer, highest) || !allowed(i + 1)) continue;
                    best.offer(scorer.score(), {i + 1, false});
                    highest = best.most();
                }
            }
            before.add(chunks_[c]);
        }
    }

private:
    /// Two sums side by side, as each addition waits for the last; their number is even but at the end of the list.
    template <class List>
    static PairSum sum_up(const List* entry, size_t n, const PairSum* pair) {
        PairSum even, odd;
        double distance[2] = {0, 0};
        for (size_t i = 0; i + 1 < n; i += 2) {
            const PairSum &one = pair[entry[i].row], &other = pair[entry[i + 1].row];
            even.add(one);
            odd.add(other);
            if constexpr (Scorer::uses_rise) {
                distance[0] += std::fabs(one.amount);
                distance[1] += std::fabs(other.amount);
            }
        }
        if (n % 2) {
            even.add(pair[entry[n - 1].row]);
            distance[0] += std::fabs(pair[entry[n - 1].row].amount);
        }
        even.add(odd);
        even.rise = (even.amount + distance[0] + distance[1]) / 2;
        return even;
    }

    std::vector<PairSum> chunks_;
};

/// Any criterion of classes that has bounds.
template <class C>
class ClassScan {
public:
    explicit ClassScan(const C& criterion) : costs_(criterion) {}

    /// Sum up the list by class. The totals of its rows.
    template <class List>
    Totals sum(std::span<const List> list, const LocalRows& rows, size_t width) {
        width_ = width;
        chunk_rows_ = std::clamp<size_t>(list.size() / 128, 16, 64);
        sums_.assign((list.size() + chunk_rows_ - 1) / chunk_rows_ * width, 0.0);
        Totals totals(width);
        totals.count = list.size();
        for (size_t c = 0; c < n_chunks(); ++c) {
            double* sums = sums_.data() + c * width;
            for (const List& entry : list.subspan(c * chunk_rows_, std::min(chunk_rows_, list.size() - c * chunk_rows_)))
                sums[rows.label[entry.row]] += rows.weight_of(entry.row);
            pass(c, totals);
        }
        return totals;
    }
    /// The best cut of the list summed up last, of these totals; cuts whose merit is below `least` need not be looked at.
    /// `tolerance` is one of merits.
    template <class Scorer, class List>
    void scan(std::span<const List> list, const Totals& totals, Scorer& scorer, double least, const CutLimits& limits,
              double tolerance, BestCut& best) {
        const size_t n = list.size(), first = std::max<size_t>(limits.min_count, 1);
        if (n < 2 * first) return;
        const auto apart = [&](size_t left) {  // rows
            return list[left - 1].rank != list[left].rank && left >= first && n - left >= first;
        };
        weigh(totals);
        const double whole = costs_.at(0), slack = bound_safety * (whole + totals.weight);
        double most = whole - least * totals.weight;  // that both sides may cost
        Totals before(width_);
        for (size_t c = 1; c < n_chunks(); ++c) {
            pass(c - 1, before);
            if (both_weigh(before.weight, totals.weight - before.weight, limits.min_weight) && apart(c * chunk_rows_))
                most = std::min(most, costs_.at(c) + tolerance * totals.weight);
        }
        before.clear();
        for (size_t c = 0; c < n_chunks(); ++c) {
            if (costs_.inside(c) <= most + slack) {
                scorer.jump(before);
                for (size_t i = c * chunk_rows_; i < std::min((c + 1) * chunk_rows_, n - 1); ++i) {
                    scorer.add(list[i].row);
                    if (apart(i + 1) && limits.allow(scorer)) best.offer(scorer.score(), {i + 1, false});
                }
            }
            pass(c, before);
        }
    }

private:
    /// Both sides of every cut between chunks.
    void weigh(const Totals& totals) {
        Totals left(width_), right(width_);
        costs_.start(totals.weight);
        for (size_t c = 0; c <= n_chunks(); ++c) {
            for (size_t k = 0; k < width_; ++k) right.sums[k] = rest_of(totals.sums[k], left.sums[k]);
            right.weight = std::accumulate(right.sums.begin(), right.sums.end(), 0.0);
            costs_.add(left, right);
            if (c < n_chunks()) pass(c, left);
        }
    }
    size_t n_chunks() const { return sums_.size() / width_; }
    void pass(size_t chunk, Totals& to) const {
        for (size_t k = 0; k < width_; ++k) {
            to.sums[k] += sums_[chunk * width_ + k];
            to.weight += sums_[chunk * width_ + k];
        }
    }

    size_t width_ = 1, chunk_rows_ = 1;
    std::vector<double> sums_;  // by chunk and class
    typename C::SideCosts costs_;
};

/// Stands where a criterion has no such scan.
struct NoScan {
    NoScan() = default;
    template <class C>
    explicit NoScan(const C&) {}
};
template <class C>
struct PairScanFor : NoScan {};
template <class C>
    requires requires { typename C::PairScorer; }
struct PairScanFor<C> : PairScan<typename C::PairScorer> {};
template <class C>
struct ClassScanFor : NoScan {
    using NoScan::NoScan;
};
template <class C>
    requires requires { typename C::SideCosts; }
struct ClassScanFor<C> : ClassScan<C> {
    using ClassScan<C>::ClassScan;
};

}  // namespace treewright
