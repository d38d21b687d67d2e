// The nodes of all builders as one tree.
#include "base/builder.hpp"

#include "base/writer.hpp"

namespace treewright {

template class Best<Candidate>;

void append_pool(const Candidate& split, std::vector<int32_t>& index, std::vector<double>& value) {
    for (const auto& [code, branch] : split.table) {
        index.push_back(code);
        value.push_back(branch);
    }
    index.insert(index.end(), split.pool_index.begin(), split.pool_index.end());
    value.insert(value.end(), split.pool_value.begin(), split.pool_value.end());
}

void Builder::set_split(int32_t at, const Candidate& split, int32_t first_child) {
    NodeRecord& node = nodes[static_cast<size_t>(at)];
    node.first_child = first_child;
    node.n_children = split.n_branches;
    node.default_branch = split.default_branch;
    node.feature = split.feature;
    node.kind = split.kind;
    node.threshold = split.threshold;
    node.merit = split.merit;
    node.pool_begin = static_cast<int64_t>(pool_index.size());
    append_pool(split, pool_index, pool_value);
    node.pool_end = static_cast<int64_t>(pool_index.size());
}

void Builder::set_others(int32_t at, std::vector<Candidate>&& others, std::vector<Candidate>&& substitutes) {
    NodeRecord& node = nodes[static_cast<size_t>(at)];
    node.competitors_begin = static_cast<int64_t>(competitors.size());
    std::move(others.begin(), others.end(), std::back_inserter(competitors));
    node.competitors_end = static_cast<int64_t>(competitors.size());
    node.surrogates_begin = static_cast<int64_t>(surrogates.size());
    std::move(substitutes.begin(), substitutes.end(), std::back_inserter(surrogates));
    node.surrogates_end = static_cast<int64_t>(surrogates.size());
}

namespace {

/// A node of one of the builders.
struct Place {
    const Builder* builder;
    int32_t node;

    const NodeRecord& record() const { return builder->nodes[static_cast<size_t>(node)]; }
    std::span<const double> value() const {
        return std::span(builder->value).subspan(builder->width * static_cast<size_t>(node), builder->width);
    }
};

void append(SplitTable& to, const Builder& from, const NodeRecord& node) {
    to.pool_index.insert(to.pool_index.end(), from.pool_index.begin() + node.pool_begin, from.pool_index.begin() + node.pool_end);
    to.pool_value.insert(to.pool_value.end(), from.pool_value.begin() + node.pool_begin, from.pool_value.begin() + node.pool_end);
    to.append(node.kind, node.feature, node.threshold, node.merit);
}

void append(SplitTable& to, const Candidate& split) {
    append_pool(split, to.pool_index, to.pool_value);
    to.append(split.kind, split.feature, split.threshold, split.merit);
}

NodeSummary write_node(const Place& place, TreeArrays& tree) {
    const Builder& from = *place.builder;
    const NodeRecord& node = place.record();
    if (node.n_children) {
        append(tree.splits, from, node);
        for (int64_t s = node.surrogates_begin; s < node.surrogates_end; ++s) {
            const Candidate& surrogate = from.surrogates[static_cast<size_t>(s)];
            append(tree.splits, surrogate);
            tree.splits.adjust_last(surrogate.adjusted);
        }
        for (int64_t c = node.competitors_begin; c < node.competitors_end; ++c)
            append(tree.competitors, from.competitors[static_cast<size_t>(c)]);
    }
    return {node.count, node.weight, node.impurity, node.risk, place.value(), node.merit, node.default_branch};
}

}  // namespace

TreeArrays assemble(const Builder& top, const std::vector<Builder>& grafts) {
    const auto place_of = [&](const Builder& builder, int32_t node) {  // a grafted node is the root of its own builder
        const int32_t subtree = builder.nodes[static_cast<size_t>(node)].subtree;
        return subtree < 0 ? Place{&builder, node} : Place{&grafts[static_cast<size_t>(subtree)], 0};
    };
    const auto children = [&](const Place& place, std::vector<Place>& list) {
        const NodeRecord& node = place.record();
        for (int32_t b = 0; b < node.n_children; ++b) list.push_back(place_of(*place.builder, node.first_child + b));
    };
    size_t n_expected = top.nodes.size();
    for (const Builder& subtree : grafts) n_expected += subtree.nodes.size();
    return write_tree(place_of(top, 0), children, write_node, n_expected);
}

}  // namespace treewright
