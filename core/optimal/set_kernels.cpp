// The loops of counting sets for each set of instructions, and the choice among them.
#include "optimal/set_kernels.hpp"

#include "optimal/instructions.hpp"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never leave a function
#endif

namespace treewright::optimal {

namespace sets::portable {

#include "optimal/set_words.ipp"
/// The bits of a word that are set in `kept`, next to one another.
inline uint64_t gather_bits(uint64_t word, uint64_t kept) {
    uint64_t bits = 0;
    for (int n = 0; kept; ++n, kept &= kept - 1) bits |= (word >> __builtin_ctzll(kept) & 1) << n;
    return bits;
}

#include "optimal/set_kernels.ipp"

}  // namespace sets::portable

#ifdef TREEWRIGHT_X86

#include "optimal/instructions_avx2.ipp"
namespace sets::avx2 {

#include "optimal/set_words.ipp"
inline uint64_t gather_bits(uint64_t word, uint64_t kept) { return _pext_u64(word, kept); }

#include "optimal/set_kernels.ipp"

}  // namespace sets::avx2
#include "optimal/instructions_end.ipp"

#include "optimal/instructions_avx512.ipp"
namespace sets::avx512 {

typedef uint64_t Words __attribute__((vector_size(64)));
/// Half bytes are looked up, and bytes summed up (Mula, Kurz, Lemire 2018).
inline void count_words(uint64_t rows, const uint64_t* words, Words& sum) {
    const __m512i bits_of = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i half = _mm512_set1_epi8(15);
    const __m512i both = _mm512_and_si512(_mm512_set1_epi64(static_cast<long long>(rows)), _mm512_loadu_si512(words));
    const __m512i low = _mm512_shuffle_epi8(bits_of, _mm512_and_si512(both, half));
    const __m512i high = _mm512_shuffle_epi8(bits_of, _mm512_and_si512(_mm512_srli_epi16(both, 4), half));
    sum += reinterpret_cast<Words>(_mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512()));
}
inline uint64_t gather_bits(uint64_t word, uint64_t kept) { return _pext_u64(word, kept); }

#include "optimal/set_kernels.ipp"

}  // namespace sets::avx512
#include "optimal/instructions_end.ipp"

#ifdef __clang__
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt")
#endif
namespace sets::counting {

using avx512::Words, avx512::gather_bits;
inline void count_words(uint64_t rows, const uint64_t* words, Words& sum) {
    const __m512i both = _mm512_and_si512(_mm512_set1_epi64(static_cast<long long>(rows)), _mm512_loadu_si512(words));
    sum += reinterpret_cast<Words>(_mm512_popcnt_epi64(both));
}

#include "optimal/set_kernels.ipp"

/// As for AVX-512, where bits are counted by an instruction.
SetKernels table_with_counts() {
    SetKernels kernels = avx512::table_of_functions();
    kernels.small.count = Loops<uint16_t>::count;
    kernels.large.count = Loops<double>::count;
    return kernels;
}

}  // namespace sets::counting
#include "optimal/instructions_end.ipp"
#endif

const SetKernels& set_kernels() {
#ifdef TREEWRIGHT_X86
    const auto avx512 = [] {
        return __builtin_cpu_supports("avx512vpopcntdq") ? sets::counting::table_with_counts()
                                                         : sets::avx512::table_of_functions();
    };
    static const SetKernels chosen =
        loops_for_processor<SetKernels>(&sets::portable::table_of_functions, &sets::avx2::table_of_functions, avx512);
#else
    static const SetKernels chosen = sets::portable::table_of_functions();
#endif
    return chosen;
}

}  // namespace treewright::optimal
