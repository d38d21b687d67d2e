// Sets of instructions that loops are compiled for, and which of them this processor has.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <cstdlib>
#include <string_view>
#define TREEWRIGHT_X86 1
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC's own headers, up to version 12
#endif
#endif

// Loops over the signs of a cell are written out, so that cells stay in registers.
#if defined(__GNUC__) && !defined(__clang__)
#define UNROLLED _Pragma("GCC unroll 8")
#else
#define UNROLLED
#endif

namespace treewright::optimal {

#ifdef TREEWRIGHT_X86
/// Choose the loops for this processor. So that they can be held to one another, the environment may ask for less than there is:
/// TREEWRIGHT_INSTRUCTIONS is `portable` or `avx2`.
template <class Loops>
Loops loops_for_processor(Loops (*portable)(), Loops (*avx2)(), Loops (*avx512)()) {
    __builtin_cpu_init();
    const char* asked = std::getenv("TREEWRIGHT_INSTRUCTIONS");
    const std::string_view most = asked ? asked : "";
    if (most == "portable") return portable();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) {
        const bool wide = most != "avx2" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
        return wide ? avx512() : avx2();
    }
    return portable();
}
#endif

}  // namespace treewright::optimal
