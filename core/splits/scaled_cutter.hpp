// Cuts of a number made of several features, by one criterion.
#pragma once
#include "cuts/scan.hpp"
#include "splits/scaled_rows.hpp"

namespace treewright {

template <class C>
class CriterionCutter final : public ScaledCutter {
    using Scorer = typename C::TurnScorer;

public:
    CriterionCutter(const C& criterion, const ScaledRows& rows, double impurity)
        : criterion_(criterion),
          rows_(rows),
          impurity_(impurity),
          list_(rows.size()),
          step_(criterion.tolerance(rows.totals, impurity)),
          score_step_(make_scorer<Scorer>(criterion, rows.rows, rows.totals, scratch_).score_step(step_)) {}

    double merit(const std::vector<double>& value) override {
        bits_ = 0;
        const size_t known = sorter_.sort(value.data(), value.size(), list_.data());
        if (known < 2) return -infinity;
        Totals totals(rows_.totals.sums.size());
        if (known == rows_.size()) {
            totals = rows_.totals;
        } else {
            totals.count = known;
            for (size_t i = 0; i < known; ++i) {
                const uint32_t row = list_[i].row;
                const double w = rows_.weight[row];
                totals.weight += w;
                totals.sums[C::classification ? static_cast<size_t>(rows_.label[row]) : 0] +=
                    C::classification ? w : w * rows_.target[row];
            }
        }
        const double share = totals.weight / rows_.totals.weight;
        Scorer scorer = started_scorer<Scorer>(criterion_, rows_.rows, totals, scratch_, list_.data(), known);
        best_.start(scorer.score_step(step_ / share));
        scan(list_.data(), known, 0, known, false, false, scorer, rows_.limits, best_);
        if (!best_.found()) return -infinity;
        const double merit = scorer.merit(best_.merit()) * share;
        bits_ = saved_bits(totals, best_.get().position(), merit);
        return merit;
    }
    /// Rows that it carries upwards come in at their value/direction as t rises, and the others leave: their weight is taken
    /// back.
    std::pair<double, double> turn(const std::vector<double>& value, const std::vector<double>& direction) override {
        const size_t n = rows_.size();
        key_.resize(n);
        weight_ = rows_.weight;
        for (size_t i = 0; i < n; ++i)
            key_[i] = std::fabs(direction[i]) > 1e-9 ? value[i] / direction[i] : std::numeric_limits<double>::quiet_NaN();
        const size_t known = sorter_.sort(key_.data(), n, list_.data());
        LocalRows rows = rows_.rows;
        rows.weight = weight_.data();
        Scorer scorer = started_scorer<Scorer>(criterion_, rows, rows_.totals, scratch_, list_.data(), n);
        size_t left = 0;
        for (size_t i = 0; i < n; ++i) {
            if (std::isnan(key_[i]) ? value[i] > 0 : direction[i] > 0) continue;
            scorer.add(i);
            ++left;
            weight_[i] = -weight_[i];
        }
        best_.start(score_step_);
        for (size_t i = 0; i + 1 < known; ++i) {
            const uint32_t row = list_[i].row;
            scorer.add(row);
            left += direction[row] > 0 ? 1 : size_t(-1);
            if (list_[i].rank == list_[i + 1].rank || std::min(left, n - left) < rows_.limits.min_count ||
                !rows_.limits.allow(scorer))
                continue;
            best_.offer(scorer.score(), {i + 1, false});
        }
        if (!best_.found()) return {0.0, -infinity};
        const size_t at = best_.get().position();
        return {midpoint(key_[list_[at - 1].row], key_[list_[at].row]), best_.merit()};
    }
    double tolerance() const override { return score_step_; }
    double bits() const override { return bits_; }

private:
    /// Classes: the gain of information. Numbers: what the criterion's own distribution of errors says.
    double saved_bits(const Totals& known, size_t position, double merit) const {
        const auto n = static_cast<double>(known.count);
        if constexpr (C::classification) {
            Totals left(known.sums.size()), right = known;
            for (size_t i = 0; i < position; ++i) {
                const uint32_t row = list_[i].row;
                left.sums[static_cast<size_t>(rows_.label[row])] += rows_.weight[row];
                left.weight += rows_.weight[row];
            }
            right.weight -= left.weight;
            for (size_t k = 0; k < left.sums.size(); ++k) right.sums[k] = rest_of(known.sums[k], left.sums[k]);
            const Totals* both[] = {&left, &right};
            return n * Entropy::merit(known, both);
        } else {
            return C::saved_bits(n, merit, impurity_);
        }
    }

    const C& criterion_;
    const ScaledRows& rows_;
    double impurity_;
    std::vector<Entry<uint32_t>> list_;
    std::vector<double> key_, weight_;
    RowSorter sorter_;
    Scratch scratch_;
    BestCut best_;
    double step_, score_step_, bits_ = 0;
};

}  // namespace treewright
