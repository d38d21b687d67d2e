// The targets and weights of rows under local numbers, as scorers read them: of one target, or of several.
#pragma once
#include "base/orderless_sum.hpp"
#include "grow/grow_task.hpp"

namespace treewright {

/// Memory is kept from one load to the next.
template <class Index>
class RowTargets {
public:
    RowTargets(const GrowTask& task, const std::vector<double>& weight)
        : task_(task),
          outputs_(task.n_outputs()),
          one_by_one_(outputs_ > 1 && task.formula->traits.by_rows),
          all_weights_(weight),
          each_(outputs_ > 1 ? outputs_ : 0),
          ranks_(outputs_) {}
    RowTargets(const RowTargets&) = delete;  // it points into itself
    RowTargets& operator=(const RowTargets&) = delete;

    /// Take over these rows of the table.
    void load(std::span<const uint32_t> rows) {
        n_ = rows.size();
        const auto gather = [&](const auto* from, auto& to, size_t width) {
            to.resize(n_ * width);
            for (size_t i = 0; i < n_; ++i) std::copy_n(from + rows[i] * width, width, to.data() + i * width);
        };
        if (task_.n_classes) {
            gather(task_.label, label_, outputs_);
            local_.label = label_.data();
            bit_.resize(outputs_ == 1 ? n_ : 0);
            for (size_t i = 0; i < bit_.size(); ++i) bit_[i] = label_[i] == 1;
            local_.bit = bit_.data();
        } else {
            gather(task_.target, target_, outputs_);
            if (task_.formula->traits.by_rows) order_targets();
            centred_.resize(n_ * outputs_);
            local_.target = centred_.data();
        }
        if (!all_weights_.empty()) {
            gather(all_weights_.data(), weight_, 1);
            local_.weight = weight_.data();
            whole_ = std::ranges::all_of(weight_, [](double w) { return w == std::floor(w) && w < 1048576; });
        }
        if (outputs_ > 1) part_outputs();
    }

    /// What scorers read.
    const LocalRows& local() const { return local_; }
    LocalRows& local() { return local_; }
    /// Of one target.
    int32_t label(size_t row) const { return label_[row]; }
    double target(size_t row) const { return target_[row]; }

    void count_classes(std::span<const Index> rows, Totals& totals) const {
        totals = Totals(task_.width());
        if (local_.weight && !whole_)
            orderless_class_weights(
                rows.size() * outputs_, [&](size_t i) { return local_.weight[rows[i / outputs_]]; },
                [&](size_t i) { return label_[rows[i / outputs_] * outputs_ + i % outputs_]; }, totals.sums);
        else
            for (Index row : rows)
                for (size_t o = 0; o < outputs_; ++o)
                    totals.sums[static_cast<size_t>(label_[row * outputs_ + o])] += local_.weight_of(row);
        totals.weight = std::accumulate(totals.sums.begin(), totals.sums.begin() + task_.n_classes, 0.0);
        totals.count = rows.size();
    }
    /// Describe a node from its targets, in row order; of several each by itself.
    void describe(std::span<const Index> rows, Description& node) {
        values_.resize(rows.size());
        if (local_.weight) {
            weights_.resize(rows.size());
            for (size_t i = 0; i < rows.size(); ++i) weights_[i] = weight_[rows[i]];
        }
        const auto describe_one = [&](size_t output, Description& one) {
            for (size_t i = 0; i < rows.size(); ++i) values_[i] = target_[rows[i] * outputs_ + output];
            describe_numbers(task_, values_, weights_, one);
        };
        if (outputs_ == 1) return describe_one(0, node);
        describe_each(outputs_, describe_one, node);
    }
    /// Take the centre off the targets of a node, of several each its own mean; gives their sums.
    void centre(std::span<const Index> rows, double centre, Totals& totals) {
        local_.centre = centre;
        for (size_t o = 0; o < outputs_; ++o) {
            if (outputs_ > 1) each_[o].centre = centre = mean(rows, o, totals.weight);
            double sum = 0;
            for (Index row : rows) {
                const double less = target_[row * outputs_ + o] - centre;
                centred_[place(row, o)] = less;
                sum += local_.weight_of(row) * less;
            }
            totals.sums[o] = sum;
            if (task_.formula->traits.by_rows) rank(rows, o);
        }
    }

private:
    /// Where the centred target stands: those of a row side by side, or those of a target.
    size_t place(size_t row, size_t output) const { return one_by_one_ ? output * n_ + row : row * outputs_ + output; }
    double mean(std::span<const Index> rows, size_t output, double weight) const {
        double sum = 0;
        for (Index row : rows) sum += local_.weight_of(row) * target_[row * outputs_ + output];
        return sum / weight;
    }
    void part_outputs() {
        local_.outputs = outputs_;
        local_.each = each_.data();
        for (size_t o = 0; o < outputs_; ++o) {
            each_[o].weight = local_.weight;
            if (one_by_one_) each_[o].target = centred_.data() + o * n_;
        }
    }
    /// Put all rows in the order of each target, those of the same in row order.
    void order_targets() {
        for (size_t o = 0; o < outputs_; ++o) {
            Ranks& ranks = ranks_[o];
            ranks.row_at.resize(n_);
            ranks.place.resize(n_);
            std::iota(ranks.row_at.begin(), ranks.row_at.end(), 0u);
            std::stable_sort(ranks.row_at.begin(), ranks.row_at.end(),
                             [&](uint32_t a, uint32_t b) { return target_[a * outputs_ + o] < target_[b * outputs_ + o]; });
            for (size_t i = 0; i < n_; ++i) ranks.place[ranks.row_at[i]] = static_cast<uint32_t>(i);
        }
    }
    /// Rank the rows of a node by a target.
    void rank(std::span<const Index> rows, size_t output) {
        const double* target = centred_.data() + output * n_;
        Ranks& ranks = ranks_[output];
        places_.resize(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) places_[i] = ranks.place[rows[i]];
        std::sort(places_.begin(), places_.end());
        ranks.sorted.resize(rows.size());
        ranks.of_row.resize(n_);
        for (size_t i = 0; i < rows.size(); ++i) {
            const uint32_t row = ranks.row_at[places_[i]];
            ranks.sorted[i] = target[row];
            ranks.of_row[row] = static_cast<int32_t>(i);
        }
        LocalRows& local = outputs_ > 1 ? each_[output] : local_;
        local.target_rank = ranks.of_row.data();
        local.sorted_target = ranks.sorted.data();
        local.n_targets = rows.size();
    }

    struct Ranks {
        std::vector<uint32_t> row_at, place;  // of all rows: by place in the order of the target, and by row
        std::vector<double> sorted;           // of the node in hand
        std::vector<int32_t> of_row;
    };

    const GrowTask& task_;
    size_t outputs_, n_ = 0;
    bool one_by_one_;
    bool whole_ = false;  // weights are small whole numbers, such as those of draws: their sums are exact in any order
    const std::vector<double>& all_weights_;
    std::vector<double> weight_, target_, centred_;  // by local row
    std::vector<int32_t> label_;
    std::vector<uint8_t> bit_;
    LocalRows local_;
    std::vector<LocalRows> each_;  // of several targets
    std::vector<Ranks> ranks_;     // where targets are ranked
    std::vector<uint32_t> places_;
    std::vector<double> values_, weights_;
};

}  // namespace treewright
