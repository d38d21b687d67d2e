// Cuts of a large node: the edges of at most 256 bins of ranks are scored from sums, and only bins inside which a better cut
// may lie are sorted and scanned. The score is convex in weight and sum on the left, so that corners bound it; cuts are exact.
#pragma once
#include <array>

#include "ranks.hpp"

namespace treewright {

/// Two classes by Gini, or squared error: scorers that need no more than weight and sum of the left side.
template <class Scorer>
inline constexpr bool is_mean_difference = false;
template <bool unit, bool two_classes>
inline constexpr bool is_mean_difference<MeanDifferenceScorer<unit, two_classes>> = true;

template <class C, class Scorer>
class RankBins {
public:
    struct Found {
        double score = -infinity;
        uint32_t left_rank = 0;  // rows of at most this rank go left

        bool found() const { return score > -infinity; }
    };

    /// The best cut of the node whose rows have these ranks, all known and from `low` to `high`; cuts below `bar` do not matter.
    /// Of scores within `slack` of each other the first wins.
    Found search(std::span<const Ranked> ranked, uint32_t low, uint32_t high, const LocalRows& local, const Scorer& made,
                 double bar, double slack, size_t min_count, RankSorter& sorter) {
        ranked_ = ranked;
        low_ = low;
        shift_ = 0;
        min_count_ = min_count;
        while ((high - low) >> shift_ >= most_bins) ++shift_;
        n_bins_ = ((high - low) >> shift_) + 1;
        fill(local);
        bar = std::max(bar, best_edge(made) - slack);
        if (shift_ > 0 && suspect(made, bar)) gather_suspects(sorter);
        return scan(made, slack);
    }

private:
    static constexpr size_t most_bins = 256;
    struct Bin {
        double weight = 0, sum = 0, positive = 0;  // positive: the part of sum that is above 0
        size_t count = 0;
    };

    size_t bin_of(const Ranked& at) const { return (at.rank - low_) >> shift_; }
    bool allowed(size_t left) const { return left >= min_count_ && ranked_.size() - left >= min_count_; }
    static void add(Scorer& scorer, const Bin& bin) {
        scorer.left_weight += bin.weight;
        scorer.left += bin.sum;
    }

    void fill(const LocalRows& local) {
        std::fill_n(bins_.begin(), n_bins_, Bin{});
        for (size_t i = 0; i < ranked_.size(); ++i) {
            Bin& bin = bins_[bin_of(ranked_[i])];
            const double w = local.weight ? local.weight[i] : 1.0;
            bin.weight += w;
            bin.count += 1;
            if constexpr (C::classification) {
                bin.sum += w * local.bit[i];
            } else {
                const double y = w * local.target[i];
                bin.sum += y;
                bin.positive += std::max(y, 0.0);
            }
        }
    }
    double best_edge(const Scorer& made) const {
        Scorer edge = made;
        double best = -infinity;
        size_t left = 0;
        for (size_t b = 0; b + 1 < n_bins_; ++b) {
            left += bins_[b].count;
            add(edge, bins_[b]);
            if (bins_[b].count > 0 && allowed(left)) best = std::max(best, edge.score());
        }
        return best;
    }
    /// Mark the bins inside which a cut may reach the bar; false if there are none.
    bool suspect(const Scorer& made, double bar) {
        Scorer left = made;
        bool any = false;
        const auto reaches = [&](double weight, double sum) {
            Scorer corner = left;
            corner.left_weight += weight;
            corner.left += sum;
            const double difference = corner.left * corner.weight - corner.left_weight * corner.total;
            return difference * difference >= bar * corner.left_weight * corner.right_weight_now();
        };
        for (size_t b = 0; b < n_bins_; ++b) {
            const Bin& bin = bins_[b];
            suspect_[b] = 0;
            if (bin.count > 1) {
                const double negative = bin.sum - bin.positive;
                if constexpr (C::classification)  // all of one class first
                    suspect_[b] = reaches(bin.weight - bin.sum, 0) || reaches(bin.sum, bin.sum);
                else
                    suspect_[b] = reaches(0, bin.positive) || reaches(0, negative) || reaches(bin.weight, bin.positive) ||
                                  reaches(bin.weight, negative);
            }
            any |= suspect_[b] != 0;
            add(left, bin);
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
    Found scan(const Scorer& made, double slack) const {
        Scorer scorer = made;
        Found best;
        const auto look = [&](const Scorer& cut, size_t left, uint32_t rank) {
            if (!allowed(left)) return;
            if (const double score = cut.score(); score > best.score + slack) best = {score, rank};
        };
        const Ranked* at = suspects_.data();
        size_t left = 0;
        for (size_t b = 0; b < n_bins_; ++b) {
            const Bin& bin = bins_[b];
            if (bin.count == 0) continue;
            if (shift_ > 0 && suspect_[b]) {
                Scorer inside = scorer;
                for (size_t i = 0; i + 1 < bin.count; ++i) {
                    inside.add(at[i].row);
                    if (at[i].rank != at[i + 1].rank) look(inside, left + i + 1, at[i].rank);
                }
                at += bin.count;
            }
            add(scorer, bin);
            left += bin.count;
            if (left < ranked_.size()) look(scorer, left, static_cast<uint32_t>(low_ + ((b + 1) << shift_) - 1));
        }
        return best;
    }

    std::span<const Ranked> ranked_;
    uint32_t low_ = 0;
    int shift_ = 0;
    size_t n_bins_ = 0, min_count_ = 1;
    std::array<Bin, most_bins> bins_;
    std::array<uint8_t, most_bins> suspect_{};
    std::vector<Ranked> suspects_;
};

}  // namespace treewright
