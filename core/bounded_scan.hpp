// The best cut of a sorted list without looking at every cut: chunks of the list are summed up, and only those are scanned
// whose sums leave room for a better cut than those between chunks, or than the best cut of other features.
#pragma once
#include <numeric>

#include "criteria/class_criteria.hpp"
#include "splits/threshold.hpp"

namespace treewright {

/// A row by its weight, and by what it adds to the sum that decides: its weight if it is of the second class, else 0; or its
/// weight times its target.
struct WeightPair {
    double weight, amount;
};

/// Two classes by Gini, or squared error: what stands on the left is two numbers, and the merit is a convex function of them. A
/// cut inside a chunk has a part of it on the left: its merit is at most that of a corner of the box of what that may add.
template <bool two_classes>
class PairScan {
    using Scorer = MeanDifferenceScorer<false, two_classes>;
    static constexpr size_t chunk_rows = 16;

public:
    /// Sum up the list; pair[row] is what a row adds. The totals of its rows.
    template <class List>
    Totals sum(std::span<const List> list, const std::vector<WeightPair>& pair) {
        chunks_.clear();
        Chunk all;
        for (size_t begin = 0; begin < list.size(); begin += chunk_rows) {
            const List* entry = list.data() + begin;
            chunks_.push_back(list.size() - begin < chunk_rows ? sum_up(entry, list.size() - begin, pair.data())
                                                               : sum_up(entry, chunk_rows, pair.data()));
            all.pass(chunks_.back());
        }
        Totals totals(two_classes ? 2 : 1);
        totals.count = list.size();
        totals.weight = all.weight;
        totals.sums.back() = all.amount;
        if constexpr (two_classes) totals.sums[0] = remainder(all.weight, all.amount);
        return totals;
    }

    /// The best cut of the list summed up last; need not be found if its merit is below `least`.
    template <class List>
    void scan(std::span<const List> list, const std::vector<WeightPair>& pair, Scorer scorer, double least,
              const CutLimits& limits, double tolerance, Cut& best) const {
        const size_t n = list.size(), first = std::max<size_t>(limits.min_count, 1);
        if (n < 2 * first) return;
        const auto allowed = [&](size_t left) {  // rows
            return list[left - 1].rank != list[left].rank && left >= first && n - left >= first && limits.allow(scorer);
        };
        double high = -1e300;  // the best cut between chunks
        Chunk passed;
        for (size_t c = 0; c + 1 < chunks_.size(); ++c) {
            passed.pass(chunks_[c]);
            stand(passed, scorer);
            if (beats(scorer, high) && allowed((c + 1) * chunk_rows)) high = scorer.score();
        }
        high = std::max(high, least / scorer.factor);
        const double enough = high > 0 ? high * (1 - 1e-9) - 2 * tolerance : -1e300;
        double bar = -1e300;
        Chunk before;
        for (size_t c = 0; c < chunks_.size(); ++c) {
            stand(before, scorer);
            if (reaches(scorer, chunks_[c], enough)) {
                for (size_t i = c * chunk_rows; i < std::min((c + 1) * chunk_rows, n - 1); ++i) {
                    scorer.left_weight += pair[list[i].row].weight;
                    scorer.left += pair[list[i].row].amount;
                    if (!beats(scorer, bar) || !allowed(i + 1)) continue;
                    best = {scorer.score(), i + 1, false};
                    bar = best.score + tolerance;
                }
            }
            before.pass(chunks_[c]);
        }
    }

private:
    struct Chunk {
        double weight = 0, amount = 0;
        double rise = 0;  // what the rows of positive amount add

        void pass(const Chunk& next) {
            weight += next.weight;
            amount += next.amount;
        }
    };
    /// Two sums side by side, as each addition waits for the last; their number is even but at the end of the list.
    template <class List>
    static Chunk sum_up(const List* entry, size_t n, const WeightPair* pair) {
        Chunk even, odd;
        double distance[2] = {0, 0};
        for (size_t i = 0; i + 1 < n; i += 2) {
            const WeightPair &one = pair[entry[i].row], &other = pair[entry[i + 1].row];
            even.pass({one.weight, one.amount, 0});
            odd.pass({other.weight, other.amount, 0});
            if constexpr (!two_classes) {
                distance[0] += std::fabs(one.amount);
                distance[1] += std::fabs(other.amount);
            }
        }
        if (n % 2) {
            even.pass({pair[entry[n - 1].row].weight, pair[entry[n - 1].row].amount, 0});
            distance[0] += std::fabs(pair[entry[n - 1].row].amount);
        }
        even.pass(odd);
        even.rise = (even.amount + distance[0] + distance[1]) / 2;
        return even;
    }
    static void stand(const Chunk& left, Scorer& scorer) {
        scorer.left_weight = left.weight;
        scorer.left = left.amount;
    }
    /// Whether a cut inside the chunk, to whose left the scorer stands, may have such a score.
    static bool reaches(const Scorer& before, const Chunk& chunk, double enough) {
        const double low = two_classes ? 0.0 : chunk.amount - chunk.rise, high = two_classes ? chunk.amount : chunk.rise;
        const auto corner = [&](double weight, double amount) {
            Scorer at = before;
            at.left_weight += weight;
            at.left += amount;
            return at.beats(enough);
        };
        if constexpr (two_classes)  // the rows of each class are on the left or not
            return corner(0, 0) || corner(chunk.weight, chunk.amount) || corner(chunk.weight - high, 0) || corner(high, high);
        else return corner(0, low) || corner(0, high) || corner(chunk.weight, low) || corner(chunk.weight, high);
    }

    std::vector<Chunk> chunks_;
};

/// What two sides cost, in weight times impurity, at the cuts between chunks and at least at those inside one.
///
/// The rows of a chunk cost the least if they cost nothing by themselves, and the others cost the less without them.
template <class C>
class SideCosts {
public:
    void start(double) {
        left_.clear();
        right_.clear();
    }
    void add(const Totals& left, const Totals& right) {
        left_.push_back(cost(left));
        right_.push_back(cost(right));
    }
    /// Before a chunk, or after the last.
    double at(size_t chunk) const { return left_[chunk] + right_[chunk]; }
    double inside(size_t chunk) const { return left_[chunk] + right_[chunk + 1]; }

private:
    static double cost(const Totals& side) { return side.weight > 0 ? side.weight * C::impurity(side) : 0.0; }

    std::vector<double> left_, right_;
};

/// With x of a class's n on the left and t of all N, entropy costs G(t) − Σ E(x), where G(t) = t·log t + (N − t)·log(N − t) and
/// E(x) = x·log x + (n − x)·log(n − x) are convex. As t is the sum of all x, the same may be taken from G and from each E: λ·t
/// and λ·x. Then E is largest at one end of the chunk, and G smallest where its slope is λ.
template <>
class SideCosts<Entropy> {
public:
    void start(double weight) {
        weight_ = weight;
        whole_.clear();
        left_.clear();
        parts_.clear();
    }
    void add(const Totals& left, const Totals& right) {
        width_ = left.sums.size();
        whole_.push_back(x_log_x(left.weight) + x_log_x(right.weight));
        left_.push_back(left.weight);
        for (size_t k = 0; k < width_; ++k) parts_.push_back({left.sums[k], x_log_x(left.sums[k]) + x_log_x(right.sums[k])});
    }
    double at(size_t chunk) const {
        double cost = whole_[chunk];
        for (size_t k = 0; k < width_; ++k) cost -= parts_[chunk * width_ + k].value;
        return cost;
    }
    double inside(size_t chunk) const {
        const double step = left_[chunk + 1] - left_[chunk];
        const double slope = step > 0 ? (whole_[chunk + 1] - whole_[chunk]) / step : 0.0;
        double cost = x_log_x(weight_) - weight_ * log2(1 + exp2(slope));
        for (size_t k = 0; k < width_; ++k) {
            const Part &from = parts_[chunk * width_ + k], &to = parts_[(chunk + 1) * width_ + k];
            cost -= std::max(from.value - slope * from.left, to.value - slope * to.left);
        }
        return cost;
    }

private:
    struct Part {
        double left, value;
    };
    double weight_ = 0;
    size_t width_ = 0;
    std::vector<double> whole_, left_;
    std::vector<Part> parts_;  // by chunk and class
};

/// Any concave criterion of classes.
template <class C>
class ClassScan {
public:
    /// Sum up the list by class. The totals of its rows.
    template <class List>
    Totals sum(std::span<const List> list, const LocalRows& rows, size_t width) {
        width_ = width;
        chunk_rows_ = std::clamp<size_t>(list.size() / 128, 16, 64);
        sums_.assign((list.size() + chunk_rows_ - 1) / chunk_rows_ * width, 0.0);
        Totals totals(width);
        totals.count = list.size();
        for (size_t c = 0; c < n_chunks(); ++c) {
            double* sums = sums_.data() + c * width;
            for (const List& entry : list.subspan(c * chunk_rows_, std::min(chunk_rows_, list.size() - c * chunk_rows_)))
                sums[rows.label[entry.row]] += rows.weight_of(entry.row);
            pass(c, totals);
        }
        return totals;
    }
    /// The best cut of the list summed up last, of these totals; need not be found if its merit is below `least`.
    template <class Scorer, class List>
    void scan(std::span<const List> list, const Totals& totals, Scorer& scorer, double least, const CutLimits& limits,
              double tolerance, Cut& best) {
        const size_t n = list.size(), first = std::max<size_t>(limits.min_count, 1);
        if (n < 2 * first) return;
        const auto apart = [&](size_t left) {  // rows
            return list[left - 1].rank != list[left].rank && left >= first && n - left >= first;
        };
        weigh(totals);
        const double whole = costs_.at(0), slack = 1e-9 * (whole + totals.weight);
        double most = whole - least * totals.weight;  // that both sides may cost
        Totals before(width_);
        for (size_t c = 1; c < n_chunks(); ++c) {
            pass(c - 1, before);
            const bool heavy = before.weight >= limits.min_weight && totals.weight - before.weight >= limits.min_weight;
            if (heavy && apart(c * chunk_rows_)) most = std::min(most, costs_.at(c));
        }
        before.clear();
        for (size_t c = 0; c < n_chunks(); ++c) {
            if (costs_.inside(c) <= most + slack + 2 * tolerance) {
                scorer.jump(before);
                for (size_t i = c * chunk_rows_; i < std::min((c + 1) * chunk_rows_, n - 1); ++i) {
                    scorer.add(list[i].row);
                    if (!apart(i + 1) || !limits.allow(scorer)) continue;
                    if (const double score = scorer.score(); score > best.score + tolerance) best = {score, i + 1, false};
                }
            }
            pass(c, before);
        }
    }

private:
    /// Both sides of every cut between chunks.
    void weigh(const Totals& totals) {
        Totals left(width_), right(width_);
        costs_.start(totals.weight);
        for (size_t c = 0; c <= n_chunks(); ++c) {
            for (size_t k = 0; k < width_; ++k) right.sums[k] = remainder(totals.sums[k], left.sums[k]);
            right.weight = std::accumulate(right.sums.begin(), right.sums.end(), 0.0);
            costs_.add(left, right);
            if (c < n_chunks()) pass(c, left);
        }
    }
    size_t n_chunks() const { return sums_.size() / width_; }
    void pass(size_t chunk, Totals& to) const {
        for (size_t k = 0; k < width_; ++k) {
            to.sums[k] += sums_[chunk * width_ + k];
            to.weight += sums_[chunk * width_ + k];
        }
    }

    size_t width_ = 1, chunk_rows_ = 1;
    std::vector<double> sums_;  // by chunk and class
    SideCosts<C> costs_;
};

}  // namespace treewright
