// Every choice of the grower, as the core reads it (recipe.py is the same in Python).
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace treewright {

/// What becomes of a row whose value is missing. Rows that are whole know the first two, rows that are shared all.
enum class Missing { direction, available, value, fractional, fractional_counts, surrogate, mean, median, mode, class_mode };
/// Rows without the value go down every branch, a share of each.
inline bool shared_out(Missing policy) { return policy == Missing::fractional || policy == Missing::fractional_counts; }

enum class Order { depth_first, breadth_first, best_first };
enum class Ties { first, last, random };
enum class CategoryOrder { automatic, node, once };
enum class GroupsBy { exchange, descent };

/// A criterion of the user's own, and the memory it reads candidates from and writes merits to (criteria/user_criterion.hpp).
struct MeritFunction {
    std::function<void(size_t n_candidates, size_t n_branches, size_t stride)> call;
    double *parent = nullptr, *branches = nullptr, *merits = nullptr;
    size_t capacity = 0;  // candidates of two branches that fit

    bool operator==(const MeritFunction& other) const { return !call == !other.call; }
};

inline constexpr double no_limit = std::numeric_limits<double>::infinity();
using Numbers = std::vector<double>;
using FeatureGroups = std::vector<std::vector<int32_t>>;

// Every choice: its type, name and default. A recipe *demands* each choice that differs from its default, and an engine grows
// only recipes whose demands it offers (grow/offers.hpp): a choice added here is left to the engines that declare it. First those
// that follow from several parameters or from the table, then parameters as they are given, limits as numbers: they are declared
// in src/treewright/growing/parameters.py.
#define TREEWRIGHT_CHOICES(CHOICE)                                                                     \
    CHOICE(MeritFunction, function, {}) /* where the criterion is "function" */                        \
    CHOICE(bool, threshold, true)                                                                      \
    CHOICE(bool, subset, true)                                                                         \
    CHOICE(bool, multiway, false)                                                                      \
    CHOICE(bool, one_vs_rest, false)                                                                   \
    CHOICE(bool, interval, false)                                                                      \
    CHOICE(bool, hyperplane, false)                                                                    \
    CHOICE(bool, sphere, false)                                                                        \
    CHOICE(bool, median, false)                                                                        \
    CHOICE(bool, random_cuts, false)   /* scikit-learn's splitter="random" */                          \
    CHOICE(bool, observed_cuts, false) /* the largest value not above the midpoint, as C4.5 */         \
    CHOICE(bool, short_cuts, false)    /* the shortest decimal between the two values */               \
    CHOICE(bool, plain, false)         /* formulas as written: what every engine must equal */         \
    CHOICE(Missing, missing, Missing::direction)                                                       \
    CHOICE(std::vector<Missing>, policies, {}) /* by feature; empty = `missing` for all */             \
    CHOICE(double, min_weight_leaf, 0)                                                                 \
    CHOICE(double, min_weight_split, 0)    /* where rows are shared: follows from min_samples_split */ \
    CHOICE(Numbers, class_factor, {})      /* by class */                                              \
    CHOICE(Numbers, search_factor, {})     /* by class */                                              \
    CHOICE(double, enough_risk, -no_limit) /* of the tree, per unit of weight: growing ends */         \
    CHOICE(int, n_outputs, 1)              /* targets: the criterion is the mean over them */          \
    CHOICE(int, threads, 1)                                                                            \
    /* parameters: written by tools/generate_parameters.py */                                          \
    CHOICE(std::string, criterion, "gini")                                                             \
    CHOICE(int64_t, max_depth, -1)                                                                     \
    CHOICE(int64_t, min_samples_split, 2)                                                              \
    CHOICE(int64_t, min_samples_leaf, 1)                                                               \
    CHOICE(int64_t, max_features, 0)                                                                   \
    CHOICE(uint64_t, random_state, 0)                                                                  \
    CHOICE(int64_t, max_leaf_nodes, -1)                                                                \
    CHOICE(double, min_impurity_decrease, 0)                                                           \
    CHOICE(double, min_merit, -no_limit)                                                               \
    CHOICE(std::vector<int8_t>, monotonic, {})                                                         \
    CHOICE(FeatureGroups, interaction, {})                                                             \
    CHOICE(Numbers, costs, {})                                                                         \
    CHOICE(int, max_intervals, 0)                                                                      \
    CHOICE(size_t, max_terms, SIZE_MAX)                                                                \
    CHOICE(int, max_surrogates, 5)                                                                     \
    CHOICE(int, use_surrogates, 2)                                                                     \
    CHOICE(CategoryOrder, category_order, CategoryOrder::automatic)                                    \
    CHOICE(GroupsBy, category_search, GroupsBy::exchange)                                              \
    CHOICE(bool, fair_categories, false)                                                               \
    CHOICE(int, max_groups, 2)                                                                         \
    CHOICE(int, max_bins, 0)                                                                           \
    CHOICE(Ties, ties, Ties::first)                                                                    \
    CHOICE(bool, stop_on_constant, false)                                                              \
    CHOICE(Order, order, Order::depth_first)                                                           \
    CHOICE(int64_t, max_nodes, -1)                                                                     \
    CHOICE(int, max_competitors, 0)                                                                    \
    CHOICE(Numbers, feature_costs, {})                                                                 \
    CHOICE(double, min_gain, -no_limit)                                                                \
    CHOICE(double, significance, 1)                                                                    \
    CHOICE(double, complexity, 0)

enum class Choice : unsigned {
#define TREEWRIGHT_NAME(type, name, standard) name,
    TREEWRIGHT_CHOICES(TREEWRIGHT_NAME)
#undef TREEWRIGHT_NAME
};

/// A set of choices.
class Choices {
public:
    constexpr Choices() = default;
    constexpr Choices(std::initializer_list<Choice> choices) {
        for (Choice choice : choices) add(choice);
    }
    static constexpr Choices all() { return Choices(~uint64_t{0}); }
    constexpr Choices with(const Choices& more) const { return Choices(bits_ | more.bits_); }
    constexpr Choices without(const Choices& fewer) const { return Choices(bits_ & ~fewer.bits_); }
    constexpr bool holds(const Choices& others) const { return (others.bits_ & ~bits_) == 0; }
    constexpr void add(Choice choice) { bits_ |= uint64_t{1} << static_cast<unsigned>(choice); }

private:
    constexpr explicit Choices(uint64_t bits) : bits_(bits) {}
    uint64_t bits_ = 0;
};

struct Recipe {
#define TREEWRIGHT_FIELD(type, name, standard) type name = standard;
    TREEWRIGHT_CHOICES(TREEWRIGHT_FIELD)
#undef TREEWRIGHT_FIELD

    /// The choices that differ from their defaults.
    Choices demands() const {
        Choices demands;
#define TREEWRIGHT_DEMAND(type, name, standard) \
    if (const type usual = standard; !(name == usual)) demands.add(Choice::name);
        TREEWRIGHT_CHOICES(TREEWRIGHT_DEMAND)
#undef TREEWRIGHT_DEMAND
        return demands;
    }
    /// Choices that make no difference back at their defaults.
    Recipe normalised(size_t n_features) const {
        Recipe recipe = *this;
        if (max_features >= static_cast<int64_t>(n_features)) recipe.max_features = 0;
        if (!limited() && monotonic.empty()) recipe.order = Order::depth_first;  // nodes are numbered anew when all is done
        if (!(enough_risk >= 0)) recipe.enough_risk = -no_limit;
        return recipe;
    }
    /// Whether the size of the tree is limited, so that it matters which node is split first.
    bool limited() const { return max_leaf_nodes > 0 || max_nodes > 0 || enough_risk >= 0; }
    /// Whether a form of split is wanted that looks at more than one cut or one table.
    bool forms() const { return interval || hyperplane || sphere || median; }
    /// Families of candidates among which a split is chosen: those of single features are one, each of the others one more.
    double n_families() const {
        return (threshold || subset || multiway || one_vs_rest || hyperplane) + interval + hyperplane + sphere + median;
    }
    Missing policy(size_t feature) const { return policies.empty() ? missing : policies[feature]; }
    /// Whether rows may go down several branches, a share of each.
    bool shares() const { return std::ranges::any_of(policies, shared_out); }
    /// What a merit counts for where features have their price.
    double merit_per_cost(double merit, int32_t feature) const {
        return feature_costs.empty() ? merit : merit / feature_costs[static_cast<size_t>(feature)];
    }
    /// Least decrease of the tree's impurity by a split into so many branches.
    double least_decrease(int32_t n_branches) const { return std::max(min_impurity_decrease, complexity * n_branches); }
};

}  // namespace treewright
