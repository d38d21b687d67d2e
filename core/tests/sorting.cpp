// Rows by value, ranks in linear time, and the midpoint between neighbours.
#include "grow/by_sorting/ranks.hpp"
#include "base/midpoint.hpp"
#include "cuts/sorted_list.hpp"
#include "tests/check.hpp"
#include "tests/columns.hpp"

using namespace treewright;

namespace {

/// What RowSorter must give, by the standard library's stable sort.
template <class Index>
std::vector<Entry<Index>> sorted(const std::vector<double>& values) {
    std::vector<size_t> order, missing;
    for (size_t i = 0; i < values.size(); ++i) (std::isnan(values[i]) ? missing : order).push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
    std::vector<Entry<Index>> entries;
    Index rank = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        if (i > 0 && values[order[i]] != values[order[i - 1]]) ++rank;
        entries.push_back({rank, static_cast<Index>(order[i])});
    }
    for (size_t row : missing) entries.push_back({Entry<Index>::missing, static_cast<Index>(row)});
    return entries;
}

template <class Index>
void check_sorted(RowSorter& sorter, const check::Column& column) {
    const size_t n = column.values.size();
    std::vector<Entry<Index>> found(n);
    const size_t known = sorter.sort(column.values.data(), n, found.data());
    const std::vector<Entry<Index>> expected = sorted<Index>(column.values);
    CHECK_EQUAL(known, static_cast<size_t>(
                           std::count_if(column.values.begin(), column.values.end(), [](double x) { return !std::isnan(x); })));
    for (size_t i = 0; i < n; ++i)
        if (found[i].row != expected[i].row || found[i].rank != expected[i].rank) {
            check::fail(__FILE__, __LINE__, column.kind, " of ", n, " rows: entry ", i, " is row ", found[i].row, ", rank ",
                        found[i].rank, " instead of ", expected[i].row, ", ", expected[i].rank);
            return;
        }
}

}  // namespace

TEST(rows_are_sorted_by_value_then_by_row) {
    std::mt19937_64 random(1);
    RowSorter sorter;  // kept, as engines keep it: what an earlier column left must not matter
    for (size_t n : {0u, 1u, 2u, 3u, 10u, 190u, 191u, 192u, 193u, 194u, 500u, 2048u, 5000u})
        for (const check::Column& column : check::hard_columns(n, random)) {
            check_sorted<uint16_t>(sorter, column);
            check_sorted<uint32_t>(sorter, column);
        }
}

TEST(rows_are_sorted_where_two_bytes_end) {
    std::mt19937_64 random(2);
    RowSorter sorter;
    for (const check::Column& column : check::hard_columns(65'535, random)) check_sorted<uint16_t>(sorter, column);
    for (const check::Column& column : check::hard_columns(65'536, random)) check_sorted<uint32_t>(sorter, column);
}

TEST(keys_have_the_order_of_numbers) {
    for (double a : check::extremes())
        for (double b : check::extremes()) {
            CHECK_EQUAL(sort_key(a) < sort_key(b), a < b);
            CHECK_EQUAL(sort_key(a) == sort_key(b), a == b);
        }
}

TEST(ranks_are_sorted_then_places) {
    std::mt19937_64 random(3);
    RankSorter sorter;
    constexpr uint32_t most = RankTable::missing - 1;
    const auto check_ranks = [&](size_t n, auto&& rank) {
        std::vector<Ranked> items(n);
        for (size_t i = 0; i < n; ++i) items[i] = {static_cast<uint32_t>(i), rank(i)};
        uint32_t low = most, high = 0;
        for (const Ranked& item : items) {
            low = std::min(low, item.rank);
            high = std::max(high, item.rank);
        }
        if (n == 0) low = high;
        std::vector<Ranked> expected = items;
        std::stable_sort(expected.begin(), expected.end(), [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
        sorter.sort(items.data(), n, low, high);
        for (size_t i = 0; i < n; ++i)
            if (items[i].row != expected[i].row || items[i].rank != expected[i].rank)
                return check::fail(__FILE__, __LINE__, n, " ranks in [", low, ", ", high, "]: item ", i, " is out of order");
    };
    for (size_t n : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 9u, 31u, 32u, 33u, 100u, 1000u, 65'535u, 70'000u})
        for (uint32_t range : {1u, 2u, 30u, 1000u, 65'535u, 1u << 26, (1u << 26) + 1, most}) {
            check_ranks(n, [&](size_t) { return static_cast<uint32_t>(random() % range); });
            check_ranks(n, [&](size_t) { return most - static_cast<uint32_t>(random() % range); });
            check_ranks(n, [&](size_t i) { return i % 100 == 1 ? range - 1 : static_cast<uint32_t>(random() % 3) % range; });
            check_ranks(n, [&](size_t i) { return static_cast<uint32_t>(n - i) % range; });
        }
}

TEST(a_midpoint_parts_its_neighbours) {
    const auto check_pair = [](double left, double right) {
        if (!(left < right)) return;
        const double middle = midpoint(left, right);
        CHECK(left <= middle);
        CHECK(middle < right);
    };
    std::vector<double> values = check::extremes();
    for (double x : check::extremes()) {
        values.push_back(std::nextafter(x, check::Limits::max()));
        values.push_back(std::nextafter(x, check::Limits::lowest()));
    }
    for (double left : values)
        for (double right : values) check_pair(left, right);
    std::mt19937_64 random(4);
    for (const check::Column& column : check::hard_columns(300, random))
        for (size_t i = 0; i + 1 < column.values.size(); ++i) check_pair(column.values[i], column.values[i + 1]);
    CHECK_EQUAL(midpoint(1.0, 3.0), 2.0);
    CHECK_EQUAL(midpoint(-check::Limits::max(), check::Limits::max()), 0.0);
}
