// A tree grown by sorting: each node gathers only the features it has drawn, sorts their ranks and scans the cuts.
//
// Where a node looks at few of many features this beats presorted lists, which must carry every feature down every branch.
// It gives the tree that block.hpp gives on the same rows, weights and seed.
#pragma once
#include <array>
#include <bit>
#include <memory>

#include "forest.hpp"
#include "levels.hpp"
#include "random.hpp"
#include "ranks.hpp"
#include "splits/categorical.hpp"

namespace treewright {

/// Draws features without replacement, the same way from every node: a shuffle that is undone when the node is done.
class FeatureDraw {
public:
    explicit FeatureDraw(size_t n_features) : shuffled_(n_features) { std::iota(shuffled_.begin(), shuffled_.end(), 0); }

    bool any_left() const { return swaps_.size() < shuffled_.size(); }
    int32_t next(Random& random) {
        const size_t at = swaps_.size(), other = at + random.below(shuffled_.size() - at);
        std::swap(shuffled_[at], shuffled_[other]);
        swaps_.push_back(other);
        return shuffled_[at];
    }
    void undo() {
        for (size_t i = swaps_.size(); i-- > 0;) std::swap(shuffled_[i], shuffled_[swaps_[i]]);
        swaps_.clear();
    }

private:
    std::vector<int32_t> shuffled_;
    std::vector<size_t> swaps_;
};

/// Whether small subtrees copy their columns: a row of them is looked at about a dozen times, so copying pays up to there.
inline bool use_blocks(const Problem& problem) {
    return problem.n_features() <= 12 * static_cast<size_t>(problem.recipe.max_features);
}

/// Whether the values of a categorical feature are ordered once for a tree.
inline bool orders_once(const Recipe& recipe, const Feature& feature) {
    constexpr int32_t many_categories = 256;
    return recipe.category_order == CategoryOrder::once ||
           (recipe.category_order == CategoryOrder::automatic && feature.n_categories > many_categories);
}

/// Two classes by Gini, or squared error: scorers that need no more than weight and sum of the left side.
template <class Scorer>
inline constexpr bool is_mean_difference = false;
template <bool unit, bool two_classes>
inline constexpr bool is_mean_difference<MeanDifferenceScorer<unit, two_classes>> = true;

template <class C, class Scorer>
class SortedTree {
    static constexpr size_t n_bins = 256, coarse_rows = 1024;
    static constexpr int32_t between_rows = -2;  // in table_of_

public:
    SortedTree(const Problem& problem, const RankTable& ranks, std::span<const int32_t> position,
               std::span<const int32_t> n_categories)
        : problem_(problem), recipe_(problem.recipe), ranks_(ranks), position_(position), n_categories_(n_categories),
          codes_(problem.n_features()), numbers_(problem.n_features()), rank_(problem.n_features()),
          has_missing_(problem.n_features()), ordered_(problem.n_features()), draw_(problem.n_features()),
          totals_(problem.width()) {
        for (size_t f = 0; f < problem.n_features(); ++f)
            if (n_categories[f] == 0) {
                feature_of_.resize(std::max(feature_of_.size(), static_cast<size_t>(position[f]) + 1));
                feature_of_[static_cast<size_t>(position[f])] = static_cast<int32_t>(f);
            }
        for (size_t f = 0; f < problem.n_features(); ++f) {
            const Feature& feature = problem.table.features[f];
            if (!feature.categorical()) {
                has_missing_[f] = ranks.has_missing(f);
                continue;
            }
            has_missing_[f] = std::any_of(feature.codes, feature.codes + problem.table.n_rows, [](int32_t code) { return code < 0; });
            if (orders_once(problem.recipe, feature)) ordered_[f] = std::make_unique<OrderedLevels>();
        }
        if (use_blocks(problem)) block_rows_ = std::clamp<size_t>(400'000 / (sizeof(uint32_t) * problem.n_features()), 256, 4096);
    }

    /// Grow one tree on these rows. `weight` goes by row of the table, empty = every row weighs one.
    void grow(std::span<const uint32_t> rows, std::span<const double> weight, double min_weight_leaf, uint64_t seed, int thread,
              Forest& out) {
        out_ = &out;
        thread_ = thread;
        limits_ = CutLimits{};
        limits_.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits_.min_weight = min_weight_leaf;
        load(rows, weight);
        leave_block();
        std::vector<Item> stack;
        Item root{0, static_cast<uint32_t>(rows.size()), 0, 0, Random(seed).next()};
        if (append(root)) stack.push_back(root);
        total_weight_ = totals_.weight;
        uint64_t work = 0;
        while (!stack.empty()) {
            const Item item = stack.back();
            stack.pop_back();
            if (stack.size() < block_floor_) leave_block();
            if (!in_block_ && item.size() <= block_rows_) {
                enter_block(item);
                block_floor_ = stack.size();
            }
            work += item.size() + 64;
            if (work > 500'000) {
                problem_.monitor.poll(thread_);
                work = 0;
            }
            if (!find(item)) continue;
            Item child[2];
            split(item, child);
            const bool further[2] = {append(child[0]), append(child[1])};
            for (size_t b : {1, 0})
                if (further[b]) stack.push_back(child[b]);
        }
        finish();
    }

private:
    struct Item {
        uint32_t begin = 0, end = 0, node = 0;
        int32_t depth = 0;
        uint64_t seed = 0;

        size_t size() const { return end - begin; }
    };
    /// A categorical feature whose values are ordered once for the tree, and the rows by it.
    struct OrderedLevels {
        std::vector<uint32_t> rank_of, rank;  // by code; by row of the table
        std::vector<double> number;           // the same as numbers, for random cuts
    };
    /// The best split so far.
    struct Best {
        double merit = -infinity;
        int32_t feature = -1, default_branch = -1;
        bool table = false;
        uint32_t left_rank = 0;  // rows of at most this rank go left
        bool between = false;    // the threshold lies half-way between the values of these two rows
        uint32_t left_row = 0, right_row = 0;
        double threshold = 0;
    };

    // ---- setting up ------------------------------------------------------------------------------------------

    void load(std::span<const uint32_t> rows, std::span<const double> weight) {
        const size_t n = rows.size();
        row_.assign(rows.begin(), rows.end());
        side_.resize(n);
        spare_row_.resize(n);
        spare_target_.resize(n);
        spare_weight_.resize(n);
        ranked_.resize(n);
        weight_.clear();
        if (!weight.empty()) {
            weight_.resize(n);
            for (size_t i = 0; i < n; ++i) weight_[i] = weight[rows[i]];
        }
        if constexpr (C::classification) {
            label_.resize(n);
            bit_.resize(n);
            for (size_t i = 0; i < n; ++i) label_[i] = problem_.label[rows[i]];
        } else {
            target_.resize(n);
            centred_.resize(n);
            for (size_t i = 0; i < n; ++i) target_[i] = problem_.target[rows[i]];
        }
        for (size_t f = 0; f < ordered_.size(); ++f)
            if (ordered_[f]) order(f);
        merit_.clear();
        table_of_.clear();
        tables_.clear();
    }
    /// Order the values of a categorical feature by the target of the rows of this tree, and rank the rows by it.
    void order(size_t feature) {
        const Feature& column = problem_.table.features[feature];
        OrderedLevels& levels = *ordered_[feature];
        const auto n_levels = static_cast<size_t>(column.n_categories);
        const size_t width = problem_.width();
        std::vector<double> sums(n_levels * width, 0.0), weight(n_levels, 0.0);
        for (size_t i = 0; i < row_.size(); ++i) {
            const int32_t code = column.codes[row_[i]];
            if (code < 0) continue;
            const auto level = static_cast<size_t>(code);
            const double w = weight_.empty() ? 1.0 : weight_[i];
            weight[level] += w;
            if constexpr (C::classification) sums[level * width + static_cast<size_t>(label_[i])] += w;
            else sums[level] += w * target_[i];
        }
        const std::vector<int32_t> codes = order_levels(sums, weight, width);
        levels.rank_of.assign(n_levels, 0);
        for (size_t rank = 0; rank < codes.size(); ++rank) levels.rank_of[static_cast<size_t>(codes[rank])] = static_cast<uint32_t>(rank);
        levels.rank.resize(recipe_.random_cuts ? 0 : problem_.table.n_rows);
        levels.number.resize(recipe_.random_cuts ? problem_.table.n_rows : 0);
        for (uint32_t row : row_) {
            const int32_t code = column.codes[row];
            const uint32_t rank = code < 0 ? RankTable::missing : levels.rank_of[static_cast<size_t>(code)];
            if (recipe_.random_cuts) levels.number[row] = code < 0 ? std::numeric_limits<double>::quiet_NaN() : rank;
            else levels.rank[row] = rank;
        }
    }

    // ---- blocks ----------------------------------------------------------------------------------------------

    /// Copy the columns of a small subtree side by side, so that all its nodes read them from the core's own cache.
    void enter_block(const Item& item) {
        const size_t n = item.size(), p = codes_.size();
        origin_.assign(row_.begin() + item.begin, row_.begin() + item.end);
        std::iota(row_.begin() + item.begin, row_.begin() + item.end, 0u);
        const std::vector<Feature>& features = problem_.table.features;
        if (recipe_.random_cuts && block_numbers_.size() < n * p) block_numbers_.resize(n * p);
        if (!recipe_.random_cuts && block_ranks_.size() < n * p) block_ranks_.resize(n * p);
        if (block_codes_.size() < n * p) block_codes_.resize(n * p);
        const auto gather = [&](const auto* from, auto* to) {
            for (size_t i = 0; i < n; ++i) to[i] = from[origin_[i]];
            return to;
        };
        for (size_t f = 0; f < p; ++f) {
            if (features[f].categorical()) codes_[f] = gather(features[f].codes, block_codes_.data() + f * n);
            if (ordered_[f] && recipe_.random_cuts) numbers_[f] = gather(ordered_[f]->number.data(), block_numbers_.data() + f * n);
            else if (ordered_[f]) rank_[f] = gather(ordered_[f]->rank.data(), block_ranks_.data() + f * n);
            else if (features[f].categorical()) continue;
            else if (recipe_.random_cuts) numbers_[f] = gather(features[f].numbers, block_numbers_.data() + f * n);
            else rank_[f] = block_ranks_.data() + f * n;
        }
        constexpr size_t tile = 64;
        for (size_t begin = 0; begin < n && !recipe_.random_cuts; begin += tile)
            for (size_t f = 0; f < p; ++f) {
                if (features[f].categorical()) continue;
                const size_t column = ranks_.column(f);
                for (size_t i = begin; i < std::min(n, begin + tile); ++i) block_ranks_[f * n + i] = ranks_.row(origin_[i])[column];
            }
        in_block_ = true;
    }
    void leave_block() {
        for (size_t f = 0; f < codes_.size(); ++f) {
            codes_[f] = problem_.table.features[f].codes;
            numbers_[f] = ordered_[f] ? ordered_[f]->number.data() : problem_.table.features[f].numbers;
            if (ordered_[f]) rank_[f] = ordered_[f]->rank.data();
            else if (!problem_.table.features[f].categorical()) rank_[f] = ranks_.of(f);
        }
        in_block_ = false;
        block_floor_ = 0;
    }
    /// The row of the table behind an entry of row_.
    uint32_t origin(uint32_t row) const { return in_block_ ? origin_[row] : row; }

    /// The columns of the node in hand, under local numbers.
    void look_at(const Item& item) {
        local_.weight = weight_.empty() ? nullptr : weight_.data() + item.begin;
        if constexpr (C::classification) {
            local_.label = label_.data() + item.begin;
            local_.bit = bit_.data();
        } else {
            local_.target = centred_.data();
        }
    }

    // ---- describing a node -----------------------------------------------------------------------------------

    /// Append a node with its statistics; true if it may be split.
    bool append(Item& item) {
        look_at(item);
        const size_t n = item.size();
        totals_.clear();
        if constexpr (C::classification) {
            const int32_t* label = local_.label;
            if (local_.weight)
                for (size_t i = 0; i < n; ++i) totals_.sums[static_cast<size_t>(label[i])] += local_.weight[i];
            else
                for (size_t i = 0; i < n; ++i) totals_.sums[static_cast<size_t>(label[i])] += 1.0;
            for (double sum : totals_.sums) totals_.weight += sum;
            totals_.count = n;
            describe_classes<C>(problem_, totals_, description_);
        } else {
            const std::span<const double> weight = local_.weight ? std::span(local_.weight, n) : std::span<const double>();
            describe_numbers<C>(std::span(target_).subspan(item.begin, n), weight, description_);
            out_->weight.add(description_.weight);
            out_->risk.push_back(description_.risk);
        }
        item.node = static_cast<uint32_t>(merit_.size());
        for (double value : description_.value) out_->value.add(value);
        out_->count.push_back(static_cast<uint32_t>(n));
        out_->node.push_back({infinity, missing_left, item.node});
        merit_.push_back(0.0);
        table_of_.push_back(-1);
        return !description_.pure && (recipe_.max_depth < 0 || item.depth < recipe_.max_depth) &&
               n >= static_cast<size_t>(std::max(recipe_.min_samples_split, 2 * recipe_.min_samples_leaf)) &&
               description_.weight >= 2 * limits_.min_weight;
    }

    /// Bring back the totals of a node that was appended before, and the target in the form the scorers want.
    void prepare(const Item& item) {
        look_at(item);
        const size_t n = item.size(), at = first_node() + item.node, width = totals_.sums.size();
        totals_.count = n;
        if constexpr (C::classification) {
            totals_.weight = 0;
            for (size_t k = 0; k < width; ++k) totals_.weight += totals_.sums[k] = out_->value[at * width + k];
            impurity_ = class_impurity<C>(totals_);
            for (size_t i = 0; i < n; ++i) bit_[i] = local_.label[i] == 1;
        } else {
            totals_.weight = out_->weight[at];
            impurity_ = out_->risk[at] / totals_.weight;
            const double centre = out_->value[at];
            const double* target = target_.data() + item.begin;
            double sum = 0;
            for (size_t i = 0; i < n; ++i) {
                centred_[i] = target[i] - centre;
                sum += local_.weight_of(i) * centred_[i];
            }
            totals_.sums[0] = sum;
        }
    }
    size_t first_node() const { return static_cast<size_t>(out_->tree_begin.back()); }

    // ---- searching -------------------------------------------------------------------------------------------

    bool find(const Item& item) {
        prepare(item);
        best_.merit = -infinity;
        best_.feature = -1;
        tolerance_ = C::tolerance(totals_, impurity_);
        Random random(item.seed);
        const auto wanted = static_cast<size_t>(recipe_.max_features);
        if (wanted < codes_.size()) {
            chosen_.clear();
            while (chosen_.size() < wanted) chosen_.push_back(draw_.next(random));
            std::sort(chosen_.begin(), chosen_.end());
        } else if (chosen_.empty()) {  // all features: nothing is drawn
            chosen_.resize(codes_.size());
            std::iota(chosen_.begin(), chosen_.end(), 0);
        }
        bool varied = false;
        for (int32_t feature : chosen_) {
            varied |= search(item, feature, random);
            if (best_.merit >= impurity_ - tolerance_) break;  // pure branches: nothing can be better
        }
        while (!varied && wanted < codes_.size() && draw_.any_left()) varied = search(item, draw_.next(random), random);
        draw_.undo();
        if (best_.feature < 0 || !(best_.merit > recipe_.min_merit)) return false;
        return recipe_.min_impurity_decrease <= 0 ||
               best_.merit * totals_.weight / total_weight_ + 2.2e-16 >= recipe_.min_impurity_decrease;
    }

    /// Look at one feature; false if it is constant at the node.
    bool search(const Item& item, int32_t feature, Random& random) {
        const auto f = static_cast<size_t>(feature);
        if (problem_.table.features[f].categorical() && !ordered_[f]) return search_categories(item, feature);
        return recipe_.random_cuts ? search_random(item, feature, random) : search_cuts(item, feature);
    }
    bool offer(int32_t feature, double merit) {
        if (!(merit > best_.merit + tolerance_)) return false;
        best_.merit = merit;
        best_.feature = feature;
        best_.table = best_.between = false;
        best_.default_branch = -1;
        return true;
    }

    /// Gather the ranks of a node, those known first; false if all are the same.
    bool gather_ranks(const Item& item, int32_t feature) {
        const size_t n = item.size(), f = static_cast<size_t>(feature);
        const uint32_t* rank = rank_[f];
        const uint32_t* row = row_.data() + item.begin;
        Ranked* ranked = ranked_.data();
        uint32_t low = RankTable::missing, high = 0;
        known_ = n;
        if (!has_missing_[f]) {
            for (size_t i = 0; i < n; ++i) {
                const uint32_t at = rank[row[i]];
                ranked[i] = {static_cast<uint32_t>(i), at};
                low = std::min(low, at);
                high = std::max(high, at);
            }
        } else {
            known_ = 0;
            size_t missing = n;
            for (size_t i = n; i-- > 0;)
                if (rank[row[i]] == RankTable::missing) ranked[--missing] = {static_cast<uint32_t>(i), RankTable::missing};
            for (size_t i = 0; i < n; ++i) {
                const uint32_t at = rank[row[i]];
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

    bool search_cuts(const Item& item, int32_t feature) {
        if (!gather_ranks(item, feature)) return false;
        const size_t n = item.size();
        if constexpr (is_mean_difference<Scorer>)
            if (n >= coarse_rows && known_ == n && limits_.simple()) return search_bins(item, feature);
        if (lowest_ < highest_) sorter_.sort(ranked_.data(), known_, lowest_, highest_);
        const Ranked* list = ranked_.data();
        Cut cut;
        double merit = -infinity;
        if (known_ == n) {
            const Scorer made(local_, totals_, scratch_);
            scan(list, n, 0, n, false, false, made, limits_, made.tolerance(impurity_), cut);
            if (cut.found()) merit = made.merit(cut.score);
        } else if (recipe_.missing == Missing::available) {
            const Totals totals = known_totals();
            const Scorer made(local_, totals, scratch_);
            scan(list, known_, 0, known_, false, false, made, limits_, made.tolerance(impurity_), cut);
            if (cut.found()) merit = made.merit(cut.score) * totals.weight / totals_.weight;
        } else {
            Scorer right(local_, totals_, scratch_);
            const double tolerance = right.tolerance(impurity_);
            scan(list, known_, 0, n, true, false, right, limits_, tolerance, cut);
            Scorer left(local_, totals_, scratch_);
            for (size_t i = known_; i < n; ++i) left.add(list[i].row);
            scan(list, known_, n - known_, n, false, true, left, limits_, tolerance, cut);
            if (cut.found()) merit = left.merit(cut.score);
        }
        if (!cut.found() || !offer(feature, merit)) return true;
        const uint32_t* row = row_.data() + item.begin;
        best_.left_rank = list[cut.position - 1].rank;
        best_.left_row = origin(row[list[cut.position - 1].row]);
        if (cut.position < known_) {
            best_.right_row = origin(row[list[cut.position].row]);
            best_.between = true;
        } else {
            best_.threshold = infinity;  // known against missing
        }
        if (known_ < n && recipe_.missing == Missing::direction) best_.default_branch = cut.missing_left ? 0 : 1;
        return true;
    }
    /// Large nodes: the edges of at most 256 bins of ranks are scored from sums, and only bins inside which a better cut may lie
    /// are sorted and scanned. Score is convex in weight and sum on the left, so that corners bound it.
    bool search_bins(const Item& item, int32_t feature) {
        const size_t n = item.size();
        int shift = 0;
        while ((highest_ - lowest_) >> shift >= n_bins) ++shift;
        const size_t bins = ((highest_ - lowest_) >> shift) + 1;
        const auto bin_of = [&](const Ranked& at) { return (at.rank - lowest_) >> shift; };
        fill_bins(n, bins, bin_of);
        const Scorer made(local_, totals_, scratch_);
        const double slack = made.tolerance(impurity_);
        double bar = best_.feature < 0 ? -infinity : (best_.merit - tolerance_) / made.factor - slack;
        Scorer edge = made;
        const auto least = static_cast<double>(limits_.min_count), all = static_cast<double>(n);
        double count = 0;
        for (size_t b = 0; b < bins; ++b) {
            count += bins_[b].count;
            add_bin(edge, bins_[b]);
            if (bins_[b].count > 0 && count >= least && all - count >= least) bar = std::max(bar, edge.score() - slack);
        }
        const size_t suspects = shift > 0 ? suspect_bins(made, bins, bar) : 0;
        if (suspects > 0) gather_suspects(n, bin_of);
        return scan_bins(item, feature, bins, shift, made, slack);
    }
    struct Bin {
        double weight = 0, sum = 0, positive = 0;  // positive: the part of sum that is above 0
        double count = 0;
    };
    static void add_bin(Scorer& scorer, const Bin& bin) {
        scorer.left_weight += bin.weight;
        scorer.left += bin.sum;
    }
    template <class BinOf>
    void fill_bins(size_t n, size_t bins, BinOf&& bin_of) {
        std::fill_n(bins_.begin(), bins, Bin{});
        for (size_t i = 0; i < n; ++i) {
            Bin& bin = bins_[bin_of(ranked_[i])];
            const double w = local_.weight ? local_.weight[i] : 1.0;
            bin.weight += w;
            bin.count += 1;
            if constexpr (C::classification) {
                bin.sum += w * local_.bit[i];
            } else {
                const double y = w * local_.target[i];
                bin.sum += y;
                bin.positive += std::max(y, 0.0);
            }
        }
    }
    /// Mark the bins inside which a cut may reach the bar.
    size_t suspect_bins(const Scorer& made, size_t bins, double bar) {
        Scorer left = made;
        size_t suspects = 0;
        const auto reaches = [&](double weight, double sum) {
            Scorer corner = left;
            corner.left_weight += weight;
            corner.left += sum;
            const double room = corner.left_weight * corner.right_weight_now();
            const double difference = corner.left * corner.weight - corner.left_weight * corner.total;
            return difference * difference >= bar * room;
        };
        for (size_t b = 0; b < bins; ++b) {
            const Bin& bin = bins_[b];
            bool suspect = false;
            if (bin.count > 1) {
                if constexpr (C::classification)  // all of one class first
                    suspect = reaches(bin.weight - bin.sum, 0) || reaches(bin.sum, bin.sum);
                else
                    suspect = reaches(0, bin.positive) || reaches(0, bin.sum - bin.positive) || reaches(bin.weight, bin.positive) ||
                              reaches(bin.weight, bin.sum - bin.positive);
            }
            suspect_[b] = suspect;
            suspects += suspect;
            add_bin(left, bin);
        }
        return suspects;
    }
    /// The rows of the suspect bins, sorted.
    template <class BinOf>
    void gather_suspects(size_t n, BinOf&& bin_of) {
        n_suspects_ = 0;
        uint32_t low = RankTable::missing, high = 0;
        if (suspects_.size() < n + 1) suspects_.resize(n + 1);
        for (size_t i = 0; i < n; ++i) {
            suspects_[n_suspects_] = ranked_[i];
            n_suspects_ += suspect_[bin_of(ranked_[i])];
        }
        for (size_t i = 0; i < n_suspects_; ++i) {
            low = std::min(low, suspects_[i].rank);
            high = std::max(high, suspects_[i].rank);
        }
        sorter_.sort(suspects_.data(), n_suspects_, low, high);
    }
    /// Go over all cuts that may be the best, from the left.
    bool scan_bins(const Item& item, int32_t feature, size_t bins, int shift, const Scorer& made, double slack) {
        Scorer scorer = made;
        const size_t n = item.size();
        size_t at = 0, count = 0;
        double best = -infinity;
        uint32_t left_rank = 0;
        const auto look = [&](const Scorer& cut, size_t left, uint32_t rank) {
            if (left < limits_.min_count || n - left < limits_.min_count) return;
            const double score = cut.score();
            if (!(score > best + slack)) return;
            best = score;
            left_rank = rank;
        };
        for (size_t b = 0; b < bins; ++b) {
            const auto rows = static_cast<size_t>(bins_[b].count);
            if (rows == 0) continue;
            if (shift > 0 && suspect_[b]) {
                Scorer inside = scorer;
                for (size_t i = 0; i + 1 < rows; ++i) {
                    inside.add(suspects_[at + i].row);
                    if (suspects_[at + i].rank != suspects_[at + i + 1].rank) look(inside, count + i + 1, suspects_[at + i].rank);
                }
                at += rows;
            }
            add_bin(scorer, bins_[b]);
            count += rows;
            if (count < n) look(scorer, count, static_cast<uint32_t>(lowest_ + ((b + 1) << shift) - 1));
        }
        if (best == -infinity || !offer(feature, made.merit(best))) return true;
        set_cut(item, left_rank);
        return true;
    }
    /// The cut after the rows of at most this rank: what lies on either side of it.
    void set_cut(const Item& item, uint32_t left_rank) {
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
        best_.left_rank = left.rank;
        best_.left_row = origin(row[left.row]);
        best_.right_row = origin(row[right.row]);
        best_.between = true;
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
    bool search_random(const Item& item, int32_t feature, Random& random) {
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
        if (!offer(feature, made.merit(made.score()))) return true;
        best_.threshold = cut;
        if (known < n) best_.default_branch = missing_goes_left ? 0 : 1;
        return true;
    }

    bool search_categories(const Item& item, int32_t feature) {
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
        Candidate found = CategorySearch<C>(problem_, levels_, totals_, impurity_, feature).best();
        if (!found.found() || !offer(feature, found.merit)) return true;
        best_.table = true;
        best_.default_branch = found.default_branch;
        groups_ = std::move(found);
        return true;
    }

    // ---- carrying a split out --------------------------------------------------------------------------------

    void split(const Item& item, Item* child) {
        const auto f = static_cast<size_t>(best_.feature);
        const size_t left = best_.table ? sides_by_table(item) : recipe_.random_cuts ? sides_by_value(item) : sides_by_rank(item);
        if (ordered_[f]) to_table(item, *ordered_[f]);
        write(item, static_cast<uint32_t>(merit_.size()));
        if constexpr (C::classification) partition(item, label_);
        else partition(item, target_);
        const uint32_t middle = item.begin + static_cast<uint32_t>(left);
        child[0] = {item.begin, middle, 0, item.depth + 1, child_seed(item.seed, 0)};
        child[1] = {middle, item.end, 0, item.depth + 1, child_seed(item.seed, 1)};
    }

    /// The branch of an unanswered split where none was learned: by weight under `available` (the first of equals), by rows
    /// under `direction` (the last of two).
    int32_t larger(double left, double right) const {
        return recipe_.missing == Missing::available ? right > left : right >= left;
    }
    double size_of(size_t local_row) const { return recipe_.missing == Missing::available ? local_.weight_of(local_row) : 1.0; }

    /// Write the side of every row into side_ (1 = left) and give the number on the left. `answer` is 1, 0, or -1 for unanswered.
    template <class Answer>
    size_t set_sides(const Item& item, bool all_answered, Answer&& answer) {
        const size_t n = item.size();
        const uint32_t* row = row_.data() + item.begin;
        size_t left = 0;
        if (all_answered) {
            for (size_t i = 0; i < n; ++i) left += side_[i] = static_cast<uint8_t>(answer(row[i]));
            if (recipe_.missing == Missing::available && local_.weight) return settle_by_weight(n, left);
            if (best_.default_branch < 0) best_.default_branch = larger(static_cast<double>(left), static_cast<double>(n - left));
            return left;
        }
        double size[2] = {0, 0};
        for (size_t i = 0; i < n; ++i) {
            const int goes_left = answer(row[i]);
            if (goes_left >= 0) size[goes_left ? 0 : 1] += size_of(i);
            side_[i] = static_cast<uint8_t>(goes_left < 0 ? 2 : goes_left);
        }
        if (best_.default_branch < 0) best_.default_branch = larger(size[0], size[1]);
        for (size_t i = 0; i < n; ++i) {
            if (side_[i] == 2) side_[i] = best_.default_branch == 0;
            left += side_[i];
        }
        return left;
    }
    size_t settle_by_weight(size_t n, size_t left) {
        if (best_.default_branch < 0) {
            double size[2] = {0, 0};
            for (size_t i = 0; i < n; ++i) size[side_[i] ? 0 : 1] += local_.weight[i];
            best_.default_branch = larger(size[0], size[1]);
        }
        return left;
    }
    size_t sides_by_rank(const Item& item) {
        const auto f = static_cast<size_t>(best_.feature);
        const uint32_t* rank = rank_[f];
        return set_sides(item, !has_missing_[f], [&](uint32_t row) {
            return rank[row] == RankTable::missing ? -1 : static_cast<int>(rank[row] <= best_.left_rank);
        });
    }
    size_t sides_by_value(const Item& item) {
        const auto f = static_cast<size_t>(best_.feature);
        const double* value = numbers_[f];
        return set_sides(item, !has_missing_[f], [&](uint32_t row) {
            return std::isnan(value[row]) ? -1 : static_cast<int>(value[row] <= best_.threshold);
        });
    }
    size_t sides_by_table(const Item& item) {
        const int32_t* codes = codes_[static_cast<size_t>(best_.feature)];
        const auto n_categories = static_cast<size_t>(problem_.table.features[static_cast<size_t>(best_.feature)].n_categories);
        if (lookup_.size() < n_categories) lookup_.resize(n_categories, -1);
        for (const auto& [code, branch] : groups_.table) lookup_[static_cast<size_t>(code)] = static_cast<int8_t>(branch == 0);
        const size_t left = set_sides(item, false, [&](uint32_t row) {
            const int32_t code = codes[row];
            return code < 0 ? -1 : static_cast<int>(lookup_[static_cast<size_t>(code)]);
        });
        for (const auto& [code, branch] : groups_.table) lookup_[static_cast<size_t>(code)] = -1;
        return left;
    }

    /// A cut of ordered categories as the table of those present at the node.
    void to_table(const Item& item, const OrderedLevels& levels) {
        const int32_t* codes = codes_[static_cast<size_t>(best_.feature)];
        const double last = best_.between ? static_cast<double>(best_.left_rank) : best_.threshold;
        if (lookup_.size() < levels.rank_of.size()) lookup_.resize(levels.rank_of.size(), -1);
        groups_.table.clear();
        for (size_t i = 0; i < item.size(); ++i) {
            const int32_t code = codes[row_[item.begin + i]];
            if (code < 0 || lookup_[static_cast<size_t>(code)] == 1) continue;
            lookup_[static_cast<size_t>(code)] = 1;
            groups_.table.emplace_back(code, levels.rank_of[static_cast<size_t>(code)] <= last ? 0 : 1);
        }
        for (const auto& [code, branch] : groups_.table) lookup_[static_cast<size_t>(code)] = -1;
        std::sort(groups_.table.begin(), groups_.table.end());
        best_.table = true;
        best_.between = false;
    }

    /// Stable partition of the rows of a node, with their weights and targets, by side_.
    template <class T>
    void partition(const Item& item, std::vector<T>& targets) {
        const size_t n = item.size();
        uint32_t *row = row_.data() + item.begin, *row_right = spare_row_.data();
        T *target = targets.data() + item.begin, *target_right = reinterpret_cast<T*>(spare_target_.data());
        const bool weighted = !weight_.empty();
        double *weight = weighted ? weight_.data() + item.begin : spare_weight_.data(), *weight_right = spare_weight_.data();
        size_t l = 0, r = 0;
        for (size_t i = 0; i < n; ++i) {
            const size_t left = side_[i];
            row[l] = row_right[r] = row[i];
            target[l] = target_right[r] = target[i];
            if (weighted) weight[l] = weight_right[r] = weight[i];
            l += left;
            r += left ^ 1;
        }
        std::copy_n(row_right, r, row + l);
        std::copy_n(target_right, r, target + l);
        if (weighted) std::copy_n(weight_right, r, weight + l);
    }

    // ---- writing the tree ------------------------------------------------------------------------------------

    void write(const Item& item, uint32_t first_child) {
        const auto f = static_cast<size_t>(best_.feature);
        PackedNode& node = out_->node[first_node() + item.node];
        node.first_child = first_child;
        node.column = static_cast<uint32_t>(position_[f]) | (best_.default_branch == 0 ? missing_left : 0);
        node.threshold = best_.threshold;
        merit_[item.node] = best_.merit;
        if (best_.between) {
            node.threshold = std::bit_cast<double>(static_cast<uint64_t>(best_.left_row) << 32 | best_.right_row);
            table_of_[item.node] = between_rows;
        }
        if (!best_.table) return;
        table_of_[item.node] = static_cast<int32_t>(tables_.size());
        tables_.push_back({n_categories_[f], std::move(groups_.table)});
    }

    /// The threshold of a node that lies between two rows. Values are looked up all at once, since each is far away in memory.
    double middle(const PackedNode& packed) const {
        const auto rows = std::bit_cast<uint64_t>(packed.threshold);
        const double* value = problem_.table.features[static_cast<size_t>(feature_of_[packed.column & column_bits])].numbers;
        return midpoint(value[rows >> 32], value[rows & 0xffffffffu]);
    }
    /// Put what belongs to splits into the order of their nodes.
    void finish() {
        for (size_t node = 0; node < merit_.size(); ++node) {
            PackedNode& packed = out_->node[first_node() + node];
            if (packed.first_child == node) continue;
            out_->merit.push_back(merit_[node]);
            if (table_of_[node] == between_rows) packed.threshold = middle(packed);
            if (table_of_[node] < 0) continue;
            const auto& [n_categories, groups] = tables_[static_cast<size_t>(table_of_[node])];
            out_->add_table(packed, groups, n_categories);
        }
        out_->close();
    }

    const Problem& problem_;
    const Recipe& recipe_;
    const RankTable& ranks_;
    std::span<const int32_t> position_, n_categories_;
    std::vector<int32_t> feature_of_;  // by column of numbers
    Forest* out_ = nullptr;
    int thread_ = 0;
    double total_weight_ = 0;
    CutLimits limits_;

    // the rows of the tree, those of a node side by side
    std::vector<uint32_t> row_;
    std::vector<double> weight_, target_;
    std::vector<int32_t> label_;

    // where the columns are read: in the table, or in a block of it
    std::vector<const int32_t*> codes_;
    std::vector<const double*> numbers_;
    std::vector<const uint32_t*> rank_;
    std::vector<char> has_missing_;
    std::vector<std::unique_ptr<OrderedLevels>> ordered_;  // by feature
    bool in_block_ = false;
    size_t block_rows_ = 0, block_floor_ = 0;
    std::vector<uint32_t> origin_, block_ranks_;
    std::vector<int32_t> block_codes_;
    std::vector<double> block_numbers_;

    // the node in hand
    LocalRows local_;
    FeatureDraw draw_;
    Totals totals_;
    double impurity_ = 0, tolerance_ = 0;
    Best best_;
    Candidate groups_;  // of the best split, if it is a table
    std::vector<Ranked> ranked_, suspects_;
    size_t known_ = 0, n_suspects_ = 0;
    uint32_t lowest_ = 0, highest_ = 0;
    std::array<Bin, n_bins> bins_;
    std::array<uint8_t, n_bins> suspect_;
    std::vector<uint8_t> bit_, side_;
    std::vector<double> centred_;
    std::vector<int32_t> chosen_;
    std::vector<int8_t> lookup_;
    std::vector<uint32_t> spare_row_;
    std::vector<double> spare_target_, spare_weight_;
    Description description_;
    RankSorter sorter_;
    Scratch scratch_;
    LevelCounter counter_;
    Levels levels_;

    // by node, until the tree is done
    std::vector<double> merit_;
    std::vector<int32_t> table_of_;
    std::vector<std::pair<int32_t, std::vector<std::pair<int32_t, int32_t>>>> tables_;  // with the number of categories
};

}  // namespace treewright
