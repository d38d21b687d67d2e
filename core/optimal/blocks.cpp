// Nodes as blocks of 64 rows.
#include "optimal/blocks.hpp"

#include <algorithm>
#include <bit>

namespace treewright::optimal {

void Blocks::build(const Node& node, const std::vector<Column>& columns, const Loss& loss, const std::function<void()>& poll) {
    const size_t n = node.active.size(), width = static_cast<size_t>(loss.width());
    n_blocks_ = node.n_blocks();
    views_.assign(n, {});
    ends_.assign(n * n_blocks_, 0);
    pieces_.clear();
    piece_begin_.clear();
    const bool pair = loss.kind() == LossKind::pair, counts = loss.kind() == LossKind::counts;
    const size_t planes = pair ? 1 : counts ? width : 0;
    classes_.assign(n * n_blocks_ * planes, 0);
    n_classes_.assign(n * n_blocks_ * planes, 0);
    if (!planes) {
        numbers_.resize(n * node.stride * width);
        block_sums_.assign(n * n_blocks_ * width, 0);
    }
    size_t most_groups = 0;
    for (size_t i = 0; i < n; ++i) {
        poll();
        const uint32_t* order = node.order_of(i);
        if (pair) {
            uint64_t* classes = classes_.data() + i * n_blocks_;
            for (uint32_t b = 0; b < n_blocks_; ++b) {
                const uint32_t end = std::min(64u, node.n_rows - b * 64);
                uint64_t bits = 0;
                for (uint32_t k = 0; k < end; ++k) bits |= uint64_t{node.second[order[b * 64 + k]]} << k;
                classes[b] = bits;
                n_classes_[i * n_blocks_ + b] = static_cast<uint8_t>(std::popcount(bits));
            }
        } else if (counts) {
            uint64_t* classes = classes_.data() + i * n_blocks_ * width;
            for (uint32_t k = 0; k < node.n_rows; ++k)
                classes[(k / 64) * width + static_cast<size_t>(loss.label(node.row[order[k]]))] |= uint64_t{1} << k % 64;
            for (size_t j = 0; j < n_blocks_ * width; ++j)
                n_classes_[i * n_blocks_ * width + j] = static_cast<uint8_t>(std::popcount(classes[j]));
        } else {
            Cost* numbers = numbers_.data() + i * node.stride * width;
            Cost* sums = block_sums_.data() + i * n_blocks_ * width;
            std::fill_n(numbers, node.n_rows * width, 0);
            for (uint32_t k = 0; k < node.n_rows; ++k) {
                loss.add(node.row[order[k]], numbers + k * width);
                for (size_t j = 0; j < width; ++j) sums[(k / 64) * width + j] += numbers[k * width + j];
            }
        }
        piece_begin_.push_back(pieces_.size());
        find_groups(node, columns[node.active[i]], i);
        most_groups = std::max(most_groups, pieces_.size() - piece_begin_.back());
    }
    piece_begin_.push_back(pieces_.size());
    for (size_t i = 0; i < n; ++i) {
        ColumnBlocks& view = views_[i];
        view.categorical = columns[node.active[i]].categorical;
        view.ends = ends(i);
        view.n_pieces = piece_begin_[i + 1] - piece_begin_[i];
        if (view.n_pieces) view.pieces = pieces_.data() + piece_begin_[i];
        view.classes = classes_.data() + i * n_blocks_ * planes;
        view.n_classes = n_classes_.data() + i * n_blocks_ * planes;
        view.numbers = numbers_.data() + i * node.stride * width;
        view.block_sums = block_sums_.data() + i * n_blocks_ * width;
    }
    scratch_.resize(std::max(scratch_.size(), scratch_size(loss, most_groups)));
}

/// Ends of groups, and pieces of blocks where these are few.
void Blocks::find_groups(const Node& node, const Column& column, size_t i) {
    const uint32_t* group = node.group_of(i);
    uint64_t* ends = ends_.data() + i * n_blocks_;
    size_t n_groups = 1;
    for (uint32_t b = 0; b < n_blocks_; ++b) {
        const uint32_t* at = group + b * 64;
        const uint32_t n = std::min(64u, node.n_rows - 1 - b * 64);  // the last row ends no group that another follows
        uint64_t bits = 0;
        for (uint32_t k = 0; k < n; ++k) bits |= static_cast<uint64_t>(at[k] != at[k + 1]) << k;
        n_groups += static_cast<size_t>(std::popcount(bits));
        ends[b] = column.categorical ? 0 : bits;
    }
    if (!column.categorical && !column.may_cut_after(group[0])) {
        const auto end = static_cast<uint32_t>(std::upper_bound(group, group + node.n_rows, group[0]) - group);
        if (end < node.n_rows) ends[(end - 1) / 64] &= ~(uint64_t{1} << (end - 1) % 64);
    }
    if (!column.categorical && n_groups > n_blocks_) return;
    for (uint32_t k = 0; k < node.n_rows;) {
        uint32_t end = k + 1;
        const uint32_t block_end = std::min(node.n_rows, (k / 64 + 1) * 64);
        while (end < block_end && group[end] == group[k]) ++end;
        const bool last = end == node.n_rows || group[end] != group[k];
        const uint64_t upto = end % 64 ? (uint64_t{1} << end % 64) - 1 : ~uint64_t{0};
        const bool cut = last && ((ends[(end - 1) / 64] >> (end - 1) % 64) & 1);
        pieces_.push_back({upto & ~((uint64_t{1} << k % 64) - 1), k / 64, last ? 1u + cut : 0u});
        k = end;
    }
}

uint32_t nearest_cut(const uint64_t* ends, uint32_t low, uint32_t high, uint32_t at) {
    // a cut at c is bit c - 1
    uint32_t above = 0, below = 0;
    for (uint32_t bit = at - 1, word = bit / 64; word * 64 < high; ++word) {
        uint64_t bits = ends[word];
        if (word == bit / 64) bits &= ~uint64_t{0} << bit % 64;
        if (!bits) continue;
        const uint32_t found = word * 64 + static_cast<uint32_t>(std::countr_zero(bits)) + 1;
        if (found <= high) above = found;
        break;
    }
    if (above == at) return at;
    for (uint32_t bit = at - 1, word = bit / 64;; --word) {
        uint64_t bits = ends[word];
        if (word == bit / 64) bits &= (uint64_t{1} << bit % 64) - 1;
        if (bits) {
            const uint32_t found = word * 64 + 63 - static_cast<uint32_t>(std::countl_zero(bits)) + 1;
            if (found >= low) below = found;
            break;
        }
        if (word == 0 || word * 64 < low) break;
    }
    if (!above || !below) return above ? above : below;
    return above - at <= at - below ? above : below;
}

}  // namespace treewright::optimal
