// Numbers in bins, and two-valued columns as bits.
#include "grow/histogram/quantile_codes.hpp"

#include "grow/bits.hpp"
#include "partitions/two_byte_codes.hpp"
#include "tests/check.hpp"
#include "tests/columns.hpp"

using namespace treewright;

namespace {

/// A table that owns its columns.
struct Columns {
    std::vector<std::vector<double>> numbers;
    std::vector<int32_t> codes;
    Table table;

    explicit Columns(size_t n) { table.n_rows = n; }
    Columns(const Columns&) = delete;
    Columns& operator=(const Columns&) = delete;

    void finish() {
        for (const auto& column : numbers) table.features.push_back({column.data(), nullptr, 0});
        codes.assign(table.n_rows, 1);
        table.features.push_back({nullptr, codes.data(), 3});
    }
};

}  // namespace

TEST(bins_keep_the_order_of_values) {
    std::mt19937_64 random(1);
    for (size_t n : {1u, 2u, 254u, 255u, 256u, 257u, 3000u, 8192u, 20'000u})
        for (const check::Column& column : check::hard_columns(n, random)) {
            const std::vector<double>& x = column.values;
            std::vector<uint8_t> code(n);
            std::array<ValueRange, 256> ranges;
            FeatureCoder(x.data(), n).encode(x.data(), n, missing_bin, code.data(), 1, ranges);
            std::vector<size_t> order;
            for (size_t i = 0; i < n; ++i) {
                CHECK_EQUAL(code[i] == missing_bin, std::isnan(x[i]));
                if (!std::isnan(x[i])) order.push_back(i);
            }
            std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x[a] < x[b]; });
            std::array<size_t, 256> values{};  // distinct ones in each bin
            for (size_t i = 0; i < order.size(); ++i) {
                const bool other = i == 0 || x[order[i]] != x[order[i - 1]];
                values[code[order[i]]] += other;
                if (i == 0) continue;
                CHECK(code[order[i - 1]] <= code[order[i]]);
                if (!other) CHECK_EQUAL(code[order[i - 1]], code[order[i]]);
            }
            size_t distinct = 0;
            for (size_t b = 0; b < 256; ++b) {
                if (values[b] > 0) CHECK_EQUAL(ranges[b].low == ranges[b].high, values[b] == 1);
                distinct += values[b];
            }
            if (n <= 8192 && distinct <= 255)
                for (size_t b = 0; b < 256; ++b) CHECK(values[b] <= 1);
        }
}

TEST(a_coded_table_leaves_features_out) {
    std::mt19937_64 random(2);
    constexpr size_t n = 10'000;
    Columns columns(n);
    for (check::Column& column : check::hard_columns(n, random)) columns.numbers.push_back(std::move(column.values));
    columns.finish();
    const auto skip = [&](size_t f) { return columns.table.features[f].categorical() || f == 1; };
    Monitor monitor;
    const CodedTable one(columns.table, 1, monitor, skip), three(columns.table, 3, monitor, skip);
    CHECK(!one.by_rows());
    CHECK_EQUAL(one.n_columns(), columns.numbers.size() - 1);
    for (size_t f = 0; f < columns.numbers.size(); ++f) {
        if (skip(f)) continue;
        std::vector<uint8_t> code(n);
        std::array<ValueRange, 256> ranges;
        const double* x = columns.numbers[f].data();
        FeatureCoder(x, n).encode(x, n, missing_bin, code.data(), 1, ranges);
        for (const CodedTable* coded : {&one, &three}) {
            CHECK(std::equal(code.begin(), code.end(), coded->column_codes(f)));
            for (size_t b = 0; b < coded->n_bins(f); ++b) CHECK_EQUAL(coded->single(f, b), ranges[b].low >= ranges[b].high);
        }
    }
}

TEST(a_table_of_few_values_is_coded_by_rows) {
    std::mt19937_64 random(5);
    constexpr size_t n = 20'000;
    for (const size_t n_values : {1u, 2u, 7u, 63u, 64u}) {
        Columns columns(n);
        for (size_t f = 0; f < 3; ++f) {
            columns.numbers.emplace_back();
            for (size_t i = 0; i < n; ++i)
                columns.numbers.back().push_back(random() % 9 ? static_cast<double>(random() % n_values) / 3 - 1
                                                              : check::Limits::quiet_NaN());
        }
        columns.numbers[1][n / 2 + 1] = 1e9;  // not in the sample of every second value
        columns.finish();
        const auto skip = [&](size_t f) { return columns.table.features[f].categorical(); };
        Monitor monitor;
        for (const int threads : {1, 3}) {
            const CodedTable coded(columns.table, threads, monitor, skip);
            CHECK_EQUAL(coded.by_rows(), n_values < 64);
            CHECK(coded.n_slots() > n_values);
            for (size_t f = 0; f < 3; ++f) {
                const std::vector<double>& x = columns.numbers[f];
                CHECK_EQUAL(coded.values(f).size(), f == 1 ? 0 : n_values);
                for (size_t i = 0; i < n; ++i) {
                    const uint8_t code = coded.of(f)[i];
                    CHECK_EQUAL(code == coded.missing(), std::isnan(x[i]));
                    if (coded.by_rows()) CHECK_EQUAL(coded.row_codes(i)[coded.column(f)], code);
                    if (f != 1 && !std::isnan(x[i])) CHECK_EQUAL(coded.values(f)[code], x[i]);
                }
                CHECK_EQUAL(coded.single(f, n_values - 1), f != 1);
            }
        }
    }
}

TEST(two_valued_columns_are_bits) {
    std::mt19937_64 random(3);
    for (size_t n : {1u, 2u, 300u}) {
        Columns columns(n);
        const auto add = [&](auto&& value) {
            columns.numbers.emplace_back();
            for (size_t i = 0; i < n; ++i) columns.numbers.back().push_back(value(i));
        };
        add([](size_t) { return 3.0; });                                                     // one value
        add([](size_t i) { return static_cast<double>(i % 3); });                            // three
        add([](size_t i) { return i % 2 ? 1.0 : check::Limits::quiet_NaN(); });              // missing ones
        add([](size_t i) { return i % 2 ? 0.0 : -0.0; });                                    // one value, twice written
        add([](size_t i) { return i % 2 ? check::Limits::max() : -check::Limits::max(); });  // two, far apart
        add([](size_t i) { return i % 2 ? 1.0 : std::nextafter(1.0, 0.0); });                // two, side by side
        for (size_t f = 0; f < 130; ++f) add([&](size_t) { return random() % 2 ? -2.5 : 4.0; });
        columns.finish();
        const BitTable bits(columns.table, 2);
        size_t found = 0;
        for (size_t f = 0; f < columns.numbers.size(); ++f) {
            std::vector<double> values = columns.numbers[f];
            const bool missing = std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
            std::sort(values.begin(), values.end());
            values.erase(std::unique(values.begin(), values.end()), values.end());
            const bool two = !missing && values.size() == 2;
            CHECK_EQUAL(bits.bit_of(f), two ? static_cast<int32_t>(found) : -1);
            if (!two) continue;
            const double cut = bits.threshold(found, false);
            CHECK(values[0] <= cut && cut < values[1]);
            for (size_t row = 0; row < n; ++row)
                CHECK_EQUAL(bits.mask(row)[found / 64] >> (found % 64) & 1, uint64_t{columns.numbers[f][row] > cut});
            ++found;
        }
        CHECK_EQUAL(bits.size(), found);
        CHECK_EQUAL(bits.bit_of(columns.numbers.size()), -1);  // categories
    }
}

TEST(bits_are_counted_by_class) {
    std::mt19937_64 random(4);
    BitCounter counter;  // kept from node to node
    for (size_t n : {0u, 1u, 254u, 255u, 256u, 510u, 511u, 2000u})
        for (size_t n_bits : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 130u})
            for (size_t n_classes : {1u, 2u, 5u}) {
                const size_t words = (n_bits + 63) / 64;
                std::vector<uint64_t> mask(n * words);
                std::vector<int32_t> label(n);
                for (size_t i = 0; i < n; ++i) {
                    label[i] = static_cast<int32_t>(random() % n_classes);
                    for (size_t bit = 0; bit < n_bits; ++bit)
                        mask[i * words + bit / 64] |= (bit % 3 == 0 ? 1 : random() & 1) << (bit % 64);
                }
                counter.count(
                    n, n_bits, n_classes, [&](size_t i) { return mask.data() + i * words; }, [&](size_t i) { return label[i]; });
                std::vector<uint32_t> expected(n_bits * n_classes, 0);
                for (size_t i = 0; i < n; ++i)
                    for (size_t bit = 0; bit < n_bits; ++bit)
                        expected[bit * n_classes + static_cast<size_t>(label[i])] +=
                            static_cast<uint32_t>(mask[i * words + bit / 64] >> (bit % 64) & 1);
                for (size_t bit = 0; bit < n_bits; ++bit)
                    for (size_t k = 0; k < n_classes; ++k) CHECK_EQUAL(counter.ones(bit)[k], expected[bit * n_classes + k]);
            }
}

TEST(two_byte_codes_keep_the_order_of_values) {
    std::mt19937_64 random(3);
    for (size_t n : {1u, 2u, 255u, 3000u, 20'000u})
        for (const check::Column& column : check::hard_columns(n, random)) {
            std::vector<double> sample;  // every third value: others fall between, below and above
            for (size_t i = 0; i < n; i += 3)
                if (!std::isnan(column.values[i])) sample.push_back(column.values[i] + 0.0);
            if (sample.empty()) continue;
            std::sort(sample.begin(), sample.end());
            sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
            std::vector<uint16_t> code(n);
            std::vector<Values> met(65536, Values::none);
            TwoByteCoder(sample).encode(column.values.data(), n, code.data(), met.data());
            std::vector<size_t> order;
            for (size_t i = 0; i < n; ++i) {
                CHECK((code[i] == missing_code) == std::isnan(column.values[i]));
                if (code[i] != missing_code) order.push_back(i);
            }
            std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return column.values[a] < column.values[b]; });
            for (size_t i = 1; i < order.size(); ++i) {
                CHECK(code[order[i - 1]] <= code[order[i]]);
                const bool apart = column.values[order[i - 1]] != column.values[order[i]];
                if (apart && code[order[i - 1]] == code[order[i]]) CHECK(met[code[order[i]]] == Values::several);
            }
        }
}
