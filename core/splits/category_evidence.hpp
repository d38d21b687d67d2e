// What the values of a categorical feature tell of the target beyond chance.
//
// A grouping is chosen from as many as there are ways to part the values, and its gain is that of the luckiest: a column of
// identifiers parts any classes perfectly. So the mean target of each value is drawn towards that of the node, by as much as it
// owes to chance (empirical Bayes; Efron & Morris, 1975): of the spread between values, the part that their rows alone would
// make is known from the spread inside values. What is left of a gain is an estimate of the gain on other rows. It asks for
// sums by value only, not for rows.
#pragma once
#include "splits/categorical.hpp"

namespace treewright {

/// As many values may be grouped by chance as a number may be cut: about so many degrees of freedom are free of charge.
inline constexpr double free_groupings = 7;

/// Draw the sums of the levels towards those of the node; false if they differ by no more than chance would have it.
inline bool shrink(Levels& levels, bool classes) {
    const size_t n = levels.size(), width = classes ? levels.width : 1;
    if (n <= 2) return true;  // one grouping
    const double scale = static_cast<double>(levels.known.count) / levels.known.weight;  // weights count as rows
    const double rows = static_cast<double>(levels.known.count), groups = static_cast<double>(n);
    double between = 0, sizes = 0;
    const double all = classes ? rows : scale * levels.squares;
    for (size_t level = 0; level < n; ++level) {
        for (size_t k = 0; k < width; ++k) {
            const double sum = levels.sums[level * levels.width + k];
            between += scale * sum * (sum / levels.weight[level]);
        }
        sizes += scale * levels.weight[level] * (scale * levels.weight[level]);
    }
    const double inside = std::max(0.0, all - between);
    for (size_t k = 0; k < width; ++k)
        between -= scale * levels.known.sums[k] * (levels.known.sums[k] / levels.known.weight);
    if (rows <= groups) return false;  // a row each: nothing tells signal from chance
    const double chance = inside / (rows - groups);  // variance of a row inside its level
    const double signal = (between - std::max(0.0, groups - 1 - free_groupings) * chance) / (rows - sizes / rows);
    if (!(signal > 0)) return false;
    // Level means are drawn towards that centre which keeps the sum over all levels as it is.
    std::vector<double> kept(n), centre(width, 0.0);
    double drawn = 0;
    for (size_t level = 0; level < n; ++level) {
        const double evidence = scale * levels.weight[level] * signal;
        kept[level] = evidence / (evidence + chance);
        drawn += (1 - kept[level]) * levels.weight[level];
        for (size_t k = 0; k < width; ++k) centre[k] += (1 - kept[level]) * levels.sums[level * levels.width + k];
    }
    if (drawn <= 0) return true;
    for (size_t level = 0; level < n; ++level)
        for (size_t k = 0; k < width; ++k) {
            double& sum = levels.sums[level * levels.width + k];
            sum = kept[level] * sum + (1 - kept[level]) * levels.weight[level] * (centre[k] / drawn);
        }
    return true;
}

}  // namespace treewright
