// Eight words that bits are counted into, one by one: included where no vector does it.

struct Words {
    uint64_t of[8];
    uint64_t operator[](size_t i) const { return of[i]; }
};
inline void count_words(uint64_t rows, const uint64_t* words, Words& sum) {
    for (int i = 0; i < 8; ++i) sum.of[i] += static_cast<uint64_t>(__builtin_popcountll(rows & words[i]));
}
