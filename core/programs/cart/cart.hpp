// CART: binary trees with surrogates, pruned by cost-complexity while they grow, and their cross-validation.
#pragma once
#include "grow/grow.hpp"

namespace treewright::cart {

struct Options {
    std::string criterion = "gini";  // gini, entropy, squared_error, poisson
    int64_t min_samples_split = 20, min_samples_leaf = 7, max_depth = 30;
    double cp = 0.01;  // a split must lower the risk by this share of the root's
    int max_competitors = 4, max_surrogates = 5, use_surrogates = 2, surrogate_style = 0;
    std::vector<double> priors, costs, feature_costs;
    double shrink = 0;             // how far event rates vary about the overall rate that they are drawn to; 0 = not drawn
    std::vector<double> exposure;  // by row: the time in which its events were counted; empty = one
    double largest_improve = 0;    // the scale of what counts as no improvement, from an earlier tree
    bool rpart = false;            // rpart's own ways, defects included
    std::vector<double> stands_for_missing;  // by feature: where rpart's sort has missing values, among stored numbers
    std::vector<int32_t> ordinal;            // by feature: whether it is of ordered categories
    int threads = 1;
};

struct Grown {
    TreeArrays tree;
    std::vector<double> complexity;                     // by node: the price of a split at which it collapses
    std::vector<int64_t> split_rows, competitor_rows;   // that each was judged on, or that a surrogate sent
    std::vector<int8_t> split_below, competitor_below;  // which side takes numbers below the cut: −1 left, 1 right
    std::vector<double> credit;  // node × feature: what the split and its surrogates count for the feature's importance
    double largest_improve = 0;
};

Grown grow(const Table& table, const Target& target, const Options& options, Monitor& monitor);

/// Errors of held-out rows, and their squares, summed over the rows for each of some prices of a split, descending.
struct Validation {
    std::vector<double> error, squared;
};

/// fold[row] in 0 … n_folds − 1; prices and alpha, the least price of a split, are totals of risk.
Validation cross_validate(const Table& table, const Target& target, const Options& options, std::span<const double> prices,
                          double alpha, std::span<const int32_t> fold, Monitor& monitor);

}  // namespace treewright::cart
