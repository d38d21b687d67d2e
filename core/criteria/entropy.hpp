// Entropy of the class.
#pragma once
#include "criteria/class_scorer.hpp"
#include "base/logarithm.hpp"

namespace treewright {

inline double x_log_x(double x) { return x > 0 ? x * log2(x) : 0.0; }

/// Two classes of rows that all weigh one: six terms of n·log2 n from a table, added in one order, so that the score is a
/// function of the counts alone.
struct TwoClassEntropyScorer {
    const LocalRows& rows;
    const double* logs;
    size_t n, n_second, left = 0, left_second = 0;  // rows, and those of the second class

    TwoClassEntropyScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : rows(rows_), logs(scratch.n_log_n), n(node.count), n_second(static_cast<size_t>(node.sums[1])) {}

    void add(size_t row) {
        ++left;
        left_second += rows.bit[row];
    }
    void jump(const Totals& to) {
        left = static_cast<size_t>(to.weight);
        left_second = static_cast<size_t>(to.sums[1]);
    }
    double score() const {
        const size_t right = n - left, right_second = n_second - left_second;
        const double left_side = (logs[left - left_second] + logs[left_second]) - logs[left];
        const double right_side = (logs[right - right_second] + logs[right_second]) - logs[right];
        return left_side + right_side;
    }
    double base() const { return (logs[n - n_second] + logs[n_second]) - logs[n]; }
    double merit(double score) const { return (score - base()) / static_cast<double>(n); }
    double score_step(double merit_step) const { return merit_step * static_cast<double>(n); }
    double left_weight_now() const { return static_cast<double>(left); }
    double right_weight_now() const { return static_cast<double>(n - left); }
    double left_mean() const { return static_cast<double>(left_second) / left_weight_now(); }
    double right_mean() const { return static_cast<double>(n_second - left_second) / right_weight_now(); }
};

/// The sum over the classes, of all targets, of n·log2 n of both sides.
///
/// Unit weights: terms come from a table and are rounded to multiples of a power of two chosen for the node, so that their sum is
/// exact whatever the order of the rows: the score is a function of the counts alone. Others: n·log2(n/N), with N the weight
/// of the node, does as well and rounds less; the term of each class is kept, and what additions round off is carried along
/// (Kahan, 1965).
template <bool unit>
struct EntropyTerms : ClassScorer<unit> {
    const double* logs = nullptr;
    double *left_term = nullptr, *right_term = nullptr;
    double shift = 0;  // unit weights: adding it rounds a term, whatever term of the node it is, to a multiple of its last bit
    double sum = 0, lost = 0;

    EntropyTerms(const LocalRows& rows_, const Totals& node, Scratch& scratch, double n_targets)
        : ClassScorer<unit>(rows_, node, scratch) {
        scratch.left_term.resize(this->n_classes);
        scratch.right_term.resize(this->n_classes);
        left_term = scratch.left_term.data();
        right_term = scratch.right_term.data();
        if constexpr (unit) {
            logs = scratch.n_log_n;
            shift = std::ldexp(1.0, std::ilogb(n_targets * (logs[node.count] + 2)) + 1);
        }
        sum_up();
    }
    /// n·log2 n, shifted, or n·log2(n/N).
    double term(double n) const {
        if constexpr (unit) return logs[static_cast<int64_t>(n)] + shift;
        else return n > rounding_share * this->weight ? n * log2(n / this->weight) : 0.0;
    }
    /// A row of this class goes left.
    void move(size_t k, double w) {
        const double left_before = std::exchange(left_term[k], term(this->left[k] += w));
        const double right_before = std::exchange(right_term[k], term(this->right[k] -= w));
        const double step = (left_term[k] - left_before) + (right_term[k] - right_before);
        if constexpr (unit) {
            sum += step;
        } else {
            const double corrected = step - lost, before = sum;
            sum += corrected;
            lost = (sum - before) - corrected;
        }
    }
    void jump(const Totals& to) {
        this->move_to(to);
        sum_up();
    }

private:
    void sum_up() {
        sum = lost = 0;
        for (size_t k = 0; k < this->n_classes; ++k) {
            left_term[k] = term(this->left[k]);
            right_term[k] = term(this->right[k]);
            sum += (left_term[k] - shift) + (right_term[k] - shift);
        }
    }
};

template <bool unit>
struct EntropyScorer : EntropyTerms<unit> {
    double base;

    EntropyScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : EntropyTerms<unit>(rows_, node, scratch, 1), base(score()) {}
    void add(size_t row) {
        const double w = unit ? 1.0 : this->rows.weight[row];
        this->move(static_cast<size_t>(this->rows.label[row]), w);
        this->left_weight += w;
        this->right_weight -= w;
    }
    double score() const {
        return (this->sum - (this->term(this->left_weight) - this->shift)) - (this->term(this->right_weight) - this->shift);
    }
    double merit(double score) const { return (score - base) / this->weight; }
    double score_step(double merit_step) const { return merit_step * this->weight; }
};

/// Entropy in bits; its decrease is the information gain of ID3 (Quinlan, 1986).
struct Entropy : ClassCriterion {
    static constexpr Traits traits{.name = "entropy", .bounded = true, .log_table = true};
    using TurnScorer = EntropyScorer<false>;
    template <class Use>
    static decltype(auto) with_scorer(int n_classes, bool unit, Use&& use) {
        return n_classes == 2 && unit ? use.template operator()<TwoClassEntropyScorer>() : with_unit<EntropyScorer>(unit, use);
    }

    static double impurity(const Totals& node) {
        double bits = 0;
        for (double n : node.sums)
            if (n > 0) bits -= n / node.weight * log2(n / node.weight);
        return bits;
    }
    static double merit(const Totals& node, Branches branches) { return impurity_decrease<Entropy>(node, branches); }
    /// Terms n·log2 n of unit weights are rounded to a share of themselves: the more rows, the more bits.
    static double tolerance(const Totals& node, double impurity) {
        return tie_tolerance * impurity + 4e-15 * static_cast<double>(2 + std::bit_width(node.count));
    }

    /// What two sides cost, in weight times impurity, at cuts between groups of rows, and the least they cost at cuts inside one.
    ///
    /// With x of a class's n on the left and t of all N, both sides cost G(t) − Σ E(x), where G(t) = t·log t + (N − t)·log(N − t)
    /// and E(x) = x·log x + (n − x)·log(n − x) are convex. As t is the sum of all x, the same may be taken from G and from each
    /// E: λ·t and λ·x. Then E is largest at one end of the group, and G smallest where its slope is λ.
    class SideCosts {
    public:
        explicit SideCosts(const Entropy&) {}
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
        double at(size_t cut) const {
            double cost = whole_[cut];
            for (size_t k = 0; k < width_; ++k) cost -= parts_[cut * width_ + k].value;
            return cost;
        }
        double inside(size_t group) const {
            const double step = left_[group + 1] - left_[group];
            const double slope = step > 0 ? (whole_[group + 1] - whole_[group]) / step : 0.0;
            double cost = x_log_x(weight_) - weight_ * log2(1 + exp2(slope));
            for (size_t k = 0; k < width_; ++k) {
                const Part &from = parts_[group * width_ + k], &to = parts_[(group + 1) * width_ + k];
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
        std::vector<Part> parts_;  // by cut and class
    };
};

static_assert(Criterion<Entropy> && Scorer<EntropyScorer<true>> && Scorer<TwoClassEntropyScorer>);

}  // namespace treewright
