// Sums and extremes of 64 bytes in a vector of AVX-512: included into a namespace that is compiled for it.

/// Sums of bytes up to each of them.
inline __m512i sums_upto(__m512i bytes) {
    __m512i sum = _mm512_add_epi8(bytes, _mm512_slli_epi64(bytes, 8));
    sum = _mm512_add_epi8(sum, _mm512_slli_epi64(sum, 16));
    sum = _mm512_add_epi8(sum, _mm512_slli_epi64(sum, 32));  // up to each byte of its word
    const __m512i zero = _mm512_setzero_si512();
    const __m512i last = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0f0f0f0f0f0f0f0f, 0x0707070707070707));
    __m512i before = _mm512_alignr_epi64(_mm512_shuffle_epi8(sum, last), zero, 7);
    before = _mm512_add_epi8(before, _mm512_alignr_epi64(before, zero, 7));
    before = _mm512_add_epi8(before, _mm512_alignr_epi64(before, zero, 6));
    before = _mm512_add_epi8(before, _mm512_alignr_epi64(before, zero, 4));  // all words before
    return _mm512_add_epi8(sum, before);
}

/// The largest of 64 bytes.
inline int largest_byte(__m512i bytes) {
    const __m512i reversed = _mm512_xor_si512(bytes, _mm512_set1_epi8(127));  // as numbers without a sign, the largest first
    const __m256i half = _mm256_min_epu8(_mm512_castsi512_si256(reversed), _mm512_extracti64x4_epi64(reversed, 1));
    const __m128i quarter = _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    const __m128i pairs = _mm_min_epu8(quarter, _mm_srli_epi16(quarter, 8));
    return static_cast<int8_t>((_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_and_si128(pairs, _mm_set1_epi16(255)))) & 255) ^ 127);
}
