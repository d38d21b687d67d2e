// Trees of two-valued columns by counting sets of columns.
#include "optimal/column_sets.hpp"

#include <numeric>
#include <type_traits>

#include "optimal/set_kernels.hpp"

namespace treewright::optimal {

namespace {

constexpr size_t lanes = 16;              // of the widest vector
constexpr uint32_t most_rows = 1u << 22;  // sixteen units a row fit into 32 bits many times over
constexpr int errors_unit = 16;           // more than the splits of four levels

template <class Number>
const SetLoops<Number>& loops() {
    if constexpr (std::is_same_v<Number, int32_t>) return set_kernels().small;
    else return set_kernels().large;
}

size_t rounded_up(size_t n) { return (n + lanes - 1) / lanes * lanes; }

/// Numbers of a row of triples (a, b, ·) for all pairs.
size_t triples_of(size_t p) {
    size_t n = 0;
    for (size_t b = 1; b < p; ++b) n += b * (rounded_up(p) - (b + 1) / lanes * lanes);
    return n;
}

/// Whether costs are errors and splits alone, so that small whole numbers tell them all.
bool counts_errors(const Loss& loss) { return loss.mistake()[0] == loss.mistake()[1] && loss.leaf_price() == 1; }

}  // namespace

size_t ColumnSets::bytes(const Node& node, const Loss& loss, int depth) {
    const size_t p = node.active.size(), number = counts_errors(loss) ? sizeof(int32_t) : sizeof(double);
    return (6 * p * rounded_up(p) + (depth == 4 ? 10 * triples_of(p) : 0)) * number + node.n_rows / 8 * rounded_up(p) * 3;
}

bool ColumnSets::fits(const Node& node, const std::vector<Column>& columns, const Loss& loss, int depth, uint32_t leaves) {
    const size_t p = node.active.size();
    if (loss.kind() != LossKind::pair || !loss.uniform() || depth < 2 || depth > most_levels || leaves < 1u << depth || p < 2 ||
        p > 10000 || node.n_rows >= most_rows)
        return false;
    int32_t feature = -1;
    for (size_t i = 0; i < p; ++i) {
        const Column& column = columns[node.active[i]];
        const uint32_t* group = node.group_of(i);
        if (column.feature == feature || group[only_cut(node, i)] != group[node.n_rows - 1]) return false;
        if (!column.categorical && !column.may_cut_after(group[0])) return false;
        feature = column.feature;
    }
    return true;
}

/// Bits of the rows of each class where columns are positive.
void ColumnSets::read(const Node& node, const Loss& loss) {
    const size_t p = node.active.size();
    std::vector<uint32_t> cut(p), rare(p);
    for (size_t i = 0; i < p; ++i) {
        cut[i] = only_cut(node, i);
        rare[i] = std::min(cut[i], node.n_rows - cut[i]);
    }
    columns_.resize(p);
    std::iota(columns_.begin(), columns_.end(), 0u);
    std::stable_sort(columns_.begin(), columns_.end(), [&](uint32_t x, uint32_t y) { return rare[x] < rare[y]; });

    n_of_class_[0] = n_of_class_[1] = 0;
    for (const uint32_t row : node.row) ++n_of_class_[loss.label(row)];
    all_.stride = rounded_up(p);
    for (int k = 0; k < 2; ++k) all_.words[k] = (n_of_class_[k] + 63) / 64;
    const size_t size = (all_.words[0] + all_.words[1] + 1) * all_.stride;
    for (auto& words : words_)
        if (words.size() < size) words.resize(size);
    std::fill_n(words_[0].begin(), size, 0);
    all_.bits = words_[0].data();
    below_one_.bits = words_[1].data();
    below_two_.bits = words_[2].data();
    std::vector<size_t> place(node.n_rows);
    size_t next[2] = {0, all_.words[0] * 64};
    for (uint32_t i = 0; i < node.n_rows; ++i) place[i] = next[loss.label(node.row[i])]++;
    for (size_t q = 0; q < p; ++q) {
        const size_t i = columns_[q];
        const bool first = cut[i] <= node.n_rows - cut[i];
        const uint32_t begin = first ? 0 : cut[i], end = first ? cut[i] : node.n_rows;
        for (uint32_t k = begin; k < end; ++k) {
            const size_t at = place[node.order_of(i)[k]];
            all_.bits[at / 64 * all_.stride + q] |= uint64_t{1} << at % 64;
        }
    }
}

/// Counts of one and two columns, and cells of two columns as leaves.
template <class Number>
void ColumnSets::count_pairs(SetTables<Number>& t) {
    for (size_t a = 0; a < t.n_columns; ++a)
        for (int k = 0; k < 2; ++k) {
            Number n = 0;
            const size_t begin = k ? all_.words[0] : 0;
            for (size_t w = begin; w < begin + all_.words[k]; ++w)
                n += static_cast<Number>(__builtin_popcountll(all_.bits[w * all_.stride + a]));
            t.single[k][a] = n;
        }
    for (size_t a = 0; a < t.n_columns; ++a) {
        loops<Number>().count(all_, a, t);
        for (size_t b = a + 1; b < t.n_columns; ++b) {
            Number cell[2][4];
            for (int k = 0; k < 2; ++k) {
                const Number both = t.with[k][b], of_a = t.single[k][a], of_b = t.single[k][b];
                t.both[k][a * t.padded + b] = both;
                cell[k][0] = t.total[k] - of_a - of_b + both;
                cell[k][1] = of_a - both;
                cell[k][2] = of_b - both;
                cell[k][3] = both;
            }
            for (int s = 0; s < 4; ++s) t.pair[s][a * t.padded + b] = std::min(cell[0][s] * t.zero, cell[1][s] * t.one);
        }
    }
}

/// From the cells of two columns to those of one, and to the root.
template <class Number>
Cost ColumnSets::fold_pairs(SetTables<Number>& t, const Node& node, const Loss& loss, SetCosts& costs) {
    const auto as_cost = [&](Number value) {
        if constexpr (std::is_same_v<Number, int32_t>)
            return Cost{value / errors_unit} * loss.mistake()[0] + Cost{value % errors_unit} * loss.leaf_price();
        else return static_cast<Cost>(value);
    };
    const size_t p = t.n_columns;
    std::vector<Number> best[2] = {std::vector<Number>(p), std::vector<Number>(p)};
    for (size_t a = 0; a < p; ++a) {
        best[0][a] = std::min((t.total[0] - t.single[0][a]) * t.zero, (t.total[1] - t.single[1][a]) * t.one);
        best[1][a] = std::min(t.single[0][a] * t.zero, t.single[1][a] * t.one);
    }
    for (size_t a = 0; a < p; ++a)
        for (size_t b = a + 1; b < p; ++b) {
            Number cost[4];
            for (int s = 0; s < 4; ++s) cost[s] = t.pair[s][a * t.padded + b];
            best[0][a] = std::min(best[0][a], cost[0] + cost[2] + t.price);
            best[1][a] = std::min(best[1][a], cost[1] + cost[3] + t.price);
            best[0][b] = std::min(best[0][b], cost[0] + cost[1] + t.price);
            best[1][b] = std::min(best[1][b], cost[2] + cost[3] + t.price);
        }
    Cost least = node.leaf;
    costs.by_column.resize(p);
    for (size_t a = 0; a < p; ++a) {
        const Cost cost = as_cost(best[0][a] + best[1][a] + t.price);
        costs.by_column[columns_[a]] = cost;
        least = std::min(least, cost);
    }
    return least;
}

template <class Number>
SetCosts ColumnSets::solve_in(SetTables<Number>& t, const Node& node, const Loss& loss, int depth,
                              const std::function<void()>& count) {
    const size_t p = columns_.size(), n_triples = depth == 4 ? triples_of(p) : 0;
    t.n_columns = p;
    t.padded = rounded_up(p);
    if constexpr (std::is_same_v<Number, int32_t>) {
        t.zero = t.one = errors_unit;
        t.price = 1;
        t.big = 1 << 29;
    } else {
        t.zero = static_cast<Number>(loss.mistake()[0]);
        t.one = static_cast<Number>(loss.mistake()[1]);
        t.price = static_cast<Number>(loss.leaf_price());
        t.big = static_cast<Number>(endless);
    }
    for (int k = 0; k < 2; ++k) t.total[k] = static_cast<Number>(n_of_class_[k]);
    const size_t row = t.padded + lanes, square = p * t.padded + lanes, triples = n_triples + lanes;
    const size_t size = 4 * row + 6 * square + (n_triples ? 10 * triples : 0);
    if (t.memory.size() < size) t.memory.resize(size);
    std::fill_n(t.memory.begin(), 4 * row + 6 * square, Number{0});
    Number* next = t.memory.data();
    const auto give = [&](Number*& to, size_t n) {
        to = next;
        next += n;
    };
    for (int k = 0; k < 2; ++k) give(t.single[k], row);
    for (int k = 0; k < 2; ++k) give(t.with[k], row);
    for (int k = 0; k < 2; ++k) give(t.both[k], square);
    for (int s = 0; s < 4; ++s) give(t.pair[s], square);
    if (n_triples) {
        for (int k = 0; k < 2; ++k) give(t.three[k], triples);
        for (int s = 0; s < 8; ++s) give(t.triple[s], triples);
        t.bases.assign(p * p, 0);
        size_t at = 0;
        for (size_t a = 0; a < p; ++a)
            for (size_t b = a + 1; b < p; ++b) {
                const size_t first = (b + 1) / lanes * lanes;
                t.bases[a * p + b] = at - first;  // may wrap around, and does so back when a column is added
                at += t.padded - first;
            }
        t.base = t.bases.data();
    }

    SetCosts costs;
    count();
    count_pairs(t);
    costs.one_level_less = node.leaf;
    if (depth == 2) {  // one level: columns as they part the node
        for (size_t a = 0; a < p; ++a) {
            Cost cost = loss.leaf_price();
            const auto add = [&](Number zeros, Number ones) {
                cost += std::min(static_cast<Cost>(zeros) * loss.mistake()[0], static_cast<Cost>(ones) * loss.mistake()[1]);
            };
            add(t.single[0][a], t.single[1][a]);
            add(t.total[0] - t.single[0][a], t.total[1] - t.single[1][a]);
            costs.one_level_less = std::min(costs.one_level_less, cost);
        }
        costs.best = fold_pairs(t, node, loss, costs);
        return costs;
    }
    const SetLoops<Number>& kernels = loops<Number>();
    const SetKernels& shared = set_kernels();
    costs.best = fold_pairs(t, node, loss, costs);
    for (size_t a = 0; a < p; ++a) {
        shared.compress(all_, a, a + 1, below_one_);
        for (size_t b = a + 1; b < p; ++b) {
            count();
            kernels.count(below_one_, b, t);
            kernels.triples(t, a, b, n_triples > 0);
        }
    }
    costs.one_level_less = costs.best;
    costs.best = fold_pairs(t, node, loss, costs);
    if (depth == 3) return costs;
    for (size_t a = 0; a < p; ++a) {
        shared.compress(all_, a, a + 1, below_one_);
        for (size_t b = a + 1; b < p; ++b) {
            count();
            shared.compress(below_one_, b, b + 1, below_two_);
            for (size_t c = b + 1; c < p; ++c) {
                kernels.count(below_two_, c, t);
                kernels.quadruples(t, a, b, c);
            }
        }
    }
    for (size_t a = 0; a < p; ++a)
        for (size_t b = a + 1; b < p; ++b) kernels.fold(t, a, b);
    costs.one_level_less = costs.best;
    costs.best = fold_pairs(t, node, loss, costs);
    return costs;
}

SetCosts ColumnSets::solve(const Node& node, const Loss& loss, int depth, const std::function<void()>& count) {
    read(node, loss);
    return counts_errors(loss) ? solve_in(small_, node, loss, depth, count) : solve_in(large_, node, loss, depth, count);
}

}  // namespace treewright::optimal
