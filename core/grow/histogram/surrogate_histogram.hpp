// Surrogates of large nodes: the cut of a feature that agrees best with the node's split, by coarse histograms.
//
// Rows are counted by bin and side. What a cut inside a bin can agree on is bounded by sending the bin's rows of one side first:
// most features can be refused, and of the others only bins whose bound reaches the best edge are sorted and scanned.
#pragma once
#include <array>

#include "grow/histogram/quantile_codes.hpp"
#include "splits/surrogate_search.hpp"

namespace treewright {

class SurrogateHistogram {
public:
    /// `rows` are the node's rows in the table; features that `skip` holds for are not looked at.
    template <class Skip>
    SurrogateHistogram(const Table& table, const CodedTable& coded, std::span<const uint32_t> rows,
                       const BranchAssignment& assigned, int threads, Skip&& skip)
        : table_(table), coded_(coded), rows_(rows), assigned_(assigned), bins_(table.features.size()) {
        std::vector<uint8_t> side(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) side[i] = assigned.branch[i] < 0 ? 2 : static_cast<uint8_t>(assigned.branch[i]);
        parallel_for(table.features.size(), threads, [&](size_t f, int) {
            if (!skip(f)) count(f, side);
        });
    }

    /// The cut that agrees best, if it may come up to `least`.
    Agreement best_cut(size_t feature, const PrimarySides& primary, double least, TwoSidedSplit& split) {
        const std::vector<Bin>& bins = bins_[feature];
        Walk all;
        for (size_t b = 0; b < coded_.missing(); ++b) all.add(bins[b]);
        const double to_right = 0.5 * all.total - 0.5 * all.sum, to_left = 0.5 * all.total + 0.5 * all.sum;
        // sums of signed weights that a cut must pass to be worth finding: those of the best edges, and those that come up to
        // `least`
        double high = 0, low = 0;
        Walk walk;
        for (size_t b = 0; b < coded_.missing(); ++b) {
            walk.add(bins[b]);
            if (!walk.may_cut(all)) continue;
            high = std::max(high, walk.sum);
            low = std::min(low, walk.sum);
        }
        high = std::max(high, least - to_right) - primary.tolerance;
        low = std::min(low, to_left - least) + primary.tolerance;
        std::array<uint8_t, 256> wanted{};
        bool worth = false, any = false;
        walk = {};
        for (size_t b = 0; b < coded_.missing(); ++b) {
            const double above = walk.sum + bins[b].weight[0], below = walk.sum - bins[b].weight[1];
            walk.add(bins[b]);
            if (bins[b].rows() == 0 || (above < high && below > low)) continue;
            worth = true;
            wanted[b] = bins[b].rows() > 1 && !coded_.single(feature, b);
            any |= wanted[b];
        }
        if (!worth) return {};
        sorted_.clear();
        if (any) sort_bins(feature, wanted);
        return scan(feature, wanted, all, primary, split);
    }

private:
    /// What a bin holds of the rows that go left, right, and of those that the split does not answer.
    struct Bin {
        std::array<uint32_t, 3> count{};
        std::array<double, 2> weight{};
        size_t rows() const { return count[0] + count[1] + count[2]; }
    };
    /// Rows passed on the way through the bins: known ones, those the split answers, and their signed_weights.
    struct Walk {
        size_t rows = 0, answered = 0;
        double sum = 0, total = 0;

        void add(const Bin& bin) {
            rows += bin.rows();
            answered += bin.count[0] + bin.count[1];
            sum += bin.weight[0] - bin.weight[1];
            total += bin.weight[0] + bin.weight[1];
        }
        void pass(double signed_weight) {
            ++rows;
            answered += signed_weight != 0;
            sum += signed_weight;
        }
        bool may_cut(const Walk& all) const { return answered >= 2 && all.answered >= answered + 2 && rows < all.rows; }
    };
    /// Where the best cut stands: above `low`, which is the largest value below it, and NaN at the edge of a bin.
    struct Best {
        CutSum cut;
        size_t bin = 0;
        double low = 0, high = 0;
    };

    void count(size_t feature, const std::vector<uint8_t>& side) {
        const Codes code = coded_.of(feature);
        std::vector<Bin>& bins = bins_[feature];
        bins.resize(256);
        std::vector<uint32_t> counts(256 * 4, 0);
        for (size_t i = 0; i < rows_.size(); ++i) ++counts[code[rows_[i]] * size_t{4} + side[i]];
        for (size_t b = 0; b < 256; ++b)
            for (size_t s = 0; s < 3; ++s) {
                bins[b].count[s] = counts[b * 4 + s];
                if (s < 2 && assigned_.weight.empty()) bins[b].weight[s] = counts[b * 4 + s];
            }
        if (assigned_.weight.empty()) return;
        for (size_t i = 0; i < rows_.size(); ++i)
            if (side[i] < 2) bins[code[rows_[i]]].weight[side[i]] += assigned_.weight[i];
    }
    /// Sort the rows of the wanted bins by value.
    void sort_bins(size_t feature, const std::array<uint8_t, 256>& wanted) {
        const Codes code = coded_.of(feature);
        part_.clear();
        value_.clear();
        for (size_t i = 0; i < rows_.size(); ++i) {
            if (!wanted[code[rows_[i]]]) continue;
            part_.push_back(static_cast<uint32_t>(i));
            value_.push_back(table_.features[feature].numbers[rows_[i]]);
        }
        sorted_.resize(value_.size());
        sorter_.sort(value_.data(), value_.size(), sorted_.data());
    }
    /// Every edge, and every cut inside the wanted bins, from below.
    Agreement scan(size_t feature, const std::array<uint8_t, 256>& wanted, const Walk& all, const PrimarySides& primary,
                   TwoSidedSplit& split) const {
        const std::vector<Bin>& bins = bins_[feature];
        Best highest, lowest;
        const auto offer = [&](const Walk& walk, size_t bin, double low, double high) {
            if (!walk.may_cut(all)) return;
            if (walk.sum > highest.cut.sum + primary.tolerance) highest = {{walk.sum, walk.rows}, bin, low, high};
            else if (walk.sum < lowest.cut.sum - primary.tolerance) lowest = {{walk.sum, walk.rows}, bin, low, high};
        };
        constexpr double edge = std::numeric_limits<double>::quiet_NaN();
        Walk walk;
        size_t at = 0;
        for (size_t b = 0; b < coded_.missing(); ++b) {
            if (wanted[b]) {
                Walk inside = walk;
                for (const size_t end = at + bins[b].rows(); at < end; ++at) {
                    inside.pass(assigned_.signed_weight(part_[sorted_[at].row]));
                    if (at + 1 < end && sorted_[at].rank != sorted_[at + 1].rank)
                        offer(inside, b, value_[sorted_[at].row], value_[sorted_[at + 1].row]);
                }
            }
            if (bins[b].rows() == 0) continue;
            walk.add(bins[b]);
            offer(walk, b, edge, edge);
        }
        size_t place = 0;
        const Agreement agreement =
            choose_direction(all.total, all.sum, highest.cut, lowest.cut, primary.tolerance, place, split.below);
        if (agreement.found) split.cut = cut_at(feature, split.below == Side::left ? highest : lowest, split.below);
        return agreement;
    }
    double cut_at(size_t feature, const Best& best, Side below) const {
        if (!std::isnan(best.low)) return surrogate_cut(below, best.low, best.high);
        const Codes code = coded_.of(feature);
        const double* number = table_.features[feature].numbers;
        double low = -infinity, high = infinity;
        for (uint32_t row : rows_) {
            if (code[row] == coded_.missing()) continue;
            if (code[row] <= best.bin) low = std::max(low, number[row]);
            else high = std::min(high, number[row]);
        }
        return surrogate_cut(below, low, high);
    }

    const Table& table_;
    const CodedTable& coded_;
    std::span<const uint32_t> rows_;
    const BranchAssignment& assigned_;
    std::vector<std::vector<Bin>> bins_;  // by feature

    // of the feature in hand: the rows of its wanted bins
    std::vector<uint32_t> part_;
    std::vector<double> value_;
    std::vector<Entry<uint32_t>> sorted_;
    RowSorter sorter_;
};

}  // namespace treewright
