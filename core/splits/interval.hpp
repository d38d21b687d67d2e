// Splits of a numeric feature into several intervals at once, by recursive minimal-entropy partitioning.
//
// A set of rows is cut where that lowers the entropy of the class most, and each part again, as long as the cut pays for
// itself in bits: gain > log2(n − 1)/n + (log2(3^k − 2) − k·e + k1·e1 + k2·e2)/n, where k classes of entropy e are present
// in the n rows and k1, k2 of entropies e1, e2 in the two parts (Fayyad & Irani, 1993).
#pragma once
#include "threshold.hpp"

namespace treewright {

class IntervalSearch {
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

private:
    struct Part {
        size_t begin, end;
        Totals totals;
    };

    static double n_present(const Totals& t) {
        return static_cast<double>(std::count_if(t.sums.begin(), t.sums.end(), [](double n) { return n > 0; }));
    }
    /// The cut of least entropy, the lowest of equals; 0 if there is none.
    size_t best_cut(const List* list, const Part& part) const {
        if (part.end - part.begin < 2 || n_present(part.totals) < 2) return 0;
        const Scorer scorer(rows_, part.totals, scratch_);
        const size_t n = part.end - part.begin;
        Cut cut;
        scan(list + part.begin, n, 0, n, false, false, scorer, limits_, scorer.tolerance(Entropy::impurity(part.totals)), cut);
        return cut.found() ? part.begin + cut.position : 0;
    }
    /// What is coded are rows: weights only set the shares of the classes.
    static bool pays(const Totals& whole, const Totals& left, const Totals& right) {
        const auto n = static_cast<double>(whole.count);
        const Totals* both[] = {&left, &right};
        const double k = n_present(whole);
        const double classes =
            k < 30 ? std::log2(std::pow(3.0, k) - 2) : k * std::log2(3.0);  // the same beyond, without overflow
        const double labels = classes - k * Entropy::impurity(whole) + n_present(left) * Entropy::impurity(left) +
                              n_present(right) * Entropy::impurity(right);
        return Entropy::merit(whole, both) > (std::log2(n - 1) + labels) / n;
    }

    const LocalRows& rows_;
    size_t n_classes_;
    CutLimits limits_;
    Scratch& scratch_;
};

}  // namespace treewright
