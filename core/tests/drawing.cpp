// Streams of random numbers and what is drawn by them: the first values are fixed, as models hang on them.
#include <algorithm>

#include "grow/by_sorting/drawn_cuts.hpp"
#include "grow/feature_draw.hpp"
#include "base/random.hpp"
#include "forest/sampler.hpp"
#include "tests/check.hpp"

using namespace treewright;

TEST(the_stream_is_splitmix64) {
    Random zero(0), other(1234567);
    for (uint64_t expected : {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu, 0xf88bb8a8724c81ecu})
        CHECK_EQUAL(zero.next(), expected);
    for (uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u})
        CHECK_EQUAL(other.next(), expected);
}

TEST(numbers_below_a_bound) {
    Random random(5);
    for (uint64_t n : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{1000}, ~uint64_t{0}}) {
        for (int i = 0; i < 1000; ++i) CHECK(random.below(n) < n);
    }
    std::vector<int> times(6, 0);
    for (int i = 0; i < 60'000; ++i) ++times[random.below(6)];
    for (int t : times) CHECK_NEAR(t, 10'000, 500);
    for (int i = 0; i < 1000; ++i) {
        const double x = random.uniform();
        CHECK(0 <= x && x < 1);
    }
}

TEST(seeds_of_children_are_fixed) {
    CHECK_EQUAL(child_seed(0, 0), 0xf4a90164c4749e1au);
    CHECK_EQUAL(child_seed(7, 1), 0x41d5ad9503734ad6u);
    CHECK(child_seed(7, 0) != child_seed(7, 1));
    CHECK(child_seed(7, 0) != child_seed(8, 0));
}

TEST(rows_are_drawn_by_seed) {
    std::vector<uint32_t> times;
    Sampler(5, {}).draw(3, 0, times, [] {});
    CHECK(times == (std::vector<uint32_t>{1, 1, 1, 1, 1}));
    Sampler(8, {}).draw(42, 8, times, [] {});
    CHECK(times == (std::vector<uint32_t>{0, 0, 1, 1, 3, 0, 2, 1}));
    const std::vector<double> chance{0, 1, 0, 3, 0.5, 0};
    Sampler(6, chance).draw(42, 9000, times, [] {});
    CHECK_EQUAL(times[0] + times[2] + times[5], 0u);
    CHECK_NEAR(times[1], 2000, 200);
    CHECK_NEAR(times[3], 6000, 200);
    CHECK_NEAR(times[4], 1000, 200);
    CHECK_EQUAL(times[1] + times[3] + times[4], 9000u);
    Sampler(6, chance).draw(1, 6, times, [] {});
    CHECK(times == (std::vector<uint32_t>{0, 3, 0, 3, 0, 0}));
}

TEST(rows_are_drawn_as_in_version_0_1) {
    std::vector<uint32_t> times;
    Sampler(8, {}, true).draw(42, 8, times, [] {});
    CHECK(times == (std::vector<uint32_t>{0, 0, 2, 1, 2, 2, 0, 1}));
    const std::vector<double> chance{0, 1, 0, 3, 0.5, 0};
    Sampler(6, chance, true).draw(1, 6, times, [] {});
    CHECK(times == (std::vector<uint32_t>{0, 2, 0, 3, 1, 0}));
}

TEST(features_are_drawn_once_each_and_laid_back) {
    FeatureDraw draw(7);
    std::vector<int32_t> first;
    for (int round = 0; round < 2; ++round) {
        Random random(9);
        std::vector<int32_t> drawn;
        while (draw.any_left()) drawn.push_back(draw.next(random));
        draw.undo();
        if (round == 0) first = drawn;
        CHECK(drawn == first);
        std::sort(drawn.begin(), drawn.end());
        CHECK(drawn == (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6}));
    }
    Random random(9);
    for (int i = 0; i < 3; ++i) draw.next(random);
    draw.undo();
    random = Random(9);
    for (int32_t feature : first) CHECK_EQUAL(draw.next(random), feature);
}

TEST(every_processor_weighs_drawn_cuts_alike) {
    constexpr size_t lanes = LineLoops::lanes, n_rows = 97;
    Random random(3);
    std::vector<double> table(n_rows * 5), weight(n_rows), amount(n_rows);
    for (double& x : table) x = random.below(9) ? random.uniform() - 0.5 : std::numeric_limits<double>::quiet_NaN();
    for (double& w : weight) w = random.uniform();
    for (double& a : amount) a = random.uniform() - 0.3;
    for (size_t n : {size_t{1}, size_t{2}, size_t{33}, n_rows}) {
        std::vector<uint32_t> rows(n);
        for (uint32_t& row : rows) row = static_cast<uint32_t>(random.below(n_rows));
        for (bool side_by_side : {false, true}) {
            ValueColumn columns[lanes];
            for (size_t lane = 0; lane < lanes; ++lane)
                columns[lane] = side_by_side ? ValueColumn{table.data() + lane, 5} : ValueColumn{table.data() + lane * n_rows};
            if (!side_by_side) columns[2] = {table.data() + 2, 5};
            for (const LineLoops& loops : {LineLoops::portable(), LineLoops::best()}) {
                std::vector<LineLoops::Line> line(n);
                LineLoops::Line low, high, weights, amounts, counts;
                const LineLoops::Line cut{{0.1, -0.2, 0.0, infinity}};
                loops.gather(columns, rows.data(), n, line.data(), low, high);
                loops.sum_up(line.data(), n, cut, weight.data(), amount.data(), weights, &amounts);
                loops.sum_up(line.data(), n, cut, nullptr, nullptr, counts, nullptr);
                for (size_t lane = 0; lane < lanes; ++lane) {
                    double least = infinity, most = -infinity, sum = 0, of_amounts = 0, count = 0;
                    for (size_t i = 0; i < n; ++i) {
                        const double x = columns[lane][rows[i]];
                        if (x < least) least = x;
                        if (x > most) most = x;
                        if (!(x <= cut.of[lane])) continue;
                        sum += weight[i];
                        of_amounts += amount[i];
                        ++count;
                    }
                    CHECK_EQUAL(low.of[lane], least);
                    CHECK_EQUAL(high.of[lane], most);
                    CHECK_EQUAL(weights.of[lane], sum);
                    CHECK_EQUAL(amounts.of[lane], of_amounts);
                    CHECK_EQUAL(counts.of[lane], count);
                }
            }
        }
    }
}
