// A criterion of the user's own: a function that gives the merits of many candidates in one call.
#pragma once
#include "criteria/criteria.hpp"
#include "base/recipe.hpp"

namespace treewright {

/// Classes judged by a user's function; nodes have the Gini index for their impurity.
struct UserClassCriterion : ClassCriterion {
    static constexpr Traits traits{.name = "function", .decrease = false};
    static double impurity(const Totals& node) { return Gini::impurity(node); }
};

/// Numbers judged by a user's function; nodes predict their mean and have the variance for their impurity.
struct UserNumberCriterion : NumberCriterion {
    static constexpr Traits traits{.name = "function", .classification = false, .decrease = false, .centred = false};
    static void describe(const NumberRows& rows, Description& node) { SquaredError::describe(rows, node); }
};

/// Candidates of one node on their way to the function: put down one by one, valued many at a time, looked up in order.
///
/// A candidate is the statistics of its branches: class weights, or weight, sum and sum of squares of the target. Those of all
/// candidates lie together, so that the function goes over long arrays.
class CandidateBatch {
public:
    CandidateBatch(const MeritFunction& function, bool classes) : function_(function), classes_(classes) {}

    /// Start on a node. The first candidate is one that hardly any feature can better, the largest class (or the numbers up to
    /// the mean) against the rest: its merit is the scale on which merits of this node are equal.
    void start(const Totals& node, const Totals& best_part) {
        answers_.clear();
        scale_ = -1;
        recording_ = true;
        set_parent(node);
        Totals rest = node;
        subtract(node, best_part, rest);
        add(best_part, rest);
    }
    /// Merits nearer than this are equal; nothing is compared before the first answers.
    double tolerance() const { return scale_ < 0 ? 0.0 : tie_tolerance * scale_ + 4e-15; }
    /// How many candidates were put down and not forgotten.
    size_t size() const { return answers_.size() + pending_; }

    /// Candidates that follow are splits of these rows.
    void set_parent(const Totals& parent) {
        if (parent.weight == parent_.weight && parent.sums == parent_.sums) return;
        value();
        parent_ = parent;
    }
    void add(const Totals& left, const Totals& right) {
        double* at = function_.branches + pending_;
        const auto write = [&](double x) {
            *at = x;
            at += function_.capacity;
        };
        for (const Totals* branch : {&left, &right}) {
            if (!classes_) write(branch->weight);
            for (double sum : branch->sums) write(sum);
        }
        if (++pending_ == function_.capacity) value();
    }
    /// Have all that was put down valued.
    void value() {
        if (pending_ == 0) return;
        ask(pending_, 2, function_.capacity);
        answers_.insert(answers_.end(), function_.merits, function_.merits + pending_);
        if (scale_ < 0) scale_ = std::isfinite(answers_[0]) ? std::fabs(answers_[0]) : 1.0;
        pending_ = 0;
    }
    /// Drop the answers that have been looked up.
    void forget() { answers_.clear(); }
    void record() { recording_ = true; }
    /// Look up the answers of the candidates from `begin` up to `end`.
    void replay(size_t begin, size_t end) {
        recording_ = false;
        next_ = begin;
        end_ = end;
    }
    double answer(size_t candidate) const { return answers_[candidate]; }

    /// The merit of any split: −infinity while candidates are put down, then the answer. What was not put down is asked at once.
    double merit(const Totals& parent, Branches branches) {
        if (!recording_ && next_ < end_) return answers_[next_++];
        set_parent(parent);
        if (branches.size() == 2 && recording_) {
            add(*branches[0], *branches[1]);
            return -infinity;
        }
        value();
        double* at = function_.branches;
        for (const Totals* branch : branches) {
            if (!classes_) *at++ = branch->weight;
            for (double sum : branch->sums) *at++ = sum;
        }
        ask(1, branches.size(), 1);
        if (!recording_) return function_.merits[0];
        answers_.push_back(function_.merits[0]);
        return -infinity;
    }
    void subtract(const Totals& whole, const Totals& part, Totals& rest) const {
        rest.weight = whole.weight - part.weight;
        rest.count = whole.count - part.count;
        for (size_t k = 0; k < rest.sums.size(); ++k)
            rest.sums[k] = classes_ ? rest_of(whole.sums[k], part.sums[k]) : whole.sums[k] - part.sums[k];
    }

private:
    void ask(size_t n_candidates, size_t n_branches, size_t stride) {
        double* at = function_.parent;
        if (!classes_) *at++ = parent_.weight;
        for (double sum : parent_.sums) *at++ = sum;
        function_.call(n_candidates, n_branches, stride);
    }

    const MeritFunction& function_;
    bool classes_, recording_ = true;
    Totals parent_;
    double scale_ = -1;  // negative until the first answers
    size_t pending_ = 0, next_ = 0, end_ = 0;
    std::vector<double> answers_;
};

}  // namespace treewright
