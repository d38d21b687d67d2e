// The best split of one node that is grown by sorting.
#pragma once
#include <memory>

#include "grow/by_sorting/rows.hpp"

namespace treewright {

/// What the finder asks of a criterion: one call for a node.
class SortedSearch {
public:
    virtual ~SortedSearch() = default;
    /// Get ready for the nodes of a tree of so many rows.
    virtual void start(size_t n_rows) = 0;
    /// Find the best split of a node, on the features it draws by its seed; null if there is none. `totals` are those of the
    /// node, in regression with the means in place of the sums.
    virtual SortedSplit* find(const RowRange& node, uint64_t seed, Totals& totals, double impurity) = 0;
};

/// Whether there is a search by this criterion.
bool sorts_by(std::string_view criterion);

/// The search by the criterion of a task; `unit` tells that all rows weigh one.
std::unique_ptr<SortedSearch> make_sorted_search(const GrowTask& task, bool unit, const SortedRows& rows);

}  // namespace treewright
