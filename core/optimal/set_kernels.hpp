// The inner loops of counting sets of columns, for each set of instructions.
#pragma once
#include "optimal/column_sets.hpp"

namespace treewright::optimal {

template <class Number>
struct SetLoops {
    /// Count the rows of a column together with every other one from `first` on, which begins a vector.
    void (*count)(const SetBits& bits, size_t column, size_t first, SetTables<Number>& tables);
    /// Costs of the cells (a, b, c) for all c > b as leaves, folded into pairs; the counts are stored if `keep`.
    void (*triples)(SetTables<Number>& tables, size_t a, size_t b, bool keep);
    /// Costs of the cells (a, b, c, d) for all d > c as leaves, folded into triples.
    void (*quadruples)(SetTables<Number>& tables, size_t a, size_t b, size_t c);
    /// Fold the costs of the cells (a, b, c) for all c > b, as leaves or with two leaves, into pairs.
    void (*fold)(SetTables<Number>& tables, size_t a, size_t b);
};

struct SetKernels {
    /// Sum up some rows together with every column from `first` on, which begins a vector.
    void (*sum)(const SumTables& tables, const uint32_t* rows, size_t n_rows, size_t first);
    /// Costs of the cells (a, b, c) for all c > b as leaves, folded into pairs.
    void (*triples)(const SumTables& tables, size_t a, size_t b);
    SetLoops<uint16_t> small;
    SetLoops<double> large;
    /// Keep the rows of some words, `stride` apart, for columns from `first` on, which begins a vector.
    void (*compress)(const SetBits& from, const uint64_t* kept, size_t stride, size_t first, SetBits& to);
};

/// Those for this processor.
const SetKernels& set_kernels();

}  // namespace treewright::optimal
