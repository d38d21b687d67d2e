// Nodes of few rows.
#include "optimal/small_nodes.hpp"

#include <algorithm>
#include <cstring>

#include "optimal/instructions.hpp"

namespace treewright::optimal {

namespace {

struct Loops {
    /// Write a column of so many rows as SmallColumn has it.
    void (*read)(const uint32_t* order, uint32_t n_rows, const uint64_t* classes, int planes, uint8_t* to,
                 int8_t* upto) = nullptr;
    /// to[i] = table[at[i]] for blocks of 64 bytes, all less than 128.
    void (*look_up)(const uint8_t* at, size_t n_blocks, const uint8_t* table, uint8_t* to) = nullptr;
    void (*scan)(SmallScan&) = nullptr;
};

#ifdef TREEWRIGHT_X86

#include "optimal/instructions_avx512.ipp"
namespace avx512 {

#include "optimal/bytes_avx512.ipp"

/// Rows of a block of a column that lie on the left.
template <bool two_ranges>
struct OnLeft {
    explicit OnLeft(const SmallScan& scan)
        : begin(_mm512_set1_epi8(static_cast<char>(scan.begin))),
          width(_mm512_set1_epi8(static_cast<char>(scan.width))),
          begin_second(_mm512_set1_epi8(static_cast<char>(scan.begin_second))),
          width_second(_mm512_set1_epi8(static_cast<char>(scan.width_second))) {}
    uint64_t operator()(const uint8_t* places) const {
        const __m512i place = _mm512_loadu_si512(places);
        const uint64_t rows = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(place, begin), width);
        if constexpr (!two_ranges) return rows;
        return rows | _mm512_cmplt_epu8_mask(_mm512_sub_epi8(place, begin_second), width_second);
    }
    __m512i begin, width, begin_second, width_second;
};

/// Two classes: a cut recognises the rows of one before it and those of the other after it. Only the `lead` differs from place
/// to place: the rows of class 1 before it less those of class 0.
template <bool two_ranges>
void scan_pair(SmallScan& scan) {
    const OnLeft<two_ranges> on_left(scan);
    const __m512i least = _mm512_set1_epi8(-127), zero = _mm512_setzero_si512();
    __m512i left_lead = least, left_lag = least, right_lead = least, right_lag = least;
    for (size_t i = 0; i < scan.n_columns; ++i) {
        const SmallColumn& column = scan.columns[i];
        int before = 0;
        for (uint32_t b = 0; b < scan.n_blocks; ++b) {
            const uint64_t rows = on_left(column.places + 64 * b), ones = rows & column.classes[b], zeros = rows & ~ones;
            __m512i left = sums_upto(_mm512_sub_epi8(_mm512_movm_epi8(zeros), _mm512_movm_epi8(ones)));
            if (b > 0) left = _mm512_add_epi8(left, _mm512_set1_epi8(static_cast<char>(before)));
            before += __builtin_popcountll(ones) - __builtin_popcountll(zeros);
            const __m512i right = _mm512_sub_epi8(_mm512_loadu_si512(column.upto + 64 * b), left);
            const uint64_t ends = column.ends[b];
            left_lead = _mm512_mask_max_epi8(left_lead, ends, left_lead, left);
            left_lag = _mm512_mask_max_epi8(left_lag, ends, left_lag, _mm512_sub_epi8(zero, left));
            right_lead = _mm512_mask_max_epi8(right_lead, ends, right_lead, right);
            right_lag = _mm512_mask_max_epi8(right_lag, ends, right_lag, _mm512_sub_epi8(zero, right));
        }
    }
    const auto recognised = [](const Cost* rows, __m512i lead, __m512i lag) {
        const int one_first = static_cast<int>(rows[0]) + largest_byte(lead),
                  zero_first = static_cast<int>(rows[1]) + largest_byte(lag);
        return one_first > zero_first ? one_first : zero_first;
    };
    scan.recognised_left = recognised(scan.left, left_lead, left_lag);
    scan.recognised_right = recognised(scan.right, right_lead, right_lag);
}

/// More classes: a cut recognises the rows of the most frequent class before it and those of the one after it.
template <bool two_ranges>
void scan_classes(SmallScan& scan) {
    const OnLeft<two_ranges> on_left(scan);
    const int n = scan.n_classes;
    __m512i best_left = _mm512_setzero_si512(), best_right = best_left;
    for (size_t i = 0; i < scan.n_columns; ++i) {
        const SmallColumn& column = scan.columns[i];
        uint64_t before_block = 0;  // rows of the first block on the left
        for (uint32_t b = 0; b < scan.n_blocks; ++b) {
            const uint64_t rows = on_left(column.places + 64 * b);
            const uint64_t* classes = column.classes + static_cast<size_t>(n) * b;
            const int8_t* upto = column.upto + 64 * static_cast<size_t>(n) * b;
            __m512i left_before = _mm512_setzero_si512(), left_after = left_before, right_before = left_before,
                    right_after = left_before;
            for (int k = 0; k < n; ++k) {
                const __m512i none =
                    b == 0 ? _mm512_setzero_si512()
                           : _mm512_set1_epi8(static_cast<char>(__builtin_popcountll(before_block & column.classes[k])));
                const __m512i left = _mm512_sub_epi8(none, sums_upto(_mm512_movm_epi8(rows & classes[k])));
                const __m512i right = _mm512_sub_epi8(_mm512_loadu_si512(upto + 64 * k), left);
                left_before = _mm512_max_epi8(left_before, left);
                left_after =
                    _mm512_max_epi8(left_after, _mm512_sub_epi8(_mm512_set1_epi8(static_cast<char>(scan.left[k])), left));
                right_before = _mm512_max_epi8(right_before, right);
                right_after =
                    _mm512_max_epi8(right_after, _mm512_sub_epi8(_mm512_set1_epi8(static_cast<char>(scan.right[k])), right));
            }
            before_block = rows;
            const uint64_t ends = column.ends[b];
            best_left = _mm512_mask_max_epi8(best_left, ends, best_left, _mm512_add_epi8(left_before, left_after));
            best_right = _mm512_mask_max_epi8(best_right, ends, best_right, _mm512_add_epi8(right_before, right_after));
        }
    }
    scan.recognised_left = largest_byte(best_left);
    scan.recognised_right = largest_byte(best_right);
}

void read_column(const uint32_t* order, uint32_t n_rows, const uint64_t* classes, int planes, uint8_t* to, int8_t* upto) {
    const __m512i none = _mm512_set1_epi32(SmallNode::most_rows);
    for (uint32_t k = 0; k < (n_rows + 63) / 64 * 64; k += 16) {
        const auto there = static_cast<__mmask16>(k >= n_rows ? 0 : n_rows - k >= 16 ? 0xffffu : (1u << (n_rows - k)) - 1);
        const __m512i rows = _mm512_mask_loadu_epi32(none, there, order + k);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k), _mm512_cvtepi32_epi8(rows));
    }
    for (uint32_t b = 0; b * 64 < n_rows; ++b) {
        const uint64_t all = n_rows - b * 64 >= 64 ? ~uint64_t{0} : (uint64_t{1} << (n_rows - b * 64)) - 1;
        for (int j = 0; j < planes; ++j) {
            const uint64_t mine = classes[b * static_cast<uint32_t>(planes) + static_cast<uint32_t>(j)],
                           less = planes == 1 ? all & ~mine : 0;
            __m512i sums = sums_upto(_mm512_sub_epi8(_mm512_movm_epi8(less), _mm512_movm_epi8(mine)));
            if (b > 0) {
                const uint64_t ones = classes[j], zeros = planes == 1 ? ~ones : 0;
                sums = _mm512_add_epi8(
                    sums, _mm512_set1_epi8(static_cast<char>(__builtin_popcountll(ones) - __builtin_popcountll(zeros))));
            }
            _mm512_storeu_si512(upto, sums);
            upto += 64;
        }
    }
}

/// Words of two bytes are looked up, of which the number's lowest bit chooses one.
void look_up(const uint8_t* at, size_t n_blocks, const uint8_t* table, uint8_t* to) {
    const __m512i low = _mm512_loadu_si512(table), high = _mm512_loadu_si512(table + 64), one = _mm512_set1_epi16(1);
    for (const uint8_t* const end = at + 64 * n_blocks; at < end; at += 64, to += 64) {
        const __m512i even = _mm512_loadu_si512(at), odd = _mm512_srli_epi16(even, 8);
        const __m512i of_even = _mm512_permutex2var_epi16(low, _mm512_srli_epi16(even, 1), high);
        const __m512i of_odd = _mm512_permutex2var_epi16(low, _mm512_srli_epi16(odd, 1), high);
        const __m512i first = _mm512_mask_srli_epi16(of_even, _mm512_test_epi16_mask(even, one), of_even, 8);
        const __m512i second = _mm512_mask_slli_epi16(of_odd, _mm512_testn_epi16_mask(odd, one), of_odd, 8);
        _mm512_storeu_si512(to, _mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaau, first, second));
    }
}

void scan_small(SmallScan& scan) {
    if (scan.n_classes == 2) return scan.width_second ? scan_pair<true>(scan) : scan_pair<false>(scan);
    return scan.width_second ? scan_classes<true>(scan) : scan_classes<false>(scan);
}

}  // namespace avx512
#include "optimal/instructions_end.ipp"

Loops choose() {
    const auto none = [] { return Loops{}; };
    const auto wide = [] { return Loops{avx512::read_column, avx512::look_up, avx512::scan_small}; };
    return loops_for_processor<Loops>(none, none, wide);
}

#else

Loops choose() { return {}; }

#endif

const Loops& loops() {
    static const Loops chosen = choose();
    return chosen;
}

}  // namespace

bool SmallNode::read(const Node& node, const std::vector<Column>& columns, const Loss& loss, const Blocks& blocks) {
    if (!loops().scan || node.n_rows > most_rows || loss.each() == 0) return false;
    n_blocks_ = node.n_blocks();
    n_classes_ = loss.n_classes();
    mistake_ = loss.each();
    const size_t planes = n_classes_ == 2 ? 1 : static_cast<size_t>(n_classes_), n = node.active.size();
    order_.resize(n * n_blocks_ * 64);
    upto_.resize(n * n_blocks_ * 64 * planes);
    placed_.resize(order_.size());
    columns_.clear();
    for (size_t i = 0; i < n; ++i) {
        if (columns[node.active[i]].categorical) continue;
        const size_t at = columns_.size() * n_blocks_ * 64;
        int8_t* upto = upto_.data() + at * planes;
        loops().read(node.order_of(i), node.n_rows, blocks[i].classes, static_cast<int>(planes), order_.data() + at, upto);
        columns_.push_back({placed_.data() + at, upto, blocks.ends(i), blocks[i].classes});
    }
    return true;
}

void SmallNode::order_by(const Node& node, size_t i) {
    alignas(64) uint8_t places[128];  // by local number; 255 = no row
    std::memset(places, 255, sizeof places);
    for (uint32_t k = 0; k < node.n_rows; ++k) places[node.order_of(i)[k]] = static_cast<uint8_t>(k);
    loops().look_up(order_.data(), columns_.size() * n_blocks_, places, placed_.data());
}

void SmallNode::split_sides(Scan& scan) const {
    SmallScan small;
    small.n_blocks = n_blocks_;
    small.n_classes = n_classes_;
    small.columns = columns_.data();
    small.n_columns = columns_.size();
    small.begin = static_cast<uint8_t>(scan.begin);
    small.width = static_cast<uint8_t>(scan.width);
    small.begin_second = static_cast<uint8_t>(scan.begin_second);
    small.width_second = static_cast<uint8_t>(scan.width_second);
    small.left = scan.left.sums;
    small.right = scan.right.sums;
    loops().scan(small);
    const Cost n_left = scan.width + scan.width_second, n_right = scan.n_rows - n_left;
    scan.left.best = std::min(scan.left.best, (n_left - small.recognised_left) * mistake_);
    scan.right.best = std::min(scan.right.best, (n_right - small.recognised_right) * mistake_);
}

}  // namespace treewright::optimal
