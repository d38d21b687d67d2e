// Sparse rows through a forest.
#pragma once
#include "forest/forest.hpp"
#include "predict/sparse_rows.hpp"

namespace treewright {

/// As `vote` and `leaves` of dense rows (forest/forest.hpp); give whether a value is missing or infinite. Trees split numbers
/// only.
template <class Number>
uint8_t vote_sparse(const ForestView& forest, const SparseRows<Number>& rows, Vote how, const Draws* out_of_bag, double* sums,
                    uint32_t* votes, int threads, Monitor& monitor);
template <class Number>
uint8_t leaves_sparse(const ForestView& forest, std::span<const int32_t> id, const SparseRows<Number>& rows, int32_t* leaf,
                      int threads, Monitor& monitor);

}  // namespace treewright
