// A candidate: a split with its merit, and what is needed to carry it out.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/midpoint.hpp"
#include "base/statistics.hpp"
#include "base/tree.hpp"
#include "cuts/best.hpp"
#include "splits/answer.hpp"

namespace treewright {

struct Candidate {
    double merit = -infinity;
    double rivals = 0;  // candidates of its own form that it was chosen from; 0 = as many as the node counts
    int32_t feature = -1;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0;
    double adjusted = 0;  // of a surrogate, whose merit is its agreement
    size_t position = 0;  // known rows on the left of a threshold, in the finder's own order
    int32_t n_branches = 2;
    int32_t default_branch = -1;                     // -1 until decided: the largest branch
    std::vector<std::pair<int32_t, int32_t>> table;  // (code, branch), codes ascending
    std::vector<int32_t> pool_index;                 // the pool of a hyperplane, a sphere or intervals (splits/answer.hpp);
    std::vector<double> pool_value;                  // `feature` is the first of several

    bool found() const { return feature >= 0; }
    /// Whether the split is on several features at once.
    bool oblique() const { return kind == SplitKind::hyperplane || kind == SplitKind::sphere; }
    Pool pool() const { return {pool_index, pool_value}; }
    /// The features it looks at, each once.
    std::vector<int32_t> features() const {
        if (!oblique()) return {feature};
        std::vector<int32_t> each = pool_index;  // a sphere has two entries for each, side by side
        each.erase(std::unique(each.begin(), each.end()), each.end());
        return each;
    }
    int32_t branch_of(int32_t code) const {
        const auto found = find_code(table, code, &std::pair<int32_t, int32_t>::first);
        return found == table.end() ? unanswered : found->second;
    }
};
extern template class Best<Candidate>;

}  // namespace treewright
