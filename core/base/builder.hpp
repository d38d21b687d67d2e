// Nodes while they grow: append-only records, put into the final order when all is done.
#pragma once
#include "splits/candidate.hpp"
#include "splits/category_order.hpp"
#include "grow/grow_task.hpp"
#include "grow/column_transforms.hpp"
#include "base/tree.hpp"

namespace treewright {

struct NodeRecord {
    int32_t parent = -1, depth = 0, first_child = -1, n_children = 0, default_branch = -1;
    int32_t subtree = -1;  // the number of the builder that grew this node's subtree, -1 = this one
    int32_t feature = -1;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0, merit = 0;
    int64_t pool_begin = 0, pool_end = 0;  // into the pools of the Builder
    int64_t competitors_begin = 0, competitors_end = 0;
    int64_t surrogates_begin = 0, surrogates_end = 0;
    size_t count = 0;
    double weight = 0, impurity = 0, risk = 0;
};

/// Write the table or the pool of a split behind those of others.
void append_pool(const Candidate& split, std::vector<int32_t>& index, std::vector<double>& value);

struct Builder {
    size_t width;  // of value
    std::vector<NodeRecord> nodes;
    std::vector<double> value;
    std::vector<int32_t> pool_index;
    std::vector<double> pool_value;
    std::vector<Candidate> competitors, surrogates;

    explicit Builder(size_t width_) : width(width_) {}

    /// Give back what growing reserved and did not use.
    void fit() {
        nodes.shrink_to_fit();
        value.shrink_to_fit();
    }
    int32_t append(int32_t parent, int32_t depth, const Description& description) {
        NodeRecord node;
        node.parent = parent;
        node.depth = depth;
        node.count = description.count;
        node.weight = description.weight;
        node.impurity = description.impurity;
        node.risk = description.risk;
        nodes.push_back(node);
        value.insert(value.end(), description.value.begin(), description.value.end());
        return static_cast<int32_t>(nodes.size() - 1);
    }
    size_t size() const { return nodes.size(); }
    void copy_value(int32_t node, std::vector<double>& to) const {
        const auto at = value.begin() + static_cast<int64_t>(width) * node;
        to.assign(at, at + static_cast<int64_t>(width));
    }
    void set_split(int32_t at, const Candidate& split, int32_t first_child);
    void set_others(int32_t at, std::vector<Candidate>&& others, std::vector<Candidate>&& substitutes);
};

/// Nodes of more rows know where to send even the categories they lack.
inline constexpr size_t most_rows_of_small_node = 8192;

/// A threshold on ranks, as the table of the categories behind them. Of many categories only those for which `present(rank)`
/// holds have a place in it, but for large nodes; of few all that the tree knows, since the order tells where those absent from
/// the node belong.
template <class Present>
void to_table(const Ranking& ranking, size_t n_rows, Candidate& split, Present&& present) {
    const bool all = ranking.code_of.size() <= few_levels || n_rows > most_rows_of_small_node;
    split.kind = SplitKind::table;
    split.table.clear();
    for (size_t rank = 0; rank < ranking.code_of.size(); ++rank)
        if (all || present(rank))
            split.table.emplace_back(ranking.code_of[rank], static_cast<double>(rank) <= split.threshold ? 0 : 1);
    std::sort(split.table.begin(), split.table.end());
}

/// Put the nodes of all builders into one tree.
TreeArrays assemble(const Builder& top, const std::vector<Builder>& grafts);

}  // namespace treewright
