// Splits of a numeric feature into several intervals at once: cuts are made one inside the other while they pay in bits.
//
// Classes: a set of rows is cut where that lowers the entropy of the class most, and each part again, as long as
// gain > log2(n − 1)/n + (log2(3^k − 2) − k·e + k1·e1 + k2·e2)/n, where k classes of entropy e are present in the n rows and
// k1, k2 of entropies e1, e2 in the two parts (Fayyad & Irani, 1993).
//
// Numbers: the part is cut next that lowers the sum of squares S about the parts' means most (Vostrikova, 1981), as long as that
// saves more than it takes to write down a place and a mean, n/2·log2(S/S') > log2(n − 1) + ½·log2(n) (Yao, 1988).
#pragma once
#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

#include "criteria/entropy.hpp"
#include "criteria/squared_error.hpp"
#include "cuts/scan.hpp"

namespace treewright {

template <bool classification>
class IntervalSearch;

template <>
class IntervalSearch<true> {
    using List = Entry<uint32_t>;
    using Scorer = EntropyScorer<false>;

public:
    IntervalSearch(const LocalRows& rows, size_t n_classes, const CutLimits& limits, Scratch& scratch)
        : rows_(rows), n_classes_(n_classes), limits_(limits), scratch_(scratch) {}

    /// Where to cut the first n rows of a sorted list: how many stand before each cut, ascending.
    std::vector<size_t> cuts(const List* list, size_t n) const {
        std::vector<size_t> found;
        std::vector<Part> waiting{{0, n, totals(list, 0, n)}};
        while (!waiting.empty()) {
            const Part part = std::move(waiting.back());
            waiting.pop_back();
            const size_t at = best_cut(list, part);
            if (at == 0) continue;
            Part left{part.begin, at, totals(list, part.begin, at)}, right{at, part.end, totals(list, at, part.end)};
            if (!pays(part.totals, left.totals, right.totals)) continue;
            found.push_back(at);
            waiting.push_back(std::move(left));
            waiting.push_back(std::move(right));
        }
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    struct Part {
        size_t begin, end;
        Totals totals;
    };

    Totals totals(const List* list, size_t begin, size_t end) const {
        Totals t(n_classes_);
        t.count = end - begin;
        for (size_t i = begin; i < end; ++i) {
            const double weight = rows_.weight_of(list[i].row);
            t.sums[static_cast<size_t>(rows_.label[list[i].row])] += weight;
            t.weight += weight;
        }
        return t;
    }
    static double n_present(const Totals& t) {
        return static_cast<double>(std::count_if(t.sums.begin(), t.sums.end(), [](double n) { return n > 0; }));
    }
    /// The cut of least entropy, the lowest of equals; 0 if there is none.
    size_t best_cut(const List* list, const Part& part) const {
        if (part.end - part.begin < 2 || n_present(part.totals) < 2) return 0;
        const Scorer scorer(rows_, part.totals, scratch_);
        const size_t n = part.end - part.begin;
        BestCut cut(scorer.score_step(Entropy::tolerance(part.totals, Entropy::impurity(part.totals))));
        scan(list + part.begin, n, 0, n, false, false, scorer, limits_, cut);
        return cut.found() ? part.begin + cut.get().position() : 0;
    }
    /// What is coded are rows: weights only set the shares of the classes.
    static bool pays(const Totals& whole, const Totals& left, const Totals& right) {
        const auto n = static_cast<double>(whole.count);
        const Totals* both[] = {&left, &right};
        const double k = n_present(whole);
        const double classes = k < 30 ? log2(pow(3.0, k) - 2) : k * log2(3.0);  // the same beyond, without overflow
        const double labels = classes - k * Entropy::impurity(whole) + n_present(left) * Entropy::impurity(left) +
                              n_present(right) * Entropy::impurity(right);
        return Entropy::merit(whole, both) > (log2(n - 1) + labels) / n;
    }

    const LocalRows& rows_;
    size_t n_classes_;
    CutLimits limits_;
    Scratch& scratch_;
};

template <>
class IntervalSearch<false> {
    using List = Entry<uint32_t>;
    using Scorer = MeanDifferenceScorer<false, false>;

public:
    IntervalSearch(const LocalRows& rows, size_t, const CutLimits& limits, Scratch& scratch)
        : rows_(rows), limits_(limits), scratch_(scratch) {}

    /// Where to cut the first n rows of a sorted list: how many stand before each cut, ascending.
    std::vector<size_t> cuts(const List* list, size_t n) const {
        std::vector<size_t> found;
        if (n < 2) return found;
        double squares = sum_of_squares(list, n);
        const double nothing = 1e-12 * squares, rows = static_cast<double>(n);
        const double price = log2(rows - 1) + log2(rows) / 2;
        std::priority_queue<Part> parts;
        parts.push(part(list, 0, n));
        while (squares > nothing) {
            const Part best = parts.top();
            const double left_over = std::max(squares - best.decrease, nothing);
            if (best.cut == 0 || !(rows / 2 * log2(squares / left_over) > price)) break;
            squares = left_over;
            found.push_back(best.cut);
            parts.pop();
            parts.push(part(list, best.begin, best.cut));
            parts.push(part(list, best.cut, best.end));
        }
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    /// Rows of the list with the best cut of them, 0 if there is none, and by how much that lowers the sum of squares.
    struct Part {
        size_t begin, end, cut;
        double decrease;

        bool operator<(const Part& other) const {
            return decrease < other.decrease || (decrease == other.decrease && begin > other.begin);
        }
    };

    Totals totals(const List* list, size_t begin, size_t end) const {
        Totals t(1);
        t.count = end - begin;
        for (size_t i = begin; i < end; ++i) {
            const double weight = rows_.weight_of(list[i].row);
            t.sums[0] += weight * rows_.target[list[i].row];
            t.weight += weight;
        }
        return t;
    }
    double sum_of_squares(const List* list, size_t n) const {
        const Totals t = totals(list, 0, n);
        double squares = 0;
        for (size_t i = 0; i < n; ++i) {
            const double difference = rows_.target[list[i].row] - t.sums[0] / t.weight;
            squares += rows_.weight_of(list[i].row) * difference * difference;
        }
        return squares;
    }
    Part part(const List* list, size_t begin, size_t end) const {
        const size_t n = end - begin;
        if (n < 2) return {begin, end, 0, 0};
        const Totals t = totals(list, begin, end);
        const Scorer scorer(rows_, t, scratch_);
        const double squares = sum_of_squares(list + begin, n);
        BestCut cut(scorer.score_step(SquaredError::tolerance(t, squares / t.weight)));
        scan(list + begin, n, 0, n, false, false, scorer, limits_, cut);
        return {begin, end, cut.found() ? begin + cut.get().position() : 0,
                cut.found() ? scorer.merit(cut.merit()) * t.weight : 0};
    }

    const LocalRows& rows_;
    CutLimits limits_;
    Scratch& scratch_;
};

}  // namespace treewright
