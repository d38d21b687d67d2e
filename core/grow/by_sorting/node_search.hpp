// The best split of a node on the features it has drawn: they are gathered, their ranks sorted and the cuts scanned; or a cut of
// each is drawn, and valued.
#pragma once
#include "cuts/cut.hpp"
#include "cuts/drawn.hpp"
#include "grow/by_sorting/drawn_cuts.hpp"
#include "grow/by_sorting/search.hpp"
#include "grow/feature_draw.hpp"
#include "grow/kernel.hpp"
#include "splits/candidate.hpp"
#include "splits/levels.hpp"

namespace treewright {

/// All but the scores: one call to its scorer for a list, or for a cut that is drawn.
class NodeSearch : public SortedSearch {
public:
    NodeSearch(const GrowTask& task, bool unit, const SortedRows& rows)
        : task_(task),
          recipe_(task.recipe),
          rows_(rows),
          classes_(task.n_classes > 0),
          outputs_(task.n_outputs()),
          draw_(task.n_features()),
          kernel_(task.make_kernel(task, unit)),
          left_(task.width()) {}

    void start(size_t n_rows) override {
        limits_.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits_.min_weight = recipe_.min_weight_leaf;
        if (recipe_.random_cuts) drawn_.reserve(n_rows);
        else ranked_.resize(n_rows);
        if (classes_) bit_.resize(n_rows);
        else centred_.resize(n_rows * outputs_);
        if (recipe_.random_cuts) amount_.resize(n_rows * n_amounts());
        local_.outputs = outputs_;
    }
    SortedSplit* find(const RowRange& node, uint64_t seed, Totals& totals, double impurity) override {
        look_at(node, totals);
        in_bins_ = !recipe_.random_cuts && has_bins() && node.size() >= rows_for_bins && limits_.min_weight <= 0;
        if (in_bins_) start_bins(node.size());
        totals_ = &totals;
        impurity_ = impurity;
        tolerance_ = task_.formula->tolerance(totals, impurity);
        ties_.start(tolerance_);
        Random random(seed);
        bool varied = recipe_.random_cuts ? draw_cuts(node, draw_features(random), random) : search_all(node, random);
        while (!varied && draw_.chooses(recipe_) && draw_.any_left()) {
            const int32_t feature = draw_.next(random);
            varied = recipe_.random_cuts ? draw_cuts(node, {&feature, 1}, random) : search(node, feature);
        }
        draw_.undo();
        return ties_.found() ? &ties_.get() : nullptr;
    }

protected:
    // ---- what hangs on the scorer ------------------------------------------------------------------------------------

    /// The best cut of the list in hand, of n rows, goes to `cut_`; its merit, −infinity if there is none.
    virtual double scan_list(size_t n) = 0;
    /// Whether large nodes need not be sorted as a whole.
    virtual bool has_bins() const = 0;
    /// Get ready for the features of such a node.
    virtual void start_bins(size_t n) = 0;
    /// The same of ranks that need not be sorted: the rows of at most `left_rank` go left.
    virtual double scan_bins(size_t n, uint32_t& left_rank) = 0;
    /// Get ready to value cuts of the node in hand that are drawn, and value one of them: −infinity if it is not allowed.
    virtual void start_drawn() = 0;
    virtual double value_drawn(size_t n, size_t lane) = 0;

    /// What the rows that have a value add up to.
    Totals known_totals() const {
        Totals t(task_.width());
        t.count = known_;
        for (size_t i = 0; i < known_; ++i) {
            const size_t row = ranked_[i].row;
            const double w = local_.weight_of(row);
            t.weight += w;
            for (size_t at = row * outputs_, o = 0; o < outputs_; ++o) {
                if (classes_) t.sums[static_cast<size_t>(local_.label[at + o])] += w;
                else t.sums[o] += w * local_.target[at + o];
            }
        }
        return t;
    }
    /// What a cut that is drawn sends left, into `left_`.
    void sum_up_left_of(size_t n, size_t lane) {
        left_.weight = left_weight_.of[lane];
        if (!classes_) {
            for (size_t o = 0; o < outputs_; ++o) left_.sums[o] = left_amounts_[o].of[lane];
        } else if (n_amounts() > 0) {
            const auto classes = static_cast<size_t>(task_.n_classes);
            for (size_t o = 0, a = 0; o < outputs_; ++o) {
                double others = 0;
                for (size_t k = 1; k < classes; ++k) others += left_.sums[o * classes + k] = left_amounts_[a++].of[lane];
                left_.sums[o * classes] = rest_of(left_.weight, others);
            }
        } else {
            std::fill(left_.sums.begin(), left_.sums.end(), 0.0);
            for (size_t i = 0; i < n; ++i) {
                const double weight = drawn_.goes_left(i, lane) ? local_.weight_of(i) : 0.0;
                for (size_t o = 0; o < outputs_; ++o) left_.sums[static_cast<size_t>(local_.label[i * outputs_ + o])] += weight;
            }
        }
    }

private:
    static constexpr size_t rows_for_bins = 1024;

    /// The features that a node looks at: in the order of the draw, so that chance decides between equals, or else ascending.
    std::span<const int32_t> draw_features(Random& random) {
        chosen_.resize(n_drawn());
        if (!draw_.chooses(recipe_)) {
            std::iota(chosen_.begin(), chosen_.end(), 0);
        } else {
            for (int32_t& feature : chosen_) feature = draw_.next(random);
            if (recipe_.ties != Ties::random) std::sort(chosen_.begin(), chosen_.end());
        }
        return chosen_;
    }
    size_t n_drawn() const { return recipe_.max_features > 0 ? static_cast<size_t>(recipe_.max_features) : task_.n_features(); }

    /// The target of a node in the form the scorers want.
    void look_at(const RowRange& node, Totals& totals) {
        const size_t n = node.size();
        local_.weight = rows_.weight(node);
        if (classes_) {
            local_.label = rows_.label(node);
            local_.bit = bit_.data();
            if (outputs_ == 1 && (!recipe_.random_cuts || rows_.any_codes()))
                for (size_t i = 0; i < n; ++i) bit_[i] = local_.label[i] == 1;
        } else {
            local_.target = centred_.data();
            local_.centre = totals.sums[0];
            const double* target = rows_.target(node);
            for (size_t o = 0; o < outputs_; ++o) {
                const double centre = totals.sums[o];
                double sum = 0;
                for (size_t i = 0; i < n; ++i) {
                    const size_t at = i * outputs_ + o;
                    centred_[at] = target[at] - centre;
                    sum += local_.weight_of(i) * centred_[at];
                }
                totals.sums[o] = sum;
            }
        }
        if (recipe_.random_cuts) list_amounts(n);
    }

    /// Look at all features of the node, until nothing can be better; where their order is that of the draw, they are drawn as
    /// they are looked at.
    bool search_all(const RowRange& node, Random& random) {
        bool varied = false;
        if (recipe_.ties == Ties::random && draw_.chooses(recipe_)) {
            for (size_t i = n_drawn(); i > 0 && !perfect(); --i) varied |= search(node, draw_.next(random));
        } else {
            for (int32_t feature : draw_features(random)) {
                varied |= search(node, feature);
                if (perfect()) break;
            }
        }
        return varied;
    }
    /// Look at one feature; false if it is constant at the node.
    bool search(const RowRange& node, int32_t feature) {
        return rows_.only_codes(static_cast<size_t>(feature)) ? search_categories(node, feature) : search_cuts(node, feature);
    }
    /// Whether branches are pure: nothing can be better.
    bool perfect() const { return ties_.merit() >= impurity_ - tolerance_; }
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
        if (in_bins_ && known_ == n) return search_bins(node, feature);
        if (lowest_ < highest_) sorter_.sort(ranked_.data(), known_, lowest_, highest_);
        const Ranked* list = ranked_.data();
        const double merit = scan_list(n);
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
        uint32_t left_rank = 0;
        if (const double merit = scan_bins(node.size(), left_rank); matters(merit))
            ties_.offer(merit, split_after(node, feature, merit, left_rank));
        return true;
    }
    /// The cut after the rows of at most this rank: what lies on either side of it.
    SortedSplit split_after(const RowRange& node, int32_t feature, double merit, uint32_t left_rank) const {
        const uint32_t* row = rows_.rows(node);
        uint32_t left = 0, right = RankTable::missing;  // ranks; without a branch, for sides are a coin toss
        for (const Ranked& entry : std::span(ranked_).first(node.size())) {
            left = std::max(left, entry.rank <= left_rank ? entry.rank : 0);
            right = std::min(right, entry.rank > left_rank ? entry.rank : RankTable::missing);
        }
        const auto row_of = [&](uint32_t rank) {
            return rows_.origin(row[std::ranges::find(ranked_, rank, &Ranked::rank)->row]);
        };
        SortedSplit split{merit, feature};
        split.left_rank = left;
        split.left_row = row_of(left);
        split.right_row = row_of(right);
        split.between = true;
        return split;
    }

    // ---- cuts that are drawn ---------------------------------------------------------------------------------------

    /// Draw a cut of every feature, several at a time, and value them in their order; false if all are constant at the node.
    bool draw_cuts(const RowRange& node, std::span<const int32_t> features, Random& random) {
        start_drawn();
        bool varied = false;
        for (size_t begin = 0; begin < features.size() && !perfect();) {
            size_t end = begin;
            const auto numeric = [&] { return !rows_.only_codes(static_cast<size_t>(features[end])); };
            while (end < features.size() && end - begin < DrawnCuts::lanes && numeric()) ++end;
            varied |= end > begin ? draw_several(node, features.subspan(begin, end - begin), random)
                                  : search_categories(node, features[end++]);
            begin = end;
        }
        return varied;
    }
    bool draw_several(const RowRange& node, std::span<const int32_t> features, Random& random) {
        constexpr size_t lanes = DrawnCuts::lanes;
        const size_t n = node.size();
        ValueColumn columns[lanes];
        for (size_t lane = 0; lane < features.size(); ++lane) columns[lane] = rows_.numbers(static_cast<size_t>(features[lane]));
        drawn_.look_at({columns, features.size()}, {rows_.rows(node), n});
        DrawnCut cuts[lanes];
        size_t known[lanes];
        bool varies[lanes], any = false;
        for (size_t lane = 0; lane < features.size(); ++lane) {
            const double low = drawn_.low(lane), high = drawn_.high(lane);
            known[lane] = n - (rows_.has_missing(static_cast<size_t>(features[lane])) ? drawn_.count_missing(lane) : 0);
            varies[lane] = known[lane] > 0 && (low < high || known[lane] < n);
            if (!varies[lane]) continue;
            cuts[lane] = draw_cut(low, high, known[lane] < n, random);
            drawn_.cut(lane, cuts[lane].threshold, cuts[lane].missing_left);
            any = true;
        }
        if (!any) return false;
        sum_up_left(n);
        for (size_t lane = 0; lane < features.size() && !perfect(); ++lane) {
            if (!varies[lane] || !large_enough(n, lane)) continue;
            const double merit = value_drawn(n, lane);
            if (!matters(merit)) continue;
            SortedSplit split{merit, features[lane]};
            split.threshold = cuts[lane].threshold;
            if (known[lane] < n) split.default_branch = cuts[lane].missing_left ? 0 : 1;
            ties_.offer(merit, std::move(split));
        }
        return true;
    }

    /// What a row adds to a side beside its weight: the number of each target, or its weight in all classes of each target but
    /// the first; 0 = too many to be summed up one by one.
    size_t n_amounts() const {
        constexpr size_t most = 4;
        const size_t n = classes_ ? outputs_ * static_cast<size_t>(task_.n_classes - 1) : outputs_;
        return n <= most || !classes_ ? n : 0;
    }
    /// What each row adds to one class: looked up, for a branch on labels is a coin toss to the processor.
    void list_class(const int32_t* label, int32_t wanted, size_t n, double* to) const {
        static constexpr double amount[] = {0.0, 1.0};
        const size_t stride = outputs_;
        for (size_t i = 0; i < n; ++i) to[i] = amount[label[i * stride] == wanted];
        if (local_.weight)
            for (size_t i = 0; i < n; ++i) to[i] *= local_.weight[i];
    }
    /// The amounts of a node, each of all its rows.
    void list_amounts(size_t n) {
        double* to = amount_.data();
        if (classes_) {
            const auto classes = static_cast<int32_t>(task_.n_classes);
            if (n_amounts() == 0) return;
            for (size_t o = 0; o < outputs_; ++o)
                for (int32_t k = 1; k < classes; ++k, to += n)
                    list_class(local_.label + o, static_cast<int32_t>(o) * classes + k, n, to);
        } else {
            for (size_t o = 0; o < outputs_; ++o)
                for (size_t i = 0; i < n; ++i) *to++ = local_.weight_of(i) * local_.target[i * outputs_ + o];
        }
    }
    /// Sum up what goes left by each of the cuts.
    void sum_up_left(size_t n) {
        if (n_amounts() == 0) {
            drawn_.sum_up(local_.weight, left_weight_);
        } else {
            left_amounts_.resize(n_amounts());
            drawn_.sum_up(local_.weight, amount_.data(), left_weight_, left_amounts_[0]);
            for (size_t a = 1; a < left_amounts_.size(); ++a) drawn_.sum_up(amount_.data() + a * n, left_amounts_[a]);
        }
        if (local_.weight && limits_.min_count > 1) drawn_.sum_up(nullptr, left_count_);
    }
    bool large_enough(size_t n, size_t lane) const {
        const auto left =
            static_cast<size_t>(local_.weight && limits_.min_count > 1 ? left_count_.of[lane] : left_weight_.of[lane]);
        return limits_.min_count <= 1 || (left >= limits_.min_count && n - left >= limits_.min_count);
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

protected:
    const Recipe& recipe_;

private:
    const SortedRows& rows_;
    const bool classes_;
    size_t outputs_;  // targets
    FeatureDraw draw_;
    std::vector<int32_t> chosen_;

protected:
    // the node in hand
    CutLimits limits_;
    LocalRows local_;
    const Totals* totals_ = nullptr;
    double tolerance_ = 0;
    Best<SortedSplit> ties_;

    // the feature in hand
    std::vector<Ranked> ranked_;
    size_t known_ = 0;
    uint32_t lowest_ = 0, highest_ = 0;
    RankSorter sorter_;
    BestCut cut_;

    // cuts that are drawn
    DrawnCuts::Line left_weight_;
    std::vector<DrawnCuts::Line> left_amounts_;

private:
    double impurity_ = 0;
    bool in_bins_ = false;  // features that all rows know need no sorting
    std::vector<uint8_t> bit_;
    std::vector<double> centred_;
    LevelCounter counter_;
    Levels levels_;
    std::unique_ptr<Kernel> kernel_;  // groups categories
    DrawnCuts drawn_;
    std::vector<double> amount_;  // of the node in hand
    DrawnCuts::Line left_count_;

protected:
    Totals left_;
};

}  // namespace treewright
