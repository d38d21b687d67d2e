// A node while it grows: what the driver knows of it, besides where its rows stand.
#pragma once
#include "splits/candidate.hpp"
#include "grow/constraints.hpp"
#include "base/random.hpp"

namespace treewright {

/// What every node remembers until it is its turn. Millions of small nodes want no more than that: their finder keeps what it
/// found of the node in hand, and they are split as soon as that is known.
struct QueuedNode {
    int32_t node = 0, depth = 0;  // its number in the output, -1 = a leaf for good
    uint64_t seed = 0;            // of all that it draws

    void descend(const QueuedNode& parent, size_t branch) {
        depth = parent.depth + 1;
        seed = child_seed(parent.seed, branch);
    }
};

/// A node that keeps what was found of it, so that it may wait with its split.
struct GrowingNode : QueuedNode {
    using Split = Candidate;

    Interactions::Open groups;        // of features that may still be used together; null = all
    Interactions::Features features;  // that may be used here; null = all
    Totals totals;
    double impurity = 0, centre = 0;
    Candidate split;
    std::vector<Candidate> competitors, surrogates;
    double decrease = 0, slack = 0;  // of the tree's impurity by the split, where it is asked for, and what rounding makes of it

    void descend(const GrowingNode& parent, size_t branch) {
        QueuedNode::descend(parent, branch);
        groups = parent.groups;
        features = parent.features;
    }
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
