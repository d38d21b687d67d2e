// Which features a node looks at, and in which order: of features that split it equally well the first wins.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/recipe.hpp"

namespace treewright {

/// Draws features without replacement, the same way from every node: a shuffle that is undone when the node is done.
class FeatureDraw {
public:
    explicit FeatureDraw(size_t n_features) : shuffled_(n_features) { std::iota(shuffled_.begin(), shuffled_.end(), 0); }

    bool any_left() const { return swaps_.size() < shuffled_.size(); }
    int32_t next(Random& random) {
        const size_t at = swaps_.size(), other = at + random.below(shuffled_.size() - at);
        std::swap(shuffled_[at], shuffled_[other]);
        swaps_.push_back(other);
        return shuffled_[at];
    }
    void undo() {
        for (size_t i = swaps_.size(); i-- > 0;) std::swap(shuffled_[i], shuffled_[swaps_[i]]);
        swaps_.clear();
    }

    /// Whether a node looks at features that are drawn for it; else it looks at all, by chance in the order of their keys.
    bool chooses(const Recipe& recipe) const {
        return wanted(recipe) < shuffled_.size() || (recipe.random_cuts && recipe.ties == Ties::random);
    }
    /// max_features drawn of all features, and more until one varies; in the order of the draw, so that chance decides between
    /// equals, or else ascending.
    template <class Varies>
    const std::vector<int32_t>& choose(const Recipe& recipe, Random& random, Varies&& varies) {
        return choose(recipe, random, varies, [](std::span<const int32_t>) {});
    }
    /// The same; call_for(features) is told the first max_features before any of them is looked at.
    template <class Varies, class CallFor>
    const std::vector<int32_t>& choose(const Recipe& recipe, Random& random, Varies&& varies, CallFor&& call_for) {
        chosen_.clear();
        for (size_t i = 0; any_left() && i < wanted(recipe); ++i) chosen_.push_back(next(random));
        call_for(chosen_);
        std::erase_if(chosen_, [&](int32_t feature) { return !varies(feature); });
        while (chosen_.empty() && any_left())
            if (const int32_t feature = next(random); varies(feature)) chosen_.push_back(feature);
        undo();
        if (recipe.ties != Ties::random) std::sort(chosen_.begin(), chosen_.end());
        return chosen_;
    }

private:
    size_t wanted(const Recipe& recipe) const {
        return recipe.max_features == 0 ? shuffled_.size() : static_cast<size_t>(recipe.max_features);
    }

    std::vector<int32_t> shuffled_, chosen_;
    std::vector<size_t> swaps_;
};

/// Puts features into an order by chance: each has a key that follows from the node's seed and its number. So the order of two
/// features depends neither on what other features there are nor on who asks.
class FeatureOrder {
public:
    static uint64_t key(uint64_t seed, int32_t feature) {
        const auto number = static_cast<uint64_t>(static_cast<uint32_t>(feature));
        return (Random(seed ^ (number * 0xd1342543de82ef95u)).next() & ~uint64_t{0xffffffff}) | number;
    }

    void start(std::span<const int32_t> features, uint64_t seed) {
        keys_.resize(features.size());
        for (size_t i = 0; i < features.size(); ++i) keys_[i] = key(seed, features[i]);
        in_place_ = 0;
    }
    /// The feature at a place. The first few often end the search of a small node, so that the others are not sorted before.
    int32_t operator[](size_t place) {
        while (in_place_ <= place) {
            if (in_place_ < one_by_one) bring_next();
            else sort();
        }
        return static_cast<int32_t>(keys_[place] & 0xffffffff);
    }
    void apply(std::vector<int32_t>& features, uint64_t seed) {
        start(features, seed);
        for (size_t i = 0; i < features.size(); ++i) features[i] = (*this)[i];
    }

private:
    static constexpr size_t one_by_one = 4;  // places

    void bring_next() {
        uint64_t* first = keys_.data() + in_place_++;
        std::swap(*first, *std::min_element(first, keys_.data() + keys_.size()));
    }
    /// By the leading bits into groups of about four, then group by group.
    void sort() {
        in_place_ = keys_.size();
        if (keys_.size() <= 32) return std::sort(keys_.begin(), keys_.end());
        const int bits = static_cast<int>(std::bit_width(keys_.size() / 4)), shift = 64 - bits;
        begin_.assign((size_t{1} << bits) + 1, 0);
        for (uint64_t key : keys_) ++begin_[(key >> shift) + 1];
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        grouped_.resize(keys_.size());
        for (uint64_t key : keys_) grouped_[begin_[key >> shift]++] = key;
        keys_.swap(grouped_);
        for (size_t i = 1; i < keys_.size(); ++i)  // what is left to move moves within its group
            for (size_t j = i; j > 0 && keys_[j] < keys_[j - 1]; --j) std::swap(keys_[j], keys_[j - 1]);
    }

    std::vector<uint64_t> keys_, grouped_;
    std::vector<size_t> begin_;
    size_t in_place_ = 0;  // of the keys
};

}  // namespace treewright
