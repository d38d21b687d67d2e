// Trees of two-valued columns by counting sets of columns.
#include "optimal/column_sets.hpp"

#include <type_traits>

#include "optimal/set_kernels.hpp"

namespace treewright::optimal {

namespace {

constexpr size_t lanes = BitTable::lanes;

template <class Number>
const SetLoops<Number>& loops() {
    if constexpr (std::is_same_v<Number, uint16_t>) return set_kernels().small;
    else return set_kernels().large;
}

/// Where the columns begin of which a vector holds this one.
size_t first_of_vector(size_t column) { return column / lanes * lanes; }

/// Numbers of a row of triples (a, b, ·) for all pairs.
size_t triples_of(size_t p) {
    size_t n = 0;
    for (size_t b = 1; b < p; ++b) n += b * (BitTable::rounded_up(p) - std::min(first_of_vector(b + 1), BitTable::rounded_up(p)));
    return n;
}

/// Whether costs follow from the number of rows of either class that are not recognised.
bool counts_rows(const Loss& loss) { return loss.kind() == LossKind::pair && loss.uniform(); }

Cost leaf_cost(const BitTable& table, const Loss& loss) {
    std::vector<Cost> sums(static_cast<size_t>(loss.width()), 0);
    Cost squares = 0;
    for (const uint32_t row : table.rows()) {
        loss.add(row, sums.data());
        squares += loss.square(row);
    }
    if (counts_rows(loss))
        for (int k = 0; k < 2; ++k) sums[static_cast<size_t>(k)] = table.n_of_class(k);
    return std::max<Cost>(0, squares + loss.score(sums.data()));
}

/// Whether costs are numbers of mistakes, and these are small.
bool counts_mistakes(const Loss& loss, size_t n_rows) { return loss.mistake()[0] == loss.mistake()[1] && n_rows < 65535; }

}  // namespace

size_t ColumnSets::bytes(size_t p, size_t n_rows, const Loss& loss, int depth) {
    if (!counts_rows(loss)) return SetSums::bytes(p, n_rows, loss);
    const size_t number = counts_mistakes(loss, n_rows) ? sizeof(uint16_t) : sizeof(double), padded = BitTable::rounded_up(p);
    return (6 * p * padded + (depth == 4 ? 10 * triples_of(p) : 0)) * number + 4 * p * padded * sizeof(double) +
           n_rows / 8 * padded * 3;
}

bool ColumnSets::fits(const Loss& loss, int depth, uint32_t leaves) {
    const int most = counts_rows(loss) ? most_levels : loss.width() <= SetSums::most_numbers ? SetSums::most_levels : 0;
    return depth >= 1 && depth <= most && leaves >= 1u << depth;
}

template <class Number>
void ColumnSets::lay_out(SetTables<Number>& t, const BitTable& table, const Loss& loss, int depth) {
    const size_t p = table.columns().size();
    t.n_columns = p;
    t.padded = BitTable::rounded_up(p);
    t.price = static_cast<double>(loss.leaf_price());
    t.unit = std::is_same_v<Number, uint16_t> ? static_cast<double>(loss.mistake()[0]) : 1.0;
    for (int k = 0; k < 2; ++k) {
        t.weight[k] = std::is_same_v<Number, uint16_t> ? Number{1} : static_cast<Number>(loss.mistake()[k]);
        t.total[k] = static_cast<Number>(static_cast<Number>(table.n_of_class(k)) * t.weight[k]);
    }
    const size_t square = p * t.padded, size = 4 * t.padded + 6 * square;
    if (t.memory.size() < size) t.memory.resize(size);
    if (t.costs.size() < 4 * square) t.costs.resize(4 * square);
    Number* next = t.memory.data();
    const auto give = [&](Number*& to, size_t n) {
        to = next;
        next += n;
    };
    for (int k = 0; k < 2; ++k) give(t.single[k], t.padded);
    for (int k = 0; k < 2; ++k) give(t.with[k], t.padded);
    for (int k = 0; k < 2; ++k) give(t.both[k], square);
    for (int s = 0; s < 4; ++s) {
        give(t.pair[s], square);
        t.below[s] = t.costs.data() + static_cast<size_t>(s) * square;
    }
    std::fill(t.single[0], t.pair[0], Number{0});
    const Number none = std::is_same_v<Number, uint16_t> ? Number{65535} : static_cast<Number>(endless);
    std::fill(t.pair[0], t.pair[0] + 4 * square, none);
    for (int i = 0; i < 2; ++i) {
        const size_t words = (table.bits().n_words() + 2) * t.padded;
        if (depth >= 3 + i && words_[i].size() < words) words_[i].resize(words);
        (i ? below_two_ : below_one_).bits = words_[i].data();
    }
}

/// Room for what is known of sets of three columns: gigabytes if there are hundreds of columns, so that `count` is asked
/// meanwhile.
template <class Number>
void ColumnSets::lay_out_triples(SetTables<Number>& t, const std::function<void()>& count) {
    const size_t p = t.n_columns, n = triples_of(p);
    if (t.n_triples < n) {
        t.triples = std::make_unique_for_overwrite<Number[]>(10 * n);
        t.n_triples = n;
    }
    for (size_t k = 0; k < 2; ++k) t.three[k] = t.triples.get() + k * n;
    t.triple = t.triples.get() + 2 * n;
    const Number none = std::is_same_v<Number, uint16_t> ? Number{65535} : static_cast<Number>(endless);
    constexpr size_t some = size_t{1} << 20;
    for (size_t at = 0; at < 8 * n; at += some) {
        count();
        std::fill_n(t.triple + at, std::min(some, 8 * n - at), none);
    }
    t.bases.assign(p * p, 0);
    size_t at = 0;
    for (size_t a = 0; a < p; ++a)
        for (size_t b = a + 1; b < p; ++b) {
            const size_t first = std::min(first_of_vector(b + 1), t.padded);
            t.bases[a * p + b] = at - first;  // may wrap around, and does so back when a column is added
            at += t.padded - first;
        }
    t.base = t.bases.data();
}

template <class Number>
void ColumnSets::count_pairs(SetTables<Number>& t, const BitTable& table, const std::function<void()>& count) {
    const SetBits& bits = table.bits();
    for (size_t a = 0; a < t.n_columns; ++a) {
        if (a % 16 == 15) count();
        loops<Number>().count(bits, a, 0, t);
        for (int k = 0; k < 2; ++k) {
            std::copy_n(t.with[k], t.padded, t.both[k] + a * t.padded);
            t.single[k][a] = t.with[k][a];
        }
    }
}

template <class Number>
void ColumnSets::count_triples(SetTables<Number>& t, const BitTable& table, bool keep, const std::function<void()>& count) {
    for (size_t a = 0; a < t.n_columns; ++a) {
        const SetBits& bits = table.bits();
        set_kernels().compress(bits, bits.bits + a, bits.stride, first_of_vector(a + 1), below_one_);
        for (size_t b = a + 1; b < t.n_columns; ++b) {
            count();
            loops<Number>().count(below_one_, b, first_of_vector(b + 1), t);
            loops<Number>().triples(t, a, b, keep);
        }
    }
}

template <class Number>
void ColumnSets::count_quadruples(SetTables<Number>& t, const BitTable& table, const std::function<void()>& count) {
    const SetLoops<Number>& kernels = loops<Number>();
    for (size_t a = 0; a < t.n_columns; ++a) {
        const SetBits& bits = table.bits();
        set_kernels().compress(bits, bits.bits + a, bits.stride, first_of_vector(a + 1), below_one_);
        for (size_t b = a + 1; b < t.n_columns; ++b) {
            count();
            set_kernels().compress(below_one_, below_one_.bits + b, below_one_.stride, first_of_vector(b + 1), below_two_);
            for (size_t c = b + 1; c < t.n_columns; ++c) {
                kernels.count(below_two_, c, first_of_vector(c + 1), t);
                kernels.quadruples(t, a, b, c);
            }
        }
    }
    std::fill_n(t.below[0], 4 * t.n_columns * t.padded, static_cast<double>(endless));
    for (size_t a = 0; a < t.n_columns; ++a)
        for (size_t b = a + 1; b < t.n_columns; ++b) kernels.fold(t, a, b);
}

/// The best trees of a level, from what is counted up to it.
template <class Number>
void ColumnSets::take_level(const SetTables<Number>& t, const Loss& loss, int depth, SetCosts& costs) const {
    const size_t p = t.n_columns;
    const auto leaf = [&](Number zeros, Number ones) { return static_cast<double>(std::min(zeros, ones)) * t.unit; };
    const auto less = [](Number x, Number y) { return static_cast<Number>(x - y); };
    std::vector<double> best[2] = {std::vector<double>(p), std::vector<double>(p)};
    for (size_t a = 0; a < p; ++a) {
        best[1][a] = leaf(t.single[0][a], t.single[1][a]);
        best[0][a] = leaf(less(t.total[0], t.single[0][a]), less(t.total[1], t.single[1][a]));
    }
    for (size_t a = 0; depth >= 2 && a < p; ++a)
        for (size_t b = a + 1; b < p; ++b) {
            const size_t ab = a * t.padded + b;
            Number cell[2][4];
            for (int k = 0; k < 2; ++k) {
                cell[k][3] = t.both[k][ab];
                cell[k][2] = less(t.single[k][b], cell[k][3]);
                cell[k][1] = less(t.single[k][a], cell[k][3]);
                cell[k][0] = less(less(t.total[k], t.single[k][a]), cell[k][2]);
            }
            double cost[4];
            for (int s = 0; s < 4; ++s) {
                cost[s] = leaf(cell[0][s], cell[1][s]);
                if (depth == 3) cost[s] = std::min(cost[s], static_cast<double>(t.pair[s][ab]) * t.unit + t.price);
                if (depth == 4) cost[s] = std::min(cost[s], t.below[s][ab]);
            }
            best[0][a] = std::min(best[0][a], cost[0] + cost[2] + t.price);
            best[1][a] = std::min(best[1][a], cost[1] + cost[3] + t.price);
            best[0][b] = std::min(best[0][b], cost[0] + cost[1] + t.price);
            best[1][b] = std::min(best[1][b], cost[2] + cost[3] + t.price);
        }
    costs.depth = depth;
    costs.one_level_less = costs.best;
    costs.by_column.resize(p);
    for (size_t a = 0; a < p; ++a) {
        costs.by_column[a] = static_cast<Cost>(best[0][a] + best[1][a]) + loss.leaf_price();
        costs.best = std::min(costs.best, costs.by_column[a]);
    }
}

template <class Number>
void ColumnSets::solve_in(SetTables<Number>& t, const BitTable& table, const Loss& loss, int depth,
                          const std::function<void()>& count, SetCosts& costs) {
    lay_out(t, table, loss, depth);
    for (int level = 1; level <= depth; ++level) {
        count();
        if (level == 1) count_pairs(t, table, count);
        if (level == 3 && depth == 4) lay_out_triples(t, count);
        if (level == 3) count_triples(t, table, depth > 3, count);
        if (level == 4) count_quadruples(t, table, count);
        take_level(t, loss, level, costs);
        const Cost more = (level + 1) * loss.leaf_price();
        if (level == depth || costs.best >= more) continue;
        for (Cost& cost : costs.by_column) cost = std::min(cost, more);  // as far as is known of deeper trees
        costs.one_level_less = costs.best;
        return;
    }
}

void ColumnSets::solve(const BitTable& table, const Loss& loss, int depth, const std::function<void()>& count, SetCosts& costs) {
    costs = {};
    costs.best = leaf_cost(table, loss);
    costs.one_level_less = costs.best;
    costs.by_column.assign(table.columns().size(), costs.best);
    if (depth == 0 || table.columns().empty() || costs.best <= loss.leaf_price()) return;
    if (!counts_rows(loss)) sums_.solve(table, loss, depth, count, costs);
    else if (counts_mistakes(loss, table.n_rows())) solve_in(small_, table, loss, depth, count, costs);
    else solve_in(large_, table, loss, depth, count, costs);
}

Plan ColumnSets::first_of_best(const BitTable& table, const Loss& loss, const SetCosts& costs,
                               const std::function<void()>& count) {
    const auto& columns = table.columns();
    size_t first = columns.size();
    for (size_t a = 0; costs.depth > 0 && a < columns.size(); ++a)
        if (costs.by_column[a] <= costs.best + loss.noise() &&
            (first == columns.size() || columns[a].test.feature < columns[first].test.feature))
            first = a;
    if (first == columns.size() || costs.best == leaf_cost(table, loss)) return {};
    Plan below[2];
    for (const bool left : {true, false}) {
        const BitTable branch = table.branch(first, left);
        SetCosts of_branch;
        solve(branch, loss, costs.depth - 1, count, of_branch);
        below[left] = first_of_best(branch, loss, of_branch, count);
    }
    Test test = columns[first].test;
    if (columns[first].categorical && below[0].nodes.empty() && below[1].nodes.empty())
        test = {TestKind::subset, true, test.feature, 0};
    return Plan::join(test, below[true], below[false]);
}

}  // namespace treewright::optimal
