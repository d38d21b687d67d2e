// Sums in no order: the same to the last bit however terms are shuffled or parted, and no worse than their exact sum rounded.
#include <algorithm>

#include "base/orderless_sum.hpp"
#include "tests/check.hpp"

using namespace treewright;

namespace {

double largest(const std::vector<double>& terms) {
    double bound = 0;
    for (double term : terms) bound = std::max(bound, std::fabs(term));
    return bound;
}
double sum(const std::vector<double>& terms) {
    return orderless_sum(terms.size(), largest(terms), [&](size_t i) { return terms[i]; });
}

}  // namespace

TEST(the_order_of_terms_changes_no_bit) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 300; ++round) {
        std::vector<double> terms(1 + random() % 500);
        for (double& term : terms)
            term = std::ldexp(static_cast<double>(static_cast<int64_t>(random())),
                              -static_cast<int>(random() % (round % 2 ? 4 : 90)));
        const double once = sum(terms);
        std::shuffle(terms.begin(), terms.end(), random);
        CHECK(sum(terms) == once);
        for (double& term : terms) term = -term;
        CHECK(sum(terms) == -once);
    }
}

TEST(sums_of_whole_numbers_are_exact) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 300; ++round) {
        std::vector<double> terms(1 + random() % 500);
        int64_t exact = 0;
        for (double& term : terms) {
            const auto whole = static_cast<int64_t>(random() >> (round % 40 + 20)) - static_cast<int64_t>(random() >> 30);
            exact += whole;
            term = static_cast<double>(whole) / 1024;
        }
        CHECK(sum(terms) == static_cast<double>(exact) / 1024);
    }
}

TEST(one_term_is_its_own_sum) {
    for (double term : {5e-324, 1e-310, 2.2e-308, 0.1, 3.0, 1e300, 1.7976931348623157e308}) {
        CHECK(sum({term}) == term);
        CHECK(sum({-term}) == -term);
    }
    CHECK(sum({}) == 0);
    CHECK(sum({0.0, -0.0}) == 0);
}

TEST(what_cancels_leaves_the_small_terms) {
    CHECK(sum({1e6, 0.1, -1e6}) == 0.1);
    CHECK(sum({0.1, 0.2, 0.3, -0.3, -0.2, -0.1}) == 0);
}

TEST(parts_of_a_sum_add_up_to_it) {
    std::mt19937_64 random(3);
    std::vector<double> terms(1000);
    for (double& term : terms) term = static_cast<double>(random() % 1000003) / 7;
    const SumGrid grid(terms.size(), largest(terms));
    GridSum parts[7], all;
    for (size_t i = 0; i < terms.size(); ++i) grid.add(terms[i], parts[random() % 7]);
    for (const GridSum& part : parts) all.add(part);
    CHECK(grid.total(terms.size(), all) == sum(terms));
}

TEST(weights_of_classes_in_any_order) {
    std::mt19937_64 random(4);
    std::vector<std::pair<double, int>> rows(400);
    for (auto& [weight, label] : rows) weight = static_cast<double>(random() % 999) / 70, label = static_cast<int>(random() % 3);
    const auto weigh = [&] {
        std::vector<double> sums(4, -1.0);
        orderless_class_weights(
            rows.size(), [&](size_t i) { return rows[i].first; }, [&](size_t i) { return rows[i].second; }, sums);
        return sums;
    };
    const std::vector<double> once = weigh();
    std::shuffle(rows.begin(), rows.end(), random);
    CHECK(weigh() == once);
    CHECK(once[3] == 0);
}
