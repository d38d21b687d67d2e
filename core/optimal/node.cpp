// Reading a table into columns, and leaving out those that tell nothing apart.
#include "optimal/node.hpp"

#include <cmath>
#include <numeric>

#include "cuts/sorted_list.hpp"

namespace treewright::optimal {

void Node::drop_constant(const std::vector<Column>& columns) {
    size_t kept = 0;
    const auto has_missing = [&](size_t i) {
        const Column& column = columns[active[i]];
        return (column.missing_first() ? group_of(i)[0] : group_of(i)[n_rows - 1]) == column.missing_group;
    };
    for (size_t i = 0; i < active.size(); ++i) {
        if (!differs(i)) continue;
        const uint32_t twin = columns[active[i]].twin;
        if (twin < active[i] && !has_missing(i)) continue;  // as its twin, which comes before it, has no missing rows either
        if (kept < i) {
            std::copy_n(order_of(i), stride, order_of(kept));
            std::copy_n(group_of(i), stride, group_of(kept));
            active[kept] = active[i];
        }
        ++kept;
    }
    active.resize(kept);
}

void Node::add_up(const Loss& loss) {
    sums.assign(static_cast<size_t>(loss.width()), 0);
    squares = 0;
    if (loss.kind() == LossKind::pair) {
        second.resize(n_rows);
        Cost ones = 0;
        for (uint32_t i = 0; i < n_rows; ++i) ones += second[i] = static_cast<uint8_t>(loss.label(row[i]));
        sums[1] = ones;
        sums[0] = n_rows - ones;
    } else {
        for (uint32_t i = 0; i < n_rows; ++i) {
            loss.add(row[i], sums.data());
            squares += loss.square(row[i]);
        }
    }
    leaf = std::max<Cost>(0, squares + loss.score(sums.data()));
}

namespace {

/// Order the rows of a column of two values in one pass; false if it has more, or misses some.
bool order_two_values(const double* x, uint32_t n, uint32_t* order, uint32_t* group) {
    const double* const other = std::find_if(x, x + n, [&](double value) { return value != x[0]; });
    if (other == x + n) return false;
    const double low = std::min(x[0], *other), high = std::max(x[0], *other);
    if (!(low < high)) return false;  // a value and missing ones
    uint32_t n_low = 0, n_high = 0;
    for (uint32_t i = 0; i < n; ++i) {
        n_low += x[i] == low;
        n_high += x[i] == high;
    }
    if (n_low + n_high < n) return false;
    uint32_t next_low = 0, next_high = n_low;
    for (uint32_t i = 0; i < n; ++i) {
        const bool is_low = x[i] == low;
        order[is_low ? next_low : next_high] = i;
        next_low += is_low;
        next_high += !is_low;
    }
    std::fill_n(group, n_low, 1u);
    std::fill_n(group + n_low, n_high, 2u);
    return true;
}

}  // namespace

bool read_columns(const Table& table, const Loss& loss, const std::function<bool()>& keep_on, std::vector<Column>& columns,
                  Node& root) {
    const auto n = static_cast<uint32_t>(table.n_rows);
    const auto misses = [&](const Feature& feature, size_t row) {
        return feature.categorical() ? feature.codes[row] < 0 : std::isnan(feature.numbers[row]);
    };
    columns.clear();
    for (size_t f = 0; f < table.features.size(); ++f) {
        const Feature& feature = table.features[f];
        const auto number = static_cast<uint32_t>(columns.size());
        Column column{.feature = static_cast<int32_t>(f), .categorical = feature.categorical(), .twin = number};
        bool has_missing = false;
        for (size_t row = 0; row < n && !has_missing; ++row) has_missing = misses(feature, row);
        if (column.categorical) {
            column.missing_group = static_cast<uint32_t>(feature.n_categories);
        } else if (has_missing) {
            column.missing_group = 0;
            column.twin = number + 1;
        }
        columns.push_back(column);
        if (!column.categorical && has_missing) {
            column.missing_group = n + 1;  // beyond the groups of all values
            column.twin = number;
            columns.push_back(column);
        }
    }

    root.shape(n, columns.size());
    std::iota(root.row.begin(), root.row.end(), 0u);
    root.active.resize(columns.size());
    std::iota(root.active.begin(), root.active.end(), 0u);
    RowSorter sorter;
    std::vector<Entry<uint32_t>> sorted(n);
    std::vector<uint32_t> place;
    for (size_t c = 0; c < columns.size(); ++c) {
        if (!keep_on()) return false;
        const Column& column = columns[c];
        const Feature& feature = table.features[static_cast<size_t>(column.feature)];
        uint32_t *order = root.order_of(c), *group = root.group_of(c);
        if (column.categorical) {
            place.assign(static_cast<size_t>(feature.n_categories) + 2, 0);
            const auto code = [&](size_t row) {
                return feature.codes[row] < 0 ? column.missing_group : static_cast<uint32_t>(feature.codes[row]);
            };
            for (size_t row = 0; row < n; ++row) ++place[code(row) + 1];
            std::partial_sum(place.begin(), place.end(), place.begin());
            for (uint32_t row = 0; row < n; ++row) {
                const uint32_t at = place[code(row)]++;
                order[at] = row;
                group[at] = code(row);
            }
            continue;
        }
        if (order_two_values(feature.numbers, n, order, group)) continue;
        const size_t known = sorter.sort(feature.numbers, n, sorted.data());
        const size_t n_missing = n - known;
        const size_t first = column.missing_first() ? n_missing : 0, first_missing = column.missing_first() ? 0 : known;
        for (size_t i = 0; i < known; ++i) {
            order[first + i] = sorted[i].row;
            group[first + i] = sorted[i].rank + 1;
        }
        for (size_t i = 0; i < n_missing; ++i) {
            order[first_missing + i] = sorted[known + i].row;
            group[first_missing + i] = column.missing_group;
        }
    }
    root.drop_constant(columns);
    root.add_up(loss);
    return true;
}

}  // namespace treewright::optimal
