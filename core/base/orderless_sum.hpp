// Sums that do not depend on the order of their terms, so that neither the order of rows nor who adds them changes a bit of a
// tree.
//
// Terms are rounded to a grid that follows from their number and a bound on their size, and multiples of the grid are added as
// integers, without rounding (Demmel & Nguyen, Fast reproducible floating-point summation, 2013). What is rounded off the first
// grid is added on a second, finer one: a million terms keep 82 bits below the bound.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace treewright {

/// Both sums of a grid, as multiples of its steps; they wrap around, which their difference from what they should be does not.
struct GridSum {
    uint64_t coarse = 0, fine = 0;

    void add(const GridSum& other) {
        coarse += other.coarse;
        fine += other.fine;
    }
};

/// The grid of n terms, none larger than `bound`, which is finite and not negative.
class SumGrid {
public:
    SumGrid(size_t n, double bound)
        : bits_(std::min(49, 61 - static_cast<int>(std::bit_width(n)))),
          exponent_(std::clamp(static_cast<int>(std::bit_cast<uint64_t>(bound) >> 52) - 1022, -1000, 1022)),
          scale_(power(-exponent_)),
          coarse_(1.5 * power(52 - bits_)),
          fine_(1.5 * power(52 - 2 * bits_)) {}

    /// Adding 1.5·2⁵² steps to a number leaves the number of steps, rounded, in the last bits of the sum.
    void add(double term, GridSum& sum) const {
        const double x = term * scale_, on_coarse = x + coarse_;
        sum.coarse += std::bit_cast<uint64_t>(on_coarse);
        sum.fine += std::bit_cast<uint64_t>((x - (on_coarse - coarse_)) + fine_);
    }
    /// The sum of the terms that were added.
    double total(size_t terms, const GridSum& sum) const {
        int64_t whole = static_cast<int64_t>(sum.coarse - terms * std::bit_cast<uint64_t>(coarse_));
        int64_t rest = static_cast<int64_t>(sum.fine - terms * std::bit_cast<uint64_t>(fine_));
        const int64_t step = int64_t{1} << bits_;  // fine ones in a coarse one
        whole += rest >> bits_;
        rest &= step - 1;
        const bool negative = whole < 0;
        if (negative) {
            whole = -whole - (rest > 0);
            rest = rest > 0 ? step - rest : 0;
        }
        constexpr double half_word = 4294967296.0;
        const double below = static_cast<double>(whole & 0xffffffff) + static_cast<double>(rest) * power(-bits_);
        const double sum_of_all = static_cast<double>(whole >> 32) * half_word + below;
        const double steps = negative ? -sum_of_all : sum_of_all;
        return exponent_ - bits_ > -1000 ? steps * power(exponent_ - bits_) : std::ldexp(steps, exponent_ - bits_);
    }

private:
    static constexpr double power(int exponent) { return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52); }

    int bits_;      // of a term on either grid
    int exponent_;  // of a power of two above all terms, or half of it
    double scale_;  // brings terms to this power
    double coarse_, fine_;
};

/// The sum of term(i) for i < n, none larger than `bound`.
template <class Term>
double orderless_sum(size_t n, double bound, Term&& term) {
    double plain = 0;
    if (!(bound < std::numeric_limits<double>::infinity())) {  // the sum has no bits that could differ
        for (size_t i = 0; i < n; ++i) plain += term(i);
        return plain;
    }
    if (bound == 0) return 0;
    const SumGrid grid(n, bound);
    GridSum sum;
    for (size_t i = 0; i < n; ++i) grid.add(term(i), sum);
    return grid.total(n, sum);
}

/// The sum of weights, none of them negative.
inline double orderless_weight(const std::vector<double>& weight) {
    if (weight.empty()) return 0;
    return orderless_sum(weight.size(), *std::max_element(weight.begin(), weight.end()), [&](size_t i) { return weight[i]; });
}

/// Whether sums of weights are exact in any order: whole numbers of at most 36 bits, all times a power of two.
inline bool are_summed_exactly(const std::vector<double>& weight) {
    if (weight.empty()) return true;
    const double most = static_cast<double>(weight.size()) * *std::max_element(weight.begin(), weight.end());
    const double unit = std::isnormal(most) ? std::ldexp(1.0, std::ilogb(most) - 35) : 0.0;
    return unit > 0 && std::ranges::all_of(weight, [&](double w) { return std::floor(w / unit) == w / unit; });
}

/// The sum of the weights of each class: weight(i) and label(i) for i < n.
template <class Weight, class Label>
void orderless_class_weights(size_t n, Weight&& weight, Label&& label, std::vector<double>& sums) {
    double heaviest = 0;
    for (size_t i = 0; i < n; ++i) heaviest = std::max(heaviest, weight(i));
    if (heaviest == 0) return std::fill(sums.begin(), sums.end(), 0.0);
    const SumGrid grid(n, heaviest);
    struct Class {
        GridSum sum;
        size_t rows = 0;
    };
    std::vector<Class> of_class(sums.size());
    for (size_t i = 0; i < n; ++i) {
        Class& mine = of_class[static_cast<size_t>(label(i))];
        grid.add(weight(i), mine.sum);
        ++mine.rows;
    }
    for (size_t k = 0; k < sums.size(); ++k) sums[k] = grid.total(of_class[k].rows, of_class[k].sum);
}

}  // namespace treewright
