// The best of many candidates, and which of equals that is.
#pragma once
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace treewright {

/// Of all candidates whose merit is within the tolerance of the largest the first wins, or the last. So it does not matter which
/// lesser ones are never offered, or in which order merits were rounded.
///
/// Kept are the candidates that may still win: whoever comes before all that are as good. In order of precedence their merits
/// rise, the first is the winner and the last has the largest merit. There is hardly ever more than one.
template <class T>
class Best {
public:
    explicit Best(double tolerance = 0, bool last_wins = false) { start(tolerance, last_wins); }

    /// Forget all candidates.
    void start(double tolerance, bool last_wins = false) {
        kept_.clear();
        tolerance_ = tolerance;
        last_wins_ = last_wins;
    }
    bool found() const { return !kept_.empty(); }
    /// The winner so far, and its merit.
    const T& get() const { return kept_.front().second; }
    T& get() { return kept_.front().second; }
    double merit() const { return found() ? kept_.front().first : none; }
    /// The largest merit so far.
    double most() const { return found() ? kept_.back().first : none; }
    /// A candidate of less merit cannot win; nor can one of as much that comes later, unless the last wins.
    double least() const { return last_wins_ ? most() - tolerance_ : most(); }

    /// A candidate that comes after all others.
    void offer(double merit, T candidate) {
        if (last_wins_ || kept_.size() > 1) return put(last_wins_ ? 0 : kept_.size(), merit, std::move(candidate));
        if (!(merit > most())) return;
        if (!kept_.empty() && kept_.front().first < merit - tolerance_) kept_.front() = {merit, std::move(candidate)};
        else kept_.emplace_back(merit, std::move(candidate));
    }
    /// A candidate whose place among the others is that of its value.
    void offer_in_place(double merit, T candidate) {
        size_t at = 0;
        while (at < kept_.size() && kept_[at].second < candidate) ++at;
        put(at, merit, std::move(candidate));
    }

private:
    static constexpr double none = -std::numeric_limits<double>::infinity();

    void put(size_t at, double merit, T&& candidate) {
        if (!(merit > none) || merit < most() - tolerance_ || (at > 0 && kept_[at - 1].first >= merit)) return;
        size_t end = at;
        while (end < kept_.size() && kept_[end].first <= merit) ++end;
        const auto place =
            kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(at), kept_.begin() + static_cast<std::ptrdiff_t>(end));
        kept_.insert(place, {merit, std::move(candidate)});
        size_t lesser = 0;
        while (kept_[lesser].first < most() - tolerance_) ++lesser;
        kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(lesser));
    }

    std::vector<std::pair<double, T>> kept_;
    double tolerance_ = 0;
    bool last_wins_ = false;
};

}  // namespace treewright
