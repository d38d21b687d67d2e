// The best of many candidates, and which of equals that is.
#pragma once
#include <algorithm>
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
        merit_ = none;
        others_.clear();
        tolerance_ = tolerance;
        last_wins_ = last_wins;
    }
    bool found() const { return merit_ > none; }
    /// The winner so far, and its merit.
    const T& get() const { return winner_; }
    T& get() { return winner_; }
    double merit() const { return merit_; }
    /// The largest merit so far.
    double most() const { return others_.empty() ? merit_ : others_.back().first; }
    /// A candidate of less merit cannot win; nor can one of as much that comes later, unless the last wins.
    double least() const { return last_wins_ ? most() - tolerance_ : most(); }

    /// A candidate that comes after all others.
    [[gnu::always_inline]] void offer(double merit, T candidate) {
        if (last_wins_ || !others_.empty() || merit_ >= merit - tolerance_) {
            if (last_wins_ || merit > most()) put(last_wins_ ? 0 : others_.size() + 1, merit, std::move(candidate));
        } else if (merit > none) {
            merit_ = merit;
            winner_ = std::move(candidate);
        }
    }
    /// A candidate whose place among the others is that of its value.
    void offer_in_place(double merit, T candidate)
        requires requires { candidate < candidate; }
    {
        size_t at = 0;
        if (found() && winner_ < candidate)
            for (at = 1; at <= others_.size() && others_[at - 1].second < candidate;) ++at;
        put(at, merit, std::move(candidate));
    }

private:
    static constexpr double none = -std::numeric_limits<double>::infinity();

    [[gnu::noinline]] void put(size_t at, double merit, T candidate) {
        if (!(merit > none) || merit < most() - tolerance_) return;
        if (found()) others_.emplace(others_.begin(), merit_, std::move(winner_));
        if (at == 0 || others_[at - 1].first < merit) {
            const auto place = others_.begin() + static_cast<std::ptrdiff_t>(at);
            const auto better = std::find_if(place, others_.end(), [&](const auto& other) { return other.first > merit; });
            others_.emplace(others_.erase(place, better), merit, std::move(candidate));
        }
        const auto first = std::find_if(others_.begin(), others_.end(),
                                        [&](const auto& other) { return other.first >= others_.back().first - tolerance_; });
        merit_ = first->first;
        winner_ = std::move(first->second);
        others_.erase(others_.begin(), first + 1);
    }

    double merit_ = none;
    T winner_{};
    std::vector<std::pair<double, T>> others_;  // after the winner
    double tolerance_ = 0;
    bool last_wins_ = false;
};

}  // namespace treewright
