// The scorers of trees that are grown by sorting.
#include "grow/by_sorting/search.hpp"

#include <optional>

#include "criteria/several_targets.hpp"
#include "cuts/scan.hpp"
#include "grow/by_sorting/node_search.hpp"
#include "grow/by_sorting/rank_bins.hpp"

namespace treewright {

namespace {

using SortedCriteria = CriterionList<Gini, Entropy, SquaredError>;

template <class Scorer>
class NodeSearchBy final : public NodeSearch {
public:
    NodeSearchBy(const GrowTask& task, bool unit, const SortedRows& rows)
        : NodeSearch(task, unit, rows), scratch_(task.n_log_n) {}

private:
    double scan_list(size_t n) override {
        const Ranked* list = ranked_.data();
        if (known_ == n) return best_of(*totals_, n, 1);
        if (recipe_.missing == Missing::available) {
            const Totals totals = known_totals();
            return best_of(totals, known_, totals.weight / totals_->weight);
        }
        Scorer right(local_, *totals_, scratch_);
        cut_.start(right.score_step(tolerance_));
        scan(list, known_, 0, n, true, false, right, limits_, cut_);
        Scorer left(local_, *totals_, scratch_);
        for (size_t i = known_; i < n; ++i) left.add(list[i].row);
        scan(list, known_, n - known_, n, false, true, left, limits_, cut_);
        return cut_.found() ? left.merit(cut_.merit()) : -infinity;
    }
    /// Where only the rows that have a value take part, and have this share of the weight.
    double best_of(const Totals& totals, size_t n, double share) {
        const Scorer made(local_, totals, scratch_);
        cut_.start(made.score_step(tolerance_ / share));
        scan(ranked_.data(), n, 0, n, false, false, made, limits_, cut_);
        return cut_.found() ? made.merit(cut_.merit()) * share : -infinity;
    }
    bool has_bins() const override { return OfPairs<Scorer>; }
    void start_bins([[maybe_unused]] size_t n) override {
        if constexpr (OfPairs<Scorer>) bins_.look_at(local_, n);
    }
    double scan_bins([[maybe_unused]] size_t n, [[maybe_unused]] uint32_t& left_rank) override {
        if constexpr (OfPairs<Scorer>) {
            const Scorer made(local_, *totals_, scratch_);
            const double slack = made.score_step(tolerance_);
            const double least = ties_.found() ? made.score_step(ties_.most()) - 2 * slack : -infinity;
            const auto& cut =
                bins_.search(std::span(ranked_).first(n), lowest_, highest_, made, least, slack, limits_.min_count, sorter_);
            if (!cut.found()) return -infinity;
            left_rank = cut.get();
            return made.merit(cut.merit());
        } else {
            return -infinity;
        }
    }
    void start_drawn() override { scorer_.emplace(local_, *totals_, scratch_); }
    double value_drawn(size_t n, size_t lane) override {
        if constexpr (OfPairs<Scorer>) {
            scorer_->jump(PairSum{left_weight_.of[lane], left_amounts_[0].of[lane]});
        } else {
            sum_up_left_of(n, lane);
            scorer_->jump(left_);
        }
        return limits_.allow(*scorer_) ? scorer_->merit(scorer_->score()) : -infinity;
    }

    Scratch scratch_;
    RankBinsFor<Scorer> bins_;
    std::optional<Scorer> scorer_;  // of cuts that are drawn
};

/// The scorer of several targets.
template <class C, bool unit>
struct SeveralScorer {
    using Type = SeveralSquaredScorer<unit>;
};
template <bool unit>
struct SeveralScorer<Gini, unit> {
    using Type = SeveralGiniScorer<unit>;
};
template <bool unit>
struct SeveralScorer<Entropy, unit> {
    using Type = SeveralEntropyScorer<unit>;
};

}  // namespace

bool sorts_by(std::string_view criterion) {
    return criterion == Gini::traits.name || criterion == Entropy::traits.name || criterion == SquaredError::traits.name;
}

std::unique_ptr<SortedSearch> make_sorted_search(const GrowTask& task, bool unit, const SortedRows& rows) {
    return SortedCriteria::with(task.recipe.criterion, [&]<class C>() {
        const auto make = [&]<class Scorer>() -> std::unique_ptr<SortedSearch> {
            return std::make_unique<NodeSearchBy<Scorer>>(task, unit, rows);
        };
        if (task.n_outputs() == 1) return C::with_scorer(task.n_classes, unit, make);
        if (unit) return make.template operator()<typename SeveralScorer<C, true>::Type>();
        return make.template operator()<typename SeveralScorer<C, false>::Type>();
    });
}

}  // namespace treewright
