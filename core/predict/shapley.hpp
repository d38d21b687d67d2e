// Shapley values (SHAP): what each feature adds to the prediction of a row, in the mean over all orders of features.
//
// Where a feature is not known yet, a split on it sends the row down every branch by the weights of the training rows (Lundberg
// et al., 2020). The row then ends in a leaf by the product, over the players on the way, of what it is if the player is known
// (1, 0, or a share) and of a share of the training rows if not; a player is a feature, or those that one split asks together.
// With t the chance that a player is known, the values are integrals over t of polynomials (Owen, 1972),
//
//     value_j = Σ_leaves says · ∫ (known_j − share_j) · Π_{i ≠ j} (share_i + t (known_i − share_i)) dt,
//
// and so are those of pairs; Gauss and Legendre's points give them exactly. Sums are taken on the way down and up, node by node,
// not for each leaf (Bifet, Read & Xu, 2022, Linear TreeShap): time goes by nodes × points.
#pragma once
#include <span>

#include "predict/router.hpp"

namespace treewright {

struct Monitor;

/// The steps of rows from node to node: step i leads to node i; behind them one for each inner node at which rows may stay.
struct ShapleySteps {
    std::span<const int64_t> parent;         // the node a step comes from; −1 for the root, which is step 0
    std::span<const int64_t> branch;         // which branch it is, or stay_at_node
    std::span<const int64_t> player;         // who decides it
    std::span<const double> share;           // of the training rows at the parent that take it
    std::span<const double> value;           // steps × width: what is said where a row ends; 0 where it does not
    std::span<const double> point, measure;  // of the integral
    size_t n_players = 0, width = 1;

    size_t size() const { return parent.size(); }
};

/// For each row what each player adds: rows × players × width. With `pairs` what each pair of players adds by meeting (half of it
/// for either order) and, for a player with itself, what it adds in all: rows × players × players × width.
void shapley(const TreeView& tree, const RowValues& rows, size_t n_rows, const ShapleySteps& steps, bool pairs, double* out,
             int threads, Monitor& monitor);

}  // namespace treewright
