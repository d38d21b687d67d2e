// What the values of a categorical feature tell of the target beyond chance.
//
// A grouping is chosen from as many as there are ways to part the values, and its gain is that of the luckiest: a column of
// identifiers parts any classes perfectly. So the mean target of each value is drawn towards that of the node, by as much as it
// owes to chance (empirical Bayes; Efron & Morris, 1975). What chance makes of the spread between values is what it would be if
// the targets were shuffled: its mean, and a standard deviation on top. What is left of a gain is an estimate of the gain on
// other rows. It asks for sums by value only, not for rows.
#pragma once
#include "splits/categorical.hpp"

namespace treewright {

/// A number is cut at the best of many places too. That is worth about so many degrees of freedom, which groupings have free.
inline constexpr double free_degrees = 3;

/// Draw the sums of the levels towards those of the node; false if they differ by no more than chance would have it.
inline bool shrink(Levels& levels, bool classes) {
    const size_t n = levels.size(), width = classes ? levels.width : 1;
    if (n <= 2) return true;  // one grouping
    const double rows = static_cast<double>(levels.known.count), groups = static_cast<double>(n);
    if (rows <= groups) return false;                 // a row each
    const double scale = rows / levels.known.weight;  // weights count as rows
    double total = classes ? rows : scale * levels.squares, between = 0, sizes = 0;
    for (size_t level = 0; level < n; ++level) {
        const double weight = levels.weight[level];
        sizes += scale * weight * (scale * weight);
        for (size_t k = 0; k < width; ++k) {
            const double sum = levels.sums[level * levels.width + k];
            between += scale * sum * (sum / weight);
        }
    }
    for (size_t k = 0; k < width; ++k) {
        const double sum = levels.known.sums[k], of_centre = scale * sum * (sum / levels.known.weight);
        total -= of_centre;
        between -= of_centre;
    }
    const double variance = total / (rows - 1), left = (rows - groups) / (rows - 1);
    const double degrees = std::max(0.0, groups - 1 - free_degrees * left);
    const double signal = (between - variance * (degrees + std::sqrt(2 * degrees * left))) / (rows - sizes / rows);
    if (!(signal > 0)) return false;
    // Level means are drawn towards that centre which keeps the sum over all levels as it is.
    std::vector<double> kept(n), centre(width, 0.0);
    double drawn = 0;
    for (size_t level = 0; level < n; ++level) {
        const double evidence = scale * levels.weight[level] * signal;
        kept[level] = evidence / (evidence + variance);
        drawn += (1 - kept[level]) * levels.weight[level];
        for (size_t k = 0; k < width; ++k) centre[k] += (1 - kept[level]) * levels.sums[level * levels.width + k];
    }
    for (size_t level = 0; level < n && drawn > 0; ++level)
        for (size_t k = 0; k < width; ++k) {
            double& sum = levels.sums[level * levels.width + k];
            sum = kept[level] * sum + (1 - kept[level]) * levels.weight[level] * (centre[k] / drawn);
        }
    return true;
}

}  // namespace treewright
