// Splits on a categorical feature: two groups of values, one value against the rest, or a branch for each.
//
// Two groups. For two classes, squared error and Poisson deviance the best grouping is a cut of the values ordered by mean
// (Fisher, 1958; Breiman et al., 1984, §4.2.2): exact at any cardinality. For more classes all 2^(k−1)−1 groupings are
// tried up to 12 values present; beyond, the best cut of several orders (each class's share, and the first principal
// component of the class shares: Coppersmith, Hong & Hosking, 1999), then single values are exchanged while that helps. Or, if
// the recipe says so, by descent (Chou, 1991): every value goes to the group whose tangent plane of the impurity lies lowest at
// its class weights, until none moves; a round takes time by the number of values.
//
// Several groups, at most max_groups. For two classes and numbers runs of the values ordered by mean, by a dynamic programme:
// exact. For more classes by descent.
#pragma once
#include "cuts/best.hpp"
#include "splits/candidate.hpp"
#include "grow/constraints.hpp"
#include "splits/levels.hpp"
#include "grow/missing_policy.hpp"
#include "grow/grow_task.hpp"

namespace treewright {

/// What the search asks of a criterion: one call for a grouping.
class GroupingCriterion {
public:
    const bool classification;
    const bool user_defined = false;  // a function of the user's own gives the merits
    const bool several = false;       // it is a mean over several targets

    GroupingCriterion(bool classes, bool user, bool targets) : classification(classes), user_defined(user), several(targets) {}
    virtual ~GroupingCriterion() = default;
    /// Of branches of some rows; numbers are less the centre.
    virtual double merit(const Totals& all, Branches branches, double centre) = 0;
    /// Of classes, where the criterion is not the user's.
    virtual double impurity(const Totals& group) const = 0;
};

/// Any criterion whose merit is a function of sums.
template <class C>
class GroupingBy final : public GroupingCriterion {
public:
    explicit GroupingBy(const C& criterion)
        : GroupingCriterion(C::classification, false, requires { C::several; }), criterion_(criterion) {}
    double merit(const Totals& all, Branches branches, [[maybe_unused]] double centre) override {
        if constexpr (C::classification) return criterion_.merit(all, branches);
        else return criterion_.merit(all, branches, centre);
    }
    double impurity([[maybe_unused]] const Totals& group) const override {
        if constexpr (C::classification) return criterion_.impurity(group);
        else return 0;
    }

private:
    const C& criterion_;
};

/// A feature of a node whose values are to be grouped.
struct GroupingTask {
    GroupingCriterion& criterion;
    const Recipe& recipe;
    const Table& table;
    const Levels& levels;
    const Totals& node;
    double tolerance;  // merits nearer than that are equal
    double spread;     // the scale of the target: 1 for shares of classes
    int32_t feature;
    const Bounds& bounds;                  // of monotone constraints
    const ClassLevels* classes = nullptr;  // the numbers that classes stand for under them
};

/// The best grouping of the values.
Candidate best_grouping(const GroupingTask& task);

/// Whether the bounds hold what the branches of a split would predict.
bool allows(const GroupingTask& task, const Candidate& split);

}  // namespace treewright
