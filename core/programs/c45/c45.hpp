// C4.5: gain ratio with fractional rows, collapse and error-based pruning (Quinlan, 1993, 1996).
#pragma once
#include "grow/grow.hpp"

namespace treewright::c45 {

struct Options {
    double min_weight = 2;     // a test needs two branches of at least this weight
    bool binary = false;       // one category against the rest, instead of a branch for each
    bool mdl = true;           // numeric cuts pay for their choice (Quinlan, 1996)
    bool observed = true;      // cut at the largest value of the training set not above the midpoint
    double tolerance = 1e-6;   // merits and weights closer than this are equal
    double same_value = 1e-5;  // numbers closer than this are equal
    bool collapse = true, prune = true, raising = true;
    double confidence = 0.25, deviate = 0.6745;  // of the upper limit on the error rate, and its normal deviate
    double last_half = 1;                        // share of the rows not in error that are added where all but half a row are
    bool last_of_largest = true;                 // among equally large branches the last may be raised
    int max_competitors = 0;                     // tests of other features that a node remembers
    int threads = 1;
};

TreeArrays grow(const Table& table, const Target& target, const Options& options, Monitor& monitor);

}  // namespace treewright::c45
