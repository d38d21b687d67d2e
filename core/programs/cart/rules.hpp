// The splitting rules of CART: what a grouping of rows into two sides is worth, for classes, numbers and event rates.
//
// Breiman, Friedman, Olshen & Stone (1984), *Classification and Regression Trees*; Therneau & Atkinson (1997), *An
// introduction to recursive partitioning using the RPART routines*. A rule holds two sides; rows, or whole categories, move
// from the right to the left, and `value()` tells what the sides are worth as they stand, the larger the better.
#pragma once
#include <cmath>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "base/logarithm.hpp"
#include "base/statistics.hpp"

namespace treewright::cart {

/// The target and weights of all rows.
struct Outcome {
    const int32_t* label = nullptr;
    const double* number = nullptr;
    const double* weight = nullptr;    // null = every row weighs one
    const double* exposure = nullptr;  // null = events were counted for the same time in every row

    double weight_of(size_t row) const { return weight ? weight[row] : 1.0; }
    double exposure_of(size_t row) const { return exposure ? exposure[row] : 1.0; }
};

/// A node as a leaf.
struct Leaf {
    double weight = 0, risk = 0, impurity = 0;
    int32_t label = 0;
    std::vector<double> value;  // class weights, or the predicted number
};

using Rows = std::span<const uint32_t>;

/// What the class rule needs to know of the whole training set, in every fold.
struct ClassTerms {
    size_t n_classes = 0;
    std::vector<double> prior, altered;  // over class frequency: factors on the weight of a row
    std::vector<double> loss;            // true class × predicted class
    bool every_grouping = true;          // of many categories too, as rpart; else the best of several orders

    double loss_of(size_t truth, size_t chosen) const { return loss[truth * n_classes + chosen]; }
};

/// Altered priors: prior_i · Σ_j loss(i, j), scaled to sum to one (Breiman et al., 1984, §4.4).
inline ClassTerms class_terms(const Outcome& outcome, size_t n_rows, std::span<const double> priors, std::span<const double> loss,
                              size_t k) {
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
            const double cost = terms.loss_of(i, j) * terms.prior[i];
            terms.altered[i] += cost;
            sum += cost;
        }
    for (size_t i = 0; i < k; ++i) {
        if (share[i] <= 0) continue;
        terms.prior[i] /= share[i];
        if (sum > 0) terms.altered[i] /= sum * share[i];  // a single class costs nothing
    }
    return terms;
}

/// Classes: the decrease of weight × impurity, by Gini (entropy = false) or information in nats, under altered priors.
template <bool entropy>
class ClassRule {
public:
    /// The rows of one category.
    struct Tally {
        std::vector<double> of_class;
        double altered = 0;
    };

    ClassRule(const Outcome& outcome, const ClassTerms& terms)
        : outcome_(outcome), terms_(terms), k_(terms.n_classes), left_(k_), right_(k_) {}

    void begin_tree(Rows) {}  // frequencies and priors are those of the whole data, in every fold

    void describe(Rows rows, Leaf& leaf) const {
        std::vector<double> weight(k_, 0.0);
        for (uint32_t row : rows) weight[label(row)] += outcome_.weight_of(row);
        leaf.risk = infinity;
        for (size_t chosen = 0; chosen < k_; ++chosen) {
            double cost = 0;
            for (size_t truth = 0; truth < k_; ++truth)
                cost += weight[truth] * terms_.loss_of(truth, chosen) * terms_.prior[truth];
            if (!(cost < leaf.risk)) continue;
            leaf.label = static_cast<int32_t>(chosen);
            leaf.risk = cost;
        }
        double altered = 0;
        leaf.weight = leaf.impurity = 0;
        leaf.value.resize(k_);
        for (size_t i = 0; i < k_; ++i) {
            leaf.value[i] = weight[i] * terms_.prior[i];
            leaf.weight += leaf.value[i];
            altered += terms_.altered[i] * weight[i];
        }
        if (!(altered > 0)) return;  // no mistake costs anything
        for (size_t i = 0; i < k_; ++i) leaf.impurity += impurity(terms_.altered[i] * weight[i] / altered);
    }
    /// Cost of a held-out row at a leaf; rpart reads the matrix the other way round.
    double error(uint32_t row, const Leaf& leaf, bool transposed) const {
        const size_t truth = label(row), chosen = static_cast<size_t>(leaf.label);
        return terms_.prior[truth] * (transposed ? terms_.loss_of(chosen, truth) : terms_.loss_of(truth, chosen));
    }

    /// All rows stand on the right; false if no split could be worth anything.
    bool start(Rows rows) {
        std::ranges::fill(left_, 0.0);
        std::ranges::fill(right_, 0.0);
        left_weight_ = right_weight_ = 0;
        for (uint32_t row : rows) {
            right_[label(row)] += outcome_.weight_of(row);
            right_weight_ += altered(row);
        }
        least_ = left_squares_ = right_squares_ = 0;
        weight_ = right_weight_;
        for (size_t i = 0; i < k_; ++i) {
            least_ -= right_weight_ * impurity(share(right_, i, right_weight_));
            right_squares_ += terms_.altered[i] * right_[i] * terms_.altered[i] * right_[i];
        }
        return true;
    }
    double least() const { return least_; }
    double scale(const Leaf&) const { return 1; }
    void move(uint32_t row) {
        const size_t i = label(row);
        const double weight = outcome_.weight_of(row), amount = terms_.altered[i] * weight;
        left_squares_ += amount * (2 * terms_.altered[i] * left_[i] + amount);
        right_squares_ -= amount * (2 * terms_.altered[i] * right_[i] - amount);
        right_weight_ -= amount;
        left_weight_ += amount;
        right_[i] -= weight;
        left_[i] += weight;
    }
    /// Whether value() may be above the bar: weight × Gini is the weight less the squares over it, up to rounding.
    bool may_beat(double bar) const {
        if constexpr (entropy) return true;
        const double least = (weight_ + bar) - 1e-9 * weight_;
        return left_squares_ * right_weight_ + right_squares_ * left_weight_ > least * (left_weight_ * right_weight_);
    }
    double value() const {
        double cost = 0;
        for (size_t i = 0; i < k_; ++i) {
            cost += left_weight_ * impurity(share(left_, i, left_weight_));
            cost += right_weight_ * impurity(share(right_, i, right_weight_));
        }
        return -cost;
    }
    /// Whether the mean class is lower on the left.
    bool lower_left() const {
        double on_left = 0, on_right = 0;
        for (size_t i = 0; i < k_; ++i) {
            on_left += share(left_, i, left_weight_) * static_cast<double>(i);
            on_right += share(right_, i, right_weight_) * static_cast<double>(i);
        }
        return on_left < on_right;
    }

    Tally empty() const { return {std::vector<double>(k_, 0.0)}; }
    void add(Tally& tally, uint32_t row) const {
        tally.of_class[label(row)] += outcome_.weight_of(row);
        tally.altered += altered(row);
    }
    void move(const Tally& tally, double sign) {
        right_weight_ -= sign * tally.altered;
        left_weight_ += sign * tally.altered;
        for (size_t i = 0; i < k_; ++i) {
            right_[i] -= sign * tally.of_class[i];
            left_[i] += sign * tally.of_class[i];
        }
    }
    /// Two classes need one order of the categories, more classes one for each class, unless all groupings are tried.
    size_t n_orders() const { return k_ == 2 ? 1 : k_; }
    bool tries_all(size_t n_categories) const { return k_ > 2 && (terms_.every_grouping || n_categories <= 12); }
    double key(const Tally& tally, size_t order) const { return tally.altered > 0 ? tally.of_class[order] / tally.altered : 0.0; }

private:
    static double impurity(double p) {
        if constexpr (entropy) return p == 0 ? 0.0 : -p * treewright::log(p);
        else return p * (1 - p);
    }
    size_t label(uint32_t row) const { return static_cast<size_t>(outcome_.label[row]); }
    double altered(uint32_t row) const { return terms_.altered[label(row)] * outcome_.weight_of(row); }
    double share(const std::vector<double>& side, size_t i, double weight) const { return terms_.altered[i] * side[i] / weight; }

    const Outcome& outcome_;
    const ClassTerms& terms_;
    size_t k_;
    std::vector<double> left_, right_;
    double left_weight_ = 0, right_weight_ = 0, weight_ = 0, least_ = 0;
    double left_squares_ = 0, right_squares_ = 0;  // of the altered class weights, while rows move
};

/// One order of the categories is exact for numbers and rates (Fisher, 1958; Breiman et al., 1984, §8.8).
struct OneOrder {
    static size_t n_orders() { return 1; }
    static bool tries_all(size_t) { return false; }
};

/// Numbers: the share of the node's sum of squares about the mean that a split removes.
class SquaresRule : public OneOrder {
public:
    struct Tally {
        double sum = 0, weight = 0;
    };

    explicit SquaresRule(const Outcome& outcome) : outcome_(outcome) {}

    void begin_tree(Rows) {}

    void describe(Rows rows, Leaf& leaf) const {
        const auto [mean, weight] = mean_of(rows);
        leaf.risk = 0;
        for (uint32_t row : rows) {
            const double difference = outcome_.number[row] - mean;
            leaf.risk += difference * difference * outcome_.weight_of(row);
        }
        leaf.value.assign(1, mean);
        leaf.weight = weight;
        leaf.impurity = leaf.risk / weight;
    }
    double error(uint32_t row, const Leaf& leaf, bool) const {
        const double difference = outcome_.number[row] - leaf.value[0];
        return difference * difference;
    }

    bool start(Rows rows) {
        std::tie(mean_, right_.weight) = mean_of(rows);
        left_ = {};
        right_.sum = 0;
        return true;
    }
    double least() const { return 0; }
    double scale(const Leaf& node) const { return node.risk; }
    void move(uint32_t row) { move({centred(row), outcome_.weight_of(row)}, 1.0); }
    bool may_beat(double bar) const {
        const double squares = left_.sum * left_.sum * right_.weight + right_.sum * right_.sum * left_.weight;
        return squares > bar * (left_.weight * right_.weight) * (1 - 1e-9);
    }
    double value() const { return left_.sum * left_.sum / left_.weight + right_.sum * right_.sum / right_.weight; }
    bool lower_left() const { return left_.sum < right_.sum; }

    static Tally empty() { return {}; }
    void add(Tally& tally, uint32_t row) const {
        tally.sum += centred(row);
        tally.weight += outcome_.weight_of(row);
    }
    void move(const Tally& tally, double sign) {
        left_.weight += sign * tally.weight;
        right_.weight -= sign * tally.weight;
        left_.sum += sign * tally.sum;
        right_.sum -= sign * tally.sum;
    }
    double key(const Tally& tally, size_t) const { return tally.sum / tally.weight; }

private:
    double centred(uint32_t row) const { return (outcome_.number[row] - mean_) * outcome_.weight_of(row); }
    std::pair<double, double> mean_of(Rows rows) const {
        Tally all;
        for (uint32_t row : rows) {
            all.sum += outcome_.number[row] * outcome_.weight_of(row);
            all.weight += outcome_.weight_of(row);
        }
        return {all.sum / all.weight, all.weight};
    }

    const Outcome& outcome_;
    double mean_ = 0;
    Tally left_, right_;  // sums of the target less its mean
};

/// Event counts: the decrease of the Poisson deviance. A leaf's rate is drawn towards the whole set's by a gamma prior of
/// the given coefficient of variation; 0 draws nothing (Therneau & Atkinson, 1997, ch. 8).
class PoissonRule : public OneOrder {
public:
    struct Tally {
        double events = 0, time = 0;

        double rate() const { return events / time; }
        double log_likelihood() const { return rate() > 0 ? events * treewright::log(rate()) : 0.0; }
    };

    PoissonRule(const Outcome& outcome, double variation) : outcome_(outcome), variation_(variation) {}

    void begin_tree(Rows rows) {
        prior_ = {};
        if (variation_ <= 0) return;
        prior_.events = 1 / (variation_ * variation_);
        prior_.time = prior_.events / tally(rows).rate();
    }
    void describe(Rows rows, Leaf& leaf) const {
        const Tally all = tally(rows);
        leaf.value.assign(1, (all.events + prior_.events) / (all.time + prior_.time));
        leaf.weight = all.time;
        double sum = 0;
        for (uint32_t row : rows) {
            const double events = outcome_.number[row], expected = leaf.value[0] * outcome_.exposure_of(row);
            sum += (events - expected) * outcome_.weight_of(row);
            if (events > 0) sum += events * treewright::log(expected / events) * outcome_.weight_of(row);
        }
        leaf.risk = std::max(-2 * sum, 0.0);
        leaf.impurity = leaf.risk / all.time;
    }
    /// Deviance of one row from the rate of a leaf.
    double error(uint32_t row, const Leaf& leaf, bool) const {
        const double events = outcome_.number[row], expected = leaf.value[0] * outcome_.exposure_of(row);
        return -2 * (events - expected + (events > 0 ? events * treewright::log(expected / events) : 0.0));
    }

    bool start(Rows rows) {
        left_ = {};
        right_ = tally(rows);
        least_ = right_.log_likelihood();
        return right_.events > 0;
    }
    double least() const { return least_; }
    double scale(const Leaf&) const { return 0.5; }
    void move(uint32_t row) {
        Tally one;
        add(one, row);
        move(one, 1.0);
    }
    bool may_beat(double) const { return true; }
    double value() const { return left_.log_likelihood() + right_.log_likelihood(); }
    bool lower_left() const { return left_.rate() < right_.rate(); }

    static Tally empty() { return {}; }
    void add(Tally& tally, uint32_t row) const {
        tally.events += outcome_.number[row] * outcome_.weight_of(row);
        tally.time += outcome_.exposure_of(row) * outcome_.weight_of(row);
    }
    void move(const Tally& tally, double sign) {
        left_.events += sign * tally.events;
        right_.events -= sign * tally.events;
        left_.time += sign * tally.time;
        right_.time -= sign * tally.time;
    }
    double key(const Tally& tally, size_t) const { return -tally.rate(); }  // the highest rate first

private:
    Tally tally(Rows rows) const {
        Tally all;
        for (uint32_t row : rows) add(all, row);
        return all;
    }

    const Outcome& outcome_;
    double variation_;
    Tally prior_, left_, right_;
    double least_ = 0;
};

}  // namespace treewright::cart
