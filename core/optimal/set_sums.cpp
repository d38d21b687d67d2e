// Trees of two-valued columns by summing up sets of columns.
#include "optimal/set_sums.hpp"

#include <numeric>

#include "optimal/set_kernels.hpp"

namespace treewright::optimal {

namespace {

size_t first_of_vector(size_t column) { return column / BitTable::lanes * BitTable::lanes; }

/// What a row adds to sums: those of Loss, or the cost of each label where Loss counts classes.
void add_row(const Loss& loss, size_t row, Cost* sums) {
    if (loss.kind() == LossKind::squares || loss.kind() == LossKind::prices) return loss.add(row, sums);
    const Cost* price = loss.price() + static_cast<size_t>(loss.label(row)) * static_cast<size_t>(loss.n_classes());
    for (int label = 0; label < loss.n_classes(); ++label) sums[label] += price[label];
}

}  // namespace

size_t SetSums::bytes(size_t p, size_t n_rows, const Loss& loss) {
    const size_t padded = BitTable::rounded_up(p), width = static_cast<size_t>(loss.width());
    return (p * padded * (width + 4) + 2 * padded * width + n_rows * width) * sizeof(Cost) + n_rows * padded / 4;
}

void SetSums::lay_out(const BitTable& table, const Loss& loss) {
    SumTables& t = tables_;
    const SetBits& bits = table.bits();
    t.n_columns = table.columns().size();
    t.padded = bits.stride;
    t.width = loss.width();
    t.squares = loss.kind() == LossKind::squares;
    t.scale = loss.square_scale();
    n_rows_ = table.n_rows();
    const auto width = static_cast<size_t>(t.width);
    values_.assign(n_rows_ * width, 0);
    total_.assign(width, 0);
    columns_.assign(n_rows_ * (t.padded / 8), 0);
    for (size_t i = 0; i < n_rows_; ++i) {
        add_row(loss, table.rows()[i], &values_[i * width]);
        for (size_t k = 0; k < width; ++k) total_[k] += values_[i * width + k];
    }
    for (size_t w = 0; w < bits.n_words(); ++w)
        for (size_t c = 0; c < t.n_columns; ++c)
            for (uint64_t rows = bits.bits[w * t.padded + c]; rows; rows &= rows - 1)
                columns_[(w * 64 + static_cast<size_t>(__builtin_ctzll(rows))) * (t.padded / 8) + c / 8] |=
                    static_cast<uint8_t>(1u << c % 8);
    if (expanded_.empty())
        for (int byte = 0; byte < 256; ++byte)
            for (int bit = 0; bit < 8; ++bit) expanded_.push_back(-static_cast<Cost>(byte >> bit & 1));
    const size_t square = t.n_columns * t.padded;
    memory_.assign(2 * width * t.padded + width * square, 0);
    memory_.resize(memory_.size() + 4 * square, endless);
    t.single = memory_.data();
    t.with = t.single + width * t.padded;
    t.both = t.with + width * t.padded;
    for (size_t s = 0; s < 4; ++s) t.pair[s] = t.both + (width + s) * square;
    t.total = total_.data();
    t.values = values_.data();
    t.columns = columns_.data();
    t.expanded = expanded_.data();
}

/// The rows where a column is positive, of all or among some.
void SetSums::rows_of(size_t column, const std::vector<uint32_t>* among, std::vector<uint32_t>& rows) const {
    const size_t stride = tables_.padded / 8, n = among ? among->size() : n_rows_;
    const uint8_t* byte = columns_.data() + column / 8;
    rows.resize(n);
    size_t taken = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t row = among ? (*among)[i] : static_cast<uint32_t>(i);
        rows[taken] = row;
        taken += byte[row * stride] >> column % 8 & 1;
    }
    rows.resize(taken);
}

void SetSums::sum_pairs() {
    const SumTables& t = tables_;
    const size_t square = t.n_columns * t.padded;
    for (size_t a = 0; a < t.n_columns; ++a) {
        rows_of(a, nullptr, of_one_);
        set_kernels().sum(t, of_one_.data(), of_one_.size(), 0);
        for (int k = 0; k < t.width; ++k) {
            const Cost* with = t.of(t.with, k, t.padded);
            std::copy_n(with, t.padded, t.of(t.both, k, square) + a * t.padded);
            t.of(t.single, k, t.padded)[a] = with[a];
        }
    }
}

void SetSums::sum_triples(const std::function<void()>& count) {
    const SumTables& t = tables_;
    for (size_t a = 0; a < t.n_columns; ++a) {
        rows_of(a, nullptr, of_one_);
        for (size_t b = a + 1; b < t.n_columns; ++b) {
            count();
            rows_of(b, &of_one_, of_two_);
            set_kernels().sum(t, of_two_.data(), of_two_.size(), first_of_vector(b + 1));
            set_kernels().triples(t, a, b);
        }
    }
}

/// The best trees of a level, from what is summed up to it; costs are those of Loss, without the squares of the rows.
void SetSums::take_level(const Loss& loss, Cost squares, int depth, SetCosts& costs) const {
    const SumTables& t = tables_;
    const size_t p = t.n_columns, square = p * t.padded;
    Cost cell[4][most_numbers];
    const auto leaf = [&](const Cost* sums) {
        if (t.squares) return loss.square_score(sums[0], sums[1]);
        return *std::min_element(sums, sums + t.width);
    };
    std::vector<Cost> best[2] = {std::vector<Cost>(p), std::vector<Cost>(p)};
    for (size_t a = 0; a < p; ++a) {
        for (int k = 0; k < t.width; ++k) {
            cell[1][k] = t.of(t.single, k, t.padded)[a];
            cell[0][k] = total_[static_cast<size_t>(k)] - cell[1][k];
        }
        for (int s = 0; s < 2; ++s) best[s][a] = leaf(cell[s]);
    }
    const Cost price = loss.leaf_price();
    for (size_t a = 0; depth >= 2 && a < p; ++a)
        for (size_t b = a + 1; b < p; ++b) {
            const size_t ab = a * t.padded + b;
            for (int k = 0; k < t.width; ++k) {
                const Cost* single = t.of(t.single, k, t.padded);
                cell[3][k] = t.of(t.both, k, square)[ab];
                cell[2][k] = single[b] - cell[3][k];
                cell[1][k] = single[a] - cell[3][k];
                cell[0][k] = total_[static_cast<size_t>(k)] - single[a] - cell[2][k];
            }
            Cost cost[4];
            for (int s = 0; s < 4; ++s) {
                cost[s] = leaf(cell[s]);
                if (depth == 3) cost[s] = std::min(cost[s], t.pair[s][ab] + price);
            }
            best[0][a] = std::min(best[0][a], cost[0] + cost[2] + price);
            best[1][a] = std::min(best[1][a], cost[1] + cost[3] + price);
            best[0][b] = std::min(best[0][b], cost[0] + cost[1] + price);
            best[1][b] = std::min(best[1][b], cost[2] + cost[3] + price);
        }
    costs.depth = depth;
    costs.one_level_less = costs.best;
    costs.by_column.resize(p);
    for (size_t a = 0; a < p; ++a) {
        costs.by_column[a] = std::max<Cost>(0, squares + best[0][a] + best[1][a]) + price;
        costs.best = std::min(costs.best, costs.by_column[a]);
    }
}

void SetSums::solve(const BitTable& table, const Loss& loss, int depth, const std::function<void()>& count, SetCosts& costs) {
    lay_out(table, loss);
    Cost squares = 0;
    for (const uint32_t row : table.rows()) squares += loss.square(row);
    for (int level = 1; level <= depth; ++level) {
        count();
        if (level == 1) sum_pairs();
        if (level == 3) sum_triples(count);
        take_level(loss, squares, level, costs);
    }
}

}  // namespace treewright::optimal
