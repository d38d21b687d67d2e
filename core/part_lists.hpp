// The numeric features of a node in ascending order, for nodes that hold shares of rows: sorted once, then handed down.
//
// The attribute lists of SLIQ and SPRINT (Mehta, Agrawal & Rissanen, 1996), without the missing values. A row whose value is
// missing may go down both branches, so that an entry may be copied into both children.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "splits/threshold.hpp"

namespace treewright {

template <class Index>
class PartLists {
public:
    using List = Entry<Index>;

    bool ready() const { return entries_ != nullptr; }
    /// Known values of a feature in ascending order: their ranks, and the rows they belong to.
    std::span<const List> of(size_t feature) const { return {entries_.get() + feature * stride_, known_[feature]}; }

    /// Room for n rows; features without a list have no known values.
    PartLists(size_t n_features, size_t n)
        : stride_(n + 1), known_(n_features, 0), entries_(std::make_unique_for_overwrite<List[]>(n_features * (n + 1))) {}
    PartLists() = default;

    /// Sort a feature: value[i] is that of row[i], NaN = missing.
    void sort(size_t feature, std::span<const double> value, std::span<const Index> row, RowSorter& sorter) {
        List* to = entries_.get() + feature * stride_;
        known_[feature] = sorter.sort(value.data(), value.size(), to);
        for (size_t i = 0; i < known_[feature]; ++i) to[i].row = row[to[i].row];
    }

    /// The lists of one child: bit `which` of goes[row] tells whether the row is there.
    PartLists child(std::span<const uint8_t> goes, size_t which, size_t n) const {
        PartLists lists(known_.size(), n);
        for (size_t f = 0; f < known_.size(); ++f) {
            List* to = lists.entries_.get() + f * lists.stride_;
            size_t at = 0;
            for (const List& entry : of(f)) {  // without a branch, as sides are a coin toss; hence one entry of spare room
                to[at] = entry;
                at += goes[entry.row] >> which & 1u;
            }
            lists.known_[f] = at;
        }
        return lists;
    }
    /// The lists of both children.
    std::array<PartLists, 2> children(std::span<const uint8_t> goes, size_t n_left, size_t n_right) const {
        std::array<PartLists, 2> lists{PartLists(known_.size(), n_left), PartLists(known_.size(), n_right)};
        for (size_t f = 0; f < known_.size(); ++f) {
            List* left = lists[0].entries_.get() + f * lists[0].stride_;
            List* right = lists[1].entries_.get() + f * lists[1].stride_;
            size_t at_left = 0, at_right = 0;
            for (const List& entry : of(f)) {
                const unsigned sides = goes[entry.row];
                left[at_left] = entry;
                right[at_right] = entry;
                at_left += sides & 1u;
                at_right += sides >> 1;
            }
            lists[0].known_[f] = at_left;
            lists[1].known_[f] = at_right;
        }
        return lists;
    }

private:
    size_t stride_ = 0;
    std::vector<size_t> known_;
    std::unique_ptr<List[]> entries_;
};

}  // namespace treewright
