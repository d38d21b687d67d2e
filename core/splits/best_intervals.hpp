// Splits of a numeric feature into several intervals at once: the best of all ways to make up to k of them.
//
// The work grows with the square of the number of places where a cut may stand. Of classes these are only the places where the
// class changes, if branches may be of any size (Fayyad & Irani, 1992; for several cuts Elomaa & Rousu, 1999).
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "cuts/cut.hpp"
#include "splits/cheapest_runs.hpp"

namespace treewright {

class BestIntervals {
    using List = Entry<uint32_t>;

public:
    /// A sorted list of the rows that have a value; `poll` is called now and then, and may throw.
    BestIntervals(std::span<const List> list, const LocalRows& rows, size_t n_classes, const CutLimits& limits,
                  std::function<void()> poll)
        : limits_(limits), poll_(std::move(poll)), width_(n_classes ? n_classes : 2) {
        const bool all_places = n_classes == 0 || limits.min_count > 1 || limits.min_weight > 0;
        Totals before(width_);
        const auto add_place = [&](size_t at) {
            place_.push_back(at);
            weight_.push_back(before.weight);
            sums_.insert(sums_.end(), before.sums.begin(), before.sums.end());
        };
        add_place(0);
        for (size_t i = 0; i < list.size(); ++i) {
            const uint32_t row = list[i].row;
            const double w = rows.weight_of(row);
            before.weight += w;
            if (n_classes) {
                before.sums[static_cast<size_t>(rows.label[row])] += w;
            } else {
                before.sums[0] += w * rows.target[row];
                before.sums[1] += w * rows.target[row] * rows.target[row];
            }
            if (i + 1 < list.size() && list[i].rank == list[i + 1].rank) continue;
            if (!all_places && one_class(list, rows, i + 1)) continue;
            add_place(i + 1);
        }
    }

    /// Where to cut, how many rows stand before each cut: the fewest cuts, but at least one, of those that come within
    /// `tolerance`, per unit of weight, of the least weighted impurity.
    template <class Impurity>
    std::vector<size_t> cuts(size_t most, Impurity&& impurity, double tolerance) const {
        Totals part(width_);
        return best(most, tolerance, [&](size_t i, size_t j) {
            fill(part, i, j);
            return part.weight * impurity(part);
        });
    }
    /// The same for numbers: the least sum of squares about the means of the intervals.
    std::vector<size_t> cuts(size_t most, double tolerance) const {
        return best(most, tolerance, [&](size_t i, size_t j) {
            const double weight = weight_[j] - weight_[i], sum = sums_[2 * j] - sums_[2 * i];
            return sums_[2 * j + 1] - sums_[2 * i + 1] - sum * sum / weight;
        });
    }

private:
    /// Whether all rows on both sides of a place, of the two values next to it, are of one class.
    static bool one_class(std::span<const List> list, const LocalRows& rows, size_t at) {
        if (at == list.size()) return false;
        const int32_t label = rows.label[list[at].row];
        for (size_t i = at; i < list.size() && list[i].rank == list[at].rank; ++i)
            if (rows.label[list[i].row] != label) return false;
        for (size_t i = at; i-- > 0 && list[i].rank == list[at - 1].rank;)
            if (rows.label[list[i].row] != label) return false;
        return true;
    }
    void fill(Totals& part, size_t i, size_t j) const {
        part.weight = weight_[j] - weight_[i];
        part.count = place_[j] - place_[i];
        for (size_t k = 0; k < width_; ++k) part.sums[k] = rest_of(sums_[j * width_ + k], sums_[i * width_ + k]);
    }
    bool large_enough(size_t i, size_t j) const {
        return place_[j] - place_[i] >= limits_.min_count && weight_[j] - weight_[i] >= limits_.min_weight;
    }

    template <class Cost>
    std::vector<size_t> best(size_t most, double tolerance, Cost&& cost) const {
        const size_t n = place_.size() - 1;
        const auto allowed = [&](size_t i, size_t j) { return large_enough(i, j) ? cost(i, j) : infinity; };
        std::vector<size_t> cuts = cheapest_runs(n, most, tolerance * weight_[n], allowed, poll_);
        for (size_t& cut : cuts) cut = place_[cut];
        return cuts;
    }

    const CutLimits& limits_;
    std::function<void()> poll_;
    size_t width_;                       // of the sums: classes, or sum and sum of squares
    std::vector<size_t> place_;          // rows before each place a cut may have
    std::vector<double> weight_, sums_;  // of these rows
};

}  // namespace treewright
