#include "splits/category_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "criteria/criterion.hpp"

namespace treewright {

namespace {

/// First principal component of the class shares of the levels, weighted, by power iteration (Coppersmith, Hong & Hosking, 1999).
/// It begins alike for the classes of every target: where several axes are as good, where it begins decides.
std::vector<double> principal_scores(const std::vector<double>& sums, const std::vector<double>& weight, size_t classes,
                                     size_t of_one_target) {
    const size_t n = weight.size();
    std::vector<double> mean(classes, 0.0), axis(classes), next(classes), score(n, 0.0);
    double total = 0;
    for (size_t level = 0; level < n; ++level) {
        total += weight[level];
        for (size_t k = 0; k < classes; ++k) mean[k] += sums[level * classes + k];
    }
    for (size_t k = 0; k < classes; ++k) {
        mean[k] /= total;
        const size_t own = k % of_one_target;
        axis[k] = static_cast<double>(own % 7) * 0.1 + (own % 2 ? -1.0 : 1.0);
    }
    const auto project = [&] {
        for (size_t level = 0; level < n; ++level) {
            score[level] = 0;
            if (weight[level] > 0)
                for (size_t k = 0; k < classes; ++k)
                    score[level] += (sums[level * classes + k] / weight[level] - mean[k]) * axis[k];
        }
    };
    /// What an axis tells of the levels, and what there is to tell; the level that is farthest from the mean.
    double told = 0, all = 0, most = 0;
    size_t farthest = 0;
    project();
    for (size_t level = 0; level < n; ++level) {
        double distance = 0;
        for (size_t k = 0; k < classes && weight[level] > 0; ++k) {
            const double d = sums[level * classes + k] / weight[level] - mean[k];
            distance += weight[level] * d * d;
        }
        told += weight[level] * score[level] * score[level];
        all += distance;
        if (distance > most) most = distance, farthest = level;
    }
    if (told <= 1e-20 * all &&
        most > 0)  // at right angles to all there is, as where a target is another with its classes swapped
        for (size_t k = 0; k < classes; ++k) axis[k] = sums[farthest * classes + k] / weight[farthest] - mean[k];
    for (int round = 0; round < 50; ++round) {
        project();
        std::fill(next.begin(), next.end(), 0.0);
        for (size_t level = 0; level < n; ++level)
            for (size_t k = 0; k < classes && weight[level] > 0; ++k)
                next[k] += weight[level] * score[level] * (sums[level * classes + k] / weight[level] - mean[k]);
        double length = 0;
        for (double x : next) length += x * x;
        if (length <= 0) break;
        for (size_t k = 0; k < classes; ++k) axis[k] = next[k] / std::sqrt(length);
    }
    project();
    return score;
}

}  // namespace

std::vector<size_t> ascending(const std::vector<double>& key, double scale) {
    std::vector<size_t> order(key.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key[a] < key[b]; });
    const double equal = tie_tolerance * scale;
    for (size_t begin = 0, end; begin < order.size(); begin = end) {
        for (end = begin + 1; end < order.size() && key[order[end]] - key[order[end - 1]] <= equal;) ++end;
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return order;
}

std::vector<int32_t> order_levels(const std::vector<double>& sums, const std::vector<double>& weight, size_t width, bool in_order,
                                  size_t n_classes) {
    std::vector<double> score(weight.size(), 0.0);
    if (in_order) std::iota(score.begin(), score.end(), 0.0);
    else if (width > (n_classes ? 2 : 1)) score = principal_scores(sums, weight, width, n_classes ? n_classes : width);
    else
        for (size_t level = 0; level < weight.size(); ++level)
            if (weight[level] > 0) score[level] = sums[level * width + width - 1] / weight[level];
    const bool classes = n_classes && width > 1;
    double scale = classes ? 1.0 : 0.0;  // shares of classes, or numbers
    if (!classes)
        for (double mean : score) scale = std::max(scale, std::fabs(mean));
    std::vector<int32_t> order;
    for (size_t level : ascending(score, scale))
        if (weight[level] > 0) order.push_back(static_cast<int32_t>(level));
    return order;
}

}  // namespace treewright
