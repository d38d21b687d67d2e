// The numeric features of a node in ascending order, for nodes that hold shares of rows: sorted once, then handed down.
//
// The attribute lists of SLIQ and SPRINT (Mehta, Agrawal & Rissanen, 1996), without the missing values. A row whose value is
// missing may go down both branches, so that an entry may be copied into both children.
#pragma once
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
    /// The lists of a child: place[i] is the number of part i there, or `absent`.
    PartLists child(std::span<const uint32_t> place, size_t n) const {
        PartLists lists(known_.size(), n);
        for (size_t f = 0; f < known_.size(); ++f) {
            List* to = lists.entries_.get() + f * lists.stride_;
            size_t known = 0;
            for (const List& entry : of(f)) {  // written without a branch: sides are a coin toss, hence one entry of spare room
                to[known] = {entry.rank, place[entry.row]};
                known += place[entry.row] != absent;
            }
            lists.known_[f] = known;
        }
        return lists;
    }

private:
    size_t stride_ = 0;
    std::vector<size_t> known_;
    std::unique_ptr<List[]> entries_;
};

}  // namespace treewright
