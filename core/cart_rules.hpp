// The splitting rules of CART as rpart works them out: classes (Gini or information), squares, and event rates.
//
// Breiman, Friedman, Olshen & Stone (1984), *Classification and Regression Trees*; Therneau & Atkinson (1997), *An
// introduction to recursive partitioning using the RPART routines*. Sums are taken in rpart's order, because ties
// between splits are broken by their last bits.
#pragma once
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "stats.hpp"

namespace treewright::cart {

inline constexpr int8_t left = -1, right = 1, nowhere = 0;

/// The target and weights of all rows.
struct Outcome {
    const int32_t* label = nullptr;
    const double* number = nullptr;
    const double* weight = nullptr;  // null = every row weighs one

    double weight_of(size_t row) const { return weight ? weight[row] : 1.0; }
};

/// A split on one feature: a number below `cut` goes `below`, else the other way; a code goes to side[code].
struct Split {
    int32_t feature = -1;
    double improve = 0;   // or the agreement of a surrogate
    double adjusted = 0;  // agreement of a surrogate above that of sending everybody with the majority
    double cut = 0;
    int8_t below = left;
    std::vector<int8_t> side;  // by code; nowhere = not seen at the node
};

/// A node as a leaf.
struct Leaf {
    double weight = 0, risk = 0, impurity = 0;
    int32_t label = 0;
    std::vector<double> value;  // class weights, or the predicted number
};

/// The known rows of a node in the order of one feature.
struct Column {
    std::vector<double> x;  // numbers, or codes
    std::vector<uint32_t> row;

    size_t size() const { return row.size(); }
    void clear() {
        x.clear();
        row.clear();
    }
};

/// Present codes in ascending order of a key, ties by code.
inline std::vector<size_t> codes_by(std::span<const double> key, std::span<const size_t> count) {
    std::vector<size_t> order;
    for (size_t code = 0; code < count.size(); ++code)
        if (count[code]) order.push_back(code);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key[a] < key[b]; });
    return order;
}

/// What the class rule needs to know of the whole training set.
struct ClassTerms {
    size_t n_classes = 0;
    std::vector<double> prior, altered;  // over class frequency: factors on the weight of a row
    std::vector<double> loss;            // true class × predicted class
    bool every_grouping = true;          // of many categories too, as rpart; else the best of several orders
};

/// Altered priors: prior_i · Σ_j loss(i, j), scaled to sum to one (Breiman et al., 1984, §4.4).
inline ClassTerms class_terms(const Outcome& outcome, size_t n_rows, std::span<const double> priors, std::span<const double> loss, size_t k) {
    ClassTerms terms;
    terms.n_classes = k;
    std::vector<double> share(k, 0.0);
    double total = 0;
    for (size_t row = 0; row < n_rows; ++row) {
        share[static_cast<size_t>(outcome.label[row])] += outcome.weight_of(row);
        total += outcome.weight_of(row);
    }
    for (double& s : share) s /= total;
    terms.prior.assign(share.begin(), share.end());
    if (!priors.empty()) terms.prior.assign(priors.begin(), priors.end());
    terms.loss.assign(k * k, 1.0);
    for (size_t i = 0; i < k; ++i) terms.loss[i * k + i] = 0.0;
    if (!loss.empty()) terms.loss.assign(loss.begin(), loss.end());
    terms.altered.assign(k, 0.0);
    double sum = 0;
    for (size_t i = 0; i < k; ++i)
        for (size_t j = 0; j < k; ++j) {
            sum += terms.loss[i * k + j] * terms.prior[i];
            terms.altered[i] += terms.loss[i * k + j] * terms.prior[i];
        }
    for (size_t i = 0; i < k; ++i) {
        if (share[i] <= 0) continue;
        terms.prior[i] /= share[i];
        terms.altered[i] /= sum * share[i];
    }
    return terms;
}

/// Classes: the decrease of weight × impurity, by Gini (entropy = false) or information in nats.
template <bool entropy>
class ClassRule {
public:
    ClassRule(const Outcome& outcome, const ClassTerms& terms)
        : outcome_(outcome), terms_(terms), k_(terms.n_classes), left_(k_), right_(k_) {}

    void start(std::span<const uint32_t>) {}  // frequencies and priors are those of the whole data, in every fold

    void describe(std::span<const uint32_t> rows, Leaf& leaf) const {
        std::vector<double> freq(k_, 0.0);
        for (uint32_t row : rows) freq[label(row)] += outcome_.weight_of(row);
        for (size_t chosen = 0; chosen < k_; ++chosen) {
            double cost = 0;
            for (size_t truth = 0; truth < k_; ++truth) cost += freq[truth] * terms_.loss[truth * k_ + chosen] * terms_.prior[truth];
            if (chosen == 0 || cost < leaf.risk) {
                leaf.label = static_cast<int32_t>(chosen);
                leaf.risk = cost;
            }
        }
        leaf.value.resize(k_);
        double altered = 0;
        leaf.weight = 0;
        for (size_t i = 0; i < k_; ++i) {
            leaf.value[i] = freq[i] * terms_.prior[i];
            leaf.weight += leaf.value[i];
            altered += terms_.altered[i] * freq[i];
        }
        leaf.impurity = 0;
        for (size_t i = 0; i < k_; ++i) leaf.impurity += impurity(terms_.altered[i] * freq[i] / altered);
    }

    /// Cost of a held-out row at a leaf; rpart reads the matrix the other way round.
    double error(uint32_t row, const Leaf& leaf, bool transposed) const {
        const size_t truth = label(row), chosen = static_cast<size_t>(leaf.label);
        return terms_.prior[truth] * terms_.loss[transposed ? chosen * k_ + truth : truth * k_ + chosen];
    }

    bool cut(const Column& column, size_t edge, double, Split& split) {
        begin(column);
        double best = total_;
        size_t where = 0;
        for (size_t i = 0; right_count_ > edge; ++i) {
            const size_t j = label(column.row[i]);
            const double w = outcome_.weight_of(column.row[i]), altered = terms_.altered[j] * w;
            right_weight_ -= altered;
            left_weight_ += altered;
            --right_count_;
            ++left_count_;
            right_[j] -= w;
            left_[j] += w;
            if (column.x[i + 1] == column.x[i] || left_count_ < edge) continue;
            const double now = both();
            if (now < best) {
                best = now;
                where = i;
                split.below = left_mean_ < right_mean_ ? left : right;
            }
        }
        split.improve = total_ - best;
        split.cut = (column.x[where] + column.x[std::min(where + 1, column.size() - 1)]) / 2;
        return split.improve > 0;
    }

    bool group(const Column& column, size_t n_codes, size_t edge, double, Split& split) {
        begin(column);
        counts_.assign(n_codes * k_, 0.0);
        weight_.assign(n_codes, 0.0);
        count_.assign(n_codes, 0);
        for (size_t i = 0; i < column.size(); ++i) {
            const size_t j = label(column.row[i]), code = static_cast<size_t>(column.x[i]);
            const double w = outcome_.weight_of(column.row[i]);
            weight_[code] += terms_.altered[j] * w;
            ++count_[code];
            counts_[code * k_ + j] += w;
        }
        side_.assign(n_codes, nowhere);
        std::vector<size_t> present;
        for (size_t code = 0; code < n_codes; ++code) {
            if (weight_[code] > 0) side_[code] = right;
            if (count_[code]) present.push_back(code);
        }
        best_ = total_;
        split.side.assign(n_codes, nowhere);
        if (k_ == 2) cut_order(codes_by_share(0), edge, split);
        else if (terms_.every_grouping || present.size() <= 12) every_grouping(present, edge, split);
        else best_of_orders(edge, split);
        split.improve = total_ - best_;
        return split.improve > 0;
    }

private:
    static double impurity(double p) {
        if constexpr (entropy) return p == 0 ? 0.0 : -p * std::log(p);
        else return p * (1 - p);
    }
    size_t label(uint32_t row) const { return static_cast<size_t>(outcome_.label[row]); }

    void begin(const Column& column) {
        std::fill(left_.begin(), left_.end(), 0.0);
        std::fill(right_.begin(), right_.end(), 0.0);
        left_weight_ = right_weight_ = 0;
        left_count_ = 0;
        right_count_ = column.size();
        for (uint32_t row : column.row) {
            const size_t j = label(row);
            right_weight_ += terms_.altered[j] * outcome_.weight_of(row);
            right_[j] += outcome_.weight_of(row);
        }
        total_ = 0;
        for (size_t j = 0; j < k_; ++j) total_ += right_weight_ * impurity(terms_.altered[j] * right_[j] / right_weight_);
    }
    /// Weight × impurity of both sides as they stand, and their mean class.
    double both() {
        double sum = 0;
        left_mean_ = right_mean_ = 0;
        for (size_t j = 0; j < k_; ++j) {
            double p = terms_.altered[j] * left_[j] / left_weight_;
            sum += left_weight_ * impurity(p);
            left_mean_ += p * static_cast<double>(j);
            p = terms_.altered[j] * right_[j] / right_weight_;
            sum += right_weight_ * impurity(p);
            right_mean_ += p * static_cast<double>(j);
        }
        return sum;
    }
    void move(size_t code) {
        const double sign = side_[code] == left ? -1.0 : 1.0;
        if (side_[code] == left) {
            left_count_ -= count_[code];
            right_count_ += count_[code];
        } else {
            left_count_ += count_[code];
            right_count_ -= count_[code];
        }
        side_[code] = side_[code] == left ? right : left;
        right_weight_ -= sign * weight_[code];
        left_weight_ += sign * weight_[code];
        for (size_t j = 0; j < k_; ++j) {
            right_[j] -= sign * counts_[code * k_ + j];
            left_[j] += sign * counts_[code * k_ + j];
        }
    }
    void offer(size_t edge, Split& split) {
        if (left_count_ < edge || right_count_ < edge) return;
        const double now = both();
        if (!(now < best_)) return;
        best_ = now;
        for (size_t code = 0; code < side_.size(); ++code)
            split.side[code] = left_mean_ < right_mean_ ? side_[code] : static_cast<int8_t>(-side_[code]);
    }
    std::vector<size_t> codes_by_share(size_t of_class) const {
        std::vector<double> share(count_.size());
        for (size_t code = 0; code < share.size(); ++code) share[code] = weight_[code] > 0 ? counts_[code * k_ + of_class] / weight_[code] : 0.0;
        return codes_by(share, count_);
    }
    void cut_order(const std::vector<size_t>& order, size_t edge, Split& split) {
        for (size_t code : order) {
            move(code);
            offer(edge, split);
        }
    }
    /// In Gray-code order: one code changes sides at a time.
    void every_grouping(const std::vector<size_t>& present, size_t edge, Split& split) {
        if (present.size() > 62) throw std::invalid_argument("a feature has more than 62 categories at a node, too many to try every grouping");
        for (uint64_t step = 1; step < uint64_t{1} << present.size(); ++step) {
            move(present[static_cast<size_t>(std::countr_zero(step))]);
            offer(edge, split);
        }
    }
    /// The categories in the order of each class's share.
    void best_of_orders(size_t edge, Split& split) {
        for (size_t j = 0; j < k_; ++j) {
            const std::vector<size_t> order = codes_by_share(j);
            cut_order(order, edge, split);
            for (size_t code : order) move(code);
        }
    }

    const Outcome& outcome_;
    const ClassTerms& terms_;
    size_t k_;
    std::vector<double> left_, right_, counts_, weight_;
    std::vector<size_t> count_;
    std::vector<int8_t> side_;
    double left_weight_ = 0, right_weight_ = 0, left_mean_ = 0, right_mean_ = 0, total_ = 0, best_ = 0;
    size_t left_count_ = 0, right_count_ = 0;
};

/// Squares: the share of the node's sum of squares that a split removes.
class SquaresRule {
public:
    explicit SquaresRule(const Outcome& outcome) : outcome_(outcome) {}

    void start(std::span<const uint32_t>) {}

    void describe(std::span<const uint32_t> rows, Leaf& leaf) const {
        double sum = 0, weight = 0;
        for (uint32_t row : rows) {
            sum += outcome_.number[row] * outcome_.weight_of(row);
            weight += outcome_.weight_of(row);
        }
        const double mean = sum / weight;
        double squares = 0;
        for (uint32_t row : rows) {
            const double difference = outcome_.number[row] - mean;
            squares += difference * difference * outcome_.weight_of(row);
        }
        leaf.value.assign(1, mean);
        leaf.weight = weight;
        leaf.risk = squares;
        leaf.impurity = squares / weight;
    }
    double error(uint32_t row, const Leaf& leaf, bool) const {
        const double difference = outcome_.number[row] - leaf.value[0];
        return difference * difference;
    }
    bool cut(const Column& column, size_t edge, double risk, Split& split) {
        const double mean = begin(column);
        double left_weight = 0, left_sum = 0, right_sum = 0, best = 0;
        size_t where = 0;
        const size_t n = column.size();
        for (size_t i = 0; n - i > edge; ++i) {
            const uint32_t row = column.row[i];
            const double w = outcome_.weight_of(row), amount = (outcome_.number[row] - mean) * w;
            left_weight += w;
            right_weight_ -= w;
            left_sum += amount;
            right_sum -= amount;
            if (column.x[i + 1] == column.x[i] || i + 1 < edge) continue;
            const double now = left_sum * left_sum / left_weight + right_sum * right_sum / right_weight_;
            if (now > best) {
                best = now;
                where = i;
                split.below = left_sum < right_sum ? left : right;
            }
        }
        split.improve = best / risk;
        split.cut = (column.x[where] + column.x[std::min(where + 1, n - 1)]) / 2;
        return best > 0;
    }
    bool group(const Column& column, size_t n_codes, size_t edge, double risk, Split& split) {
        const double mean = begin(column);
        std::vector<double> sums(n_codes, 0.0), weights(n_codes, 0.0), means(n_codes, 0.0);
        std::vector<size_t> count(n_codes, 0);
        for (size_t i = 0; i < column.size(); ++i) {
            const auto code = static_cast<size_t>(column.x[i]);
            const double w = outcome_.weight_of(column.row[i]);
            ++count[code];
            weights[code] += w;
            sums[code] += (outcome_.number[column.row[i]] - mean) * w;
        }
        std::vector<int8_t> side(n_codes, nowhere);
        for (size_t code = 0; code < n_codes; ++code)
            if (count[code]) {
                side[code] = right;
                means[code] = sums[code] / weights[code];
            }
        double left_weight = 0, left_sum = 0, right_sum = 0, best = 0;
        size_t left_count = 0;
        split.side.assign(n_codes, nowhere);
        for (size_t code : codes_by(means, count)) {
            side[code] = left;
            left_count += count[code];
            left_weight += weights[code];
            right_weight_ -= weights[code];
            left_sum += sums[code];
            right_sum -= sums[code];
            if (left_count < edge || column.size() - left_count < edge) continue;
            const double now = left_sum * left_sum / left_weight + right_sum * right_sum / right_weight_;
            if (!(now > best)) continue;
            best = now;
            const bool turned = left_sum / left_weight > right_sum / right_weight_;
            for (size_t c = 0; c < n_codes; ++c) split.side[c] = turned ? static_cast<int8_t>(-side[c]) : side[c];
        }
        split.improve = best / risk;
        return best > 0;
    }

private:
    double begin(const Column& column) {
        double sum = 0;
        right_weight_ = 0;
        for (uint32_t row : column.row) {
            sum += outcome_.number[row] * outcome_.weight_of(row);
            right_weight_ += outcome_.weight_of(row);
        }
        return sum / right_weight_;
    }

    const Outcome& outcome_;
    double right_weight_ = 0;
};

/// Event counts: the decrease of the Poisson deviance. A leaf's rate is drawn towards the whole set's by a gamma prior of
/// the given coefficient of variation; 0 draws nothing (Therneau & Atkinson, 1997, ch. 8).
class PoissonRule {
public:
    PoissonRule(const Outcome& outcome, double variation) : outcome_(outcome), variation_(variation) {}

    void start(std::span<const uint32_t> rows) {
        double events = 0, time = 0;
        for (uint32_t row : rows) {
            events += outcome_.number[row] * outcome_.weight_of(row);
            time += outcome_.weight_of(row);
        }
        prior_events_ = variation_ > 0 ? 1 / (variation_ * variation_) : 0.0;
        prior_time_ = variation_ > 0 ? prior_events_ / (events / time) : 0.0;
    }
    void describe(std::span<const uint32_t> rows, Leaf& leaf) const {
        double events = 0, time = 0;
        for (uint32_t row : rows) {
            events += outcome_.number[row] * outcome_.weight_of(row);
            time += outcome_.weight_of(row);
        }
        const double rate = (events + prior_events_) / (time + prior_time_);
        double sum = 0;
        for (uint32_t row : rows) {
            const double y = outcome_.number[row], w = outcome_.weight_of(row);
            sum -= (rate - y) * w;
            if (y > 0) sum += y * std::log(rate / y) * w;
        }
        leaf.value.assign(1, rate);
        leaf.weight = time;
        leaf.risk = -2 * sum;
        leaf.impurity = leaf.risk / time;
    }
    double error(uint32_t row, const Leaf& leaf, bool) const {
        const double y = outcome_.number[row], rate = leaf.value[0];
        double sum = y - rate;
        if (y > 0) sum += y * std::log(rate / y);
        return -2 * sum;
    }
    bool cut(const Column& column, size_t edge, double, Split& split) {
        if (!begin(column)) return false;
        double best = whole_;
        size_t where = 0;
        bool found = false;
        const size_t n = column.size();
        for (size_t i = 0; i + edge < n; ++i) {
            const double w = outcome_.weight_of(column.row[i]), events = outcome_.number[column.row[i]] * w;
            move(events, w);
            if (column.x[i + 1] == column.x[i] || i + 1 < edge) continue;
            const double now = both();
            if (now > best) {
                best = now;
                where = i;
                found = true;
                split.below = lower_left() ? left : right;
            }
        }
        split.improve = -2 * (whole_ - best);
        split.cut = (column.x[where] + column.x[std::min(where + 1, n - 1)]) / 2;
        return found && split.improve > 0;
    }
    bool group(const Column& column, size_t n_codes, size_t edge, double, Split& split) {
        if (!begin(column)) return false;
        std::vector<double> events(n_codes, 0.0), time(n_codes, 0.0), rate(n_codes, 0.0);
        std::vector<size_t> count(n_codes, 0);
        for (size_t i = 0; i < column.size(); ++i) {
            const auto code = static_cast<size_t>(column.x[i]);
            const double w = outcome_.weight_of(column.row[i]);
            ++count[code];
            events[code] += outcome_.number[column.row[i]] * w;
            time[code] += w;
        }
        for (size_t code = 0; code < n_codes; ++code)
            if (count[code]) rate[code] = -(events[code] / time[code]);  // the highest rate first
        const std::vector<size_t> order = codes_by(rate, count);
        double best = whole_;
        size_t where = 0, left_count = 0;
        int8_t direction = left;
        bool found = false;
        for (size_t i = 0; i + 1 < order.size(); ++i) {
            left_count += count[order[i]];
            move(events[order[i]], time[order[i]]);
            if (left_count < edge || column.size() - left_count < edge) continue;
            const double now = both();
            if (now > best) {
                best = now;
                where = i;
                found = true;
                direction = lower_left() ? left : right;
            }
        }
        split.improve = -2 * (whole_ - best);
        split.side.assign(n_codes, nowhere);
        for (size_t i = 0; i < order.size(); ++i) split.side[order[i]] = i <= where ? direction : static_cast<int8_t>(-direction);
        return found && split.improve > 0;
    }

private:
    bool begin(const Column& column) {
        left_events_ = left_time_ = right_events_ = right_time_ = 0;
        for (uint32_t row : column.row) {
            right_events_ += outcome_.number[row] * outcome_.weight_of(row);
            right_time_ += outcome_.weight_of(row);
        }
        const double rate = right_events_ / right_time_;
        whole_ = rate > 0 ? right_events_ * std::log(rate) : 0.0;
        return rate > 0;
    }
    void move(double events, double time) {
        left_events_ += events;
        right_events_ -= events;
        left_time_ += time;
        right_time_ -= time;
    }
    bool lower_left() const { return left_events_ / left_time_ < right_events_ / right_time_; }
    double both() const {
        const double low = left_events_ / left_time_, high = right_events_ / right_time_;
        return (low > 0 ? left_events_ * std::log(low) : 0.0) + (high > 0 ? right_events_ * std::log(high) : 0.0);
    }

    const Outcome& outcome_;
    double variation_, prior_events_ = 0, prior_time_ = 0;
    double left_events_ = 0, left_time_ = 0, right_events_ = 0, right_time_ = 0, whole_ = 0;
};

}  // namespace treewright::cart
