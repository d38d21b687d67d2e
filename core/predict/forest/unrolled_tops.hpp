// The first levels of trees, filled up to be complete: the children of place p are 2p and 2p + 1, so that a node needs no
// address and a level takes the same few instructions for every row.
//
// The topmost five are not even walked: all their nodes are asked of many rows at once, which is less work than to find out
// which of them a row comes by (compare QuickScorer: Lucchese et al., 2015).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

/// Codes of rows: groups of 64, of each group column after column. A code is 32,768 less than a place among thresholds.
inline constexpr size_t group_rows = 64;

/// Eight bytes a node of a coded tree: what rows of a larger code in `column` do not share. A leaf points at itself.
struct CodedNode {
    int16_t code;  // larger ones go to the second child
    uint16_t column;
    uint32_t first_child;
};
static_assert(sizeof(CodedNode) == 8);
inline constexpr int16_t leaf_code = 32767;  // no value has it

class TreeTops {
public:
    static constexpr uint32_t most_levels = 11;

    /// Add a tree by its nodes and the number of splits on its longest path.
    void add(const CodedNode* nodes, uint32_t depth);
    bool empty() const { return top_.empty(); }
    /// How many levels of a tree rows are taken down.
    uint32_t levels(size_t tree) const { return top_[tree].levels; }
    /// Where the rows of a group stand below the top of a tree.
    void walk(size_t tree, const int16_t* codes, uint32_t* at) const;

private:
    struct Node {
        uint32_t offset;  // of its column in a group
        int32_t code;
    };
    struct Top {
        uint32_t levels;
        size_t nodes, ends;  // where they begin
    };
    std::vector<Top> top_;
    std::vector<Node> node_;     // by place; 0 is not used
    std::vector<uint32_t> end_;  // nodes below the last level
};

}  // namespace treewright
