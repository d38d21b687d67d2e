// The loops of kernels.hpp, compiled once for every set of instructions: included into a namespace of its own.
// Nothing of the standard library is called here, so that nothing of it is compiled for a processor that may not be there.

inline uint64_t count_bits(uint64_t word) { return static_cast<uint64_t>(__builtin_popcountll(word)); }

/// Rows of a block that lie on the left.
struct NoPlaces {
    explicit NoPlaces(const Scan& scan) : scan(scan) {}
    uint64_t operator()(uint32_t block) const { return scan.rows_of(block); }
    const Scan& scan;
};
template <class Place>
struct OnePlace {
    explicit OnePlace(const Scan& scan)
        : places(static_cast<const Place*>(scan.places)),
          begin(static_cast<Place>(scan.begin)),
          width(static_cast<Place>(scan.width)) {}
    uint64_t operator()(uint32_t block) const { return within(places + size_t{block} * 64, begin, width); }
    const Place* places;
    Place begin, width;
};
template <class Place>
struct TwoPlaces {
    explicit TwoPlaces(const Scan& scan)
        : places(static_cast<const Place*>(scan.places)),
          begin(static_cast<Place>(scan.begin)),
          width(static_cast<Place>(scan.width)),
          begin_second(static_cast<Place>(scan.begin_second)),
          width_second(static_cast<Place>(scan.width_second)) {}
    uint64_t operator()(uint32_t block) const {
        const Place* at = places + size_t{block} * 64;
        return within(at, begin, width) | within(at, begin_second, width_second);
    }
    const Place* places;
    Place begin, width, begin_second, width_second;
};

/// Any of these, behind one call for a block: for loops that do much more than that with a block.
class AnyPlaces {
public:
    template <class Left>
    explicit AnyPlaces(const Left& left) : left_(&left), rows_(&rows_of<Left>) {}
    uint64_t operator()(uint32_t block) const { return rows_(left_, block); }

private:
    template <class Left>
    static uint64_t rows_of(const void* left, uint32_t block) {
        return (*static_cast<const Left*>(left))(block);
    }

    const void* left_;
    uint64_t (*rows_)(const void*, uint32_t);
};

// ---- two classes ---------------------------------------------------------------------------------------------------------
//
// Splits say 0 on one branch and 1 on the other. Let `lead` be the cost of the rows of class 1 up to a cut less that of the rows
// of class 0: the split costs all of class 0 plus the lead, or all of class 1 less the lead, whichever is less.

struct PairSide {
    Cost zeros, ones, lead = 0, best;

    PairSide(const Side& side, Cost zero, Cost one)
        : zeros(side.wanted ? side.sums[0] * zero : 0),
          ones(side.wanted ? side.sums[1] * one : 0),
          best(side.wanted ? side.best : -endless) {}
    bool may_improve(Cost zeros_here, Cost ones_here) const {
        return (zeros + lead - zeros_here < best) | (ones - lead - ones_here < best);
    }
    void cut() {
        const Cost one = zeros + lead, other = ones - lead, cost = one < other ? one : other;
        if (cost < best) best = cost;
    }
};

/// Look at the cuts of a block one by one, eight rows at a time.
inline void pair_cuts(PairSide side, uint64_t rows, uint64_t ones, uint64_t ends, Cost zero, Cost one, Cost& best) {
    if (has_byte_sums && zero == one) {
        if (!ends) return;
        int least, largest;
        lead_range(rows & ones, rows & ~ones, ends, least, largest);
        const Cost a = side.zeros + side.lead + least * one, b = side.ones - side.lead - largest * one;
        const Cost cost = a < b ? a : b;
        if (cost < best) best = cost;
        return;
    }
    for (int byte = 0; byte < 64; byte += 8) {
        const auto here = static_cast<uint32_t>(rows >> byte & 255), of_one = static_cast<uint32_t>(ones >> byte & 255) & here,
                   of_zero = here & ~of_one, cuts = static_cast<uint32_t>(ends >> byte & 255);
        const Cost ones_here = static_cast<Cost>(count_bits(of_one)) * one,
                   zeros_here = static_cast<Cost>(count_bits(of_zero)) * zero;
        if (cuts && side.may_improve(zeros_here, ones_here)) {
            PairSide at = side;
            for (uint32_t left = cuts; left; left &= left - 1) {
                const uint32_t upto = ((left & (0u - left)) << 1) - 1;
                at.lead = side.lead + static_cast<Cost>(count_bits(of_one & upto)) * one -
                          static_cast<Cost>(count_bits(of_zero & upto)) * zero;
                at.cut();
            }
            side.best = at.best;
        }
        side.lead += ones_here - zeros_here;
    }
    best = side.best;
}

template <class Left>
void pair_rows(Scan& scan) {
    const Left on_left(scan);
    const Cost zero = scan.loss->mistake()[0], one = scan.loss->mistake()[1];
    PairSide left(scan.left, zero, one), right(scan.right, zero, one);
    for (uint32_t b = 0; b < scan.n_blocks; ++b) {
        const uint64_t rows = on_left(b), of_one = scan.column.classes[b], all = scan.rows_of(b);
        const auto n_ones = static_cast<Cost>(count_bits(rows & of_one)), n_zeros = static_cast<Cost>(count_bits(rows)) - n_ones;
        const auto all_ones = static_cast<Cost>(scan.column.n_classes[b]);
        const auto all_zeros = static_cast<Cost>(b + 1 < scan.n_blocks ? 64 : scan.n_rows - b * 64) - all_ones;
        const Cost left_ones = n_ones * one, left_zeros = n_zeros * zero;
        const Cost right_ones = (all_ones - n_ones) * one, right_zeros = (all_zeros - n_zeros) * zero;
        if (__builtin_expect(left.may_improve(left_zeros, left_ones), 0))
            pair_cuts(left, rows, of_one, scan.column.ends[b], zero, one, left.best);
        if (__builtin_expect(right.may_improve(right_zeros, right_ones), 0))
            pair_cuts(right, ~rows & all, of_one, scan.column.ends[b], zero, one, right.best);
        left.lead += left_ones - left_zeros;
        right.lead += right_ones - right_zeros;
    }
    if (scan.left.wanted) scan.left.best = left.best;
    if (scan.right.wanted) scan.right.best = right.best;
}

/// Orders of few groups: only their ends need be looked at. Categories: each goes where it costs less.
template <class Left, bool categorical>
void pair_pieces(Scan& scan) {
    const Left on_left(scan);
    const Cost zero = scan.loss->mistake()[0], one = scan.loss->mistake()[1];
    PairSide left(scan.left, zero, one), right(scan.right, zero, one);
    Cost ones[2] = {}, zeros[2] = {}, cost[2] = {};
    uint32_t block = ~0u;
    uint64_t rows = 0;
    for (size_t p = 0; p < scan.column.n_pieces; ++p) {
        const Piece& piece = scan.column.pieces[p];
        if (piece.block != block) {
            block = piece.block;
            rows = on_left(block);
        }
        const uint64_t of_one = scan.column.classes[block] & piece.rows, of_zero = piece.rows & ~of_one;
        const auto left_ones = static_cast<Cost>(count_bits(of_one & rows)),
                   left_zeros = static_cast<Cost>(count_bits(of_zero & rows));
        ones[0] += left_ones;
        zeros[0] += left_zeros;
        ones[1] += static_cast<Cost>(count_bits(of_one)) - left_ones;
        zeros[1] += static_cast<Cost>(count_bits(of_zero)) - left_zeros;
        if (!piece.last) continue;
        if constexpr (categorical) {
            for (int s = 0; s < 2; ++s) {
                const Cost as_zero = ones[s] * one, as_one = zeros[s] * zero;
                cost[s] += as_zero < as_one ? as_zero : as_one;
            }
        } else {
            left.lead += ones[0] * one - zeros[0] * zero;
            right.lead += ones[1] * one - zeros[1] * zero;
            if (piece.last == 2) {
                left.cut();
                right.cut();
            }
        }
        ones[0] = ones[1] = zeros[0] = zeros[1] = 0;
    }
    if constexpr (categorical) {
        if (cost[0] < left.best) left.best = cost[0];
        if (cost[1] < right.best) right.best = cost[1];
    }
    if (scan.left.wanted) scan.left.best = left.best;
    if (scan.right.wanted) scan.right.best = right.best;
}

// ---- any other loss --------------------------------------------------------------------------------------------------------
//
// A side is a vector of sums: rows of each class, costs of each label, or weight and sum. Any cut inside a block leaves what is
// before the block on one side and what is after it on the other: it costs no less than these do.

struct Counts {
    static constexpr bool squares = false;
    const Scan& scan;
    int width = scan.loss->width();

    void block(uint32_t b, uint64_t rows, Cost* sums) const {
        const uint64_t* classes = scan.column.classes + size_t{b} * static_cast<size_t>(width);
        for (int k = 0; k < width; ++k) sums[k] += static_cast<Cost>(count_bits(rows & classes[k]));
    }
    void whole(uint32_t b, Cost* sums) const {
        const uint8_t* counts = scan.column.n_classes + size_t{b} * static_cast<size_t>(width);
        for (int k = 0; k < width; ++k) sums[k] += counts[k];
    }
    void row(uint32_t b, int bit, Cost* sums) const {
        const uint64_t* classes = scan.column.classes + size_t{b} * static_cast<size_t>(width);
        for (int k = 0; k < width; ++k) sums[k] += static_cast<Cost>(classes[k] >> bit & 1);
    }
    /// Cost of rows by the label that they are given.
    void by_label(const Cost* sums, Cost* costs) const {
        const Cost* price = scan.loss->price();
        for (int label = 0; label < width; ++label) costs[label] = 0;
        for (int k = 0; k < width; ++k)
            if (sums[k])
                for (int label = 0; label < width; ++label) costs[label] += sums[k] * price[k * width + label];
    }
};

struct Prices {
    static constexpr bool squares = false;
    const Scan& scan;
    int width = scan.loss->width();

    void block(uint32_t b, uint64_t rows, Cost* sums) const {
        const Cost* numbers = scan.column.numbers + size_t{b} * 64 * static_cast<size_t>(width);
        for (; rows; rows &= rows - 1) {
            const Cost* at = numbers + __builtin_ctzll(rows) * width;
            for (int k = 0; k < width; ++k) sums[k] += at[k];
        }
    }
    void whole(uint32_t b, Cost* sums) const {
        const Cost* at = scan.column.block_sums + size_t{b} * static_cast<size_t>(width);
        for (int k = 0; k < width; ++k) sums[k] += at[k];
    }
    void row(uint32_t b, int bit, Cost* sums) const {
        const Cost* at = scan.column.numbers + (size_t{b} * 64 + static_cast<size_t>(bit)) * static_cast<size_t>(width);
        for (int k = 0; k < width; ++k) sums[k] += at[k];
    }
    void by_label(const Cost* sums, Cost* costs) const {
        for (int label = 0; label < width; ++label) costs[label] = sums[label];
    }
};

struct Squares {
    static constexpr bool squares = true;
    const Scan& scan;
    int width = 2;

    void block(uint32_t b, uint64_t rows, Cost* sums) const {
        const Cost* numbers = scan.column.numbers + size_t{b} * 128;
        for (; rows; rows &= rows - 1) {
            const Cost* at = numbers + __builtin_ctzll(rows) * 2;
            sums[0] += at[0];
            sums[1] += at[1];
        }
    }
    void whole(uint32_t b, Cost* sums) const {
        sums[0] += scan.column.block_sums[size_t{b} * 2];
        sums[1] += scan.column.block_sums[size_t{b} * 2 + 1];
    }
    void row(uint32_t b, int bit, Cost* sums) const {
        const Cost* at = scan.column.numbers + (size_t{b} * 64 + static_cast<size_t>(bit)) * 2;
        sums[0] += at[0];
        sums[1] += at[1];
    }
    void by_label(const Cost*, Cost*) const {}
};

/// Sums of a side on the way through a column.
struct RunningSide {
    Cost *before, *rest;  // of the rows up to a place, and room for those after it
    const Cost* all;
    Cost best;

    RunningSide(const Side& side, Cost* scratch, int width)
        : before(scratch), rest(scratch + width), all(side.sums), best(side.wanted ? side.best : -endless) {
        for (int k = 0; k < width; ++k) before[k] = 0;
    }
    void cut(const Loss& loss, int width) {
        if (best == -endless) return;
        const Cost part = loss.score(before);
        for (int k = 0; k < width; ++k) rest[k] = all[k] - before[k];
        const Cost cost = part + loss.score(rest);
        if (cost < best) best = cost;
    }
    /// Whether a cut inside a block may cost less than the best.
    bool may_improve(const Loss& loss, const Cost* block, int width) const {
        for (int k = 0; k < width; ++k) rest[k] = all[k] - before[k] - block[k];
        return loss.score(before) + loss.score(rest) < best;
    }
};

template <class Policy>
void cuts_of_block(const Policy& policy, const Scan& scan, uint32_t b, uint64_t rows, RunningSide& side) {
    const uint64_t ends = scan.column.ends[b];
    uint64_t left = rows | ends;
    for (; left; left &= left - 1) {
        const int bit = __builtin_ctzll(left);
        if (rows >> bit & 1) policy.row(b, bit, side.before);
        if (ends >> bit & 1) side.cut(*scan.loss, policy.width);
    }
}

template <class Policy>
void other_rows(Scan& scan, const AnyPlaces& on_left) {
    const Policy policy{scan};
    const int width = policy.width;
    const Loss& loss = *scan.loss;
    Cost* scratch = scan.scratch;
    RunningSide side[2] = {{scan.left, scratch, width}, {scan.right, scratch + 2 * width, width}};
    Cost* block[2] = {scratch + 4 * width, scratch + 5 * width};
    for (uint32_t b = 0; b < scan.n_blocks; ++b) {
        const uint64_t rows = on_left(b), others = ~rows & scan.rows_of(b);
        for (int k = 0; k < width; ++k) block[0][k] = block[1][k] = 0;
        policy.block(b, rows, block[0]);
        policy.whole(b, block[1]);
        for (int k = 0; k < width; ++k) block[1][k] -= block[0][k];
        for (int s = 0; s < 2; ++s) {
            bool look = side[s].best != -endless && scan.column.ends[b] != 0;
            if constexpr (!Policy::squares) look = look && side[s].may_improve(loss, block[s], width);
            if (look) {
                cuts_of_block(policy, scan, b, s ? others : rows, side[s]);
            } else {
                for (int k = 0; k < width; ++k) side[s].before[k] += block[s][k];
            }
        }
    }
    if (scan.left.wanted) scan.left.best = side[0].best;
    if (scan.right.wanted) scan.right.best = side[1].best;
}

/// Two groups of numbers, ordered by their means: the best of all subsets is a cut of that order.
inline Cost best_cut_of_means(const Loss& loss, Cost* groups, size_t n) {
    for (size_t i = 1; i < n; ++i) {  // few, and mostly in order already
        const Cost weight = groups[2 * i], sum = groups[2 * i + 1];
        const double mean = static_cast<double>(sum) / static_cast<double>(weight);
        size_t j = i;
        for (; j > 0 && static_cast<double>(groups[2 * j - 1]) / static_cast<double>(groups[2 * j - 2]) > mean; --j) {
            groups[2 * j] = groups[2 * j - 2];
            groups[2 * j + 1] = groups[2 * j - 1];
        }
        groups[2 * j] = weight;
        groups[2 * j + 1] = sum;
    }
    Cost weight = 0, sum = 0, all_weight = 0, all_sum = 0, best = 0;
    for (size_t i = 0; i < n; ++i) {
        all_weight += groups[2 * i];
        all_sum += groups[2 * i + 1];
    }
    for (size_t i = 0; i < n; ++i) {
        weight += groups[2 * i];
        sum += groups[2 * i + 1];
        const Cost cost = loss.square_score(weight, sum) + loss.square_score(all_weight - weight, all_sum - sum);
        if (i == 0 || cost < best) best = cost;
    }
    return best;
}

template <class Policy>
void other_categories(Scan& scan, const AnyPlaces& on_left) {
    const Policy policy{scan};
    const int width = policy.width;
    Cost *group = scan.scratch, *costs = group + 2 * width, *table = costs + 2 * width;
    for (int s = 0; s < 2; ++s) {
        Side& side = s ? scan.right : scan.left;
        if (!side.wanted) continue;
        size_t n_groups = 0;
        if constexpr (!Policy::squares)
            for (int i = 0; i < width * width; ++i) table[i] = 0;
        for (int k = 0; k < width; ++k) group[k] = 0;
        for (size_t p = 0; p < scan.column.n_pieces; ++p) {
            const Piece& piece = scan.column.pieces[p];
            const uint64_t rows = on_left(piece.block);
            policy.block(piece.block, (s ? ~rows : rows) & piece.rows, group);
            if (!piece.last) continue;
            if constexpr (Policy::squares) {
                if (group[0] > 0) {
                    table[2 * n_groups] = group[0];
                    table[2 * n_groups + 1] = group[1];
                    ++n_groups;
                }
            } else {
                policy.by_label(group, costs);
                for (int a = 0; a < width; ++a)
                    for (int b = a + 1; b < width; ++b) table[a * width + b] += costs[a] < costs[b] ? costs[a] : costs[b];
            }
            for (int k = 0; k < width; ++k) group[k] = 0;
        }
        Cost best = endless;
        if constexpr (Policy::squares) {
            if (n_groups > 0) best = best_cut_of_means(*scan.loss, table, n_groups);
        } else {
            for (int a = 0; a < width; ++a)
                for (int b = a + 1; b < width; ++b)
                    if (table[a * width + b] < best) best = table[a * width + b];
        }
        if (best < side.best) side.best = best;
    }
}

#include "optimal/kernels_classes.ipp"

// ---- telling two classes apart ---------------------------------------------------------------------------------------------
//
// The least and the largest group of each class are kept for all columns side by side. Once no column has all groups of a class
// on one side of those of the other, there is no such cut, nor is there one for more rows: so some rows are taken at a time, and
// the last of them again, one by one.

typedef int32_t Groups __attribute__((vector_size(4 * OrderedRows::lanes), aligned(4), may_alias));

/// What is known of a vector of columns: by class, the first one first.
struct Extremes {
    Groups low[2], high[2];

    inline __attribute__((always_inline)) void take(const int32_t* groups, bool first) {
        Groups group;
        __builtin_memcpy(&group, groups, sizeof(Groups));
        const Groups is_first = Groups{} - static_cast<int32_t>(first);
        UNROLLED
        for (int k = 0; k < 2; ++k) {
            const Groups mine = k ? ~is_first : is_first;
            const Groups at_low = (group & mine) | (~mine & 0x7fffffff), at_high = group | ~mine;
            low[k] = at_low < low[k] ? at_low : low[k];
            high[k] = at_high > high[k] ? at_high : high[k];
        }
    }
    inline __attribute__((always_inline)) void add_parted(Groups& to) const { to |= (high[0] < low[1]) | (high[1] < low[0]); }
};

/// For so many vectors of columns; rows before `step` are apart, and in what is known.
template <size_t n_vectors>
uint32_t apart_from(const OrderedRows& of, int32_t first, int32_t second, uint32_t step, uint32_t most, const int32_t* columns,
                    const Extremes* all) {
    typedef uint64_t Words __attribute__((vector_size(sizeof(Groups))));
    Extremes known[n_vectors], before[n_vectors];
    const auto copy = [&](const Extremes* from, Extremes* to)
                          __attribute__((always_inline)) { __builtin_memcpy(to, from, n_vectors * sizeof(Extremes)); };
    for (size_t v = 0; v < n_vectors; ++v) known[v] = all[columns[v]];
    const auto row_at = [&](uint32_t at) { return of.row[of.order[of.from_end ? of.n_rows - 1 - at : at]]; };
    const auto take = [&](uint32_t row, bool is_first) __attribute__((always_inline)) {
        const int32_t* groups = of.groups + row * of.n_vectors * OrderedRows::lanes;
        UNROLLED
        for (size_t v = 0; v < n_vectors; ++v)
            known[v].take(groups + static_cast<size_t>(columns[v]) * OrderedRows::lanes, is_first);
    };
    const auto parted = [&]() __attribute__((always_inline)) {
        Groups any{};
        UNROLLED
        for (size_t v = 0; v < n_vectors; ++v) known[v].add_parted(any);
        const Words words = reinterpret_cast<Words>(any);
        return (words[0] | words[1] | words[2] | words[3]) != 0;
    };
    while (step < most) {
        copy(known, before);
        const uint32_t end = most - step < 16 ? most : step + 16;
        uint32_t next = step;
        for (; next < end; ++next) {
            const uint32_t row = row_at(next);
            const int32_t label = of.label[row];
            if (label != first && label != second) most = next;
            if (next == most) break;
            take(row, label == first);
        }
        if (!parted()) {
            copy(before, known);
            for (;; ++step) {
                const uint32_t row = row_at(step);
                take(row, of.label[row] == first);
                if (!parted()) return step;
            }
        }
        step = next;
    }
    return most;
}

inline uint32_t apart(const OrderedRows& of, int32_t first, int32_t second, uint32_t most) {
    auto* const known = reinterpret_cast<Extremes*>(of.scratch);
    int32_t* const open = of.scratch + 4 * OrderedRows::lanes * of.n_vectors;
    for (size_t v = 0; v < of.n_vectors; ++v) {
        open[v] = static_cast<int32_t>(v);
        for (int k = 0; k < 2; ++k) {
            known[v].low[k] = Groups{} + 0x7fffffff;
            known[v].high[k] = Groups{} - 1;
        }
    }
    size_t n_open = of.n_vectors;
    for (uint32_t step = 0; n_open > 2; ++step) {  // of many columns few go on for long
        if (step == most) return most;
        const uint32_t row = of.row[of.order[of.from_end ? of.n_rows - 1 - step : step]];
        const int32_t label = of.label[row];
        if (label != first && label != second) return step;
        size_t kept = 0;
        for (size_t i = 0; i < n_open; ++i) {
            const auto v = static_cast<size_t>(open[i]);
            known[v].take(of.groups + (row * of.n_vectors + v) * OrderedRows::lanes, label == first);
            Groups parted{};
            known[v].add_parted(parted);
            bool any = false;
            for (size_t k = 0; k < OrderedRows::lanes; ++k) any |= parted[k] != 0;
            open[kept] = open[i];
            kept += any;
        }
        if (kept == 0) return step;
        n_open = kept;
        if (kept <= 2) return (kept == 1 ? apart_from<1> : apart_from<2>)(of, first, second, step + 1, most, open, known);
    }
    return (n_open == 1 ? apart_from<1> : apart_from<2>)(of, first, second, 0, most, open, known);
}

// ---- the table of functions ------------------------------------------------------------------------------------------------

template <class Left>
void scan_pair(Scan& scan) {
    if (!scan.column.pieces) pair_rows<Left>(scan);
    else if (scan.column.categorical) pair_pieces<Left, true>(scan);
    else pair_pieces<Left, false>(scan);
}
template <class Policy>
void scan_other(Scan& scan, const AnyPlaces& on_left) {
    if (scan.column.categorical) other_categories<Policy>(scan, on_left);
    else other_rows<Policy>(scan, on_left);
}
template <class Left>
void scan_any(Scan& scan) {
    switch (scan.loss->kind()) {
        case LossKind::pair:
            return scan_pair<Left>(scan);
        case LossKind::counts:
            if (scan.loss->each() && !scan.column.categorical) return class_rows<Left>(scan);
            return scan_other<Counts>(scan, AnyPlaces(Left(scan)));
        case LossKind::prices:
            return scan_other<Prices>(scan, AnyPlaces(Left(scan)));
        case LossKind::squares:
            return scan_other<Squares>(scan, AnyPlaces(Left(scan)));
    }
}
inline void scan_whole(Scan& scan) { scan_any<NoPlaces>(scan); }
template <class Place>
void scan_places(Scan& scan) {
    if (scan.width_second) scan_any<TwoPlaces<Place>>(scan);
    else scan_any<OnePlace<Place>>(scan);
}

inline Kernels table_of_functions() {
    return {{scan_whole, scan_places<uint16_t>, scan_places<uint32_t>}, gather_narrow, gather_wide, part, apart};
}
