// Two-byte codes of numbers: 255 bins of 256 codes, by the values of a sample. They order rows; exact cuts come from the values.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace treewright {

inline constexpr size_t most_codes = 255 * 256;
inline constexpr uint16_t missing_code = 65535;  // in the bin of rows without a value, `missing_bin`

/// What is known of the values behind a code: none were met, one alone, or several.
enum class Values : uint8_t { none, one, several };

/// The code of the value at a place among those that codes stand for.
inline uint16_t code_of_place(size_t place, size_t n_values) { return static_cast<uint16_t>(place * most_codes / n_values); }

/// The code of one number, as TwoByteCoder has it.
inline uint16_t code_of_number(std::span<const double> values, double x) {
    const auto place = static_cast<size_t>(std::lower_bound(values.begin(), values.end(), x) - values.begin());
    return code_of_place(std::min(place, values.size() - 1), values.size());
}

/// The code of x follows from the first of some ascending values that is not below x; beyond the last it is that of the last.
class TwoByteCoder {
public:
    /// One to `most_codes` values, ascending. Fewer are spread out, so that every bin has its share of them.
    explicit TwoByteCoder(std::span<const double> values)
        : n_values_(values.size()), values_(values.begin(), values.end()), start_(cells + 1) {
        // Cells part the range of most values: a few that lie far out would leave one cell to all others.
        const size_t outside = n_values_ / 256;
        low_ = values[outside];
        const double span = values[n_values_ - 1 - outside] - low_;
        scale_ = span > 0 && std::isfinite(span) ? static_cast<double>(cells) / span : 0;
        if (!std::isfinite(scale_)) scale_ = 0;
        size_t at = 0;
        for (size_t cell = 0; cell <= cells; ++cell) {
            while (at < n_values_ && cell_of(values[at]) < cell) ++at;
            start_[cell] = static_cast<uint16_t>(at);
        }
        for (size_t place = 0; place < n_values_; ++place) code_.push_back(code_of_place(place, n_values_));
        values_.resize(n_values_ + looked_at, std::numeric_limits<double>::infinity());
    }

    /// Write the codes of n numbers; met[code] is raised to what was met of it.
    void encode(const double* numbers, size_t n, uint16_t* code, Values* met) const {
        for (size_t i = 0; i < n; ++i) {
            const double x = numbers[i];
            if (std::isnan(x)) {
                code[i] = missing_code;
                continue;
            }
            const size_t place = place_of(x);
            code[i] = code_[place];
            met[code[i]] = std::max(met[code[i]], x == values_[place] ? Values::one : Values::several);
        }
    }

private:
    static constexpr size_t cells = size_t{1} << 17;
    static constexpr size_t looked_at = 4;  // values of a cell, before it is searched

    size_t cell_of(double x) const {
        const double at = (x - low_) * scale_;
        return at > 0 ? static_cast<size_t>(std::min(at, static_cast<double>(cells - 1))) : 0;
    }
    /// The first value that is not below x stands between the starts of the cell of x and of the next, or there; the values of
    /// later cells are above x. So those below x of the first few are counted without asking where the cell ends.
    size_t place_of(double x) const {
        const size_t cell = cell_of(x);
        const double* first = values_.data() + start_[cell];
        size_t below = 0;
        for (size_t i = 0; i < looked_at; ++i) below += first[i] < x;
        if (below == looked_at) [[unlikely]]
            below += below_in({first + looked_at, values_.data() + start_[cell + 1]}, x);
        return std::min(start_[cell] + below, n_values_ - 1);
    }

    /// How many of some values are below x: halves are a coin toss to the processor, so no branch hangs on them.
    static size_t below_in(std::span<const double> some, double x) {
        size_t below = 0;
        for (size_t rest = some.size(); rest > 0;) {
            const size_t half = rest - rest / 2;
            below += some[below + half - 1] < x ? half : 0;
            rest -= half;
        }
        return below;
    }

    size_t n_values_;
    std::vector<double> values_;   // and infinities behind them
    std::vector<uint16_t> code_;   // of each value
    std::vector<uint16_t> start_;  // of each cell: the first value in it or in one behind it
    double low_, scale_;           // where cells begin, and how many there are to a unit
};

}  // namespace treewright
