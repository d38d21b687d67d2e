// The loops of counting sets for each set of instructions, and the choice among them.
#include "optimal/set_kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define TREEWRIGHT_X86 1
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC's own headers, up to version 12
#endif
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never leave a function
#endif

namespace treewright::optimal {

namespace sets::portable {

struct Words {
    uint64_t of[8];
    uint64_t operator[](size_t i) const { return of[i]; }
};
inline void count_words(uint64_t rows, const uint64_t* words, Words& sum) {
    for (int i = 0; i < 8; ++i) sum.of[i] += static_cast<uint64_t>(__builtin_popcountll(rows & words[i]));
}
/// The bits of a word that are set in `kept`, next to one another.
inline uint64_t gather_bits(uint64_t word, uint64_t kept) {
    uint64_t bits = 0;
    for (int n = 0; kept; ++n, kept &= kept - 1) bits |= (word >> __builtin_ctzll(kept) & 1) << n;
    return bits;
}

#include "optimal/set_kernels.ipp"

}  // namespace sets::portable

#ifdef TREEWRIGHT_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
namespace sets::avx2 {

struct Words {
    uint64_t of[8];
    uint64_t operator[](size_t i) const { return of[i]; }
};
inline void count_words(uint64_t rows, const uint64_t* words, Words& sum) {
    for (int i = 0; i < 8; ++i) sum.of[i] += static_cast<uint64_t>(__builtin_popcountll(rows & words[i]));
}
inline uint64_t gather_bits(uint64_t word, uint64_t kept) { return _pext_u64(word, kept); }

#include "optimal/set_kernels.ipp"

}  // namespace sets::avx2
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#ifdef __clang__
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt")
#endif
namespace sets::avx512 {

using Words = __m512i;
inline void count_words(uint64_t rows, const uint64_t* words, Words& sum) {
    const __m512i both = _mm512_and_si512(_mm512_set1_epi64(static_cast<long long>(rows)), _mm512_loadu_si512(words));
    sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
}
inline uint64_t gather_bits(uint64_t word, uint64_t kept) { return _pext_u64(word, kept); }

#include "optimal/set_kernels.ipp"

}  // namespace sets::avx512
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace {

SetKernels choose() {
#ifdef TREEWRIGHT_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2"))
        return sets::avx512::table_of_functions();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
        return sets::avx2::table_of_functions();
#endif
    return sets::portable::table_of_functions();
}

}  // namespace

const SetKernels& set_kernels() {
    static const SetKernels chosen = choose();
    return chosen;
}

}  // namespace treewright::optimal
