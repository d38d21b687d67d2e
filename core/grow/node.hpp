// A node while it grows: what every engine knows of it, besides where its rows stand.
#pragma once
#include "candidate.hpp"
#include "constraints.hpp"

namespace treewright {

struct GrowingNode {
    int32_t node = 0, depth = 0;      // its number in the Builder, -1 = a leaf for good
    uint64_t seed = 0;                // of all that it draws
    Interactions::Open groups;        // of features that may still be used together; null = all
    Interactions::Features features;  // that may be used here; null = all
    Totals totals;
    double impurity = 0, centre = 0;
    Candidate split;
    std::vector<Candidate> competitors, surrogates;
    double decrease = 0;  // of the tree's impurity by the split, where it is asked for
};

/// A node whose subtree another engine grows.
template <class Rows>
struct Subtree {
    int32_t node, depth;
    uint64_t seed;
    Interactions::Open groups;
    Rows rows;
};

}  // namespace treewright
