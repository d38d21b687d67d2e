// Tables all of whose columns part their rows in one way only, as bits; those of two classes one after the other.
//
// A column that parts the rows as an earlier one does, with its sides exchanged or not, is left out: of equally good trees the
// one with the first feature is best. Of the two values of a column the rarer one is the positive one, and rare columns come
// first.
#pragma once
#include <functional>
#include <vector>

#include "optimal/node.hpp"

namespace treewright::optimal {

/// Rows as bits, a word of 64 rows for all columns, then the next; those of the second class begin with a word of their own.
struct SetBits {
    size_t words[2] = {0, 0};  // of each class
    size_t stride = 0;         // columns, rounded up to whole vectors
    uint64_t* bits = nullptr;

    size_t n_words() const { return words[0] + words[1]; }
};

/// A column of two values.
struct BitColumn {
    Test test;                   // rows of whom it is true go left
    bool categorical = false;    // a test of one category against the rest
    bool positive_left = false;  // whether the rows that are positive are those that go left
    uint32_t number = 0;         // in the table or node it was read from
};

class BitTable {
public:
    static constexpr size_t lanes = 32;  // columns of the widest vector
    static constexpr uint32_t most_rows = 1u << 30;

    /// Read a table; false if some column has more than two values, or misses some. `poll` is called now and then, and may throw.
    bool read(const Table& table, const Loss& loss, const std::function<void()>& poll);
    /// Read a node for which `fits`. `poll` is called for each column.
    void read(const Node& node, const std::vector<Column>& columns, const Loss& loss, const std::function<void()>& poll);
    static bool fits(const Node& node, const std::vector<Column>& columns);
    /// The rows of one branch of a column.
    BitTable branch(size_t column, bool left) const;

    const std::vector<BitColumn>& columns() const { return columns_; }
    const SetBits& bits() const { return bits_; }
    uint32_t n_of_class(int k) const { return n_of_class_[k]; }
    /// The rows by their numbers in the table; none if they are told apart by two classes alone.
    const std::vector<uint32_t>& rows() const { return rows_; }
    uint32_t n_rows() const { return n_of_class_[0] + n_of_class_[1]; }
    /// By number of a column that was read: the column that parts the rows alike, or -1 if it does not part them.
    const std::vector<int32_t>& alike() const { return alike_; }
    /// The number of columns of a table, rounded up to whole vectors.
    static size_t rounded_up(size_t n) { return (n + lanes - 1) / lanes * lanes; }

private:
    void separate(std::vector<uint64_t>& rows, const std::vector<uint64_t>& second, size_t n, std::vector<BitColumn>&& columns);
    void arrange(const SetBits& from, std::vector<BitColumn>&& columns);

    std::vector<BitColumn> columns_;
    std::vector<uint64_t> words_;
    std::vector<uint32_t> rows_;
    std::vector<int32_t> alike_;
    SetBits bits_;
    uint32_t n_of_class_[2] = {0, 0};
};

}  // namespace treewright::optimal
