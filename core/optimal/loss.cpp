// Costs as whole numbers of units.
#include "optimal/loss.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::optimal {

namespace {

/// The power of two that brings `total` just below 2^bits; 1 if there is nothing to scale.
double scale_to(double total, int bits) {
    if (!(total > 0) || !std::isfinite(total)) return 1;
    return std::ldexp(1.0, std::clamp(bits - std::ilogb(total) - 1, -1000, 1000));
}

Cost rounded(double cost, double scale) { return static_cast<Cost>(std::llround(cost * scale)); }

}  // namespace

Loss::Loss(const TargetView& target, size_t n_rows, const LossOptions& options)
    : n_classes_(target.n_classes), label_(target.label) {
    if (n_classes_ > 0) read_classes(target, n_rows, options);
    else read_numbers(target, n_rows);
    price_leaves(options.alpha);
}

void Loss::price_leaves(double alpha) {
    const double price = alpha * total_weight_ * scale_, most = 0x1p56;
    leaf_price_ = static_cast<Cost>(std::llround(std::min(price, most))) + tie_price();
}

/// A cost in units; if that is not exact, sums over rows are equal up to half a unit for each of them.
Cost Loss::price_of(double cost, size_t n_rows) {
    const Cost units = rounded(cost, scale_);
    if (static_cast<double>(units) != cost * scale_) noise_ = static_cast<Cost>(n_rows);
    return units;
}

void Loss::read_classes(const TargetView& target, size_t n_rows, const LossOptions& options) {
    const auto k = static_cast<size_t>(n_classes_);
    width_ = n_classes_;
    const std::vector<double>& given = options.class_factor;
    const double largest = given.empty() ? 1.0 : *std::max_element(given.begin(), given.end());
    const auto weight_factor = [&](size_t c) { return given.empty() ? 1.0 : given[c]; };
    const auto factor = [&](size_t c) { return weight_factor(c) < 0x1p-20 * largest ? 0.0 : weight_factor(c); };
    const auto cost = [&](size_t truth, size_t said) {
        return options.costs.empty() ? (truth == said ? 0.0 : 1.0) : options.costs[truth * k + said];
    };
    const double* weight = target.weight;
    const bool equal = !weight || std::all_of(weight, weight + n_rows, [&](double w) { return w == weight[0]; });
    const double each = weight ? weight[0] : 1.0;
    const auto weight_of = [&](size_t row) { return equal ? each : weight[row]; };

    std::vector<double> dearest(k, 0.0);
    for (size_t truth = 0; truth < k; ++truth)
        for (size_t said = 0; said < k; ++said) dearest[truth] = std::max(dearest[truth], factor(truth) * cost(truth, said));
    double total = 0;
    for (size_t row = 0; row < n_rows; ++row) {
        const auto c = static_cast<size_t>(label_[row]);
        total += weight_of(row) * dearest[c];
        total_weight_ += weight_of(row) * weight_factor(c);
    }
    scale_ = scale_to(total, 46);
    most_.resize(n_rows);
    if (equal) {
        kind_ = n_classes_ == 2 ? LossKind::pair : LossKind::counts;
        price_.resize(k * k);
        mistake_.assign(k, 0);
        for (size_t truth = 0; truth < k; ++truth)
            for (size_t said = 0; said < k; ++said) {
                price_[truth * k + said] = price_of(each * factor(truth) * cost(truth, said), n_rows);
                mistake_[truth] = std::max(mistake_[truth], price_[truth * k + said]);
            }
        for (size_t truth = 0; truth < k; ++truth)
            for (size_t said = 0; said < k; ++said)
                uniform_ = uniform_ && price_[truth * k + said] == (truth == said ? 0 : mistake_[truth]);
        for (size_t row = 0; row < n_rows; ++row) most_[row] = mistake_[static_cast<size_t>(label_[row])];
        const auto [low, high] = std::minmax_element(mistake_.begin(), mistake_.end());
        each_ = uniform_ && *low == *high ? *low : 0;
        return;
    }
    kind_ = LossKind::prices;
    row_price_.resize(n_rows * k);
    for (size_t row = 0; row < n_rows; ++row) {
        const auto truth = static_cast<size_t>(label_[row]);
        for (size_t said = 0; said < k; ++said)
            row_price_[row * k + said] = price_of(weight[row] * factor(truth) * cost(truth, said), n_rows);
        most_[row] = *std::max_element(row_prices(row), row_prices(row) + k);
    }
}

void Loss::read_numbers(const TargetView& target, size_t n_rows) {
    kind_ = LossKind::squares;
    width_ = 2;
    noise_ = 64;
    const double* y = target.number;
    const double* weight = target.weight;
    const auto weight_of = [&](size_t row) { return weight ? weight[row] : 1.0; };
    double sum = 0;
    for (size_t row = 0; row < n_rows; ++row) {
        total_weight_ += weight_of(row);
        sum += weight_of(row) * y[row];
    }
    const double mean = sum / total_weight_;
    double sums = 0, squares = 0, low = 0, high = 0;
    for (size_t row = 0; row < n_rows; ++row) {
        const double c = y[row] - mean;
        sums += weight_of(row) * std::fabs(c);
        squares += weight_of(row) * c * c;
        low = std::min(low, c);
        high = std::max(high, c);
    }
    double most = 0;  // of all rows together
    const auto most_of = [&](size_t row) {
        const double far = std::max(y[row] - mean - low, high - (y[row] - mean));
        return weight_of(row) * far * far;
    };
    for (size_t row = 0; row < n_rows; ++row) most += most_of(row);
    scale_ = scale_to(std::max(squares, most / 64), 54);
    const double sum_scale = scale_to(sums, 60), weight_scale = weight ? scale_to(total_weight_, 60) : 1.0;
    square_scale_ = scale_ * weight_scale / (sum_scale * sum_scale);
    sum_.resize(n_rows);
    square_.resize(n_rows);
    most_.resize(n_rows);
    if (weight) weight_.resize(n_rows);
    for (size_t row = 0; row < n_rows; ++row) {
        const double w = weight_of(row), c = y[row] - mean;
        if (weight) weight_[row] = std::max<Cost>(1, rounded(w, weight_scale));
        sum_[row] = rounded(w * c, sum_scale);
        square_[row] = rounded(w * c * c, scale_);
        most_[row] = rounded(most_of(row), scale_) + 1;
    }
}

}  // namespace treewright::optimal
