// The loops of set_kernels.hpp, compiled once for every set of instructions: included into a namespace of its own, which has
// `Words`, `count_words` and `gather_bits`. Vectors are GCC's and Clang's own: wider than the processor's they are taken in
// parts.

template <class Number>
struct Loops {
    static constexpr size_t lanes = 64 / sizeof(Number);
    typedef Number Vector __attribute__((vector_size(64)));
    typedef Number Eight __attribute__((vector_size(8 * sizeof(Number))));
    typedef double Wide __attribute__((vector_size(64)));
    using Tables = SetTables<Number>;

    template <class Any, class From>
    static inline __attribute__((always_inline)) void load(const From* from, Any& to) {
        __builtin_memcpy(&to, from, sizeof(to));
    }
    template <class Any, class To>
    static inline __attribute__((always_inline)) void store(To* to, const Any& from) {
        __builtin_memcpy(to, &from, sizeof(from));
    }
    template <class Any>
    static inline __attribute__((always_inline)) void lower(Any& best, const Any& cost) {
        best = cost < best ? cost : best;
    }
    template <class Any, class To>
    static inline __attribute__((always_inline)) void lower_at(To* at, const Any& cost) {
        Any best;
        load(at, best);
        lower(best, cost);
        store(at, best);
    }
    template <class Any, class From>
    static inline __attribute__((always_inline)) void fill(Any& to, From value) {
        to = Any{} + value;
    }
    template <class Any, class Of>
    static Of least(const Any& of, Of best) {
        for (size_t i = 0; i < sizeof(of) / sizeof(Of); ++i)
            if (of[i] < best) best = of[i];
        return best;
    }
    /// The least lane of each of eight vectors.
    static inline __attribute__((always_inline)) void least_of_eight(const Vector* of, Number* to) {
        if constexpr (sizeof(Number) == 2) {
            typedef Number Part __attribute__((vector_size(16)));
            Part part[8];
            UNROLLED
            for (int s = 0; s < 8; ++s) {
                Part quarter[4];
                __builtin_memcpy(quarter, &of[s], sizeof(Vector));
                lower(quarter[0], quarter[1]);
                lower(quarter[2], quarter[3]);
                lower(quarter[0], quarter[2]);
                part[s] = quarter[0];
            }
            UNROLLED
            for (int s = 0; s < 8; s += 2) {  // lanes of two vectors in turn
                const Part low = __builtin_shufflevector(part[s], part[s + 1], 0, 8, 1, 9, 2, 10, 3, 11);
                part[s] = __builtin_shufflevector(part[s], part[s + 1], 4, 12, 5, 13, 6, 14, 7, 15);
                lower(part[s], low);
            }
            UNROLLED
            for (int s = 0; s < 8; s += 4) {  // of four
                const Part low = __builtin_shufflevector(part[s], part[s + 2], 0, 1, 8, 9, 2, 3, 10, 11);
                part[s] = __builtin_shufflevector(part[s], part[s + 2], 4, 5, 12, 13, 6, 7, 14, 15);
                lower(part[s], low);
            }
            const Part low = __builtin_shufflevector(part[0], part[4], 0, 1, 2, 3, 8, 9, 10, 11);
            part[0] = __builtin_shufflevector(part[0], part[4], 4, 5, 6, 7, 12, 13, 14, 15);
            lower(part[0], low);
            store(to, part[0]);
        } else {
            for (int s = 0; s < 8; ++s) to[s] = least(of[s], of[s][0]);
        }
    }
    static inline __attribute__((always_inline)) const Number* both(const Tables& t, int k, size_t a) {
        return t.both[k] + a * t.padded;
    }
    /// The signs of a cell of three columns stand one after the other, a vector each.
    static inline __attribute__((always_inline)) Number* triple(const Tables& t, int signs, size_t at) {
        constexpr size_t side = BitTable::lanes;
        return t.triple + at / side * side * 8 + static_cast<size_t>(signs) * side + at % side;
    }
    static size_t first_of_vector(size_t column) { return column / BitTable::lanes * BitTable::lanes; }
    /// From rows where a set is positive to rows that have these signs and no others.
    template <class Cell>
    static inline __attribute__((always_inline)) void subtract(Cell* cells) {
        UNROLLED
        for (int bit = 1; bit < 8; bit <<= 1) UNROLLED
        for (int i = 0; i < 8; ++i)
            if (!(i & bit)) cells[i] = cells[i] - cells[i | bit];
    }

    static void count(const SetBits& bits, size_t column, size_t first, Tables& t) {
        const uint64_t* word = bits.bits;
        UNROLLED
        for (int k = 0; k < 2; ++k) {
            for (size_t d = first; d < bits.stride; d += 8) {
                Words sum{};
                const uint64_t* at = word;
                for (size_t w = 0; w < bits.words[k]; ++w, at += bits.stride) count_words(at[column], at + d, sum);
                Eight eight = __builtin_convertvector(sum, Eight);
                if constexpr (sizeof(Number) == sizeof(double)) eight *= t.weight[k];
                store(t.with[k] + d, eight);
            }
            word += bits.words[k] * bits.stride;
        }
    }

    /// The rows of the eight signs of (a, b, c), for a vector of columns c whose rows with a and b are given.
    template <class Cell, class From>
    static inline __attribute__((always_inline)) void cells_of(const Tables& t, int k, size_t a, size_t b, size_t c,
                                                               const From& with, Cell* of) {
        const auto read = [](const Number* from, Cell& to) __attribute__((always_inline)) {
            From narrow;
            load(from, narrow);
            to = __builtin_convertvector(narrow, Cell);
        };
        fill(of[0], t.total[k]);
        fill(of[1], t.single[k][a]);
        fill(of[2], t.single[k][b]);
        fill(of[3], both(t, k, a)[b]);
        read(t.single[k] + c, of[4]);
        read(both(t, k, a) + c, of[5]);
        read(both(t, k, b) + c, of[6]);
        of[7] = __builtin_convertvector(with, Cell);
        subtract(of);
    }

    static void triples(Tables& t, size_t a, size_t b, bool keep) {
        const size_t base = keep ? t.base[a * t.n_columns + b] : 0, row_a = a * t.padded, row_b = b * t.padded;
        Vector best[4];
        UNROLLED
        for (int s = 0; s < 4; ++s) fill(best[s], t.pair[s][row_a + b]);
        for (size_t c = first_of_vector(b + 1); c < t.padded; c += lanes) {
            Vector cell[2][8], cost[8];
            UNROLLED
            for (int k = 0; k < 2; ++k) {
                Vector with;
                load(t.with[k] + c, with);
                if (keep) store(t.three[k] + base + c, with);
                cells_of(t, k, a, b, c, with, cell[k]);
            }
            UNROLLED
            for (int s = 0; s < 8; ++s) cost[s] = cell[0][s] < cell[1][s] ? cell[0][s] : cell[1][s];
            UNROLLED
            for (int s = 0; s < 4; ++s) {
                const int i = (s & 1) | ((s & 2) << 1), j = s << 1;
                lower(best[s], cost[s] + cost[s | 4]);
                lower_at(t.pair[s] + row_a + c, cost[i] + cost[i | 2]);
                lower_at(t.pair[s] + row_b + c, cost[j] + cost[j | 1]);
            }
        }
        UNROLLED
        for (int s = 0; s < 4; ++s) t.pair[s][row_a + b] = least(best[s], t.pair[s][row_a + b]);
    }

    static void quadruples(Tables& t, size_t a, size_t b, size_t c) {
        const size_t ab = t.base[a * t.n_columns + b], ac = t.base[a * t.n_columns + c], bc = t.base[b * t.n_columns + c];
        Number all[2][8];
        UNROLLED
        for (int k = 0; k < 2; ++k) {
            Number* of = all[k];
            of[0] = t.total[k];
            of[1] = t.single[k][a];
            of[2] = t.single[k][b];
            of[3] = both(t, k, a)[b];
            of[4] = t.single[k][c];
            of[5] = both(t, k, a)[c];
            of[6] = both(t, k, b)[c];
            of[7] = t.three[k][ab + c];
            UNROLLED
            for (int bit = 1; bit < 8; bit <<= 1) UNROLLED
            for (int i = 0; i < 8; ++i)
                if (!(i & bit)) of[i] = static_cast<Number>(of[i] - of[i | bit]);
        }
        Vector best[8];
        UNROLLED
        for (int s = 0; s < 8; ++s) fill(best[s], *triple(t, s, ab + c));
        for (size_t d = first_of_vector(c + 1); d < t.padded; d += lanes) {
            Vector cell[2][8], with[8], without[8];
            UNROLLED
            for (int k = 0; k < 2; ++k) {
                Vector* of = cell[k];
                load(t.single[k] + d, of[0]);
                load(both(t, k, a) + d, of[1]);
                load(both(t, k, b) + d, of[2]);
                load(t.three[k] + ab + d, of[3]);
                load(both(t, k, c) + d, of[4]);
                load(t.three[k] + ac + d, of[5]);
                load(t.three[k] + bc + d, of[6]);
                load(t.with[k] + d, of[7]);
                subtract(of);
            }
            UNROLLED
            for (int s = 0; s < 8; ++s) {
                with[s] = cell[0][s] < cell[1][s] ? cell[0][s] : cell[1][s];
                const Vector zeros = all[0][s] - cell[0][s], ones = all[1][s] - cell[1][s];
                without[s] = zeros < ones ? zeros : ones;
                lower(best[s], with[s] + without[s]);
            }
            UNROLLED
            for (int s = 0; s < 4; ++s) {
                const int i = (s & 1) | ((s & 2) << 1), j = s << 1;
                lower_at(triple(t, s, ab + d), without[s] + without[s | 4]);
                lower_at(triple(t, s | 4, ab + d), with[s] + with[s | 4]);
                lower_at(triple(t, s, ac + d), without[i] + without[i | 2]);
                lower_at(triple(t, s | 4, ac + d), with[i] + with[i | 2]);
                lower_at(triple(t, s, bc + d), without[j] + without[j | 1]);
                lower_at(triple(t, s | 4, bc + d), with[j] + with[j | 1]);
            }
        }
        Number least[8];
        least_of_eight(best, least);
        UNROLLED
        for (int s = 0; s < 8; ++s) *triple(t, s, ab + c) = least[s];
    }

    static void fold(Tables& t, size_t a, size_t b) {
        const size_t base = t.base[a * t.n_columns + b], row_a = a * t.padded, row_b = b * t.padded;
        Wide best[4];
        UNROLLED
        for (int s = 0; s < 4; ++s) fill(best[s], t.below[s][row_a + b]);
        for (size_t c = first_of_vector(b + 1); c < t.padded; c += 8) {
            Wide cell[2][8], cost[8];
            UNROLLED
            for (int k = 0; k < 2; ++k) {
                Eight with;
                load(t.three[k] + base + c, with);
                cells_of(t, k, a, b, c, with, cell[k]);
            }
            UNROLLED
            for (int s = 0; s < 8; ++s) {
                Eight narrow;
                load(triple(t, s, base + c), narrow);
                const Wide leaf = (cell[0][s] < cell[1][s] ? cell[0][s] : cell[1][s]) * t.unit,
                           split = __builtin_convertvector(narrow, Wide) * t.unit + t.price;
                cost[s] = leaf < split ? leaf : split;
            }
            UNROLLED
            for (int s = 0; s < 4; ++s) {
                const int i = (s & 1) | ((s & 2) << 1), j = s << 1;
                lower(best[s], cost[s] + cost[s | 4] + t.price);
                lower_at(t.below[s] + row_a + c, cost[i] + cost[i | 2] + t.price);
                lower_at(t.below[s] + row_b + c, cost[j] + cost[j | 1] + t.price);
            }
        }
        UNROLLED
        for (int s = 0; s < 4; ++s) t.below[s][row_a + b] = least(best[s], t.below[s][row_a + b]);
    }

    static SetLoops<Number> all() { return {count, triples, quadruples, fold}; }
};

// ---- any loss --------------------------------------------------------------------------------------------------------------

struct Sums {
    typedef Cost Vector __attribute__((vector_size(64)));
    typedef double Wide __attribute__((vector_size(64)));
    using L = Loops<double>;

    /// `numbers` of a row, from `from` on, for eight columns at a time.
    template <int numbers>
    static inline __attribute__((always_inline)) void sum_numbers(const SumTables& t, const uint32_t* rows, size_t n_rows,
                                                                  size_t first, int from) {
        const size_t stride = t.padded / 8;
        const auto width = static_cast<size_t>(t.width);
        for (size_t d = first; d < t.padded; d += 8) {
            Vector sum[numbers] = {};
            const uint8_t* columns = t.columns + d / 8;
            for (size_t i = 0; i < n_rows; ++i) {
                const size_t row = rows[i];
                Vector taken;
                L::load(t.expanded + size_t{columns[row * stride]} * 8, taken);
                UNROLLED
                for (int k = 0; k < numbers; ++k) sum[k] += taken & t.values[row * width + static_cast<size_t>(from + k)];
            }
            UNROLLED
            for (int k = 0; k < numbers; ++k) L::store(t.of(t.with, from + k, t.padded) + d, sum[k]);
        }
    }
    static void sum(const SumTables& t, const uint32_t* rows, size_t n_rows, size_t first) {
        int k = 0;
        for (; k + 2 <= t.width; k += 2) sum_numbers<2>(t, rows, n_rows, first, k);
        if (k < t.width) sum_numbers<1>(t, rows, n_rows, first, k);
    }

    static inline __attribute__((always_inline)) void cells_of(const SumTables& t, int k, size_t a, size_t b, size_t c,
                                                               Vector* of) {
        const Cost *single = t.of(t.single, k, t.padded), *both = t.of(t.both, k, t.n_columns * t.padded);
        of[0] = Vector{} + t.total[k];
        of[1] = Vector{} + single[a];
        of[2] = Vector{} + single[b];
        of[3] = Vector{} + both[a * t.padded + b];
        L::load(single + c, of[4]);
        L::load(both + a * t.padded + c, of[5]);
        L::load(both + b * t.padded + c, of[6]);
        L::load(t.of(t.with, k, t.padded) + c, of[7]);
        L::subtract(of);
    }

    static void triples(const SumTables& t, size_t a, size_t b) {
        const size_t row_a = a * t.padded, row_b = b * t.padded;
        Vector best[4];
        UNROLLED
        for (int s = 0; s < 4; ++s) best[s] = Vector{} + t.pair[s][row_a + b];
        for (size_t c = L::first_of_vector(b + 1); c < t.padded; c += 8) {
            Vector cost[8], cell[8];
            cells_of(t, 0, a, b, c, cost);
            if (t.squares) {  // of a weight and a sum, as Loss has it
                cells_of(t, 1, a, b, c, cell);
                UNROLLED
                for (int s = 0; s < 8; ++s) {
                    const Vector weight = cost[s] > 0 ? cost[s] : Vector{} + 1;
                    const Wide sum = __builtin_convertvector(cell[s], Wide);
                    cost[s] = -__builtin_convertvector(sum * sum / __builtin_convertvector(weight, Wide) * t.scale, Vector);
                }
            } else {  // the cheapest label
                for (int k = 1; k < t.width; ++k) {
                    cells_of(t, k, a, b, c, cell);
                    UNROLLED
                    for (int s = 0; s < 8; ++s) L::lower(cost[s], cell[s]);
                }
            }
            UNROLLED
            for (int s = 0; s < 4; ++s) {
                const int i = (s & 1) | ((s & 2) << 1), j = s << 1;
                L::lower(best[s], cost[s] + cost[s | 4]);
                L::lower_at(t.pair[s] + row_a + c, cost[i] + cost[i | 2]);
                L::lower_at(t.pair[s] + row_b + c, cost[j] + cost[j | 1]);
            }
        }
        UNROLLED
        for (int s = 0; s < 4; ++s) t.pair[s][row_a + b] = L::least(best[s], t.pair[s][row_a + b]);
    }
};

inline void compress(const SetBits& from, const uint64_t* kept, size_t stride, size_t first, SetBits& to) {
    const uint64_t* word = from.bits;
    uint64_t* out = to.bits;
    to.stride = from.stride;
    for (int k = 0; k < 2; ++k) {
        const uint64_t* const start = out;
        unsigned used = 0;
        for (size_t w = 0; w < from.words[k]; ++w, word += from.stride, kept += stride) {
            const uint64_t rows = *kept;
            if (!rows) continue;
            const auto n = static_cast<unsigned>(__builtin_popcountll(rows));
            for (size_t d = first; d < from.stride; ++d) {
                const uint64_t bits = gather_bits(word[d], rows);
                out[d] = used ? out[d] | bits << used : bits;
                if (used + n > 64) out[from.stride + d] = bits >> (64 - used);
            }
            used += n;
            if (used >= 64) {
                used -= 64;
                out += from.stride;
            }
        }
        if (used) out += from.stride;
        to.words[k] = static_cast<size_t>(out - start) / from.stride;
    }
}

inline SetKernels table_of_functions() {
    return {Sums::sum, Sums::triples, Loops<uint16_t>::all(), Loops<double>::all(), compress};
}
