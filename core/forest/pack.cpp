// The compact arrays of a forest: trees put in, and given back in full.
#include <bit>
#include <cmath>
#include <stdexcept>

#include "splits/candidate.hpp"
#include "forest/forest.hpp"
#include "base/writer.hpp"
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

void Forest::close(size_t n_splits) {
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
    split_begin.push_back(static_cast<int64_t>(n_splits));
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

void Forest::append(const Forest& other) {
    join_begins(tree_begin, other.tree_begin);
    join_begins(split_begin, other.split_begin);
    join_begins(tables_of, other.tables_of);
    join_begins(table_begin, other.table_begin);
    const auto join = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    join(node, other.node);
    join(value.single, other.value.single);
    join(value.wide, other.value.wide);
    join(count, other.count);
    join(weight.single, other.weight.single);
    join(weight.wide, other.weight.wide);
    join(risk, other.risk);
    join(merit, other.merit);
    join(table_entry, other.table_entry);
}

bool pack_into(const TreeArrays& tree, size_t width, bool classes, std::span<const int32_t> position,
               std::span<const int32_t> n_categories, Forest& forest) {
    const size_t n = tree.size();
    const Children owned(tree.parent);
    const ChildView children = owned.view();
    for (size_t i = 0; i < n; ++i) {
        if (children.count(i) == 0) continue;
        const auto kind = static_cast<SplitKind>(tree.splits.kind[static_cast<size_t>(tree.split_begin[i])]);
        if (children.count(i) != 2 || tree.split_begin[i + 1] != tree.split_begin[i] + 1 || tree.default_branch[i] < 0 ||
            (kind != SplitKind::threshold && kind != SplitKind::table) || tree.competitor_begin[n] > 0)
            return false;
    }
    const std::vector<uint32_t> place = places_side_by_side(children);
    std::vector<size_t> at_place(n);
    for (size_t i = 0; i < n; ++i) at_place[place[i]] = i;
    std::vector<std::pair<int32_t, int32_t>> table;
    for (const size_t i : at_place) {
        for (size_t k = 0; k < width; ++k) forest.value.add(tree.value[i * width + k]);
        forest.count.push_back(static_cast<uint32_t>(tree.count[i]));
        if (!classes) {
            forest.weight.add(tree.weight[i]);
            forest.risk.push_back(tree.risk[i]);
        }
        PackedNode node{infinity, missing_left, place[i]};
        if (children.count(i)) {
            const auto split = static_cast<size_t>(tree.split_begin[i]);
            const auto feature = static_cast<size_t>(tree.splits.feature[split]);
            node = {tree.splits.threshold[split],
                    static_cast<uint32_t>(position[feature]) | (tree.default_branch[i] == 0 ? missing_left : 0),
                    place[children(i, 0)]};
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
    forest.close(forest.merit.size());
    return true;
}

void take_columns(const ForestColumns& columns, std::span<const int32_t> position, std::span<const int32_t> n_categories,
                  Forest& forest) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    size_t split = 0, table = 0;
    std::vector<std::pair<int32_t, int32_t>> groups;
    for (size_t t = 0; t + 1 < columns.tree_begin.size(); ++t) {
        const auto begin = static_cast<size_t>(columns.tree_begin[t]), n = static_cast<size_t>(columns.tree_begin[t + 1]) - begin;
        std::vector<bool> is_child(n, false);
        size_t n_children = 0;
        for (size_t i = 0; i < n; ++i) {
            const size_t at = begin + i;
            if (columns.first_child[at] < 0) {
                forest.node.push_back({infinity, missing_left, static_cast<uint32_t>(i)});
                continue;
            }
            const auto child = static_cast<size_t>(columns.first_child[at]);
            require(child > i && child + 1 < n, "a node's branches do not come after it");
            require(!is_child[child] && !is_child[child + 1], "a node is a branch of two others");
            is_child[child] = is_child[child + 1] = true;
            n_children += 2;
            const auto feature = static_cast<size_t>(columns.feature[at]);
            require(columns.feature[at] >= 0 && feature < position.size(), "a node splits on a feature that there is not");
            require(columns.default_branch[at] < 2, "a default branch is neither 0 nor 1");
            PackedNode node{columns.threshold[at],
                            static_cast<uint32_t>(position[feature]) | (columns.default_branch[at] == 0 ? missing_left : 0),
                            static_cast<uint32_t>(child)};
            if (n_categories[feature] > 0) {
                require(table + 1 < columns.table_begin.size(), "its splits and tables differ in number");
                groups.clear();
                for (int64_t entry = columns.table_begin[table]; entry < columns.table_begin[table + 1]; ++entry) {
                    const uint32_t both = columns.table_entry[static_cast<size_t>(entry)];
                    require(both >> 1 < static_cast<uint32_t>(n_categories[feature]),
                            "a table names a category that its feature does not have");
                    groups.emplace_back(both >> 1, both & 1);
                }
                ++table;
                forest.add_table(node, groups, n_categories[feature]);
            }
            forest.node.push_back(node);
            ++split;
        }
        require(n_children + 1 == n, "a node is no branch of any other");
        forest.close(split);
    }
    require(split == forest.merit.size() && table + 1 == columns.table_begin.size(),
            "its splits, merits and tables differ in number");
}

std::vector<int32_t> ids(const ForestView& forest) {
    std::vector<int32_t> id(forest.node.size()), size(forest.node.size());  // of the subtree at each node
    for (size_t tree = 0; tree < forest.n_trees(); ++tree) {
        const auto begin = static_cast<size_t>(forest.tree_begin[tree]), end = static_cast<size_t>(forest.tree_begin[tree + 1]);
        const auto first_child = [&](size_t at) { return begin + forest.node[at].first_child; };
        for (size_t at = end; at-- > begin;)
            size[at] = first_child(at) == at ? 1 : 1 + size[first_child(at)] + size[first_child(at) + 1];
        id[begin] = 0;
        for (size_t at = begin; at < end; ++at) {
            const size_t first = first_child(at);
            if (first == at) continue;
            id[first] = id[at] + 1;
            id[first + 1] = id[first] + size[first];
        }
    }
    return id;
}

namespace {

/// Gives one tree of a forest in full.
class Unpacking {
public:
    Unpacking(const ForestView& forest, size_t tree, std::string_view criterion, std::span<const int32_t> position,
              std::span<const int32_t> n_categories)
        : forest_(forest),
          criterion_(criterion),
          begin_(static_cast<size_t>(forest.tree_begin[tree])),
          n_(static_cast<size_t>(forest.tree_begin[tree + 1]) - begin_),
          totals_(forest.width) {
        for (size_t f = 0; f < position.size(); ++f) {
            auto& features = feature_of_[n_categories[f] > 0];
            const auto at = static_cast<size_t>(position[f]);
            if (features.size() <= at) features.resize(at + 1);
            features[at] = static_cast<int32_t>(f);
        }
        auto split = static_cast<size_t>(forest.split_begin[tree]), table = static_cast<size_t>(forest.tables_of[tree]);
        for (size_t at = 0; at < n_; ++at) {
            split_.push_back(split);
            table_.push_back(table);
            split += !is_leaf(at);
            table += by_table(at);
        }
    }

    TreeArrays operator()() {
        const auto children = [this](size_t at, std::vector<size_t>& list) {
            if (is_leaf(at)) return;
            for (size_t b : {0, 1}) list.push_back(node(at).first_child + b);
        };
        return write_tree(size_t{0}, children, [this](size_t at, TreeArrays& tree) { return write_node(at, tree); }, n_);
    }

private:
    const PackedNode& node(size_t at) const { return forest_.node[begin_ + at]; }
    bool is_leaf(size_t at) const { return node(at).first_child == at; }
    bool by_table(size_t at) const { return node(at).column & table_split; }

    NodeSummary write_node(size_t at, TreeArrays& tree) {
        NodeSummary summary;
        totals_.clear();
        for (size_t k = 0; k < forest_.width; ++k) totals_.sums[k] = forest_.value((begin_ + at) * forest_.width + k);
        summary.value = totals_.sums;
        summary.count = forest_.count[begin_ + at];
        summary.default_branch = node(at).column & missing_left ? 0 : 1;
        if (forest_.n_classes > 0) {
            const size_t k = forest_.width_of_one(), outputs = forest_.width / k;
            for (size_t i = 0; i < k; ++i) totals_.weight += totals_.sums[i];
            summary.weight = totals_.weight;
            for (size_t o = 0; o < outputs; ++o) add_classes(o, k, static_cast<double>(outputs), summary);
        } else {
            summary.weight = forest_.weight(begin_ + at);
            summary.risk = forest_.risk[begin_ + at];
            summary.impurity = summary.risk / summary.weight;
        }
        if (!is_leaf(at)) {
            summary.merit = forest_.merit[split_[at]];
            append_split(at, tree.splits, summary.merit);
        }
        return summary;
    }
    /// Errors and impurity by one of the targets, as their mean has them.
    void add_classes(size_t output, size_t n_classes, double outputs, NodeSummary& summary) {
        take_output(totals_, output, n_classes, one_);
        if (std::count_if(one_.sums.begin(), one_.sums.end(), [](double sum) { return sum > 0; }) <= 1) return;
        const double impurity = Criteria::with(criterion_, [&]<class C>() -> double {
            if constexpr (C::classification) return C::impurity(one_);
            else return 0.0;
        });
        summary.risk += (summary.weight - *std::max_element(one_.sums.begin(), one_.sums.end())) / outputs;
        summary.impurity += impurity / outputs;
    }
    void append_split(size_t at, SplitTable& splits, double merit) const {
        const int32_t feature = feature_of_[by_table(at)][node(at).column & column_bits];
        if (!by_table(at)) return splits.append(SplitKind::threshold, feature, node(at).threshold, merit);
        for (int64_t i = forest_.table_begin[table_[at]]; i < forest_.table_begin[table_[at] + 1]; ++i) {
            const uint32_t entry = forest_.table_entry[static_cast<size_t>(i)];
            splits.pool_index.push_back(static_cast<int32_t>(entry >> 1));
            splits.pool_value.push_back(entry & 1);
        }
        splits.append(SplitKind::table, feature, 0.0, merit);
    }

    const ForestView& forest_;
    std::string_view criterion_;
    size_t begin_, n_;
    Totals totals_, one_;
    std::vector<int32_t> feature_of_[2];  // by column of numbers, and of codes
    std::vector<size_t> split_, table_;   // of each node, if it has one
};

}  // namespace

TreeArrays unpack(const ForestView& forest, size_t tree, std::string_view criterion, std::span<const int32_t> position,
                  std::span<const int32_t> n_categories) {
    return Unpacking(forest, tree, criterion, position, n_categories)();
}

}  // namespace treewright
