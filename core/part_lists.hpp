// The numeric features of a node in ascending order, for nodes that hold shares of rows: sorted once, then handed down.
//
// The attribute lists of SLIQ and SPRINT (Mehta, Agrawal & Rissanen, 1996), without the missing values. A row whose value is
// missing may go down both branches, so that an entry may be copied into both children.
#pragma once
#include <array>
#include <memory>

#include "splits/threshold.hpp"

namespace treewright {

class PartLists {
public:
    using List = Entry<uint32_t>;
    static constexpr uint32_t absent = std::numeric_limits<uint32_t>::max();

    bool ready() const { return entries_ != nullptr; }
    /// Known values of a feature in ascending order: their ranks, and the numbers of their parts.
    std::span<const List> of(size_t feature) const { return {entries_.get() + feature * stride_, known_[feature]}; }

    /// Room for n parts; features without a list have no known values.
    PartLists(size_t n_features, size_t n)
        : stride_(n + 1), known_(n_features, 0), entries_(std::make_unique_for_overwrite<List[]>(n_features * (n + 1))) {}
    PartLists() = default;

    /// Sort a feature with these values by part, NaN = missing.
    void sort(size_t feature, std::span<const double> value, RowSorter& sorter) {
        known_[feature] = sorter.sort(value.data(), value.size(), entries_.get() + feature * stride_);
    }
    /// Where a part goes on the left and on the right: its numbers there, or `absent`.
    using Place = std::array<uint32_t, 2>;

    /// The lists of one child (0 = left).
    PartLists child(std::span<const Place> place, size_t which, size_t n) const {
        PartLists lists(known_.size(), n);
        for (size_t f = 0; f < known_.size(); ++f)
            for (const List& entry : of(f)) lists.take(f, entry.rank, place[entry.row][which]);
        return lists;
    }
    /// The lists of both children.
    std::array<PartLists, 2> children(std::span<const Place> place, size_t n_left, size_t n_right) const {
        std::array<PartLists, 2> lists{PartLists(known_.size(), n_left), PartLists(known_.size(), n_right)};
        for (size_t f = 0; f < known_.size(); ++f)
            for (const List& entry : of(f)) {
                const Place to = place[entry.row];
                lists[0].take(f, entry.rank, to[0]);
                lists[1].take(f, entry.rank, to[1]);
            }
        return lists;
    }

private:
    /// Append an entry if it is not absent: without a branch, as sides are a coin toss; hence one entry of spare room.
    void take(size_t feature, uint32_t rank, uint32_t row) {
        size_t& known = known_[feature];
        entries_[feature * stride_ + known] = {rank, row};
        known += row != absent;
    }

    size_t stride_ = 0;
    std::vector<size_t> known_;
    std::unique_ptr<List[]> entries_;
};

}  // namespace treewright
