// The loops of set_kernels.hpp, compiled once for every set of instructions: included into a namespace of its own, which has
// `Words`, `count_words` and `gather_bits`. Vectors are GCC's and Clang's own: wider than the processor's they are taken in
// parts.

template <class Number>
struct Lanes {
    typedef Number Vector __attribute__((vector_size(64)));
    static constexpr size_t n = 64 / sizeof(Number);
};

template <class Number>
struct Loops {
    using Vector = typename Lanes<Number>::Vector;
    static constexpr size_t lanes = Lanes<Number>::n;
    using Tables = SetTables<Number>;

    static inline __attribute__((always_inline)) void load(const Number* from, Vector& to) {
        __builtin_memcpy(&to, from, sizeof(to));
    }
    static inline __attribute__((always_inline)) void store(Number* to, const Vector& from) {
        __builtin_memcpy(to, &from, sizeof(from));
    }
    static inline __attribute__((always_inline)) void lower(Vector& best, const Vector& cost) {
        best = cost < best ? cost : best;
    }
    static inline __attribute__((always_inline)) void lower_at(Number* at, const Vector& cost) {
        Vector best;
        load(at, best);
        lower(best, cost);
        store(at, best);
    }
    static inline __attribute__((always_inline)) void fill(Vector& to, Number value) {
        for (size_t i = 0; i < lanes; ++i) to[i] = value;
    }
    static Number least(const Vector& of, Number best) {
        for (size_t i = 0; i < lanes; ++i)
            if (of[i] < best) best = of[i];
        return best;
    }
    /// The price of a split, and no tree where a lane is no column after `before`.
    static inline __attribute__((always_inline)) void price_lanes(const Tables& t, size_t from, size_t before, Vector& price) {
        fill(price, t.price);
        if (from > before && from + lanes <= t.n_columns) return;
        for (size_t i = 0; i < lanes; ++i)
            if (from + i <= before || from + i >= t.n_columns) price[i] = t.big;
    }
    static inline __attribute__((always_inline)) const Number* both(const Tables& t, int k, size_t a) {
        return t.both[k] + a * t.padded;
    }
    static inline __attribute__((always_inline)) Number* pair(const Tables& t, int signs, size_t a) {
        return t.pair[signs] + a * t.padded;
    }
    static size_t first_block(size_t column) { return column / lanes * lanes; }
    /// From rows where a set is positive to rows that have these signs and no others.
    template <class Cell>
    static inline __attribute__((always_inline)) void subtract(Cell* cells) {
        for (int bit = 1; bit < 8; bit <<= 1)
            for (int i = 0; i < 8; ++i)
                if (!(i & bit)) cells[i] = cells[i] - cells[i | bit];
    }

    static void count(const SetBits& bits, size_t column, Tables& t) {
        const uint64_t* word = bits.bits;
        for (int k = 0; k < 2; ++k) {
            Number* to = t.with[k];
            for (size_t d = first_block(column + 1) / 8 * 8; d < bits.stride; d += 8) {
                Words sum{};
                const uint64_t* at = word;
                for (size_t w = 0; w < bits.words[k]; ++w, at += bits.stride) count_words(at[column], at + d, sum);
                for (size_t i = 0; i < 8; ++i) to[d + i] = static_cast<Number>(sum[i]);
            }
            word += bits.words[k] * bits.stride;
        }
    }

    /// Fold the costs of eight signs of (a, b, c) into the three pairs.
    static inline __attribute__((always_inline)) void into_pairs(Tables& t, size_t a, size_t b, size_t c, const Vector* cost,
                                                                 const Vector& price, Vector* best) {
        for (int s = 0; s < 4; ++s) {
            const int i = (s & 1) | ((s & 2) << 1);
            lower(best[s], cost[s] + cost[s | 4] + price);
            lower_at(pair(t, s, a) + c, cost[i] + cost[i | 2] + price);
            lower_at(pair(t, s, b) + c, cost[s << 1] + cost[(s << 1) | 1] + price);
        }
    }
    static inline __attribute__((always_inline)) void finish_pair(Tables& t, size_t a, size_t b, const Vector* best) {
        for (int s = 0; s < 4; ++s) pair(t, s, a)[b] = least(best[s], pair(t, s, a)[b]);
    }

    static void triples(Tables& t, size_t a, size_t b, bool keep) {
        const size_t base = keep ? t.base[a * t.n_columns + b] : 0;
        Vector best[4];
        for (int s = 0; s < 4; ++s) fill(best[s], t.big);
        for (size_t c = first_block(b + 1); c < t.n_columns; c += lanes) {
            Vector price, cell[2][8], cost[8];
            price_lanes(t, c, b, price);
            for (int k = 0; k < 2; ++k) {
                Vector* of = cell[k];
                fill(of[0], t.total[k]);
                fill(of[1], t.single[k][a]);
                fill(of[2], t.single[k][b]);
                fill(of[3], both(t, k, a)[b]);
                load(&t.single[k][c], of[4]);
                load(both(t, k, a) + c, of[5]);
                load(both(t, k, b) + c, of[6]);
                load(&t.with[k][c], of[7]);
                if (keep) store(&t.three[k][base + c], of[7]);
                subtract(of);
            }
            for (int s = 0; s < 8; ++s) {
                const Vector as_one = cell[0][s] * t.zero, as_zero = cell[1][s] * t.one;
                cost[s] = as_one < as_zero ? as_one : as_zero;
                if (keep) store(&t.triple[s][base + c], cost[s]);
            }
            into_pairs(t, a, b, c, cost, price, best);
        }
        finish_pair(t, a, b, best);
    }

    static void fold(Tables& t, size_t a, size_t b) {
        const size_t base = t.base[a * t.n_columns + b];
        Vector best[4];
        for (int s = 0; s < 4; ++s) fill(best[s], t.big);
        for (size_t c = first_block(b + 1); c < t.n_columns; c += lanes) {
            Vector price, cost[8];
            price_lanes(t, c, b, price);
            for (int s = 0; s < 8; ++s) load(&t.triple[s][base + c], cost[s]);
            into_pairs(t, a, b, c, cost, price, best);
        }
        finish_pair(t, a, b, best);
    }

    static void quadruples(Tables& t, size_t a, size_t b, size_t c) {
        const size_t ab = t.base[a * t.n_columns + b], ac = t.base[a * t.n_columns + c], bc = t.base[b * t.n_columns + c];
        Number all[2][8];
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
            subtract(of);
        }
        Vector best[8];
        for (int s = 0; s < 8; ++s) fill(best[s], t.big);
        for (size_t d = first_block(c + 1); d < t.n_columns; d += lanes) {
            Vector price, cell[2][8], with[8], without[8];
            price_lanes(t, d, c, price);
            for (int k = 0; k < 2; ++k) {
                Vector* of = cell[k];
                load(&t.single[k][d], of[0]);
                load(both(t, k, a) + d, of[1]);
                load(both(t, k, b) + d, of[2]);
                load(&t.three[k][ab + d], of[3]);
                load(both(t, k, c) + d, of[4]);
                load(&t.three[k][ac + d], of[5]);
                load(&t.three[k][bc + d], of[6]);
                load(&t.with[k][d], of[7]);
                subtract(of);
            }
            for (int s = 0; s < 8; ++s) {
                Vector as_one = cell[0][s] * t.zero, as_zero = cell[1][s] * t.one;
                with[s] = as_one < as_zero ? as_one : as_zero;
                as_one = (all[0][s] - cell[0][s]) * t.zero;
                as_zero = (all[1][s] - cell[1][s]) * t.one;
                without[s] = as_one < as_zero ? as_one : as_zero;
                lower(best[s], with[s] + without[s] + price);
            }
            for (int s = 0; s < 4; ++s) {
                const int i = (s & 1) | ((s & 2) << 1), j = s << 1;
                lower_at(&t.triple[s][ab + d], without[s] + without[s | 4] + price);
                lower_at(&t.triple[s | 4][ab + d], with[s] + with[s | 4] + price);
                lower_at(&t.triple[s][ac + d], without[i] + without[i | 2] + price);
                lower_at(&t.triple[s | 4][ac + d], with[i] + with[i | 2] + price);
                lower_at(&t.triple[s][bc + d], without[j] + without[j | 1] + price);
                lower_at(&t.triple[s | 4][bc + d], with[j] + with[j | 1] + price);
            }
        }
        for (int s = 0; s < 8; ++s) t.triple[s][ab + c] = least(best[s], t.triple[s][ab + c]);
    }

    static SetLoops<Number> all() { return {count, triples, quadruples, fold}; }
};

inline void compress(const SetBits& from, size_t column, size_t first, SetBits& to) {
    const uint64_t* word = from.bits;
    uint64_t* out = to.bits;
    to.stride = from.stride;
    const size_t begin = first / 8 * 8;
    for (int k = 0; k < 2; ++k) {
        const uint64_t* const start = out;
        unsigned used = 0;
        for (size_t w = 0; w < from.words[k]; ++w, word += from.stride) {
            const uint64_t kept = word[column];
            if (!kept) continue;
            const auto n = static_cast<unsigned>(__builtin_popcountll(kept));
            for (size_t d = begin; d < from.stride; ++d) {
                const uint64_t bits = gather_bits(word[d], kept);
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

inline SetKernels table_of_functions() { return {Loops<int32_t>::all(), Loops<double>::all(), compress}; }
