// From the plan of a tree to the tree: rows are sent down once more, and every node is described as those of all growers are.
#pragma once
#include "base/table.hpp"
#include "base/tree.hpp"
#include "optimal/loss.hpp"

namespace treewright::optimal {

/// The tree of a plan. `value_of(feature, rank)` is the number of that rank among the distinct ones of a feature.
template <class ValueOf>
std::vector<double> cut_values(const Plan& plan, ValueOf&& value_of) {
    std::vector<double> values;
    for (const PlanNode& node : plan.nodes)
        values.push_back(node.test.kind == TestKind::threshold ? value_of(node.test.feature, node.test.at) : 0.0);
    return values;
}

/// Write the tree of a plan; `values` are the largest numbers that thresholds send left, by node of the plan.
TreeArrays write(const Table& table, const TargetView& target, const Loss& loss, const LossOptions& options, const Plan& plan,
                 const std::vector<double>& values);

}  // namespace treewright::optimal
