// What the rows of a node are by their value of a categorical feature: totals of each value.
#pragma once
#include "base/statistics.hpp"

namespace treewright {

/// Totals of each value present at a node, and of the rows where the feature is missing.
struct Levels {
    size_t width = 0;
    std::vector<int32_t> code;         // ascending
    std::vector<double> weight, sums;  // sums: code.size() × width
    std::vector<size_t> count;
    Totals missing, known;
    double centre = 0;   // of the target, as in LocalRows
    double squares = 0;  // of numbers about the centre, where the value is known

    size_t size() const { return code.size(); }
    void add_to(Totals& totals, size_t level) const {
        totals.weight += weight[level];
        totals.count += count[level];
        for (size_t k = 0; k < width; ++k) totals.sums[k] += sums[level * width + k];
    }
    void remove_from(Totals& totals, size_t level) const {
        totals.weight -= weight[level];
        totals.count -= count[level];
        for (size_t k = 0; k < width; ++k) totals.sums[k] -= sums[level * width + k];
    }
    /// Share the rows without a value over the levels, by their weight.
    void share_missing() {
        for (size_t level = 0; level < size(); ++level) {
            const double share = weight[level] / known.weight;
            weight[level] += share * missing.weight;
            for (size_t k = 0; k < width; ++k) sums[level * width + k] += share * missing.sums[k];
        }
        missing.count = 0;  // each has its place
        known.add(missing);
        missing.clear();
    }
    /// Share of class 1, or mean of the target.
    double mean(size_t level, bool classes) const { return sums[level * width + (classes ? 1 : 0)] / weight[level]; }
};

/// Fills Levels from rows in one pass; keeps its buckets clean between calls.
class LevelCounter {
public:
    /// each(use) must call use(code, row) for every row of the node, where row is a local number.
    template <class Each>
    void count(size_t n_categories, size_t width, const LocalRows& rows, Each&& each, Levels& levels) {
        start(n_categories, width, rows, levels);
        const bool classes = rows.label, squares = !classes && width > 1;
        if (rows.outputs > 1) return count_several(rows, each, levels);
        each([&](int32_t code, size_t row) {
            const double w = rows.weight_of(row);
            const size_t k = classes ? static_cast<size_t>(rows.label[row]) : 0;
            const double amount = classes ? w : w * rows.target[row];
            if (code < 0) {
                levels.missing.weight += w;
                levels.missing.count += 1;
                levels.missing.sums[k] += amount;
                if (squares) levels.missing.sums[1] += amount * rows.target[row];
                return;
            }
            const auto c = static_cast<size_t>(code);
            if (count_[c]++ == 0) present_.push_back(code);
            weight_[c] += w;
            sums_[c * width + k] += amount;
            if (!classes) levels.squares += amount * rows.target[row];
            if (squares) sums_[c * width + 1] += amount * rows.target[row];
        });
        collect(levels);
    }

private:
    /// The same of several targets.
    template <class Each>
    void count_several(const LocalRows& rows, Each&& each, Levels& levels) {
        const size_t width = levels.width;
        each([&](int32_t code, size_t row) {
            const double w = rows.weight_of(row);
            const auto c = static_cast<size_t>(std::max(code, 0));
            double* sums = code < 0 ? levels.missing.sums.data() : sums_.data() + c * width;
            for (size_t at = row * rows.outputs, o = 0; o < rows.outputs; ++o)
                sums[rows.label ? static_cast<size_t>(rows.label[at + o]) : o] += rows.label ? w : w * rows.target[at + o];
            if (code < 0) {
                levels.missing.weight += w;
                levels.missing.count += 1;
            } else {
                if (count_[c]++ == 0) present_.push_back(code);
                weight_[c] += w;
            }
        });
        collect(levels);
    }
    void start(size_t n_categories, size_t width, const LocalRows& rows, Levels& levels);
    /// Give what was counted to the levels, in the order of codes, and have nothing counted.
    void collect(Levels& levels);

    std::vector<double> weight_, sums_;
    std::vector<size_t> count_;
    std::vector<int32_t> present_;
};

}  // namespace treewright
