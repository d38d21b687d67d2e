// The search of C4.5: information gain times the known share, split information with the missing rows as a branch of
// their own, and the best gain ratio among tests of at least average gain (Quinlan, 1993, ch. 2 and 3).
#pragma once
#include "programs/c45/tree.hpp"
#include "base/midpoint.hpp"
#include "base/logarithm.hpp"
#include "base/parallel.hpp"
#include "cuts/scan.hpp"

namespace treewright::c45 {

/// Search of one feature at one node; memory is kept from one search to the next.
class FeatureSearch {
public:
    explicit FeatureSearch(const C45Data& data) : data_(data), options_(data.options) {}

    Test search(const WeightedRows& rows, double total, size_t f) {
        Test test;
        test.feature = static_cast<int32_t>(f);
        test.categorical = data_.table.features[f].categorical();
        if (!test.categorical) cut(rows, total, test);
        else if (options_.binary) one_category(rows, total, test);
        else every_category(rows, total, test);
        return test;
    }

private:
    const Feature& feature(const Test& test) const { return data_.table.features[static_cast<size_t>(test.feature)]; }

    /// Gain in bits a row, over all rows: those with a missing value gain nothing.
    double gain(double bits, double known, double total) const {
        const double share = known / total;
        return data_.equal(share * bits, 0) ? 0.0 : share * bits / known;
    }
    /// Bits that the branches save on the class of all rows with a known value.
    double saved_bits(const Distribution& d) const {
        double before = data_.n_log_n(d.total), after = 0;
        for (double n : d.classes) before -= data_.n_log_n(n);
        for (double n : d.branch) after += data_.n_log_n(n);
        for (double n : d.cell) after -= data_.n_log_n(n);
        return before - after;
    }
    double gain_ratio(const Distribution& d, double total, double gain) const {
        if (!data_.above(d.total, 0)) return 0;
        double information = data_.n_log_n(total) - data_.n_log_n(total - d.total);
        for (double n : d.branch) information -= data_.n_log_n(n);
        return data_.equal(information, 0) ? 0.0 : gain / (information / total);
    }
    bool two_branches(const Distribution& d) const {
        size_t large = 0;
        for (double n : d.branch) large += data_.at_least(n, options_.min_weight);
        return large > 1;
    }
    Distribution by_category(const WeightedRows& rows, const Test& test) const {
        const Feature& f = feature(test);
        Distribution d(static_cast<size_t>(f.n_categories), data_.n_classes());
        for (const WeightedRow& at : rows)
            if (f.codes[at.row] >= 0) d.add(static_cast<size_t>(f.codes[at.row]), data_.label(at.row), at.weight);
        return d;
    }

    void every_category(const WeightedRows& rows, double total, Test& test) const {
        Distribution d = by_category(rows, test);
        if (!two_branches(d)) return;
        test.gain = gain(saved_bits(d), d.total, total);
        test.gain_ratio = gain_ratio(d, total, test.gain);
        test.distribution = std::move(d);
    }
    void one_category(const WeightedRows& rows, double total, Test& test) const {
        const Distribution all = by_category(rows, test);
        test.binary = true;
        for (size_t c = 0; c < all.branches(); ++c) {
            if (!data_.at_least(all.branch[c], options_.min_weight)) continue;
            Distribution d = all.against_rest(c);
            if (!two_branches(d)) continue;
            const double g = gain(saved_bits(d), d.total, total), ratio = gain_ratio(d, total, g);
            if (test.valid() && c > 0 && !data_.above(ratio, test.gain_ratio)) continue;
            test.gain = g;
            test.gain_ratio = ratio;
            test.category = static_cast<int32_t>(c);
            test.distribution = std::move(d);
        }
    }

    void cut(const WeightedRows& rows, double total, Test& test) {
        const Feature& f = feature(test);
        const size_t n = rows.size();
        value_.resize(n);
        order_.resize(n);
        for (size_t i = 0; i < n; ++i) value_[i] = f.numbers[rows[i].row];
        const size_t known = sorter_.sort(value_.data(), n, order_.data());
        const size_t k = data_.n_classes();
        Distribution d(2, k);
        for (size_t i = 0; i < known; ++i) d.add(1, data_.label(rows[order_[i].row].row), rows[order_[i].row].weight);
        double least = 0.1 * d.total / static_cast<double>(k);
        if (data_.at_least(options_.min_weight, least)) least = options_.min_weight;
        else if (data_.above(least, 25)) least = 25;
        if (data_.above(2 * least, static_cast<double>(known))) return;
        double before = data_.n_log_n(d.total);
        for (double c : d.classes) before -= data_.n_log_n(c);
        size_t cuts = 0, best = 0;
        double best_gain = 0;
        for (size_t next = 1; next < known; ++next) {
            const WeightedRow& moved = rows[order_[next - 1].row];
            const size_t c = data_.label(moved.row);
            d.cell[c] += moved.weight;
            d.cell[k + c] -= moved.weight;
            d.branch[0] += moved.weight;
            d.branch[1] -= moved.weight;
            if (!(at(next - 1) + options_.same_value < at(next))) continue;
            if (!data_.at_least(d.branch[0], least) || !data_.at_least(d.branch[1], least)) continue;
            ++cuts;
            double after = data_.n_log_n(d.branch[0]) + data_.n_log_n(d.branch[1]);
            for (double w : d.cell) after -= data_.n_log_n(w);
            const double now = gain(before - after, d.total, total);
            if (data_.above(now, best_gain)) {
                best_gain = now;
                best = next;
            }
        }
        if (cuts == 0) return;
        test.gain = best_gain - (options_.mdl ? treewright::log2(static_cast<double>(cuts)) / total : 0.0);
        if (!data_.above(test.gain, 0) || best == 0) return;
        test.cut = midpoint(at(best - 1), at(best));
        Distribution chosen(2, k);
        for (size_t i = 0; i < known; ++i)
            chosen.add(i < best ? 0 : 1, data_.label(rows[order_[i].row].row), rows[order_[i].row].weight);
        test.gain_ratio = gain_ratio(chosen, total, test.gain);
        test.distribution = std::move(chosen);
    }
    double at(size_t i) const { return value_[order_[i].row]; }

    const C45Data& data_;
    const Options& options_;
    RowSorter sorter_;
    std::vector<double> value_;
    std::vector<Entry<uint32_t>> order_;
};

/// The choice of a test for a node.
class Chooser {
public:
    Chooser(const C45Data& data, Monitor& monitor) : data_(data), monitor_(monitor), tests_(data.table.features.size()) {
        for (int i = 0; i < std::max(data.options.threads, 1); ++i) searches_.emplace_back(data);
        const double many = 0.3 * static_cast<double>(data.table.n_rows);
        counts_.assign(tests_.size(), true);
        for (size_t f = 0; f < tests_.size(); ++f) {
            const Feature& feature = data.table.features[f];
            counts_[f] = !feature.categorical() || data.above(many, static_cast<double>(feature.n_categories));
        }
        if (std::none_of(counts_.begin(), counts_.end(), [](bool c) { return c; })) counts_.assign(tests_.size(), true);
    }

    /// The best test, without a feature if there is none, and the tests of other features it was preferred to.
    Test choose(const WeightedRows& rows, std::vector<Test>& competitors) {
        const Distribution all = data_.count(rows);
        Test none;
        if (data_.above(2 * data_.options.min_weight, all.total)) return none;
        if (data_.equal(all.total, all.classes[data_.heaviest_class(all)])) return none;
        const bool large = rows.size() * tests_.size() > 50'000;
        parallel_for(tests_.size(), large ? data_.options.threads : 1, [&](size_t f, int thread) {
            if (large) monitor_.poll(thread);
            tests_[f] = searches_[static_cast<size_t>(thread)].search(rows, all.total, f);
        });
        double sum = 0;
        size_t counted = 0;
        for (size_t f = 0; f < tests_.size(); ++f)
            if (tests_[f].valid() && counts_[f]) {
                sum += tests_[f].gain;
                ++counted;
            }
        if (counted == 0) return none;
        const double average = sum / static_cast<double>(counted);
        double best_ratio = 0;
        Test* best = nullptr;
        for (Test& test : tests_)
            if (test.valid() && test.gain >= average - 1e-3 && data_.above(test.gain_ratio, best_ratio)) {
                best = &test;
                best_ratio = test.gain_ratio;
            }
        if (!best) return none;
        Test chosen = std::move(*best);
        data_.share_missing(chosen, rows, chosen.distribution);
        make_observed(chosen);
        rank_others(chosen.feature, competitors);
        return chosen;
    }

private:
    void rank_others(int32_t chosen, std::vector<Test>& competitors) {
        if (data_.options.max_competitors <= 0) return;
        for (Test& test : tests_)
            if (test.feature != chosen && test.valid()) {
                competitors.push_back(std::move(test));
                competitors.back().distribution = Distribution();
            }
        std::ranges::stable_sort(competitors, std::greater{}, &Test::gain_ratio);
        if (competitors.size() > static_cast<size_t>(data_.options.max_competitors))
            competitors.resize(static_cast<size_t>(data_.options.max_competitors));
        for (Test& test : competitors) make_observed(test);
    }
    void make_observed(Test& test) const {
        if (!test.categorical && data_.options.observed) test.cut = observed(test);
    }
    /// The largest value of the whole training set not above the cut.
    double observed(const Test& test) const {
        const double* values = data_.table.features[static_cast<size_t>(test.feature)].numbers;
        double largest = -std::numeric_limits<double>::max();
        for (size_t row = 0; row < data_.table.n_rows; ++row)
            if (values[row] <= test.cut) largest = std::max(largest, values[row]);
        return largest;
    }

    const C45Data& data_;
    Monitor& monitor_;
    std::vector<FeatureSearch> searches_;
    std::vector<Test> tests_;
    std::vector<bool> counts_;  // towards the average gain: categorical features of very many values do not
};

}  // namespace treewright::c45
