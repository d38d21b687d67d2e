// Table, short polynomial, and a second, longer attempt where the first may have rounded the wrong way (Tang, 1990; Ziv, 1991).
//
// log x = e·log 2 - log r + log(1 + f), where x = 2^e·m, 0.7 < m < 1.42, r ≈ 1/m has so few bits that f = r·m - 1 is exact, and
// |f| < 2^-7. Sums that must not lose bits are kept as pairs of doubles (Dekker, 1971). The tables are worked out by the
// compiler.
#include "base/logarithm.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace treewright {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A number as the sum of two, the second below the last place of the first.
struct Pair {
    double high, low;
};

/// a + b, if |a| ≥ |b| or a is 0.
constexpr Pair ordered_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

constexpr Pair exact_sum(double a, double b) {
    const double sum = a + b, b_part = sum - a;
    return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// The first 26 bits, and the rest.
constexpr Pair halves(double a) {
    const double shifted = a * 0x1.0000002p27, high = shifted - (shifted - a);
    return {high, a - high};
}

constexpr Pair exact_product(double a, double b) {
    const double product = a * b;
    const auto [a_high, a_low] = halves(a);
    const auto [b_high, b_low] = halves(b);
    return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

constexpr Pair operator+(Pair a, Pair b) {
    const Pair high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
    const Pair sum = ordered_sum(high.high, high.low + low.high);
    return ordered_sum(sum.high, sum.low + low.low);
}

constexpr Pair operator*(Pair a, Pair b) {
    const Pair product = exact_product(a.high, b.high);
    return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

constexpr Pair operator/(Pair a, Pair b) {
    const double first = a.high / b.high;
    const Pair rest = a + Pair{-first, 0} * b;
    return Pair{first, 0} + Pair{rest.high / b.high, 0};
}

/// log((k + 1) / k) = 2·artanh(1 / (2k + 1)).
constexpr Pair log_step(int k) {
    const Pair z = Pair{1, 0} / Pair{2.0 * k + 1, 0}, square = z * z;
    Pair sum{0, 0};
    for (int n = 69; n > 0; n -= 2) sum = Pair{1, 0} / Pair{static_cast<double>(n), 0} + square * sum;
    return Pair{2, 0} * z * sum;
}

/// The same number with so few bits in its first part that whole multiples of it, and their sums, are exact.
constexpr Pair short_first(Pair a, double unit) {
    const double shift = unit * 0x1.8p52, first = (a.high + shift) - shift;
    return {first, (a.high - first) + a.low};
}

constexpr Pair one{1, 0}, log_2 = log_step(1), log_10 = Pair{3, 0} * log_2 + log_step(4);
constexpr Pair per_log_2 = one / log_2, per_log_10 = one / log_10;
constexpr Pair short_log_2 = short_first(log_2, 0x1p-42), short_per_log_2 = short_first(per_log_2, 0x1p-16);

struct Entry {
    double r;  // a multiple of 1/256, where m < 1 of 1/128
    Pair log;  // -log r
};

/// By the first seven bits of m: 0 to 52 for m from 1 on, the others for m below.
constexpr int table_size = 128, first_below_one = 53;

constexpr std::array<Entry, table_size> log_table(Pair unit) {
    std::array<Pair, 384> of{};  // log(k / 256)
    for (int k = 256; k < 383; ++k) of[k + 1] = of[k] + log_step(k);
    for (int k = 256; k > 170; --k) of[k - 1] = of[k] + Pair{-1, 0} * log_step(k - 1);
    std::array<Entry, table_size> table{};
    for (int i = 0; i < table_size; ++i) {
        const bool below = i >= first_below_one;
        const double middle = (1 + (i + 0.5) / table_size) / (below ? 2 : 1);
        int k = below ? 2 * static_cast<int>(128 / middle + 0.5) : static_cast<int>(256 / middle + 0.5);
        if (i == 0) k = 256;  // so that nothing is taken from the logarithm of a number near 1
        table[i] = {k / 256.0, short_first(Pair{-1, 0} * of[k] * unit, 0x1p-42)};
    }
    return table;
}

constexpr auto natural_table = log_table(one), binary_table = log_table(per_log_2);

/// 1/n, the coefficients of the series of log(1 + f).
constexpr auto inverse = [] {
    std::array<Pair, 16> of{};
    for (int n = 1; n < 16; ++n) of[n] = one / Pair{static_cast<double>(n), 0};
    return of;
}();

/// x = 2^exponent·m as r·m = 1 + f.
struct Reduced {
    double exponent, f;
    size_t entry;
};

inline double masked(double x, uint64_t mask) { return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & mask); }

inline Reduced reduced(double x) {
    const bool subnormal = x < 0x1p-1022;
    const auto bits = std::bit_cast<uint64_t>(subnormal ? x * 0x1p54 : x);
    const uint64_t beyond = bits - 0x3fe6a00000000000;  // of 0.70703125, where the table begins
    const double m = std::bit_cast<double>(bits - (beyond & 0xfff0000000000000)), high = masked(m, 0xfffffffff8000000);
    const size_t entry = bits >> 45 & 127;
    const double r = natural_table[entry].r;
    return {static_cast<double>((static_cast<int64_t>(beyond) >> 52) - (subnormal ? 54 : 0)), (r * high - 1) + r * (m - high),
            entry};
}

/// unit·log(1 + f), to 66 bits or so. What counts most, unit·(f - f²/2) of f and unit cut to 17 bits, is exact.
inline Pair quick_log1p(double f, Pair unit) {
    const double cut = masked(f, 0xfffffff000000000), rest = f - cut, square = f * f;
    const double first = cut * unit.high, second = -0.5 * cut * first;
    const double near = (inverse[3].high - f * inverse[4].high) + square * (inverse[5].high - f * inverse[6].high);
    const double far = (inverse[7].high - f * inverse[8].high) + square * (inverse[9].high - f * inverse[10].high);
    const double tail = (unit.high + unit.low) * (square * f) * (near + square * square * far);
    const double lost = rest * unit.high * (1 - (0.5 * f + 0.5 * cut)) + unit.low * (f - 0.5 * square);
    const Pair sum = ordered_sum(first, second);
    return {sum.high, sum.low + (lost + tail)};
}

/// log(1 + f), to 100 bits or so.
Pair long_log1p(double f) {
    Pair sum = inverse[15];
    for (size_t n = 14; n > 0; --n) sum = inverse[n] + Pair{-f, 0} * sum;
    return Pair{f, 0} * sum;
}

/// e·log 2 - log r + log(1 + f).
inline Pair natural_sum(const Reduced& x, Pair log1p) {
    const Pair entry = natural_table[x.entry].log, high = exact_sum(x.exponent * short_log_2.high + entry.high, log1p.high);
    return {high.high, high.low + (log1p.low + (entry.low + x.exponent * short_log_2.low))};
}

/// e - log2 r + log2(1 + f).
inline Pair binary_sum(const Reduced& x, Pair log1p) {
    const Pair entry = binary_table[x.entry].log, high = exact_sum(x.exponent + entry.high, log1p.high);
    return {high.high, high.low + (log1p.low + entry.low)};
}

/// log x of 0 < x < ∞, to 66 bits or so.
inline Pair pair_log(double x) {
    const Reduced parts = reduced(x);
    return natural_sum(parts, quick_log1p(parts.f, one));
}

/// The double nearest to a number known to 64 bits, and whether it would be the same were it known to all.
struct Rounded {
    double value;
    bool is_sure;
};

inline Rounded rounded(Pair sum) {
    const double error = 0x1p-64 * sum.high, value = sum.high + (sum.low + error);
    return {value, value == sum.high + (sum.low - error)};
}

inline bool is_odd(double x) { return !(x > 0 && x < infinite); }

/// Of what has no logarithm, or no finite one.
double odd_log(double x) {
    if (x == 0) return -infinite;
    return x < 0 ? std::numeric_limits<double>::quiet_NaN() : x;
}

/// 2^(i / 64).
constexpr auto powers = [] {
    std::array<Pair, 64> of{};
    for (int i = 0; i < 64; ++i) {
        const Pair x = log_2 * Pair{i / 64.0, 0};
        of[i] = one;
        for (int n = 30; n > 0; --n) of[i] = one + x * of[i] / Pair{static_cast<double>(n), 0};
    }
    return of;
}();

/// 2^(k / 64)·exp(r), where |r| < 0.006, without the factor 2^exponent.
struct Exponential {
    Pair value;
    int exponent;
};

inline Exponential exponential(double k, double r) {
    const int whole = static_cast<int>(k), i = whole & 63;
    const double rest = r + r * r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r / 720))));
    const Pair power = powers[static_cast<size_t>(i)];
    return {{power.high, power.low + power.high * rest}, (whole - i) / 64};
}

/// exp(x) of |x| < 750.
inline Exponential exponential(Pair x) {
    constexpr Pair step = short_first(log_2 * Pair{1.0 / 64, 0}, 0x1p-42);
    const double k = std::floor(x.high * (64 * per_log_2.high) + 0.5);
    return exponential(k, (x.high - k * step.high) - (k * step.low - x.low));
}

inline double whole_of(const Exponential& x) { return std::ldexp(x.value.high + x.value.low, x.exponent); }

double pair_exp(Pair x) {
    if (!(x.high < 710)) return x.high >= 710 ? infinite : x.high;
    return x.high < -746 ? 0 : whole_of(exponential(x));
}

/// log Γ(x), by Stirling's series from 16 on; below, Γ(x) = Γ(x + n) / (x·(x + 1)·…·(x + n - 1)).
Pair pair_log_gamma(double x) {
    Pair product = one;
    double n = 0;
    for (; x + n < 16; ++n) product = product * exact_sum(x, n);
    const Pair shifted = exact_sum(x, n);
    const double y = shifted.high;
    if (!(y < 0x1p52)) return {y * (log(y) - 1), 0};
    constexpr Pair half_log_of_two_pi{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
    const double z = 1 / (y * y);
    const double series =
        1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360)))));
    const Pair log_y = pair_log(y), log_product = pair_log(product.high);
    const Pair whole = Pair{y - 0.5, 0} * (log_y + Pair{-1, 0}) + half_log_of_two_pi + Pair{-0.5, series / y};
    return whole + Pair{-1, 0} * log_product + Pair{shifted.low * log_y.high - product.low / product.high, 0};
}

}  // namespace

double log(double x) {
    if (is_odd(x)) return odd_log(x);
    const Reduced parts = reduced(x);
    const Rounded quick = rounded(natural_sum(parts, quick_log1p(parts.f, one)));
    if (quick.is_sure) return quick.value;
    const Pair sum = natural_sum(parts, long_log1p(parts.f));
    return sum.high + sum.low;
}

double log2(double x) {
    if (is_odd(x)) return odd_log(x);
    const Reduced parts = reduced(x);
    const Rounded quick = rounded(binary_sum(parts, quick_log1p(parts.f, short_per_log_2)));
    if (quick.is_sure) return quick.value;
    const Pair sum = binary_sum(parts, long_log1p(parts.f) * per_log_2);
    return sum.high + sum.low;
}

double log10(double x) {
    if (is_odd(x)) return odd_log(x);
    const Reduced parts = reduced(x);
    return (natural_sum(parts, long_log1p(parts.f)) * per_log_10).high;
}

double log1p(double x) {
    const Pair sum = exact_sum(1, x);
    if (is_odd(sum.high)) return odd_log(sum.high);
    const Pair log = pair_log(sum.high);
    return log.high + (log.low + sum.low / sum.high);
}

double exp(double x) { return pair_exp({x, 0}); }

double expm1(double x) {
    if (!(std::fabs(x) < 40)) return exp(x) - 1;
    const Exponential power = exponential({x, 0});
    return (std::ldexp(power.value.high, power.exponent) - 1) + std::ldexp(power.value.low, power.exponent);
}

double exp2(double x) {
    if (!(x < 1024)) return x >= 1024 ? infinite : x;
    if (x < -1076) return 0;
    const double k = std::floor(64 * x + 0.5);
    return whole_of(exponential(k, (x - k / 64) * log_2.high));
}

double pow(double base, double exponent) {
    if (exponent == 0 || base == 1) return 1;
    if (is_odd(base) || !(std::fabs(exponent) < 0x1p64)) return exp(exponent * log(base));
    return pair_exp(Pair{exponent, 0} * pair_log(base));
}

double log_gamma(double x) { return pair_log_gamma(x).high; }

double log_beta(double a, double b) {
    const Pair sum = exact_sum(a, b), of_sum = pair_log_gamma(sum.high);
    return (pair_log_gamma(a) + pair_log_gamma(b) + Pair{-1, 0} * of_sum).high - sum.low * log(sum.high);
}

}  // namespace treewright
