// The loops of the search for each set of instructions, and the choice among them.
#include "optimal/kernels.hpp"

#include "optimal/instructions.hpp"

namespace treewright::optimal {

// ---- any processor ---------------------------------------------------------------------------------------------------------

namespace portable {

constexpr bool has_byte_sums = false;
inline void lead_range(uint64_t, uint64_t, uint64_t, int&, int&) {}
inline Cost most_recognised(const uint64_t*, int, uint64_t, uint64_t, const Cost*, const Cost*) { return 0; }

/// Bits of the places of a block that lie in [begin, begin + width).
template <class Place>
inline uint64_t within(const Place* places, Place begin, Place width) {
    uint64_t rows = 0;
    for (int i = 0; i < 64; ++i) rows |= static_cast<uint64_t>(static_cast<Place>(places[i] - begin) < width) << i;
    return rows;
}

template <class Place>
inline void gather(const uint32_t* rows, uint32_t n, const uint32_t* places, Place* to) {
    uint32_t i = 0;
    for (; i < n; ++i) to[i] = static_cast<Place>(places[rows[i]]);
    for (; i % 64; ++i) to[i] = static_cast<Place>(~Place{0});
}

inline void part(const uint32_t* rows, const uint32_t* group, uint32_t n, const uint32_t* places, uint32_t cut, const Part& left,
                 const Part& right) {
    uint32_t n_left = 0, n_right = 0;
    for (uint32_t i = 0; i < n; ++i) {  // what is not taken is written over
        const uint32_t place = places[rows[i]], below = place < cut;
        if (left.order) {
            left.order[n_left] = place;
            left.group[n_left] = group[i];
            n_left += below;
        }
        if (right.order) {
            right.order[n_right] = place - cut;
            right.group[n_right] = group[i];
            n_right += !below;
        }
    }
}

inline void gather_narrow(const uint32_t* rows, uint32_t n, const uint32_t* places, uint16_t* to) { gather(rows, n, places, to); }
inline void gather_wide(const uint32_t* rows, uint32_t n, const uint32_t* places, uint32_t* to) { gather(rows, n, places, to); }

#include "optimal/kernels.ipp"

}  // namespace portable

#ifdef TREEWRIGHT_X86

// ---- AVX2 ------------------------------------------------------------------------------------------------------------------

#include "optimal/instructions_avx2.ipp"
namespace avx2 {

inline uint64_t below(__m256i places, __m256i begin, __m256i last, __m256i more, __m256i begin_, __m256i last_) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i a = _mm256_cmpeq_epi16(_mm256_subs_epu16(_mm256_sub_epi16(places, begin), last), zero);
    const __m256i b = _mm256_cmpeq_epi16(_mm256_subs_epu16(_mm256_sub_epi16(more, begin_), last_), zero);
    const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);
    return static_cast<uint32_t>(_mm256_movemask_epi8(both));
}
inline uint64_t within(const uint16_t* places, uint16_t begin, uint16_t width) {
    if (width == 0) return 0;
    const __m256i from = _mm256_set1_epi16(static_cast<short>(begin)), last = _mm256_set1_epi16(static_cast<short>(width - 1));
    const auto* at = reinterpret_cast<const __m256i*>(places);
    const uint64_t low = below(_mm256_loadu_si256(at), from, last, _mm256_loadu_si256(at + 1), from, last);
    return low | below(_mm256_loadu_si256(at + 2), from, last, _mm256_loadu_si256(at + 3), from, last) << 32;
}
inline uint64_t within(const uint32_t* places, uint32_t begin, uint32_t width) {
    if (width == 0) return 0;
    const __m256i from = _mm256_set1_epi32(static_cast<int>(begin)), last = _mm256_set1_epi32(static_cast<int>(width - 1));
    uint64_t rows = 0;
    for (int i = 0; i < 8; ++i) {
        const __m256i x = _mm256_sub_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(places + 8 * i)), from);
        const __m256i in = _mm256_cmpeq_epi32(_mm256_min_epu32(x, last), x);
        rows |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(in)))) << (8 * i);
    }
    return rows;
}
using portable::has_byte_sums, portable::lead_range, portable::most_recognised, portable::gather_narrow, portable::gather_wide,
    portable::part;

#include "optimal/kernels.ipp"

}  // namespace avx2
#include "optimal/instructions_end.ipp"

// ---- AVX-512 ---------------------------------------------------------------------------------------------------------------

#include "optimal/instructions_avx512.ipp"
namespace avx512 {

constexpr bool has_byte_sums = true;
// Masks are joined as masks: GCC 12 widens one of 32 bits to 64 by storing half of a word on the stack and reading the whole of
// it, where registers run out.
inline uint64_t within(const uint16_t* places, uint16_t begin, uint16_t width) {
    const __m512i from = _mm512_set1_epi16(static_cast<short>(begin)), end = _mm512_set1_epi16(static_cast<short>(width));
    const __mmask32 low = _mm512_cmplt_epu16_mask(_mm512_sub_epi16(_mm512_loadu_si512(places), from), end);
    const __mmask32 high = _mm512_cmplt_epu16_mask(_mm512_sub_epi16(_mm512_loadu_si512(places + 32), from), end);
    return _mm512_kunpackd(high, low);
}
inline uint64_t within(const uint32_t* places, uint32_t begin, uint32_t width) {
    const __m512i from = _mm512_set1_epi32(static_cast<int>(begin)), end = _mm512_set1_epi32(static_cast<int>(width));
    const auto rows = [&](int i) {
        return _mm512_cmplt_epu32_mask(_mm512_sub_epi32(_mm512_loadu_si512(places + 16 * i), from), end);
    };
    return _mm512_kunpackd(_mm512_kunpackw(rows(3), rows(2)), _mm512_kunpackw(rows(1), rows(0)));
}

#include "optimal/bytes_avx512.ipp"

/// Of all cuts of a block the least and the largest number of rows of class 1 before it, less those of class 0.
inline void lead_range(uint64_t ones, uint64_t zeros, uint64_t ends, int& least, int& largest) {
    const __m512i sum = sums_upto(_mm512_sub_epi8(_mm512_movm_epi8(zeros), _mm512_movm_epi8(ones)));  // 1 and -1
    const __m512i none = _mm512_set1_epi8(-127);
    least = -largest_byte(_mm512_mask_sub_epi8(none, ends, _mm512_setzero_si512(), sum));
    largest = largest_byte(_mm512_mask_mov_epi8(none, ends, sum));
}
/// A number of at most 0 as bytes; less than -127 counts as that.
inline __m512i lag_bytes(Cost lag) { return _mm512_set1_epi8(static_cast<char>(lag < -127 ? -127 : lag)); }
/// The most rows that a cut of a block recognises: those of the most frequent class before it and of the one after it. A class
/// that is more than a block behind the most frequent one does not become it here, so that bytes will do.
inline Cost most_recognised(const uint64_t* classes, int width, uint64_t rows, uint64_t ends, const Cost* before,
                            const Cost* all) {
    Cost most_before = before[0], most_after = all[0] - before[0];
    for (int k = 1; k < width; ++k) {
        most_before = before[k] > most_before ? before[k] : most_before;
        most_after = all[k] - before[k] > most_after ? all[k] - before[k] : most_after;
    }
    const __m512i least = _mm512_set1_epi8(-128);
    __m512i up = least, down = least;
    for (int k = 0; k < width; ++k) {
        const __m512i lost = sums_upto(_mm512_movm_epi8(rows & classes[k]));  // less than 0
        up = _mm512_max_epi8(up, _mm512_sub_epi8(lag_bytes(before[k] - most_before), lost));
        down = _mm512_max_epi8(down, _mm512_adds_epi8(lag_bytes(all[k] - before[k] - most_after), lost));
    }
    return most_before + most_after + largest_byte(_mm512_mask_add_epi8(least, ends, up, down));
}
inline __m512i fetch(const uint32_t* rows, const uint32_t* places) {
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, _mm512_loadu_si512(rows), places, 4);
}
inline void gather_narrow(const uint32_t* rows, uint32_t n, const uint32_t* places, uint16_t* to) {
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i found = fetch(rows + i, places);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm512_cvtepi32_epi16(found));
    }
    for (; i < n; ++i) to[i] = static_cast<uint16_t>(places[rows[i]]);
    for (; i % 64; ++i) to[i] = 0xffff;
}
inline void gather_wide(const uint32_t* rows, uint32_t n, const uint32_t* places, uint32_t* to) {
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16) _mm512_storeu_si512(to + i, fetch(rows + i, places));
    for (; i < n; ++i) to[i] = places[rows[i]];
    for (; i % 64; ++i) to[i] = ~0u;
}
inline void part(const uint32_t* rows, const uint32_t* group, uint32_t n, const uint32_t* places, uint32_t cut, const Part& left,
                 const Part& right) {
    const __m512i end = _mm512_set1_epi32(static_cast<int>(cut));
    uint32_t n_left = 0, n_right = 0;
    const auto put = [](const Part& to, uint32_t& n_taken, __mmask16 taken, __m512i place, __m512i of_group) {
        _mm512_storeu_si512(to.order + n_taken, _mm512_maskz_compress_epi32(taken, place));
        _mm512_storeu_si512(to.group + n_taken, _mm512_maskz_compress_epi32(taken, of_group));
        n_taken += static_cast<uint32_t>(__builtin_popcount(taken));
    };
    for (uint32_t i = 0; i < n; i += 16) {
        const auto there = static_cast<__mmask16>(n - i >= 16 ? 0xffffu : (1u << (n - i)) - 1);
        const __m512i row = _mm512_maskz_loadu_epi32(there, rows + i), of_group = _mm512_maskz_loadu_epi32(there, group + i);
        const __m512i place = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), there, row, places, 4);
        const __mmask16 below = _mm512_mask_cmplt_epu32_mask(there, place, end);
        if (left.order) put(left, n_left, below, place, of_group);
        if (right.order) put(right, n_right, static_cast<__mmask16>(there & ~below), _mm512_sub_epi32(place, end), of_group);
    }
}

#include "optimal/kernels.ipp"

}  // namespace avx512
#include "optimal/instructions_end.ipp"
#endif

const Kernels& kernels() {
#ifdef TREEWRIGHT_X86
    static const Kernels chosen =
        loops_for_processor(&portable::table_of_functions, &avx2::table_of_functions, &avx512::table_of_functions);
#else
    static const Kernels chosen = portable::table_of_functions();
#endif
    return chosen;
}

}  // namespace treewright::optimal
