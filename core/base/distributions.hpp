// Tails and quantiles of distributions, with the same bits on every machine.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/logarithm.hpp"
#include "base/midpoint.hpp"

namespace treewright {

/// Upper tail of the gamma distribution, Q(a, x), by series or continued fraction (Abramowitz & Stegun, 1964, 6.5.29 and 6.5.31).
inline double gamma_tail(double a, double x) {
    if (x <= 0) return 1;
    const double front = exp(a * log(x) - x - log_gamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (double n = a + 1; term > sum * 1e-17; ++n) sum += term *= x / n;
        return std::max(0.0, 1 - front * sum);
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, fraction = d;  // Lentz, 1976
    for (int i = 1; i < 10'000; ++i) {
        const double numerator = -i * (i - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        fraction *= c * d;
        if (std::fabs(c * d - 1) < 1e-16) break;
    }
    return front * fraction;
}

/// Lower tail of the beta distribution, I_x(a, b), by its continued fraction (Abramowitz & Stegun, 1964, 26.5.8).
inline double beta_tail(double a, double b, double x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - beta_tail(b, a, 1 - x);
    const double front = exp(a * log(x) + b * log1p(-x) - log_beta(a, b)) / a;
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), fraction = d;
    for (int m = 1; m < 10'000; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        fraction *= c * d;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        fraction *= c * d;
        if (std::fabs(c * d - 1) < 1e-16) break;
    }
    return front * fraction;
}

/// The number that a standard normal variable exceeds with this chance: by halving an interval.
inline double normal_quantile(double chance) {
    if (chance > 0.5) return -normal_quantile(1 - chance);
    if (chance <= 0) return std::numeric_limits<double>::infinity();
    double low = 0, high = 40;
    for (double middle = 20; low < middle && middle < high; middle = midpoint(low, high))
        (gamma_tail(0.5, middle * middle / 2) / 2 > chance ? low : high) = middle;
    return high;
}

/// The x with I_x(a, b) = chance: Newton's steps, inside an interval that each of them narrows.
inline double beta_quantile(double a, double b, double chance) {
    const double log_whole = log_beta(a, b);
    double low = 0, high = 1, x = a / (a + b);
    for (int i = 0; i < 200; ++i) {
        const double above = beta_tail(a, b, x) - chance;
        (above > 0 ? high : low) = x;
        const double density = exp((a - 1) * log(x) + (b - 1) * log1p(-x) - log_whole), next = x - above / density;
        const double taken = next > low && next < high ? next : midpoint(low, high);
        if (std::fabs(taken - x) <= 4e-16 * x) break;
        x = taken;
    }
    return x;
}

}  // namespace treewright
