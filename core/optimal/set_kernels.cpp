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

#ifdef __clang__
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt")
#endif
namespace sets::avx512 {

typedef uint64_t Words __attribute__((vector_size(64)));
inline void count_words(uint64_t rows, const uint64_t* words, Words& sum) {
    const __m512i both = _mm512_and_si512(_mm512_set1_epi64(static_cast<long long>(rows)), _mm512_loadu_si512(words));
    sum += reinterpret_cast<Words>(_mm512_popcnt_epi64(both));
}
inline uint64_t gather_bits(uint64_t word, uint64_t kept) { return _pext_u64(word, kept); }

#include "optimal/set_kernels.ipp"

}  // namespace sets::avx512
#include "optimal/instructions_end.ipp"
#endif

const SetKernels& set_kernels() {
#ifdef TREEWRIGHT_X86
    static const SetKernels chosen = loops_for_processor(&sets::portable::table_of_functions, &sets::avx2::table_of_functions,
                                                         &sets::avx512::table_of_functions, true);
#else
    static const SetKernels chosen = sets::portable::table_of_functions();
#endif
    return chosen;
}

}  // namespace treewright::optimal
