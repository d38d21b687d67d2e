// The rule for ties.
//
// Of all candidates whose merit is within the tolerance of the largest, the first wins (or the last, if the recipe says so).
// Which one that is does not depend on candidates that are worse, so that engines may skip those.
#pragma once
#include <utility>
#include <vector>

#include "stats.hpp"

namespace treewright {

template <class Candidate>
class NearBest {
public:
    explicit NearBest(double tolerance = 0, bool last_wins = false) : tolerance_(tolerance), last_wins_(last_wins) {}

    bool found() const { return !near_.empty(); }
    /// The largest merit so far.
    double most() const { return most_; }
    /// A candidate of less merit than this does not matter.
    double bar() const { return most_ - tolerance_; }

    /// Candidates come in the order in which they win ties.
    void offer(double merit, Candidate&& candidate) {
        if (merit == -infinity || merit < bar()) return;
        if (last_wins_) near_.clear();
        else if (merit <= most_) return;  // one that came before is as good
        most_ = std::max(most_, merit);
        std::erase_if(near_, [&](const auto& kept) { return kept.first < bar(); });
        near_.emplace_back(merit, std::move(candidate));
    }
    Candidate& best() { return near_.front().second; }

private:
    double tolerance_, most_ = -infinity;
    bool last_wins_;
    std::vector<std::pair<double, Candidate>> near_;  // merits ascend
};

}  // namespace treewright
