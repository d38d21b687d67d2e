// Linear equations at the nodes of a regression tree, of few terms (Quinlan, 1992, Learning with continuous classes; Wang &
// Witten, 1997, Inducing model trees for continuous classes).
//
// All that a node must know of its rows are the sums of products of their columns z_1 … z_q, of 1 and of the target y, which add
// up from its branches. The equation of a node is drawn towards that of the node above it: it minimises
//
//     Σ w (y − a − Σ_j b_j z_j)² + ridge · ((a − a')² + Σ_j (b_j − b'_j)²)
//
// over the terms j that it has, where a' and b' are those above; at the root nothing is drawn. Terms are left out one by one,
// that of the smallest loss first, for as long as Σ w (y − ŷ)² · (n + v) / (n − v) does not rise: what Quinlan expects of n
// further rows where v numbers were estimated, each of which counts `price` times.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/table.hpp"

namespace treewright {

/// Sums of w · u_i · u_j over the rows of each node, where u is (1, z_1, …, z_q, y): nodes × (q + 2)², rows in their order.
void add_products(const Matrix<double>& columns, std::span<const double> target, std::span<const double> weight,
                  std::span<const int64_t> node, std::span<double> products);

struct EquationRules {
    double ridge = 3;    // in weight of rows
    double price = 1.5;  // of a number that is estimated
    double unit = 1;     // the weight that counts as a row
};

/// Of every node: the constant and the coefficients (q + 1), which columns have a term (q), what each term saves of the sum of
/// squares (q), the sum of squares, and that which is expected of further rows.
struct Equations {
    std::vector<double> coefficient;
    std::vector<uint8_t> used;
    std::vector<double> gain, squares, risk;
};

Equations fit_equations(std::span<const int32_t> parent, std::span<const double> products, size_t n_columns,
                        const EquationRules& rules);

}  // namespace treewright
