// Columns of numbers that are hard to order: zeros of both signs, missing values, the smallest and largest numbers, ties.
#pragma once
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace treewright::check {

using Limits = std::numeric_limits<double>;

inline const std::vector<double>& extremes() {
    static const std::vector<double> values{0.0,
                                            -0.0,
                                            Limits::denorm_min(),
                                            -Limits::denorm_min(),
                                            3 * Limits::denorm_min(),
                                            Limits::min(),
                                            -Limits::min(),
                                            1.0,
                                            -1.0,
                                            1.0 + Limits::epsilon(),
                                            1e15,
                                            1e15 + 0.125,
                                            Limits::max(),
                                            -Limits::max(),
                                            std::nextafter(Limits::max(), 0.0)};
    return values;
}

struct Column {
    std::string kind;
    std::vector<double> values;
};

/// One column of each kind, with n rows.
inline std::vector<Column> hard_columns(size_t n, std::mt19937_64& random) {
    const auto any = [&](size_t below) { return static_cast<size_t>(random() % below); };
    const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
    std::vector<Column> columns;
    const auto add = [&](const char* kind, auto&& value) {
        Column column{kind, {}};
        for (size_t i = 0; i < n; ++i) column.values.push_back(value(i));
        columns.push_back(std::move(column));
    };
    add("constant", [](size_t) { return 7.0; });
    add("missing", [](size_t) { return Limits::quiet_NaN(); });
    add("ascending", [](size_t i) { return static_cast<double>(i); });
    add("descending", [](size_t i) { return -static_cast<double>(i); });
    add("uniform", [&](size_t) { return unit() - 0.5; });
    add("few values", [&](size_t) { return static_cast<double>(any(5)) / 4 - 0.5; });
    add("extremes", [&](size_t) { return extremes()[any(extremes().size())]; });
    add("extremes and missing values", [&](size_t) {
        const size_t i = any(extremes().size() + 3);
        return i < extremes().size() ? extremes()[i] : i % 2 ? Limits::quiet_NaN() : -Limits::quiet_NaN();
    });
    add("neighbours", [&](size_t) { return 1.0 + static_cast<double>(any(40)) * Limits::epsilon(); });
    add("neighbours and outliers", [&](size_t) {
        return any(50) == 0 ? (any(2) ? 1e300 : -1e300) : 1.0 + static_cast<double>(any(4000)) * Limits::epsilon();
    });
    add("subnormals", [&](size_t) { return static_cast<double>(any(1000)) * Limits::denorm_min() * (any(2) ? 1 : -1); });
    add("all sizes", [&](size_t) { return std::ldexp(unit() - 0.5, static_cast<int>(any(2000)) - 1000); });
    add("skewed", [&](size_t) { return std::exp(40 * (unit() - 0.5)); });
    add("signed zeros", [&](size_t) { return any(2) ? 0.0 : -0.0; });
    return columns;
}

}  // namespace treewright::check
