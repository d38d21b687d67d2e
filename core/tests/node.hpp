// A node of few rows for tests of criteria and cuts.
#pragma once
#include <numeric>
#include <random>

#include "criteria/criteria.hpp"

namespace treewright {

struct Node {
    size_t n, n_classes;
    bool unit;
    std::vector<int32_t> label, rank;
    std::vector<uint8_t> bit;
    std::vector<double> target, sorted_target, weight;
    double mean = 0;  // of the targets as they were: they are held less it
    Totals totals;
    LocalRows rows;

    /// Of so many classes, or of numbers (n_classes = 0) that are all positive or stand around 0.
    Node(std::mt19937_64& random, size_t n_rows, size_t classes, bool unit_, bool positive = false)
        : n(n_rows), n_classes(classes), unit(unit_), label(n), rank(n), bit(n), target(n), weight(n), totals(width()) {
        for (size_t i = 0; i < n; ++i) {
            label[i] = n_classes ? static_cast<int32_t>(random() % n_classes) : 0;
            bit[i] = label[i] == 1;
            target[i] = static_cast<double>(random() % 9) - (positive ? 0 : 4);
            weight[i] = unit ? 1.0 : static_cast<double>(1 + random() % 1000) / 64;
        }
        if (positive) target[0] = target[n - 1] = 1;  // an event on either side of every cut
        if (n_classes == 0) centre();
        std::vector<size_t> row(n);
        std::iota(row.begin(), row.end(), size_t{0});
        std::stable_sort(row.begin(), row.end(), [&](size_t a, size_t b) { return target[a] < target[b]; });
        for (size_t i = 0; i < n; ++i) {
            sorted_target.push_back(target[row[i]]);
            rank[row[i]] = static_cast<int32_t>(i);
        }
        totals = sum(0, n);
        rows.bit = bit.data();
        rows.label = label.data();
        rows.target = target.data();
        rows.centre = mean;
        rows.target_rank = rank.data();
        rows.sorted_target = sorted_target.data();
        rows.n_targets = n;
        rows.weight = unit ? nullptr : weight.data();
    }
    void centre() {
        const Totals t = sum(0, n);
        mean = t.sums[0] / t.weight;
        for (double& y : target) y -= mean;
    }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    size_t width() const { return n_classes ? n_classes : 1; }
    Totals sum(size_t begin, size_t end) const {
        Totals t(width());
        for (size_t i = begin; i < end; ++i) {
            t.weight += weight[i];
            ++t.count;
            t.sums[static_cast<size_t>(label[i])] += n_classes ? weight[i] : weight[i] * target[i];
        }
        return t;
    }
};

}  // namespace treewright
