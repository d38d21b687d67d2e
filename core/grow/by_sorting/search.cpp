// The features a node has drawn are gathered, their ranks sorted and the cuts scanned.
#include "grow/by_sorting/search.hpp"

#include "cuts/drawn.hpp"
#include "cuts/scan.hpp"
#include "grow/by_sorting/rank_bins.hpp"
#include "grow/feature_draw.hpp"
#include "grow/kernel.hpp"
#include "splits/candidate.hpp"
#include "splits/levels.hpp"

namespace treewright {

namespace {

using SortedCriteria = CriterionList<Gini, Entropy, SquaredError>;

template <class C, class Scorer>
class SortedSearchBy final : public SortedSearch {
public:
    SortedSearchBy(const GrowTask& task, bool unit, const SortedRows& rows)
        : task_(task),
          recipe_(task.recipe),
          rows_(rows),
          draw_(task.n_features()),
          scratch_(task.n_log_n),
          left_(task.width()),
          kernel_(task.make_kernel(task, unit)) {}

    void start(size_t n_rows) override {
        limits_.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits_.min_weight = recipe_.min_weight_leaf;
        if (recipe_.random_cuts) value_.resize(n_rows);
        else ranked_.resize(n_rows);
        if constexpr (C::classification) {
            bit_.resize(n_rows);
            if (recipe_.random_cuts) wide_bit_.resize(n_rows);
        }
        if constexpr (!C::classification) centred_.resize(n_rows);
    }
    SortedSplit* find(const RowRange& node, uint64_t seed, Totals& totals, double impurity, double centre) override {
        look_at(node, totals, centre);
        totals_ = &totals;
        impurity_ = impurity;
        tolerance_ = C::tolerance(totals, impurity);
        ties_.start(tolerance_);
        Random random(seed);
        draw_features(random);
        bool varied = false;
        for (int32_t feature : chosen_) {
            varied |= search(node, feature, random);
            if (ties_.merit() >= impurity_ - tolerance_) break;  // pure branches: nothing can be better
        }
        while (!varied && draw_.chooses(recipe_) && draw_.any_left()) varied = search(node, draw_.next(random), random);
        draw_.undo();
        return ties_.found() ? &ties_.get() : nullptr;
    }

private:
    static constexpr size_t rows_for_bins = 1024;

    /// The features that a node looks at: in the order of the draw, so that chance decides between equals, or else ascending.
    void draw_features(Random& random) {
        const size_t n_features = task_.n_features();
        const size_t wanted = recipe_.max_features > 0 ? static_cast<size_t>(recipe_.max_features) : n_features;
        chosen_.resize(wanted);
        if (!draw_.chooses(recipe_)) return std::iota(chosen_.begin(), chosen_.end(), 0);
        for (int32_t& feature : chosen_) feature = draw_.next(random);
        if (recipe_.ties != Ties::random) std::sort(chosen_.begin(), chosen_.end());
    }

    /// The target of a node in the form the scorers want.
    void look_at(const RowRange& node, Totals& totals, double centre) {
        const size_t n = node.size();
        local_.weight = rows_.weight(node);
        if constexpr (C::classification) {
            local_.label = rows_.label(node);
            local_.bit = bit_.data();
            for (size_t i = 0; i < n; ++i) bit_[i] = local_.label[i] == 1;
            if (recipe_.random_cuts)
                for (size_t i = 0; i < n; ++i) wide_bit_[i] = bit_[i];
        } else {
            local_.target = centred_.data();
            local_.centre = centre;
            const double* target = rows_.target(node);
            double sum = 0;
            for (size_t i = 0; i < n; ++i) {
                centred_[i] = target[i] - centre;
                sum += local_.weight_of(i) * centred_[i];
            }
            totals.sums[0] = sum;
        }
    }

    /// Look at one feature; false if it is constant at the node.
    bool search(const RowRange& node, int32_t feature, Random& random) {
        if (rows_.only_codes(static_cast<size_t>(feature))) return search_categories(node, feature);
        return recipe_.random_cuts ? search_random(node, feature, random) : search_cuts(node, feature);
    }
    /// Whether a split of so much merit may be the best.
    bool matters(double merit) const { return merit > ties_.most(); }

    /// Gather the ranks of a node, those known first; false if all are the same.
    bool gather_ranks(const RowRange& node, int32_t feature) {
        const auto f = static_cast<size_t>(feature);
        return rows_.with_ranks(f, [&](auto rank) { return gather(node, rows_.has_missing(f), rank); });
    }
    template <class Rank>
    bool gather(const RowRange& node, bool any_missing, Rank rank) {
        const size_t n = node.size();
        const uint32_t* row = rows_.rows(node);
        Ranked* ranked = ranked_.data();
        uint32_t low = RankTable::missing, high = 0;
        known_ = n;
        if (!any_missing) {
            for (size_t i = 0; i < n; ++i) {
                const uint32_t at = rank(row[i]);
                ranked[i] = {static_cast<uint32_t>(i), at};
                low = std::min(low, at);
                high = std::max(high, at);
            }
        } else {
            known_ = 0;
            size_t missing = n;
            for (size_t i = n; i-- > 0;)
                if (rank(row[i]) == RankTable::missing) ranked[--missing] = {static_cast<uint32_t>(i), RankTable::missing};
            for (size_t i = 0; i < n; ++i) {
                const uint32_t at = rank(row[i]);
                if (at == RankTable::missing) continue;
                ranked[known_++] = {static_cast<uint32_t>(i), at};
                low = std::min(low, at);
                high = std::max(high, at);
            }
        }
        lowest_ = low;
        highest_ = high;
        return known_ > 0 && (low < high || known_ < n);
    }

    bool search_cuts(const RowRange& node, int32_t feature) {
        if (!gather_ranks(node, feature)) return false;
        const size_t n = node.size();
        if constexpr (OfPairs<Scorer>)
            if (n >= rows_for_bins && known_ == n && limits_.min_weight <= 0) return search_bins(node, feature);
        if (lowest_ < highest_) sorter_.sort(ranked_.data(), known_, lowest_, highest_);
        const Ranked* list = ranked_.data();
        double merit = -infinity;
        if (known_ == n) {
            const Scorer made(local_, *totals_, scratch_);
            cut_.start(made.score_step(tolerance_));
            scan(list, n, 0, n, false, false, made, limits_, cut_);
            if (cut_.found()) merit = made.merit(cut_.merit());
        } else if (recipe_.missing == Missing::available) {
            const Totals totals = known_totals();
            const double share = totals.weight / totals_->weight;
            const Scorer made(local_, totals, scratch_);
            cut_.start(made.score_step(tolerance_ / share));
            scan(list, known_, 0, known_, false, false, made, limits_, cut_);
            if (cut_.found()) merit = made.merit(cut_.merit()) * share;
        } else {
            Scorer right(local_, *totals_, scratch_);
            cut_.start(right.score_step(tolerance_));
            scan(list, known_, 0, n, true, false, right, limits_, cut_);
            Scorer left(local_, *totals_, scratch_);
            for (size_t i = known_; i < n; ++i) left.add(list[i].row);
            scan(list, known_, n - known_, n, false, true, left, limits_, cut_);
            if (cut_.found()) merit = left.merit(cut_.merit());
        }
        if (!matters(merit)) return true;
        const Cut cut = cut_.get();
        const uint32_t* row = rows_.rows(node);
        SortedSplit split{merit, feature};
        split.left_rank = list[cut.position() - 1].rank;
        split.left_row = rows_.origin(row[list[cut.position() - 1].row]);
        if (cut.position() < known_) {
            split.right_row = rows_.origin(row[list[cut.position()].row]);
            split.between = true;
        } else {
            split.threshold = infinity;  // known against missing
        }
        if (known_ < n && recipe_.missing == Missing::direction) split.default_branch = cut.missing_left() ? 0 : 1;
        ties_.offer(merit, std::move(split));
        return true;
    }
    /// Large nodes, where most of the rows need no sorting.
    bool search_bins(const RowRange& node, int32_t feature) {
        const Scorer made(local_, *totals_, scratch_);
        const double slack = made.score_step(tolerance_);
        const double least = ties_.found() ? made.score_step(ties_.most()) - 2 * slack : -infinity;
        const auto& cut = bins_.search(std::span(ranked_).first(node.size()), lowest_, highest_, local_, made, least, slack,
                                       limits_.min_count, sorter_);
        if (const double merit = made.merit(cut.merit()); cut.found() && matters(merit))
            ties_.offer(merit, split_after(node, feature, merit, cut.get()));
        return true;
    }
    /// The cut after the rows of at most this rank: what lies on either side of it.
    SortedSplit split_after(const RowRange& node, int32_t feature, double merit, uint32_t left_rank) const {
        const uint32_t* row = rows_.rows(node);
        Ranked left{0, 0}, right{0, RankTable::missing};
        bool any = false;
        for (size_t i = 0; i < node.size(); ++i) {
            const Ranked& entry = ranked_[i];
            if (entry.rank <= left_rank) {
                if (!any || entry.rank > left.rank) left = entry;
                any = true;
            } else if (entry.rank < right.rank) {
                right = entry;
            }
        }
        SortedSplit split{merit, feature};
        split.left_rank = left.rank;
        split.left_row = rows_.origin(row[left.row]);
        split.right_row = rows_.origin(row[right.row]);
        split.between = true;
        return split;
    }

    Totals known_totals() const {
        Totals t(task_.width());
        t.count = known_;
        for (size_t i = 0; i < known_; ++i) {
            const size_t row = ranked_[i].row;
            const double w = local_.weight_of(row);
            t.weight += w;
            if constexpr (C::classification) t.sums[static_cast<size_t>(local_.label[row])] += w;
            else t.sums[0] += w * local_.target[row];
        }
        return t;
    }

    /// A cut that is drawn.
    bool search_random(const RowRange& node, int32_t feature, Random& random) {
        const size_t n = node.size();
        const auto [known, low, high] = gather_values(node, feature);
        if (known == 0 || (low == high && known == n)) return false;
        const auto [cut, missing_goes_left] = draw_cut(low, high, known < n, random);
        const double *value = value_.data(), threshold = cut;
        if (missing_goes_left) sum_up(n, [=](size_t i) { return !(value[i] > threshold); });
        else sum_up(n, [=](size_t i) { return value[i] <= threshold; });
        const size_t left = left_.count;
        if (left < limits_.min_count || n - left < limits_.min_count || left == n) return true;
        Scorer made(local_, *totals_, scratch_);
        made.jump(left_);
        if (!limits_.allow(made)) return true;
        SortedSplit split{made.merit(made.score()), feature};
        split.threshold = cut;
        if (known < n) split.default_branch = missing_goes_left ? 0 : 1;
        ties_.offer(split.merit, std::move(split));
        return true;
    }
    struct ValueRange {
        size_t known;
        double low, high;
    };
    /// Bring the values of a node side by side; gives how many are known, the smallest and the largest.
    ValueRange gather_values(const RowRange& node, int32_t feature) {
        const double* value = rows_.numbers(static_cast<size_t>(feature));
        const uint32_t* row = rows_.rows(node);
        double* to = value_.data();
        const size_t n = node.size();
        constexpr size_t lanes = 4;  // a comparison need not wait for the one before
        double low[lanes], high[lanes];
        std::fill_n(low, lanes, infinity);
        std::fill_n(high, lanes, -infinity);
        for (size_t i = 0; i < n; ++i) to[i] = value[row[i]];
        const auto take = [&](size_t i, size_t lane) {
            const double x = to[i];
            low[lane] = x < low[lane] ? x : low[lane];
            high[lane] = x > high[lane] ? x : high[lane];
        };
        size_t i = 0;
        for (; i + lanes <= n; i += lanes)
            for (size_t lane = 0; lane < lanes; ++lane) take(i + lane, lane);
        for (; i < n; ++i) take(i, 0);
        size_t known = n;
        if (rows_.has_missing(static_cast<size_t>(feature)))
            for (i = 0; i < n; ++i) known -= value_[i] != value_[i];
        return {known, *std::min_element(low, low + lanes), *std::max_element(high, high + lanes)};
    }
    /// The rows that go left, summed up without a branch: which do is a matter of chance.
    template <class GoesLeft>
    void sum_up(size_t n, GoesLeft&& goes_left) {
        left_.clear();
        size_t count = 0;
        if constexpr (C::classification) {
            const uint64_t* wide_bit = wide_bit_.data();
            if (task_.n_classes == 2 && !local_.weight) {
                size_t ones = 0;
                for (size_t i = 0; i < n; ++i) {
                    const uint64_t left = goes_left(i) ? ~uint64_t{0} : 0;
                    count -= left;
                    ones += left & wide_bit[i];
                }
                left_.sums[1] = static_cast<double>(ones);
                left_.sums[0] = static_cast<double>(count - ones);
            } else {
                for (size_t i = 0; i < n; ++i) {
                    const bool left = goes_left(i);
                    count += left;
                    left_.sums[static_cast<size_t>(local_.label[i])] += left ? local_.weight_of(i) : 0.0;
                }
            }
            for (double sum : left_.sums) left_.weight += sum;
        } else {
            constexpr size_t lanes = 4;
            double weight[lanes] = {}, sum[lanes] = {};
            const auto add = [&](size_t i, size_t lane) {
                const bool left = goes_left(i);
                const double w = left ? local_.weight_of(i) : 0.0;
                count += left;
                weight[lane] += w;
                sum[lane] += w * local_.target[i];
            };
            size_t i = 0;
            for (; i + lanes <= n; i += lanes)
                for (size_t lane = 0; lane < lanes; ++lane) add(i + lane, lane);
            for (; i < n; ++i) add(i, 0);
            for (size_t lane = 0; lane < lanes; ++lane) {
                left_.weight += weight[lane];
                left_.sums[0] += sum[lane];
            }
        }
        left_.count = count;
    }

    bool search_categories(const RowRange& node, int32_t feature) {
        const int32_t* codes = rows_.codes(static_cast<size_t>(feature));
        const uint32_t* row = rows_.rows(node);
        const size_t n = node.size();
        size_t same = 1;
        while (same < n && codes[row[same]] == codes[row[0]]) ++same;
        if (same == n) return false;
        counter_.count(
            static_cast<size_t>(task_.table.features[static_cast<size_t>(feature)].n_categories), task_.width(), local_,
            [&](auto&& use) {
                for (size_t i = 0; i < n; ++i) use(codes[row[i]], i);
            },
            levels_);
        Candidate found = kernel_->best_grouping({local_, *totals_, impurity_, tolerance_}, task_.table, feature, levels_, {});
        if (!found.found()) return true;
        SortedSplit split{found.merit, feature, found.default_branch, true};
        split.groups = std::move(found.table);
        ties_.offer(split.merit, std::move(split));
        return true;
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    const SortedRows& rows_;
    CutLimits limits_;
    FeatureDraw draw_;
    std::vector<int32_t> chosen_;

    // the node in hand
    LocalRows local_;
    const Totals* totals_ = nullptr;
    double impurity_ = 0, tolerance_ = 0;
    std::vector<uint8_t> bit_;
    std::vector<uint64_t> wide_bit_;  // the same beside values of random cuts
    std::vector<double> centred_;
    Best<SortedSplit> ties_;

    // the feature in hand
    std::vector<Ranked> ranked_;
    size_t known_ = 0;
    uint32_t lowest_ = 0, highest_ = 0;
    RankSorter sorter_;
    BestCut cut_;
    RankBinsFor<Scorer> bins_;
    Scratch scratch_;
    std::vector<double> value_;  // of random cuts
    Totals left_;                // what goes left
    LevelCounter counter_;
    Levels levels_;
    std::unique_ptr<Kernel> kernel_;  // groups categories
};

}  // namespace

bool sorts_by(std::string_view criterion) {
    return criterion == Gini::traits.name || criterion == Entropy::traits.name || criterion == SquaredError::traits.name;
}

std::unique_ptr<SortedSearch> make_sorted_search(const GrowTask& task, bool unit, const SortedRows& rows) {
    return SortedCriteria::with(task.recipe.criterion, [&]<class C>() {
        return C::with_scorer(task.n_classes, unit, [&]<class Scorer>() -> std::unique_ptr<SortedSearch> {
            return std::make_unique<SortedSearchBy<C, Scorer>>(task, unit, rows);
        });
    });
}

}  // namespace treewright
