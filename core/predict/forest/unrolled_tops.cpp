// Filling up the tops of trees, and rows through them.
#include "predict/forest/unrolled_tops.hpp"

#include <algorithm>

namespace treewright {

namespace {

constexpr uint32_t levels_at_once = 5;

using Group = int16_t[group_rows];  // a number for every row

/// Rows beyond `code` go where `right` says, `width` further on, the others where `left` says: loops for the compiler to turn
/// into vectors.
[[gnu::always_inline]] inline void choose(const int16_t* __restrict x, int16_t code, const Group& __restrict left,
                                          const Group& __restrict right, int16_t width, Group& __restrict to) {
    for (size_t i = 0; i < group_rows; ++i) {
        const auto beyond = static_cast<int16_t>(-(x[i] > code));
        to[i] = static_cast<int16_t>((left[i] & ~beyond) | ((right[i] + width) & beyond));
    }
}

/// Where a row would arrive below a node so many levels above the last, for all rows of a group.
template <uint32_t level, class Node>
[[gnu::always_inline]] inline void descend(const Node* top, size_t place, const int16_t* codes, Group& __restrict arrived) {
    const int16_t* __restrict x = codes + top[place].offset;
    const auto code = static_cast<int16_t>(top[place].code);
    if constexpr (level == 0) {
        for (size_t i = 0; i < group_rows; ++i) arrived[i] = x[i] > code;
    } else {
        alignas(64) Group left, right;
        descend<level - 1>(top, 2 * place, codes, left);
        descend<level - 1>(top, 2 * place + 1, codes, right);
        choose(x, code, left, right, 1 << level, arrived);
    }
}

template <class Node>
void ask_all(const Node* top, const int16_t* codes, Group& arrived) {
    descend<levels_at_once - 1>(top, 1, codes, arrived);
}
#if defined(__x86_64__) && defined(__GNUC__)
/// The same in longer vectors, for processors that have them; whole numbers give the same answer either way.
template <class Node>
[[gnu::target("avx2")]] void ask_all_avx2(const Node* top, const int16_t* codes, Group& arrived) {
    descend<levels_at_once - 1>(top, 1, codes, arrived);
}
template <class Node>
auto best_ask_all() {
    return __builtin_cpu_supports("avx2") ? ask_all_avx2<Node> : ask_all<Node>;
}
#else
template <class Node>
auto best_ask_all() {
    return ask_all<Node>;
}
#endif

}  // namespace

void TreeTops::add(const CodedNode* nodes, uint32_t depth) {
    const uint32_t levels = std::clamp(depth, levels_at_once, most_levels);
    const size_t places = size_t{1} << levels;
    top_.push_back({levels, node_.size(), end_.size()});
    std::vector<uint32_t> id(2 * places, 0);  // by place
    node_.push_back({});
    for (size_t place = 1; place < places; ++place) {
        const CodedNode& node = nodes[id[place]];
        const bool leaf = node.first_child == id[place];
        node_.push_back({static_cast<uint32_t>(node.column * group_rows), node.code});
        id[2 * place] = node.first_child;
        id[2 * place + 1] = node.first_child + !leaf;
    }
    end_.insert(end_.end(), id.begin() + static_cast<int64_t>(places), id.end());
}

void TreeTops::walk(size_t tree, const int16_t* codes, uint32_t* at) const {
    const Top& top = top_[tree];
    const Node* nodes = node_.data() + top.nodes;
    const uint32_t* ends = end_.data() + top.ends;
    alignas(64) Group arrived;
    static const auto ask = best_ask_all<Node>();
    ask(nodes, codes, arrived);
    constexpr size_t lanes = 8;  // rows side by side, to hide the latency of each
    for (size_t i = 0; i < group_rows; i += lanes) {
        uint32_t place[lanes];
        for (size_t lane = 0; lane < lanes; ++lane)
            place[lane] = (1u << levels_at_once) + static_cast<uint32_t>(arrived[i + lane]);
        for (uint32_t level = levels_at_once; level < top.levels; ++level)
            for (size_t lane = 0; lane < lanes; ++lane) {
                const Node& node = nodes[place[lane]];
                place[lane] = 2 * place[lane] + (codes[node.offset + i + lane] > node.code);
            }
        for (size_t lane = 0; lane < lanes; ++lane) at[i + lane] = ends[place[lane] - (1u << top.levels)];
    }
}

}  // namespace treewright
