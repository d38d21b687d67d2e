// What the costs of two cuts of an order say about every cut between them.
//
// Let L(t) be the least cost of a tree on the rows left of cut t, R(t) of one on those right of it. A tree for more rows costs no
// less, and adding a row costs no more than `most` of it (loss.hpp). So L rises and R falls, neither faster than the sum M of
// `most` over the rows between: for a < t < b
//
//     L(t) ≥ max(L(a), L(b) − M(t, b))        R(t) ≥ max(R(b), R(a) − M(a, t))
//     L(t) ≤ min(L(b), L(a) + M(a, t))        R(t) ≤ min(R(a), R(b) + M(t, b))
//
// This holds for lower bounds in the place of L and R as well. A tree is looked for by its root column too, and then each column
// has bounds of its own, of the same form: *floors*.
#pragma once
#include <algorithm>
#include <span>

#include "optimal/plan.hpp"

namespace treewright::optimal {

/// What is known at a cut: lower bounds of both sides.
struct CutBounds {
    uint32_t at = 0;
    Cost left = 0, right = 0;
};

/// No cut between two others costs less on both sides together; `between` is M.
inline Cost least_between(const CutBounds& a, const CutBounds& b, Cost between) {
    return std::max(a.left + b.right, b.left + a.right - between);
}

/// Lower bounds at a cut between two others.
inline CutBounds bounds_at(uint32_t at, const CutBounds& a, const CutBounds& b, Cost from_a, Cost to_b) {
    return {at, std::max(a.left, b.left - to_b), std::max(b.right, a.right - from_a)};
}

/// The cuts (low, high) between a and b that may cost less than `limit`, `price` being that of a split; M(a, t) is most[t] −
/// most[a], or (t − a) · `each` if that is not 0. Empty if low > high.
inline std::pair<uint32_t, uint32_t> open_cuts(const CutBounds& a, const CutBounds& b, std::span<const Cost> most, Cost each,
                                               Cost price, Cost limit) {
    uint32_t low = a.at + 1, high = b.at - 1;
    const Cost over_a = price + a.left + a.right - limit, over_b = price + b.left + b.right - limit;
    if (each) {
        const Cost width = b.at - a.at;
        if (over_a >= 0) low += static_cast<uint32_t>(std::min(width, over_a / each));
        if (over_b >= 0) high -= static_cast<uint32_t>(std::min(width - 1, over_b / each));
        return {low, high};
    }
    if (over_a >= 0)  // cuts within `over_a` of a cost at least `limit`
        low = std::max(low, static_cast<uint32_t>(std::upper_bound(most.begin() + low, most.begin() + b.at, most[a.at] + over_a) -
                                                  most.begin()));
    if (over_b >= 0)
        high = std::min(
            high, static_cast<uint32_t>(std::lower_bound(most.begin() + a.at + 1, most.begin() + high + 1, most[b.at] - over_b) -
                                        most.begin()) -
                      1);
    return {low, high};
}

}  // namespace treewright::optimal
