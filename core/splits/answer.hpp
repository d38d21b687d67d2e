// Which branch? The one place where a split answers, for growing and routing alike, so that all agree to the bit.
//
// A split is anything with `kind`, `feature`, `threshold`, `pool()` and `branch_of(code)`: a SplitEntry of stored arrays, or the
// Candidate of a grower. Sums are taken from left to right as they are written here; the packed walks (route.cpp,
// forest_walk.hpp, coded_forest.cpp) ask `x > threshold`, which is the same answer for every number.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>

#include "base/table.hpp"
#include "base/tree.hpp"

namespace treewright {

inline constexpr int32_t unanswered = -1;  // a value is missing, or a table has no entry for it

/// The pool of one split, laid out as ARCHITECTURE.md says for its kind.
struct Pool {
    std::span<const int32_t> index;
    std::span<const double> value;
};

// ---- numbers -----------------------------------------------------------------------------------------------------------

/// Hyperplane: Σ weight·x over the pool's (feature, weight); NaN if one of them is missing.
template <class Number>
double weighted_sum(const Pool& pool, Number&& x) {
    double total = 0;
    for (size_t i = 0; i < pool.index.size(); ++i) total += pool.value[i] * x(pool.index[i]);
    return total;
}

/// Sphere: Σ scale·(x − centre)² over the pool's pairs (feature, centre), (feature, scale).
template <class Number>
double squared_distance(const Pool& pool, Number&& x) {
    double total = 0;
    for (size_t i = 0; i + 1 < pool.index.size(); i += 2) {
        const double distance = x(pool.index[i]) - pool.value[i];
        total += pool.value[i + 1] * distance * distance;
    }
    return total;
}

/// What a split compares with its threshold or its cuts, x(feature) being the row's numbers; NaN if one is missing.
template <class Split, class Number>
double compared(const Split& split, Number&& x) {
    if (split.kind == SplitKind::hyperplane) return weighted_sum(split.pool(), x);
    if (split.kind == SplitKind::sphere) return squared_distance(split.pool(), x);
    return x(split.feature);
}

inline int32_t threshold_branch(double x, double threshold) { return std::isnan(x) ? unanswered : x <= threshold ? 0 : 1; }

/// Intervals: the number of the pool's ascending cuts that lie below x.
inline int32_t interval_of(const Pool& pool, double x) {
    if (std::isnan(x)) return unanswered;
    return static_cast<int32_t>(std::lower_bound(pool.value.begin(), pool.value.end(), x) - pool.value.begin());
}

// ---- categories --------------------------------------------------------------------------------------------------------

/// The entry of a code among entries ascending by code, or their end.
template <class Entries, class CodeOf = std::identity>
auto find_code(const Entries& entries, int32_t code, CodeOf code_of = {}) {
    const auto found = std::ranges::lower_bound(entries, code, {}, code_of);
    return found != entries.end() && std::invoke(code_of, *found) == code ? found : entries.end();
}

/// The branch by a code; unanswered if it is missing or not in the table, unseen_code for a category never seen.
template <class Split>
int32_t code_branch(const Split& split, int32_t code) {
    return code < 0 ? code : split.branch_of(code);
}

// ---- rows --------------------------------------------------------------------------------------------------------------

/// The branch by what a split looks at: what it compares, or a code as a number; NaN = missing.
template <class Split>
int32_t value_branch(const Split& split, double value) {
    if (std::isnan(value)) return unanswered;
    if (split.kind == SplitKind::table) return code_branch(split, static_cast<int32_t>(value));
    return split.kind == SplitKind::interval ? interval_of(split.pool(), value) : threshold_branch(value, split.threshold);
}

/// The branch of a row, number(feature) and code(feature) being its values; unanswered or unseen_code if none.
template <class Split, class Number, class Code>
int32_t split_branch(const Split& split, Number&& number, Code&& code) {
    if (split.kind == SplitKind::table) return code_branch(split, code(split.feature));
    return value_branch(split, compared(split, number));
}

/// The branch of a training row, whose categories were all seen.
template <class Split>
int32_t row_branch(const Split& split, const Table& table, size_t row) {
    const auto feature = [&](int32_t f) -> const Feature& { return table.features[static_cast<size_t>(f)]; };
    return split_branch(
        split, [&](int32_t f) { return feature(f).numbers[row]; },
        [&](int32_t f) { return std::max(feature(f).codes[row], unanswered); });
}

/// One split of stored arrays.
struct SplitEntry {
    SplitKind kind;
    int32_t feature;
    double threshold;
    Pool entries;

    SplitEntry(const SplitView& splits, size_t at)
        : kind(static_cast<SplitKind>(splits.kind[at])), feature(splits.feature[at]), threshold(splits.threshold[at]) {
        const auto begin = static_cast<size_t>(splits.pool_begin[at]), end = static_cast<size_t>(splits.pool_begin[at + 1]);
        entries = {splits.pool_index.subspan(begin, end - begin), splits.pool_value.subspan(begin, end - begin)};
    }
    const Pool& pool() const { return entries; }
    int32_t branch_of(int32_t code) const {
        const auto found = find_code(entries.index, code);
        if (found == entries.index.end()) return unanswered;
        return static_cast<int32_t>(entries.value[static_cast<size_t>(found - entries.index.begin())]);
    }
};

}  // namespace treewright
