// Entropy of the class.
#pragma once
#include "criteria/class_scorer.hpp"
#include "base/logarithm.hpp"

namespace treewright {

inline double x_log_x(double x) { return x > 0 ? x * log2(x) : 0.0; }

/// The sum over the classes of n·log2 n of both sides is kept.
///
/// Unit weights: terms come from a table and are added as whole numbers of a power of two chosen for the node, so that the sum
/// is exact whatever the order of the rows: the score is a function of the counts alone. Others: n·log2(n/N), with N the weight
/// of the node, does as well and rounds less; the term of each class is kept, and what additions round off is carried along
/// (Kahan, 1965).
template <bool unit>
struct EntropyScorer : ClassScorer<unit> {
    const double* logs = nullptr;
    double *left_term = nullptr, *right_term = nullptr;
    double grain = 1, grains_in_one = 1;  // unit weights: terms are whole numbers of it
    int64_t whole = 0;                    // their sum
    double sum = 0, lost = 0, base;

    EntropyScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch) : ClassScorer<unit>(rows_, node, scratch) {
        if constexpr (unit) {
            logs = scratch.n_log_n;
            grain = std::ldexp(1.0, std::ilogb(logs[node.count] + 2) - 61);
            grains_in_one = 1 / grain;
            for (double n : node.sums) whole += term(n);
            base = static_cast<double>(whole - term(node.weight)) * grain;
        } else {
            scratch.left_term.assign(this->n_classes, 0.0);
            scratch.right_term.resize(this->n_classes);
            left_term = scratch.left_term.data();
            right_term = scratch.right_term.data();
            for (size_t k = 0; k < this->n_classes; ++k) sum += right_term[k] = n_log_n(node.sums[k]);
            base = sum;
        }
    }
    int64_t term(double n) const { return static_cast<int64_t>(logs[static_cast<size_t>(n)] * grains_in_one); }
    double n_log_n(double n) const { return n > rounding_share * this->weight ? n * log2(n / this->weight) : 0.0; }
    void add(size_t row) {
        const auto k = static_cast<size_t>(this->rows.label[row]);
        const double w = unit ? 1.0 : this->rows.weight[row];
        double &l = this->left[k], &r = this->right[k];
        if constexpr (unit) {
            whole += (term(l + w) - term(l)) + (term(r - w) - term(r));
        } else {
            const double left_before = std::exchange(left_term[k], n_log_n(l + w));
            const double right_before = std::exchange(right_term[k], n_log_n(r - w));
            const double step = ((left_term[k] - left_before) + (right_term[k] - right_before)) - lost, before = sum;
            sum += step;
            lost = (sum - before) - step;
        }
        l += w;
        r -= w;
        this->left_weight += w;
        this->right_weight -= w;
    }
    void jump(const Totals& to) {
        this->move_to(to);
        sum = lost = 0;
        whole = 0;
        for (size_t k = 0; k < this->n_classes; ++k) {
            if constexpr (unit) {
                whole += term(this->left[k]) + term(this->right[k]);
            } else {
                left_term[k] = n_log_n(this->left[k]);
                right_term[k] = n_log_n(this->right[k]);
                sum += left_term[k] + right_term[k];
            }
        }
    }
    double score() const {
        if constexpr (unit) return static_cast<double>(whole - term(this->left_weight) - term(this->right_weight)) * grain;
        else return sum - n_log_n(this->left_weight) - n_log_n(this->right_weight);
    }
    double merit(double score) const { return (score - base) / this->weight; }
    double score_step(double merit_step) const { return merit_step * this->weight; }
};

/// Entropy in bits; its decrease is the information gain of ID3 (Quinlan, 1986).
struct Entropy : ClassCriterion {
    static constexpr Traits traits{.name = "entropy", .bounded = true, .log_table = true};
    using TurnScorer = EntropyScorer<false>;
    template <class Use>
    static decltype(auto) with_scorer(int, bool unit, Use&& use) {
        return with_unit<EntropyScorer>(unit, use);
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

static_assert(Criterion<Entropy> && Scorer<EntropyScorer<true>>);

}  // namespace treewright
