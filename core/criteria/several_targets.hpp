// Several targets at once: every criterion is the mean over the targets of what it is for each (as in scikit-learn; Segal, 1992).
//
// Totals hold the sums of all targets side by side: as many classes for each, or one number for each. A row has a label, or a
// number, for each target; its weight is one. Scorers keep one sum over all targets, so that a row costs little more than its
// targets do.
#pragma once
#include "criteria/entropy.hpp"
#include "criteria/formula.hpp"
#include "criteria/poisson.hpp"
#include "criteria/squared_error.hpp"

namespace treewright {

/// The criterion of one target, for several.
class SeveralClasses {
public:
    static constexpr bool classification = true, several = true;
    static constexpr Traits traits{.name = "mean over targets"};

    SeveralClasses(const Formula& one, size_t n_classes) : one_(one), n_classes_(n_classes) {}

    double impurity(const Totals& all) const {
        const size_t outputs = all.sums.size() / n_classes_;
        double sum = 0;
        for (size_t o = 0; o < outputs; ++o) {
            take_output(all, o, n_classes_, part_);
            const auto present = std::count_if(part_.sums.begin(), part_.sums.end(), [](double n) { return n > 0; });
            if (present > 1) sum += one_.impurity(part_);
        }
        return sum / static_cast<double>(outputs);
    }
    double merit(const Totals& node, Branches branches) const {
        double after = 0;
        for (const Totals* branch : branches)
            if (branch->weight > 0) after += branch->weight * impurity(*branch);
        return impurity(node) - after / node.weight;
    }
    double tolerance(const Totals& node, double impurity) const { return one_.tolerance(node, impurity); }

private:
    const Formula& one_;
    size_t n_classes_;
    mutable Totals part_;
};

/// The same of numbers: squared error or Poisson deviance, which are functions of sums.
class SeveralNumbers {
public:
    static constexpr bool classification = false, several = true;
    static constexpr Traits traits{.name = "mean over targets", .classification = false};

    SeveralNumbers(const Formula& one, const LocalRows* each) : one_(one), each_(each) {}

    double merit(const Totals& node, Branches branches, double) const {
        const size_t outputs = node.sums.size();
        double sum = 0;
        std::vector<Totals> parts(branches.size() + 1, Totals(1));
        std::vector<const Totals*> pointers;
        for (size_t b = 0; b < branches.size(); ++b) pointers.push_back(&parts[b + 1]);
        for (size_t o = 0; o < outputs; ++o) {
            take_output(node, o, 1, parts[0]);
            for (size_t b = 0; b < branches.size(); ++b) take_output(*branches[b], o, 1, parts[b + 1]);
            sum += one_.traits.name == Poisson::traits.name ? Poisson::merit(parts[0], pointers, each_[o].centre)
                                                            : SquaredError::merit(parts[0], pointers, 0);
        }
        return sum / static_cast<double>(outputs);
    }
    double tolerance(const Totals& node, double impurity) const { return one_.tolerance(node, impurity); }

private:
    const Formula& one_;
    const LocalRows* each_;
};

/// The same of a criterion that is no function of sums: absolute error.
class SeveralByRows : public SeveralNumbers {
public:
    static constexpr Traits traits{.name = "mean over targets", .classification = false, .by_rows = true};
    using SeveralNumbers::SeveralNumbers;
};

// ---- scorers -----------------------------------------------------------------------------------------------------

/// The sums of squares of both sides over all targets; those on the right are added up anew as by GiniScorer.
template <bool unit>
struct SeveralGiniScorer : ClassScorer<unit> {
    size_t outputs;
    double n, left_squares = 0, right_squares = 0, base, little;

    SeveralGiniScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : ClassScorer<unit>(rows_, node, scratch), outputs(rows_.outputs), n(static_cast<double>(outputs)) {
        sum_right_squares();
        base = right_squares / this->weight;
    }
    void sum_right_squares() {
        right_squares = 0;
        for (size_t k = 0; k < this->n_classes; ++k) right_squares += this->right[k] * this->right[k];
        little = right_squares / 1024;
    }
    void add(size_t row) {
        const double w = unit ? 1.0 : this->rows.weight[row];
        const int32_t* label = this->rows.label + row * outputs;
        for (size_t o = 0; o < outputs; ++o) {
            const auto k = static_cast<size_t>(label[o]);
            left_squares += w * (2 * this->left[k] + w);
            right_squares -= w * (2 * this->right[k] - w);
            this->left[k] += w;
            this->right[k] -= w;
        }
        this->left_weight += w;
        this->right_weight -= w;
        if constexpr (!unit)
            if (right_squares < little) sum_right_squares();
    }
    void jump(const Totals& to) {
        this->move_to(to);
        left_squares = 0;
        for (size_t k = 0; k < this->n_classes; ++k) left_squares += this->left[k] * this->left[k];
        sum_right_squares();
    }
    double score() const { return left_squares / this->left_weight + right_squares / this->right_weight; }
    bool beats(double least) const {
        return left_squares * this->right_weight + right_squares * this->left_weight >
               least * (this->left_weight * this->right_weight);
    }
    double merit(double score) const { return (score - base) / (n * this->weight); }
    double score_step(double merit_step) const { return merit_step * n * this->weight; }
};

/// Σ n·log2 n of both sides over all targets, less that of the sides once for each target.
template <bool unit>
struct SeveralEntropyScorer : EntropyTerms<unit> {
    size_t outputs;
    double n, base;

    SeveralEntropyScorer(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : EntropyTerms<unit>(rows_, node, scratch, static_cast<double>(rows_.outputs)),
          outputs(rows_.outputs),
          n(static_cast<double>(outputs)),
          base(score()) {}
    void add(size_t row) {
        const double w = unit ? 1.0 : this->rows.weight[row];
        const int32_t* label = this->rows.label + row * outputs;
        for (size_t o = 0; o < outputs; ++o) this->move(static_cast<size_t>(label[o]), w);
        this->left_weight += w;
        this->right_weight -= w;
    }
    double score() const {
        return this->sum - n * ((this->term(this->left_weight) - this->shift) + (this->term(this->right_weight) - this->shift));
    }
    double merit(double score) const { return (score - base) / (n * this->weight); }
    double score_step(double merit_step) const { return merit_step * n * this->weight; }
};

/// The formula itself at every cut.
class SeveralFormulaScorer : public BothSides<SeveralClasses> {
public:
    using BothSides::BothSides;

    void add(size_t row) {
        const double w = rows_.weight_of(row);
        for (size_t o = 0; o < rows_.outputs; ++o) move(static_cast<size_t>(rows_.label[row * rows_.outputs + o]), w);
        move_weight(w);
    }
    double left_mean() const { return 0; }
    double right_mean() const { return 0; }
};

/// Sums of every target on the left.
template <bool unit>
struct SeveralSums {
    const LocalRows& rows;
    size_t outputs;
    double n, weight, left_weight = 0;
    double* left;
    const double* total;

    SeveralSums(const LocalRows& rows_, const Totals& node, Scratch& scratch)
        : rows(rows_),
          outputs(rows_.outputs),
          n(static_cast<double>(outputs)),
          weight(node.weight),
          left((scratch.left.assign(outputs, 0.0), scratch.left.data())),
          total(node.sums.data()) {}
    void add(size_t row) {
        const double w = unit ? 1.0 : rows.weight[row];
        const double* target = rows.target + row * outputs;
        for (size_t o = 0; o < outputs; ++o) left[o] += unit ? target[o] : w * target[o];
        left_weight += w;
    }
    void jump(const Totals& to) {
        left_weight = to.weight;
        std::copy_n(to.sums.data(), outputs, left);
    }
    double left_weight_now() const { return left_weight; }
    double right_weight_now() const { return weight - left_weight; }
    double left_mean() const { return 0; }
    double right_mean() const { return 0; }
};

/// As MeanDifferenceScorer, summed over the targets.
template <bool unit>
struct SeveralSquaredScorer : SeveralSums<unit> {
    using SeveralSums<unit>::SeveralSums;

    double differences() const {
        double sum = 0;
        for (size_t o = 0; o < this->outputs; ++o) {
            const double difference = this->left[o] * this->weight - this->left_weight * this->total[o];
            sum += difference * difference;
        }
        return sum;
    }
    double room() const { return this->left_weight * (this->weight - this->left_weight); }
    double score() const { return differences() / room(); }
    bool beats(double least) const { return differences() > least * room(); }
    double merit(double score) const { return score / (this->n * this->weight * this->weight); }
    double score_step(double merit_step) const { return merit_step * (this->n * this->weight * this->weight); }
};

/// As PoissonScorer, summed over the targets. No leaf is allowed that has no event of some target.
template <bool unit>
struct SeveralPoissonScorer : SeveralSums<unit> {
    using SeveralSums<unit>::SeveralSums;

    double score() const {
        double sum = 0;
        for (size_t o = 0; o < this->outputs; ++o) {
            const double centre = this->rows.each[o].centre, shift = this->total[o] / this->weight, mean = centre + shift;
            const double x = this->left[o] - this->left_weight * shift;
            sum += Poisson::saving(this->left_weight, x, mean, centre) +
                   Poisson::saving(this->weight - this->left_weight, -x, mean, centre);
        }
        return sum;
    }
    double merit(double score) const { return score / (this->n * this->weight); }
    double score_step(double merit_step) const { return merit_step * (this->n * this->weight); }
};

/// A scorer of its own for each target, whose rows have been given apart.
template <class One>
class ScorerOfEach {
public:
    ScorerOfEach(const LocalRows& rows, const Totals& node, Scratch& scratch) : n_(static_cast<double>(rows.outputs)) {
        if (scratch.each.size() < rows.outputs) scratch.each.resize(rows.outputs);
        scratch.totals.resize(rows.outputs);
        each_.reserve(rows.outputs);
        for (size_t o = 0; o < rows.outputs; ++o) {
            take_output(node, o, 1, scratch.totals[o]);
            each_.emplace_back(rows.each[o], scratch.totals[o], scratch.each[o]);
        }
    }
    void start(size_t row) {
        for (One& one : each_) one.start(row);
    }
    void started() {
        for (One& one : each_) one.started();
    }
    void add(size_t row) {
        for (One& one : each_) one.add(row);
    }
    double score() const {
        double sum = 0;
        for (const One& one : each_) sum += one.merit(one.score());
        return sum / n_;
    }
    double merit(double score) const { return score; }
    double score_step(double merit_step) const { return merit_step; }
    double left_weight_now() const { return each_[0].left_weight_now(); }
    double right_weight_now() const { return each_[0].right_weight_now(); }
    double left_mean() const { return 0; }
    double right_mean() const { return 0; }

private:
    double n_;
    std::vector<One> each_;
};
static_assert(Scorer<SeveralGiniScorer<true>> && Scorer<SeveralEntropyScorer<true>> && Scorer<SeveralSquaredScorer<true>>);
static_assert(Scorer<SeveralPoissonScorer<true>> && Scorer<SeveralFormulaScorer>);

}  // namespace treewright
