// Two superclasses: the two groups of classes that a split tells apart best.
#pragma once
#include "criteria/entropy.hpp"
#include "criteria/formula.hpp"
#include "criteria/gini.hpp"

namespace treewright {

/// A cut of a node, and the groups of classes that it may tell apart, each against all other classes.
struct GroupedCut {
    std::span<const double> left_of, all_of;  // weight of each group on the left, and in the node
    double left, weight;                      // of the left side, and of the node
    const double* n_log_n = nullptr;          // where weights are whole

    /// The largest merit of all groups; cost(a, b) is the impurity of two groups, times their weight.
    template <class Cost>
    double most(Cost&& cost) const {
        const double right = weight - left;
        double least = infinity;  // what the sides cost more than the node does
        for (size_t i = 0; i < all_of.size(); ++i) {
            const double on_left = left_of[i], on_right = std::max(all_of[i] - on_left, 0.0);
            const double sides = cost(on_left, std::max(left - on_left, 0.0)) + cost(on_right, std::max(right - on_right, 0.0));
            least = std::min(least, sides - cost(all_of[i], weight - all_of[i]));
        }
        return -least / weight;
    }
};

// Impurities of two groups, for which one along the order of their shares is the best of all.
struct EntropyOfTwo {
    static constexpr std::string_view name = "superclasses_entropy";
    static constexpr bool is_information = true;
    static constexpr double rounding = 1;
    static double most(const GroupedCut& cut) {
        if (cut.n_log_n) return most_of_whole(cut);
        return cut.most([](double a, double b) { return x_log_x(a + b) - (x_log_x(a) + x_log_x(b)); });
    }

private:
    /// The same of whole weights, by table: what does not hang on the groups is looked up once.
    static double most_of_whole(const GroupedCut& cut) {
        const auto of = [logs = cut.n_log_n](int64_t n) { return logs[n]; };
        const auto weight = static_cast<int64_t>(cut.weight), left = static_cast<int64_t>(cut.left), right = weight - left;
        const double of_left = of(left), of_right = of(right), of_all = of(weight);
        double least = infinity;
        for (size_t i = 0; i < cut.all_of.size(); ++i) {
            const auto all = static_cast<int64_t>(cut.all_of[i]), on_left = static_cast<int64_t>(cut.left_of[i]);
            const int64_t on_right = all - on_left;
            const double sides =
                (of_left - (of(on_left) + of(left - on_left))) + (of_right - (of(on_right) + of(right - on_right)));
            least = std::min(least, sides - (of_all - (of(all) + of(weight - all))));
        }
        return -least / cut.weight;
    }
};
struct GiniOfTwo {
    static constexpr std::string_view name = "superclasses_gini";
    static constexpr bool is_information = false;
    static constexpr double rounding = 1;
    static double most(const GroupedCut& cut) {
        return cut.most([](double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0.0; });
    }
};
struct SqrtOfTwo {
    static constexpr std::string_view name = "superclasses_sqrt";
    static constexpr bool is_information = false;
    static constexpr double rounding = 100;  // the root makes more of it
    static double most(const GroupedCut& cut) {
        constexpr double nothing = 1e-11;  // a group of a smaller share is what rounding leaves of it
        return cut.most([](double a, double b) { return std::min(a, b) > nothing * (a + b) ? std::sqrt(a * b) : 0.0; });
    }
};

/// For each cut the classes are put into two groups such that the impurity of the groups decreases most. One of the groupings
/// along the order of the classes' shares on the left is the best of all (Breiman et al., 1984, §4.3), so that of k classes k − 1
/// are looked at.
template <class OfTwo>
struct Superclasses : ClassCriterion {
    static constexpr Traits traits{.name = OfTwo::name, .decrease = false, .log_table = OfTwo::is_information};
    using TurnScorer = FormulaScorer;  // so that it has a kernel
    static constexpr SuperclassRule superclasses{&OfTwo::most, OfTwo::is_information};

    static double impurity(const Totals& node) { return Gini::impurity(node); }
    static double merit(const Totals& node, Branches branches) {
        const Totals& left = *branches[0];
        if (branches.size() != 2 || left.weight <= 0 || left.weight >= node.weight) return 0;
        std::vector<uint32_t> order;
        for (size_t k = 0; k < node.sums.size(); ++k)
            if (node.sums[k] > 0) order.push_back(static_cast<uint32_t>(k));
        if (order.size() < 2) return 0;
        const auto share = [&](uint32_t k) { return left.sums[k] / node.sums[k]; };
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return share(a) > share(b); });
        order.pop_back();
        std::vector<double> left_of, all_of;
        double on_left = 0, all = 0;
        for (uint32_t k : order) {
            left_of.push_back(on_left += left.sums[k]);
            all_of.push_back(all += node.sums[k]);
        }
        return OfTwo::most({left_of, all_of, left.weight, node.weight});
    }
    static double tolerance(const Totals& node, double impurity) { return OfTwo::rounding * Entropy::tolerance(node, impurity); }
};

/// The order of the classes is kept from cut to cut, and hardly changes. Where the merit is information, no grouping tells more
/// than the classes themselves do, and none tells much more than at the last cut that was looked at: both are known after a few
/// operations a row, and most cuts are never looked at.
///
/// A row that goes left adds to what a grouping tells, times the weight of the node, by whole weights at most
/// d(right) − d(right of its group), where d(n) = n·log n − (n − 1)·log(n − 1) grows with n: what it changes on the left is a
/// loss, d(left of its group) − d(left) after it has moved. Its group has at least the rows of its class.
class SuperclassScorer : public ClassScorer<false> {
public:
    SuperclassScorer(const LocalRows& rows_, const Totals& node, const Formula& formula, Scratch& scratch)
        : ClassScorer<false>(rows_, node, scratch),
          rule_(*formula.superclasses),
          logs_(rule_.is_information && !rows_.weight ? scratch.n_log_n : nullptr),
          order_(scratch.whole),
          left_of_(scratch.fenwick_sum[0]),
          all_of_(scratch.fenwick_sum[1]) {
        scratch.left_term.resize(n_classes);
        share_ = scratch.left_term.data();
        order_.clear();
        for (size_t k = 0; k < n_classes; ++k)
            if (node.sums[k] > 0) order_.push_back(static_cast<int32_t>(k));
        if (rule_.is_information) sum_up();
        base_ = information_ - n_log_n(weight);
    }
    void add(size_t row) {
        const auto k = static_cast<size_t>(rows.label[row]);
        const double w = rows.weight_of(row), left_before = left[k], right_before = right[k];
        left[k] += w;
        left_weight += w;
        right_weight = weight - left_weight;
        right[k] = rest_of(total->sums[k], left[k]);
        if (!rule_.is_information) return;
        const double lost_right = n_log_n(right_before) - n_log_n(right[k]);
        information_ += (n_log_n(left[k]) - n_log_n(left_before)) - lost_right;
        if (logs_) most_now_ += (n_log_n(right_weight + 1) - n_log_n(right_weight)) - lost_right;
    }
    void jump(const Totals& to) {
        move_to(to);
        most_now_ = infinity;
        if (rule_.is_information) sum_up();
    }
    /// score() > least; most cuts are told apart by what bounds it.
    bool beats(double least) const {
        if (rule_.is_information) {
            const double enough = (least - slack) * weight;
            if (most_now_ < enough) return false;
            if (information_ - n_log_n(left_weight) - n_log_n(right_weight) - base_ < enough) return false;
        }
        const double here = score();
        if (logs_) most_now_ = here * weight;
        return here > least;
    }
    double score() const {
        if (order_.size() < 2 || left_weight <= 0 || right_weight <= 0) return 0;
        put_in_order();
        double on_left = 0, all = 0;
        left_of_.resize(order_.size() - 1);
        all_of_.resize(order_.size() - 1);
        for (size_t i = 0; i + 1 < order_.size(); ++i) {
            const auto k = static_cast<size_t>(order_[i]);
            left_of_[i] = on_left += left[k];
            all_of_[i] = all += total->sums[k];
        }
        return rule_.most({left_of_, all_of_, left_weight, weight, logs_});
    }
    double merit(double score) const { return score; }
    double score_step(double merit_step) const { return merit_step; }

private:
    static constexpr double slack = 1e-9;  // sums of n·log n round by 1e-12, of a million rows

    double n_log_n(double n) const { return logs_ ? logs_[static_cast<int64_t>(n)] : x_log_x(n); }
    void sum_up() {
        information_ = 0;
        for (size_t k = 0; k < n_classes; ++k) information_ += n_log_n(left[k]) + n_log_n(right[k]);
    }
    /// By descending share on the left; it was in order a few rows ago.
    void put_in_order() const {
        for (const int32_t k : order_) share_[k] = left[k] / total->sums[static_cast<size_t>(k)];
        for (size_t i = 1; i < order_.size(); ++i) {
            const int32_t k = order_[i];
            size_t at = i;
            for (; at > 0 && share_[order_[at - 1]] < share_[k]; --at) order_[at] = order_[at - 1];
            order_[at] = k;
        }
    }

    const SuperclassRule& rule_;
    const double* logs_;
    std::vector<int32_t>& order_;  // of the classes present
    std::vector<double>&left_of_, &all_of_;
    double* share_;
    double information_ = 0, base_ = 0;   // Σ n·log n over classes and sides; that of the node, less n·log n of its weight
    mutable double most_now_ = infinity;  // that a grouping may tell here, times the weight of the node; of whole weights
};
static_assert(Scorer<SuperclassScorer>);

}  // namespace treewright
