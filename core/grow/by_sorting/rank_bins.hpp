// Cuts of a large node: the edges of at most 256 bins of ranks are scored from sums, and only bins inside which a better cut
// may lie are sorted and scanned. Cuts are exact.
#pragma once
#include <array>

#include "cuts/best.hpp"
#include "criteria/mean_difference.hpp"
#include "grow/by_sorting/ranks.hpp"

namespace treewright {

template <OfPairs Scorer>
class RankBins {
public:
    /// Look at a node of so many rows. Amounts of either sign are the same for all features, and a branch on their sign is a coin
    /// toss.
    void look_at(const LocalRows& local, size_t n) {
        local_ = &local;
        if constexpr (Scorer::uses_rise) {
            if (rows_.size() < n) rows_.resize(n);
            for (size_t i = 0; i < n; ++i) {
                const PairSum row = Scorer::pair_of(local, i);
                rows_[i] = {{row.weight, row.amount, row.amount > 0 ? row.amount : 0.0}, 1};
            }
        }
    }
    /// The best cut of the node in hand, whose rows have these ranks, all known and from `low` to `high`: rows of at most the
    /// rank found go left. Cuts below `least` do not matter; scores within `slack` are equal.
    const Best<uint32_t>& search(std::span<const Ranked> ranked, uint32_t low, uint32_t high, const Scorer& made, double least,
                                 double slack, size_t min_count, RankSorter& sorter) {
        ranked_ = ranked;
        low_ = low;
        shift_ = 0;
        min_count_ = min_count;
        while ((high - low) >> shift_ >= most_bins) ++shift_;
        n_bins_ = ((high - low) >> shift_) + 1;
        fill();
        least = std::max(least, best_edge(made) - slack);
        if (shift_ > 0 && suspect(made, least)) gather_suspects(sorter);
        best_.start(slack);
        scan(made);
        return best_;
    }

private:
    static constexpr size_t most_bins = 256;
    struct Bin : PairSum {
        double count = 0;

        size_t n() const { return static_cast<size_t>(count); }
    };

    size_t bin_of(const Ranked& at) const { return (at.rank - low_) >> shift_; }
    bool allowed(const Scorer& cut, size_t left) const {
        return left >= min_count_ && ranked_.size() - left >= min_count_ &&
               both_weigh(cut.left_weight_now(), cut.right_weight_now(), 0);
    }

    void fill() {
        std::fill_n(bins_.begin(), n_bins_, Bin{});
        for (size_t i = 0; i < ranked_.size(); ++i) {
            Bin& bin = bins_[bin_of(ranked_[i])];
            if constexpr (Scorer::uses_rise) {
                const Bin& row = rows_[i];
                bin.weight += row.weight;
                bin.amount += row.amount;
                bin.rise += row.rise;
                bin.count += row.count;
            } else {
                bin.add(Scorer::pair_of(*local_, i));
                bin.count += 1;
            }
        }
    }
    double best_edge(const Scorer& made) const {
        Scorer edge = made;
        double best = -infinity;
        size_t left = 0;
        for (size_t b = 0; b + 1 < n_bins_; ++b) {
            left += bins_[b].n();
            edge.add(bins_[b]);
            if (bins_[b].count > 0 && allowed(edge, left)) best = std::max(best, edge.score());
        }
        return best;
    }
    /// Mark the bins inside which a cut may score as much; false if there are none.
    bool suspect(const Scorer& made, double least) {
        Scorer left = made;
        bool any = false;
        for (size_t b = 0; b < n_bins_; ++b) {
            suspect_[b] = bins_[b].count > 1 && left.reaches(bins_[b], least);
            any |= suspect_[b] != 0;
            left.add(bins_[b]);
        }
        return any;
    }
    /// The rows of the suspect bins, sorted.
    void gather_suspects(RankSorter& sorter) {
        const size_t n = ranked_.size();
        if (suspects_.size() < n + 1) suspects_.resize(n + 1);
        size_t found = 0;
        for (size_t i = 0; i < n; ++i) {
            suspects_[found] = ranked_[i];
            found += suspect_[bin_of(ranked_[i])];
        }
        uint32_t low = RankTable::missing, high = 0;
        for (size_t i = 0; i < found; ++i) {
            low = std::min(low, suspects_[i].rank);
            high = std::max(high, suspects_[i].rank);
        }
        sorter.sort(suspects_.data(), found, low, high);
    }
    /// Go over all cuts that may be the best, from the left.
    void scan(const Scorer& made) {
        Scorer scorer = made;
        const auto look = [&](const Scorer& cut, size_t left, uint32_t rank) {
            if (allowed(cut, left)) best_.offer(cut.score(), rank);
        };
        const Ranked* at = suspects_.data();
        size_t left = 0;
        for (size_t b = 0; b < n_bins_; ++b) {
            const Bin& bin = bins_[b];
            if (bin.count == 0) continue;
            if (shift_ > 0 && suspect_[b]) {
                Scorer inside = scorer;
                for (size_t i = 0; i + 1 < bin.n(); ++i) {
                    inside.add(at[i].row);
                    if (at[i].rank != at[i + 1].rank) look(inside, left + i + 1, at[i].rank);
                }
                at += bin.n();
            }
            scorer.add(bin);
            left += bin.n();
            if (left < ranked_.size()) look(scorer, left, static_cast<uint32_t>(low_ + ((b + 1) << shift_) - 1));
        }
    }

    std::span<const Ranked> ranked_;
    uint32_t low_ = 0;
    int shift_ = 0;
    size_t n_bins_ = 0, min_count_ = 1;
    const LocalRows* local_ = nullptr;
    std::vector<Bin> rows_;  // of the node, each as if alone in a bin
    std::array<Bin, most_bins> bins_;
    std::array<uint8_t, most_bins> suspect_{};
    std::vector<Ranked> suspects_;
    Best<uint32_t> best_;
};

/// Stands where a scorer has no bins.
template <class Scorer>
struct RankBinsFor {};
template <OfPairs Scorer>
struct RankBinsFor<Scorer> : RankBins<Scorer> {};

}  // namespace treewright
