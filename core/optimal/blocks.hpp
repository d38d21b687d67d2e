// A node as the kernels read it: every active column in blocks of 64 rows.
#pragma once
#include "optimal/kernels.hpp"
#include "optimal/node.hpp"

namespace treewright::optimal {

class Blocks {
public:
    void build(const Node& node, const std::vector<Column>& columns, const Loss& loss, const std::function<void()>& poll);

    const ColumnBlocks& operator[](size_t i) const { return views_[i]; }
    /// Places at which an order may be cut: bit k of block b = the rows up to 64b + k go left.
    const uint64_t* ends(size_t i) const { return ends_.data() + i * n_blocks_; }
    uint32_t n_blocks() const { return n_blocks_; }
    Cost* scratch() { return scratch_.data(); }

private:
    void find_groups(const Node& node, const Column& column, size_t i);

    uint32_t n_blocks_ = 0;
    std::vector<ColumnBlocks> views_;
    std::vector<uint64_t> ends_, classes_;
    std::vector<uint8_t> n_classes_;
    std::vector<Cost> numbers_, block_sums_, scratch_;
    std::vector<Piece> pieces_;
    std::vector<size_t> piece_begin_;
};

/// The cut nearest to `at` (rows up to it go left) among those from `low` to `high`, or 0 if there is none.
uint32_t nearest_cut(const uint64_t* ends, uint32_t low, uint32_t high, uint32_t at);

}  // namespace treewright::optimal
