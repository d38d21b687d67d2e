// The numeric features of a node in ascending order, for nodes that hold shares of rows: sorted once, then handed down.
//
// The attribute lists of SLIQ and SPRINT (Mehta, Agrawal & Rissanen, 1996), without the missing values. A row whose value is
// missing may go down both branches, so that an entry may be copied into both children. A row is named by its place among the
// parts of the node, so that what a scan looks up stands close together, however small the node.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "cuts/scan.hpp"

namespace treewright {

/// Where each part of a node stands among those of its two branches.
template <class Index>
class BranchPlaces {
public:
    struct Place {
        Index left, right;
    };
    static constexpr Index nowhere = std::numeric_limits<Index>::max();

    /// Either side has parts of the node, in its order.
    void find(std::span<const uint32_t> node, std::span<const uint32_t> left, std::span<const uint32_t> right) {
        place_.resize(node.size());
        size_t at_left = 0, at_right = 0;
        for (size_t i = 0; i < node.size(); ++i) {
            const bool is_left = at_left < left.size() && left[at_left] == node[i];
            const bool is_right = at_right < right.size() && right[at_right] == node[i];
            place_[i] = {is_left ? static_cast<Index>(at_left) : nowhere, is_right ? static_cast<Index>(at_right) : nowhere};
            at_left += is_left;
            at_right += is_right;
        }
    }
    Place operator[](size_t part) const { return place_[part]; }

private:
    std::vector<Place> place_;
};

template <class Index>
class InheritedOrder {
public:
    using List = Entry<Index>;

    bool ready() const { return entries_ != nullptr; }
    /// Known values of a feature in ascending order: their ranks, and the parts they belong to.
    std::span<const List> of(size_t feature) const { return {entries_.get() + feature * stride_, known_[feature]}; }

    /// Room for n parts; features without a list have no known values.
    InheritedOrder(size_t n_features, size_t n)
        : stride_(n + 1), known_(n_features, 0), entries_(std::make_unique_for_overwrite<List[]>(n_features * (n + 1))) {}
    InheritedOrder() = default;

    /// Sort a feature: value[i] is that of the i-th part, NaN = missing.
    void sort(size_t feature, std::span<const double> value, RowSorter& sorter) {
        known_[feature] = sorter.sort(value.data(), value.size(), entries_.get() + feature * stride_);
    }

    /// The lists of one child, of n parts; side is &Place::left or &Place::right.
    InheritedOrder child(const BranchPlaces<Index>& places, Index BranchPlaces<Index>::Place::* side, size_t n) const {
        InheritedOrder lists(known_.size(), n);
        for (size_t f = 0; f < known_.size(); ++f) {
            List* to = lists.entries_.get() + f * lists.stride_;
            size_t at = 0;
            for (const List& entry : of(f)) {  // without a branch, as sides are a coin toss; hence one entry of spare room
                const Index place = places[entry.row].*side;
                to[at] = {entry.rank, place};
                at += place != BranchPlaces<Index>::nowhere;
            }
            lists.known_[f] = at;
        }
        return lists;
    }
    /// The lists of both children.
    std::array<InheritedOrder, 2> children(const BranchPlaces<Index>& places, size_t n_left, size_t n_right) const {
        std::array<InheritedOrder, 2> lists{InheritedOrder(known_.size(), n_left), InheritedOrder(known_.size(), n_right)};
        for (size_t f = 0; f < known_.size(); ++f) {
            List* left = lists[0].entries_.get() + f * lists[0].stride_;
            List* right = lists[1].entries_.get() + f * lists[1].stride_;
            size_t at_left = 0, at_right = 0;
            for (const List& entry : of(f)) {
                const auto place = places[entry.row];
                left[at_left] = {entry.rank, place.left};
                right[at_right] = {entry.rank, place.right};
                at_left += place.left != BranchPlaces<Index>::nowhere;
                at_right += place.right != BranchPlaces<Index>::nowhere;
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
