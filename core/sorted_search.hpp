// The best split of one node that is grown by sorting: the features it has drawn are gathered, their ranks sorted and the cuts
// scanned.
#pragma once
#include <numeric>

#include "candidate.hpp"
#include "feature_draw.hpp"
#include "rank_bins.hpp"
#include "sorted_rows.hpp"
#include "splits/categorical.hpp"

namespace treewright {

template <class C, class Scorer>
class SortedSearch : protected SortedRows<C> {
protected:
    using Rows = SortedRows<C>;
    using Rows::origin, Rows::with_ranks;
    using Rows::problem_, Rows::recipe_, Rows::row_, Rows::weight_, Rows::label_, Rows::codes_, Rows::numbers_,
        Rows::has_missing_, Rows::ordered_;

    /// What splits a node.
    struct Split {
        double merit = -infinity;
        int32_t feature = -1, default_branch = -1;
        bool table = false;
        uint32_t left_rank = 0;  // rows of at most this rank go left
        bool between = false;    // the threshold lies half-way between the values of these two rows
        uint32_t left_row = 0, right_row = 0;
        double threshold = 0;
        std::vector<std::pair<int32_t, int32_t>> groups = {};  // of a table
    };

    SortedSearch(const Problem& problem, const RankTable& ranks)
        : Rows(problem, ranks), totals_(problem.width()), draw_(problem.n_features()), scratch_(problem.n_log_n) {}

    /// Take these rows of the table, as SortedRows does.
    void load(std::span<const uint32_t> rows, std::span<const double> weight) {
        Rows::load(rows, weight);
        ranked_.resize(rows.size());
        if constexpr (C::classification) bit_.resize(rows.size());
        else centred_.resize(rows.size());
    }
    /// The columns of the node in hand, under local numbers.
    void look_at(const RowRange& item) {
        local_.weight = weight_.empty() ? nullptr : weight_.data() + item.begin;
        if constexpr (C::classification) {
            local_.label = label_.data() + item.begin;
            local_.bit = bit_.data();
        } else {
            local_.target = centred_.data();
        }
    }
    /// Find the best split of the node whose totals_ and impurity_ are set, on the features it draws by its seed; false if there
    /// is none.
    bool search_drawn(const RowRange& item, uint64_t seed) {
        tolerance_ = C::tolerance(totals_, impurity_);
        ties_.start(tolerance_);
        Random random(seed);
        const size_t wanted = recipe_.max_features > 0 ? static_cast<size_t>(recipe_.max_features) : codes_.size();
        chosen_.clear();
        while (chosen_.size() < wanted) chosen_.push_back(draw_.next(random));  // in this order: chance decides between equals
        bool varied = false;
        for (int32_t feature : chosen_) {
            varied |= search(item, feature, random);
            if (ties_.merit() >= impurity_ - tolerance_) break;  // pure branches: nothing can be better
        }
        while (!varied && draw_.any_left()) varied = search(item, draw_.next(random), random);
        draw_.undo();
        if (!ties_.found()) return false;
        best_ = std::move(ties_.get());
        groups_.table.swap(best_.groups);
        return true;
    }

    CutLimits limits_;

    // the node in hand
    LocalRows local_;
    Totals totals_;
    double impurity_ = 0;
    std::vector<uint8_t> bit_;
    std::vector<double> centred_;
    Split best_;
    Candidate groups_;  // of the best split, if it is a table

private:
    static constexpr size_t rows_for_bins = 1024;

    /// Look at one feature; false if it is constant at the node.
    bool search(const RowRange& item, int32_t feature, Random& random) {
        const auto f = static_cast<size_t>(feature);
        if (problem_.table.features[f].categorical() && !ordered_[f]) return search_categories(item, feature);
        return recipe_.random_cuts ? search_random(item, feature, random) : search_cuts(item, feature);
    }
    /// Whether a split of so much merit may be the best.
    bool matters(double merit) const { return merit > ties_.most(); }

    /// Gather the ranks of a node, those known first; false if all are the same.
    bool gather_ranks(const RowRange& item, int32_t feature) {
        return with_ranks(static_cast<size_t>(feature),
                          [&](auto rank) { return gather(item, has_missing_[static_cast<size_t>(feature)], rank); });
    }
    template <class Rank>
    bool gather(const RowRange& item, bool any_missing, Rank rank) {
        const size_t n = item.size();
        const uint32_t* row = row_.data() + item.begin;
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

    bool search_cuts(const RowRange& item, int32_t feature) {
        if (!gather_ranks(item, feature)) return false;
        const size_t n = item.size();
        if constexpr (OfPairs<Scorer>)
            if (n >= rows_for_bins && known_ == n && limits_.min_weight <= 0) return search_bins(item, feature);
        if (lowest_ < highest_) sorter_.sort(ranked_.data(), known_, lowest_, highest_);
        const Ranked* list = ranked_.data();
        double merit = -infinity;
        if (known_ == n) {
            const Scorer made(local_, totals_, scratch_);
            cut_.start(made.score_step(tolerance_));
            scan(list, n, 0, n, false, false, made, limits_, cut_);
            if (cut_.found()) merit = made.merit(cut_.merit());
        } else if (recipe_.missing == Missing::available) {
            const Totals totals = known_totals();
            const double share = totals.weight / totals_.weight;
            const Scorer made(local_, totals, scratch_);
            cut_.start(made.score_step(tolerance_ / share));
            scan(list, known_, 0, known_, false, false, made, limits_, cut_);
            if (cut_.found()) merit = made.merit(cut_.merit()) * share;
        } else {
            Scorer right(local_, totals_, scratch_);
            cut_.start(right.score_step(tolerance_));
            scan(list, known_, 0, n, true, false, right, limits_, cut_);
            Scorer left(local_, totals_, scratch_);
            for (size_t i = known_; i < n; ++i) left.add(list[i].row);
            scan(list, known_, n - known_, n, false, true, left, limits_, cut_);
            if (cut_.found()) merit = left.merit(cut_.merit());
        }
        if (!matters(merit)) return true;
        const Cut cut = cut_.get();
        const uint32_t* row = row_.data() + item.begin;
        Split split{merit, feature};
        split.left_rank = list[cut.position - 1].rank;
        split.left_row = origin(row[list[cut.position - 1].row]);
        if (cut.position < known_) {
            split.right_row = origin(row[list[cut.position].row]);
            split.between = true;
        } else {
            split.threshold = infinity;  // known against missing
        }
        if (known_ < n && recipe_.missing == Missing::direction) split.default_branch = cut.missing_left ? 0 : 1;
        ties_.offer(merit, std::move(split));
        return true;
    }
    /// Large nodes, where most of the rows need no sorting.
    bool search_bins(const RowRange& item, int32_t feature) {
        const Scorer made(local_, totals_, scratch_);
        const double slack = made.score_step(tolerance_);
        const double bar = ties_.found() ? made.score_step(ties_.most()) - 2 * slack : -infinity;
        const auto& cut = bins_.search(std::span(ranked_).first(item.size()), lowest_, highest_, local_, made, bar, slack,
                                       limits_.min_count, sorter_);
        if (const double merit = made.merit(cut.merit()); cut.found() && matters(merit))
            ties_.offer(merit, split_after(item, feature, merit, cut.get()));
        return true;
    }
    /// The cut after the rows of at most this rank: what lies on either side of it.
    Split split_after(const RowRange& item, int32_t feature, double merit, uint32_t left_rank) const {
        const uint32_t* row = row_.data() + item.begin;
        Ranked left{0, 0}, right{0, RankTable::missing};
        bool any = false;
        for (size_t i = 0; i < item.size(); ++i) {
            const Ranked& entry = ranked_[i];
            if (entry.rank <= left_rank) {
                if (!any || entry.rank > left.rank) left = entry;
                any = true;
            } else if (entry.rank < right.rank) {
                right = entry;
            }
        }
        Split split{merit, feature};
        split.left_rank = left.rank;
        split.left_row = origin(row[left.row]);
        split.right_row = origin(row[right.row]);
        split.between = true;
        return split;
    }

    Totals known_totals() const {
        Totals t(problem_.width());
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

    /// A threshold drawn between the smallest and the largest value (extremely randomised trees: Geurts, Ernst & Wehenkel, 2006).
    bool search_random(const RowRange& item, int32_t feature, Random& random) {
        const double* value = numbers_[static_cast<size_t>(feature)];
        const uint32_t* row = row_.data() + item.begin;
        const size_t n = item.size();
        double low = infinity, high = -infinity;
        size_t known = 0;
        for (size_t i = 0; i < n; ++i) {
            const double x = value[row[i]];
            known += x == x;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (known == 0 || (low == high && known == n)) return false;
        double cut = low + random.uniform() * (high - low);
        if (!(cut < high)) cut = low;
        if (low == high) cut = infinity;  // only known against missing is left
        const bool missing_goes_left = known < n && random.below(2) == 0;
        Scorer made(local_, totals_, scratch_);
        size_t left = 0;
        for (size_t i = 0; i < n; ++i) {
            const double x = value[row[i]];
            if (x <= cut || (missing_goes_left && x != x)) {
                made.add(i);
                ++left;
            }
        }
        if (left < limits_.min_count || n - left < limits_.min_count || left == n || !limits_.allow(made)) return true;
        Split split{made.merit(made.score()), feature};
        split.threshold = cut;
        if (known < n) split.default_branch = missing_goes_left ? 0 : 1;
        ties_.offer(split.merit, split);
        return true;
    }

    double spread() const {
        if constexpr (C::classification) return 1.0;
        else return C::spread(impurity_, local_.centre);
    }
    bool search_categories(const RowRange& item, int32_t feature) {
        const int32_t* codes = codes_[static_cast<size_t>(feature)];
        const uint32_t* row = row_.data() + item.begin;
        const size_t n = item.size();
        size_t same = 1;
        while (same < n && codes[row[same]] == codes[row[0]]) ++same;
        if (same == n) return false;
        counter_.count(
            static_cast<size_t>(problem_.table.features[static_cast<size_t>(feature)].n_categories), problem_.width(), local_,
            [&](auto&& use) {
                for (size_t i = 0; i < n; ++i) use(codes[row[i]], i);
            },
            levels_);
        Candidate found = CategorySearch<C>(C{}, recipe_, problem_.table, levels_, totals_, tolerance_, spread(), feature).best();
        if (!found.found()) return true;
        Split split{found.merit, feature, found.default_branch, true};
        split.groups = std::move(found.table);
        ties_.offer(split.merit, std::move(split));
        return true;
    }

    FeatureDraw draw_;
    std::vector<int32_t> chosen_;
    double tolerance_ = 0;
    std::vector<Ranked> ranked_;
    size_t known_ = 0;
    uint32_t lowest_ = 0, highest_ = 0;
    RankSorter sorter_;
    Best<Split> ties_;
    BestCut cut_;
    RankBinsFor<Scorer> bins_;
    Scratch scratch_;
    LevelCounter counter_;
    Levels levels_;
};

}  // namespace treewright
