// Every choice of the grower, as the core reads it (recipe.py is the same in Python).
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace treewright {

/// What becomes of a row whose value is missing. Blocks know the first two; lists.hpp knows all.
enum class Missing { direction, available, value, fractional, surrogate, mean, median, mode, class_mode };
enum class Order { depth_first, breadth_first, best_first };
enum class Ties { first, last, random };
enum class CategoryOrder { automatic, node, once };

/// A criterion of the user's own, and the memory it reads candidates from and writes merits to (criteria/callable.hpp).
struct MeritFunction {
    std::function<void(size_t n_candidates, size_t n_branches, size_t stride)> call;
    double *parent = nullptr, *branches = nullptr, *merits = nullptr;
    size_t capacity = 0;  // candidates of two branches that fit
};

struct Recipe {
    std::string criterion = "gini";
    MeritFunction function;  // where the criterion is "function"
    bool threshold = true, subset = true, multiway = false, one_vs_rest = false;
    bool interval = false, hyperplane = false, sphere = false, median = false;  // lists.hpp only
    bool random_cuts = false;                                                   // scikit-learn's splitter="random"
    bool observed_cuts = false;  // the largest value of the column not above the midpoint, as C4.5
    bool plain = false;          // no histograms and no special scorers: the path the others must equal
    Missing missing = Missing::direction;
    std::vector<Missing> policies;               // by feature; empty = `missing` for all
    int max_surrogates = 5, use_surrogates = 2;  // 0 = rows stay, 1 = surrogates or stay, 2 = surrogates or the majority
    Order order = Order::depth_first;
    Ties ties = Ties::first;
    CategoryOrder category_order = CategoryOrder::automatic;
    int64_t max_depth = -1, max_leaf_nodes = -1, max_nodes = -1;  // -1 = no limit
    int64_t min_samples_split = 2, min_samples_leaf = 1;
    double min_weight_leaf = 0, min_impurity_decrease = 0;
    double min_weight_split = 0;  // where rows are shared out: follows from min_samples_split (missing.hpp)
    double min_merit = -std::numeric_limits<double>::infinity();
    int64_t max_features = 0;  // 0 = all
    int max_bins = 0;          // 0 = exact
    int max_competitors = 0;
    size_t max_terms = std::numeric_limits<size_t>::max();  // features of a hyperplane or sphere
    uint64_t random_state = 0;
    std::vector<double> class_factor, search_factor, costs;         // by class; costs row by row, true class first
    std::vector<int8_t> monotonic;                                  // by feature; empty = none
    std::vector<std::vector<int32_t>> interaction;                  // groups of features that may share a path; empty = all may
    std::vector<double> feature_costs;                              // merits are divided by them to choose; empty = all one
    double significance = 1;                                        // largest p-value of a split
    double complexity = 0;                                          // least decrease of the tree's impurity by a split, a branch
    double enough_risk = -std::numeric_limits<double>::infinity();  // of the tree, per unit of weight: growing ends
    int threads = 1;

    /// Whether a form of split is wanted that only the plain engine looks for (forms.hpp).
    bool forms() const { return interval || hyperplane || sphere || median; }
    /// Families of candidates among which a split is chosen: those of single features are one, each of the others one more.
    double n_families() const {
        return (threshold || subset || multiway || one_vs_rest || hyperplane) + interval + hyperplane + sphere + median;
    }
    Missing policy(size_t feature) const { return policies.empty() ? missing : policies[feature]; }
    /// Whether rows may go down several branches, a share of each.
    bool shares() const { return std::ranges::count(policies, Missing::fractional) > 0; }
    /// What a merit counts for where features have their price.
    double worth(double merit, int32_t feature) const {
        return feature_costs.empty() ? merit : merit / feature_costs[static_cast<size_t>(feature)];
    }
    /// Least decrease of the tree's impurity by a split into so many branches.
    double least_decrease(int32_t n_branches) const { return std::max(min_impurity_decrease, complexity * n_branches); }
};

}  // namespace treewright
