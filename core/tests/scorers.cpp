// Scorers against the formulas: rows move one by one from right to left, and every cut is worth what its criterion says.
#include "criteria/criteria.hpp"
#include "tests/check.hpp"
#include "tests/node.hpp"

using namespace treewright;

namespace {

/// Scorers that cannot start from totals are given each row first.
template <class S, class C>
S start(const C& criterion, const Node& node, Scratch& scratch) {
    S scorer = make_scorer<S>(criterion, node.rows, node.totals, scratch);
    if constexpr (requires { scorer.started(); }) {
        for (size_t i = 0; i < node.n; ++i) scorer.start(i);
        scorer.started();
    }
    return scorer;
}

/// Every cut of the node, by adding rows and by jumping, is worth merit(left, right).
template <class S, class C, class Merit>
void check_cuts(const C& criterion, const Node& node, double tolerance, Merit&& merit) {
    const LogTable logs(node.n);
    Scratch scratch(logs.data()), other_scratch(logs.data());
    S scorer = start<S>(criterion, node, scratch);
    double heavy = 0;
    for (size_t i = 0; i + 1 < node.n; ++i) {
        scorer.add(i);
        heavy += node.weight[i];
        const Totals left = node.sum(0, i + 1), right = node.sum(i + 1, node.n);
        const double expected = merit(left, right), score = scorer.score();
        CHECK_NEAR(scorer.merit(score), expected, tolerance);
        CHECK_NEAR(scorer.left_weight_now(), heavy, 1e-9 * node.totals.weight);
        CHECK_NEAR(scorer.right_weight_now(), node.totals.weight - heavy, 1e-9 * node.totals.weight);
        if constexpr (requires { scorer.beats(0.0); }) {
            CHECK(scorer.beats(score - 1e-9 * (1 + std::fabs(score))));
            CHECK(!scorer.beats(score + 1e-9 * (1 + std::fabs(score))));
        }
        if constexpr (requires { scorer.jump(left); }) {
            S jumped = make_scorer<S>(criterion, node.rows, node.totals, other_scratch);
            jumped.jump(left);
            CHECK_NEAR(jumped.merit(jumped.score()), expected, tolerance);
            if (i + 2 < node.n) {  // and goes on from there
                jumped.add(i + 1);
                CHECK_NEAR(jumped.merit(jumped.score()), merit(node.sum(0, i + 2), node.sum(i + 2, node.n)), tolerance);
            }
        }
    }
}

template <class C>
double merit_of(const Node& node, const Totals& left, const Totals& right) {
    const Totals* both[] = {&left, &right};
    return C::merit(node.totals, both);
}

/// Each kind of scorer of a criterion, on nodes of few and of many rows.
template <class C>
void check_classes() {
    std::mt19937_64 random(1);
    for (size_t n : {2u, 3u, 5u, 20u, 90u})
        for (size_t n_classes : {2u, 3u, 7u})
            for (int round = 0; round < 4; ++round) {
                const Node counted(random, n, n_classes, true), weighed(random, n, n_classes, false);
                const auto of = [](const Node& node) {
                    return [&](const Totals& left, const Totals& right) { return merit_of<C>(node, left, right); };
                };
                // √ magnifies the rounding of a share near 0 or 1
                const double tolerance = std::is_same_v<C, Sqrt> || std::is_same_v<C, Hellinger> ? 1e-6 : 1e-9;
                const double scale = std::is_same_v<C, ChiSquare> ? weighed.totals.weight : 1.0;
                check_cuts<FormulaScorer>(formula_of<C>, weighed, tolerance * scale, of(weighed));
                if constexpr (HasScorer<C>)
                    for (const Node* node : {&counted, &weighed})
                        C::with_scorer(static_cast<int>(n_classes), node->unit,
                                       [&]<class S>() { check_cuts<S>(C{}, *node, tolerance * scale, of(*node)); });
            }
}

/// The same of numbers; merit(node, begin, end) is the cost of a stretch of its rows as a leaf.
template <class C, class Cost>
void check_numbers(bool positive, Cost&& cost) {
    std::mt19937_64 random(2);
    for (size_t n : {2u, 3u, 5u, 20u, 90u})
        for (int round = 0; round < 8; ++round)
            for (bool unit : {true, false}) {
                const Node node(random, n, 0, unit, positive);
                const auto merit = [&](const Totals& left, const Totals&) {
                    return (cost(node, 0, n) - cost(node, 0, left.count) - cost(node, left.count, n)) / node.totals.weight;
                };
                C::with_scorer(0, unit, [&]<class S>() { check_cuts<S>(C{}, node, 1e-9, merit); });
            }
}

}  // namespace

TEST(gini) { check_classes<Gini>(); }
TEST(entropy) { check_classes<Entropy>(); }
TEST(error) { check_classes<Error>(); }
TEST(square_root) { check_classes<Sqrt>(); }
TEST(gain_ratio) { check_classes<GainRatio>(); }
TEST(twoing) { check_classes<Twoing>(); }
TEST(chi_square) { check_classes<ChiSquare>(); }
TEST(hellinger) { check_classes<Hellinger>(); }
TEST(weka_gain) { check_classes<WekaGain>(); }

TEST(gain_ratio_of_known_rows) {
    std::mt19937_64 random(3);
    const Node node(random, 30, 3, false);
    const double total = node.totals.weight * 1.5;  // a third of the weight misses the value
    for (size_t i = 1; i < node.n; ++i) {
        const Totals left = node.sum(0, i), right = node.sum(i, node.n);
        double information = 0;
        for (double w : {left.weight, right.weight, total - node.totals.weight}) information -= w / total * std::log2(w / total);
        const double gain = merit_of<Entropy>(node, left, right) * node.totals.weight / total;
        const Totals* both[] = {&left, &right};
        CHECK_NEAR(GainRatio::merit_of_known(node.totals, total, both), gain / information, 1e-9);
    }
}

TEST(squared_error) {
    check_numbers<SquaredError>(false, [](const Node& node, size_t begin, size_t end) {
        const Totals t = node.sum(begin, end);
        double cost = 0;
        for (size_t i = begin; i < end; ++i) cost += node.weight[i] * std::pow(node.target[i] - t.sums[0] / t.weight, 2);
        return cost;
    });
}

TEST(poisson) {
    check_numbers<Poisson>(true, [](const Node& node, size_t begin, size_t end) {
        const Totals t = node.sum(begin, end);
        double cost = 0;
        for (size_t i = begin; i < end; ++i)
            if (const double y = node.target[i] + node.mean; y > 1e-9)
                cost += node.weight[i] * y * std::log(y / (node.mean + t.sums[0] / t.weight));
        return cost;
    });
}

TEST(a_branch_without_events_is_worth_nothing) {
    std::mt19937_64 random(4);
    Node node(random, 4, 0, true, true);
    node.target = {0, 0, 1, 2};
    node.centre();
    node.rows.centre = node.mean;
    node.totals = node.sum(0, 4);
    Scratch scratch;
    Poisson::with_scorer(0, true, [&]<class S>() {
        S scorer(node.rows, node.totals, scratch);
        scorer.add(0);
        CHECK_EQUAL(scorer.score(), -infinity);
        scorer.add(1);
        CHECK_EQUAL(scorer.score(), -infinity);
        scorer.add(2);
        CHECK(scorer.score() > -infinity);
    });
}

TEST(absolute_error) {
    check_numbers<AbsoluteError>(false, [](const Node& node, size_t begin, size_t end) {
        double least = infinity;  // a weighted median is one of the targets
        for (size_t m = begin; m < end; ++m) {
            double cost = 0;
            for (size_t i = begin; i < end; ++i) cost += node.weight[i] * std::fabs(node.target[i] - node.target[m]);
            least = std::min(least, cost);
        }
        return least;
    });
}
