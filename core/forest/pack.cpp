// The compact arrays of a forest: trees put in, and given back in full.
#include <bit>
#include <cmath>
#include <functional>

#include "splits/candidate.hpp"
#include "forest/forest.hpp"
#include "base/parallel.hpp"
#include "grow/grow_task.hpp"

namespace treewright {

namespace {

/// Begins that each start with 0, joined.
void join_begins(std::vector<int64_t>& to, const std::vector<int64_t>& from) {
    const int64_t shift = to.back();
    for (size_t i = 1; i < from.size(); ++i) to.push_back(from[i] + shift);
}

}  // namespace

void Forest::add_table(PackedNode& packed, Groups groups, int32_t n_categories) {
    packed.column |= table_split;
    uint64_t bits = 0;
    if (n_categories > 64) {
        packed.column |= wide_table;
        bits = static_cast<uint64_t>(table_begin.size() - 1) - static_cast<uint64_t>(tables_of.back());
    } else {
        bits = packed.column & missing_left ? 0 : ~uint64_t{0};  // unanswered codes follow the default branch
        for (const auto& [code, branch] : groups) {
            const uint64_t bit = uint64_t{1} << code;
            bits = branch ? bits | bit : bits & ~bit;
        }
    }
    packed.threshold = std::bit_cast<double>(bits);
    for (const auto& [code, branch] : groups)
        table_entry.push_back(static_cast<uint32_t>(code) << 1 | static_cast<uint32_t>(branch));
    table_begin.push_back(static_cast<int64_t>(table_entry.size()));
}

void Forest::close() {
    const auto begin = static_cast<size_t>(tree_begin.back());
    const auto weight_of = [&](size_t at) {
        if (!risk.empty()) return weight[at];
        double sum = 0;
        for (size_t k = 0; k < width; ++k) sum += value[at * width + k];
        return sum;
    };
    for (size_t at = begin; at < node.size(); ++at)
        if (node[at].column & table_split) {
            const size_t child = begin + node[at].first_child;
            if (weight_of(child) >= weight_of(child + 1)) node[at].column |= unseen_left;
        }
    tree_begin.push_back(static_cast<int64_t>(node.size()));
    split_begin.push_back(static_cast<int64_t>(merit.size()));
    tables_of.push_back(static_cast<int64_t>(table_begin.size()) - 1);
}

void Forest::reserve(size_t n_nodes, bool classes) {
    node.reserve(n_nodes);
    value.reserve(n_nodes * width);
    count.reserve(n_nodes);
    merit.reserve(n_nodes / 2);
    if (classes) return;
    weight.reserve(n_nodes);
    risk.reserve(n_nodes);
}

void Forest::append(std::vector<Forest>&& others, int threads) {
    for (const Forest& other : others) {
        join_begins(tree_begin, other.tree_begin);
        join_begins(split_begin, other.split_begin);
        join_begins(tables_of, other.tables_of);
        join_begins(table_begin, other.table_begin);
    }
    const auto join = [&](auto array_of) {  // room is made once: these are most of the memory that growing takes
        auto& to = array_of(*this);
        size_t n = to.size();
        for (Forest& other : others) n += array_of(other).size();
        to.reserve(n);
        for (Forest& other : others) {
            auto from = std::move(array_of(other));
            to.insert(to.end(), from.begin(), from.end());
        }
    };
    const std::function<void()> arrays[] = {
        [&] { join([](Forest& f) -> auto& { return f.node; }); },
        [&] { join([](Forest& f) -> auto& { return f.value.wide; }); },
        [&] { join([](Forest& f) -> auto& { return f.risk; }); },
        [&] { join([](Forest& f) -> auto& { return f.value.single; }); },
        [&] { join([](Forest& f) -> auto& { return f.weight.single; }); },
        [&] { join([](Forest& f) -> auto& { return f.weight.wide; }); },
        [&] { join([](Forest& f) -> auto& { return f.merit; }); },
        [&] { join([](Forest& f) -> auto& { return f.count; }); },
        [&] { join([](Forest& f) -> auto& { return f.table_entry; }); },
    };
    parallel_for(std::size(arrays), threads, [&](size_t i, int) { arrays[i](); });
}

bool pack_into(const TreeArrays& tree, size_t width, bool classes, std::span<const int32_t> position,
               std::span<const int32_t> n_categories, Forest& forest) {
    const size_t n = tree.parent.size();
    for (size_t i = 0; i < n; ++i) {
        if (tree.n_children[i] == 0) continue;
        const auto split = static_cast<size_t>(tree.split_begin[i]);
        const auto kind = static_cast<SplitKind>(tree.splits.kind[split]);
        if (tree.n_children[i] != 2 || tree.split_begin[i + 1] != tree.split_begin[i] + 1 || tree.default_branch[i] < 0 ||
            (kind != SplitKind::threshold && kind != SplitKind::table) || tree.competitor_begin[n] > 0)
            return false;
    }
    std::vector<std::pair<int32_t, int32_t>> table;
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < width; ++k) forest.value.add(tree.value[i * width + k]);
        forest.count.push_back(static_cast<uint32_t>(tree.count[i]));
        if (!classes) {
            forest.weight.add(tree.weight[i]);
            forest.risk.push_back(tree.risk[i]);
        }
        PackedNode node{infinity, missing_left, static_cast<uint32_t>(i)};
        if (tree.n_children[i]) {
            const auto split = static_cast<size_t>(tree.split_begin[i]);
            const auto feature = static_cast<size_t>(tree.splits.feature[split]);
            node = {tree.splits.threshold[split],
                    static_cast<uint32_t>(position[feature]) | (tree.default_branch[i] == 0 ? missing_left : 0),
                    static_cast<uint32_t>(tree.first_child[i])};
            forest.merit.push_back(tree.merit[i]);
            if (static_cast<SplitKind>(tree.splits.kind[split]) == SplitKind::table) {
                table.clear();
                for (int64_t at = tree.splits.pool_begin[split]; at < tree.splits.pool_begin[split + 1]; ++at)
                    table.emplace_back(tree.splits.pool_index[static_cast<size_t>(at)],
                                       static_cast<int32_t>(tree.splits.pool_value[static_cast<size_t>(at)]));
                forest.add_table(node, table, n_categories[feature]);
            }
        }
        forest.node.push_back(node);
    }
    forest.close();
    return true;
}

TreeArrays unpack(const ForestView& forest, size_t t, std::string_view criterion, std::span<const int32_t> position,
                  std::span<const int32_t> n_categories) {
    const auto begin = static_cast<size_t>(forest.tree_begin[t]), n = static_cast<size_t>(forest.tree_begin[t + 1]) - begin;
    auto split = static_cast<size_t>(forest.split_begin[t]), table = static_cast<size_t>(forest.tables_of[t]);
    const size_t width = forest.width;
    std::vector<int32_t> feature_of[2];  // by column of numbers, and of codes
    for (size_t f = 0; f < position.size(); ++f) {
        auto& features = feature_of[n_categories[f] > 0];
        const auto at = static_cast<size_t>(position[f]);
        if (features.size() <= at) features.resize(at + 1);
        features[at] = static_cast<int32_t>(f);
    }
    TreeArrays tree;
    tree.parent.assign(n, -1);
    Totals totals(width);
    for (size_t i = 0; i < n; ++i) {
        const PackedNode& node = forest.node[begin + i];
        const bool leaf = node.first_child == i;
        totals.clear();
        for (size_t k = 0; k < width; ++k) {
            totals.sums[k] = forest.value((begin + i) * width + k);
            tree.value.push_back(totals.sums[k]);
        }
        tree.first_child.push_back(leaf ? -1 : static_cast<int32_t>(node.first_child));
        tree.n_children.push_back(leaf ? 0 : 2);
        tree.default_branch.push_back(leaf ? -1 : node.column & missing_left ? 0 : 1);
        tree.count.push_back(forest.count[begin + i]);
        double weight = 0, risk = 0, impurity = 0;
        if (forest.n_classes > 0) {
            for (double sum : totals.sums) weight += sum;
            totals.weight = weight;
            const bool pure = std::count_if(totals.sums.begin(), totals.sums.end(), [](double sum) { return sum > 0; }) <= 1;
            if (!pure) {
                risk = weight - *std::max_element(totals.sums.begin(), totals.sums.end());
                impurity = Criteria::with(criterion, [&]<class C>() -> double {
                    if constexpr (C::classification) return C::impurity(totals);
                    else return 0.0;
                });
            }
        } else {
            weight = forest.weight(begin + i);
            risk = forest.risk[begin + i];
            impurity = risk / weight;
        }
        tree.weight.push_back(weight);
        tree.risk.push_back(risk);
        tree.impurity.push_back(impurity);
        tree.merit.push_back(leaf ? 0.0 : forest.merit[split]);
        tree.competitor_begin.push_back(0);
        if (!leaf) {
            for (uint32_t b = 0; b < 2; ++b) tree.parent[node.first_child + b] = static_cast<int32_t>(i);
            SplitTable& splits = tree.splits;
            const bool by_table = node.column & table_split;
            splits.kind.push_back(static_cast<uint8_t>(by_table ? SplitKind::table : SplitKind::threshold));
            splits.feature.push_back(feature_of[by_table][node.column & column_bits]);
            splits.threshold.push_back(by_table ? 0.0 : node.threshold);
            splits.score.push_back(forest.merit[split++]);
            if (by_table) {
                for (int64_t at = forest.table_begin[table]; at < forest.table_begin[table + 1]; ++at) {
                    const uint32_t entry = forest.table_entry[static_cast<size_t>(at)];
                    splits.pool_index.push_back(static_cast<int32_t>(entry >> 1));
                    splits.pool_value.push_back(entry & 1);
                }
                ++table;
            }
            splits.pool_begin.push_back(static_cast<int64_t>(splits.pool_index.size()));
        }
        tree.split_begin.push_back(static_cast<int64_t>(tree.splits.kind.size()));
    }
    return tree;
}

}  // namespace treewright
