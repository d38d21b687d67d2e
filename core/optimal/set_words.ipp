// Eight words that bits are counted into, one by one: included where no vector does it.

typedef uint64_t Words __attribute__((vector_size(64)));
inline void count_words(uint64_t rows, const uint64_t* words, Words& sum) {
    for (int i = 0; i < 8; ++i) sum[i] += static_cast<uint64_t>(__builtin_popcountll(rows & words[i]));
}
