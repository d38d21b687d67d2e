// The best split of a node of a block, feature by feature: on sorted lists, on categories, or on bits counted all at once.
#pragma once
#include "grow/presorted/user_criterion_search.hpp"
#include "feature_draw.hpp"
#include "grow/choice.hpp"
#include "neighbours.hpp"
#include "random.hpp"
#include "splits/row_groups.hpp"

namespace treewright {

template <class C, class Scorer, class Index>
class BlockSearch : protected std::conditional_t<C::user_defined, AskedRows<C, Index>, BlockRows<Index>> {
protected:
    using Rows = std::conditional_t<C::user_defined, AskedRows<C, Index>, BlockRows<Index>>;
    using List = Entry<Index>;
    using Rows::codes_, Rows::list_, Rows::order_, Rows::slot_, Rows::has_missing_, Rows::masks_;
    using Rows::problem_, Rows::recipe_, Rows::n_, Rows::thread_, Rows::target_, Rows::centred_, Rows::label_, Rows::local_;
    using Rows::rows_, Rows::is_bit, Rows::number;

    /// A node of the block; its features are those that are not constant here, and allowed.
    struct Item : GrowingNode, BlockRange {
        using BlockRange::size;
    };

    BlockSearch(const Problem& problem, const std::vector<double>& weight)
        : Rows(problem, weight),
          criterion_(criterion_of<C>(problem)),
          neighbours_(problem),
          draw_(problem.n_features()),
          scratch_(problem.n_log_n) {
        if (monotone()) local_.levels = &problem.levels;
    }

    /// Find the best candidate of a node, and others if competitors are kept; features constant here are dropped.
    bool find_best(Item& item) {
        prepare(item);
        if (monotone()) look_around(item);
        constant_.clear();
        candidates_ = 0;
        Random random(item.seed);
        const std::vector<int32_t>& features = chosen_features(item, random);
        if constexpr (C::user_defined)
            Rows::ask(item, item.totals.weight, item.impurity, item.centre, features, constant_,
                      [&](int32_t feature) { return limits(feature); });
        const double tolerance = tie_width(item);
        const bool stop_at_pure = criterion_.traits.bounded && recipe_.ties != Ties::last && recipe_.max_competitors == 0 &&
                                  recipe_.feature_costs.empty() && recipe_.significance >= 1;
        choice_.start(recipe_, tolerance);
        for (size_t i = 0; i < features.size(); ++i) {
            const int32_t feature = features[i];
            if (item.size() > small_block) problem_.monitor.poll(thread_);
            Candidate candidate = find_on(item, i, feature, random);
            if (recipe_.significance < 1) candidates_ += count_candidates(item, feature);
            if (!candidate.found()) continue;
            choice_.offer(std::move(candidate));
            if (stop_at_pure && choice_.most() >= item.impurity - tolerance)
                break;  // pure branches: nothing can be better, and what comes later loses the tie
        }
        if (!constant_.empty()) drop_constant(item);
        return choice_.take(item);
    }

    bool monotone() const { return !recipe_.monotonic.empty(); }
    /// Find the leaves that the branches of this node must stay in order with.
    void look_around(const Item& item) {
        double least = infinity, most = -infinity;
        const auto meet = [&](double prediction) {
            least = std::min(least, prediction);
            most = std::max(most, prediction);
        };
        if constexpr (C::classification) {
            for (size_t k = 0; k < item.totals.sums.size(); ++k)
                if (item.totals.sums[k] > 0) meet(problem_.levels.level[k] / problem_.levels.size[k]);
        } else {
            const Index* order = order_[item.buffer].data() + item.begin;
            for (size_t i = 0; i < item.size(); ++i) meet(target_[order[i]]);
        }
        neighbours_.look(item.node, least, most);
    }

    const C& criterion_;
    Neighbours neighbours_;
    double candidates_ = 0;  // how many there were, for tests of significance

private:
    // ---- getting ready ---------------------------------------------------------------------------------------

    /// Bring the target into the form the scorers want for this node.
    void prepare(Item& item) {
        if (problem_.bits) count_bits(item);
        if constexpr (!C::classification) {
            const Index* order = order_[item.buffer].data() + item.begin;
            const double centre = local_.centre = C::centred ? item.centre : 0.0;
            double sum = 0;
            for (size_t i = 0; i < item.size(); ++i) {
                centred_[order[i]] = target_[order[i]] - centre;
                sum += local_.weight_of(order[i]) * centred_[order[i]];
            }
            item.totals.sums[0] = sum;
            if constexpr (C::by_rows) rank_targets(order, item.size());
        }
    }
    void rank_targets(const Index* order, size_t n) {
        by_target_.assign(order, order + n);
        std::sort(by_target_.begin(), by_target_.end(),
                  [&](Index a, Index b) { return centred_[a] < centred_[b] || (centred_[a] == centred_[b] && a < b); });
        sorted_target_.resize(n);
        target_rank_.resize(n_);
        for (size_t i = 0; i < n; ++i) {
            sorted_target_[i] = centred_[by_target_[i]];
            target_rank_[by_target_[i]] = static_cast<int32_t>(i);
        }
        local_.target_rank = target_rank_.data();
        local_.sorted_target = sorted_target_.data();
        local_.n_targets = n;
    }
    /// Count the two-valued features of a node, all at once.
    void count_bits(const Item& item) {
        const Index* order = order_[item.buffer].data() + item.begin;
        const size_t words = problem_.bits->words();
        bit_counter_.count(
            item.size(), problem_.bits->size(), problem_.width(), [&](size_t i) { return masks_.data() + order[i] * words; },
            [&](size_t i) { return label_[order[i]]; });
    }

    // ---- which features --------------------------------------------------------------------------------------

    /// The features to look at: all, or max_features drawn of them and more until one varies; in the order of the draw, so that
    /// chance decides between equals, or else ascending.
    const std::vector<int32_t>& chosen_features(const Item& item, Random& random) {
        const size_t p = problem_.n_features();
        const size_t wanted = recipe_.max_features == 0 ? p : std::min(static_cast<size_t>(recipe_.max_features), p);
        if (wanted == p && recipe_.ties != Ties::random) return *item.features;
        chosen_.clear();
        for (size_t i = 0; draw_.any_left() && (i < wanted || chosen_.empty()); ++i) {
            const int32_t feature = draw_.next(random);
            if (varies(item, feature)) chosen_.push_back(feature);
        }
        draw_.undo();
        if (recipe_.ties != Ties::random) std::sort(chosen_.begin(), chosen_.end());
        return chosen_;
    }

    bool varies(const Item& item, int32_t feature) const {
        if (!std::binary_search(item.features->begin(), item.features->end(), feature)) return false;
        if (is_bit(static_cast<size_t>(feature))) return bit_varies(item, feature);
        const int32_t slot = slot_[static_cast<size_t>(feature)];
        if (!problem_.table.features[static_cast<size_t>(feature)].categorical()) {
            const List* list = list_[item.buffer].data() + static_cast<size_t>(slot) * n_ + item.begin;
            return list[0].rank != list[item.size() - 1].rank;
        }
        const std::vector<int32_t>& codes = codes_[static_cast<size_t>(slot)];
        const Index* order = order_[item.buffer].data() + item.begin;
        return std::any_of(order, order + item.size(), [&](Index row) { return codes[row] != codes[order[0]]; });
    }

    bool bit_varies(const Item& item, int32_t feature) const {
        const uint32_t* ones = bit_counter_.ones(static_cast<size_t>(problem_.bits->bit_of(static_cast<size_t>(feature))));
        const size_t sum = std::accumulate(ones, ones + problem_.width(), size_t{0});
        return sum > 0 && sum < item.size();
    }
    void drop_constant(Item& item) {
        const std::vector<int32_t>& active = *item.features;
        auto kept = std::make_shared<std::vector<int32_t>>();
        std::sort(constant_.begin(), constant_.end());
        std::set_difference(active.begin(), active.end(), constant_.begin(), constant_.end(), std::back_inserter(*kept));
        item.features = std::move(kept);
    }

    // ---- the best candidate of a feature -----------------------------------------------------------------------

    /// Merits nearer than this are equal.
    double tie_width(const Item& item) const {
        if constexpr (C::user_defined) return Rows::tolerance();
        else return criterion_.tolerance(item.totals, item.impurity);
    }
    /// The best candidate of the i-th feature looked at.
    Candidate find_on(const Item& item, size_t i, int32_t feature, Random& random) {
        if constexpr (C::user_defined) return Rows::answer(i);
        else return search_on(item, feature, random);
    }
    Candidate search_on(const Item& item, int32_t feature, Random& random) {
        if (is_bit(static_cast<size_t>(feature))) return search_bit(item, feature);
        return problem_.table.features[static_cast<size_t>(feature)].categorical() ? search_categories(item, feature)
                                                                                   : search_cuts(item, feature, random);
    }

    CutLimits limits(int32_t feature) {
        CutLimits limits;
        limits.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits.min_weight = recipe_.min_weight_leaf;
        limits.last_of_ties = recipe_.ties == Ties::last;
        if (!monotone()) return limits;
        if (problem_.table.features[static_cast<size_t>(feature)].categorical()) {
            limits.bounds = measured(neighbours_.bounds());
            return limits;
        }
        cut_bounds_ = neighbours_.bounds(feature);
        cut_bounds_.whole = measured(cut_bounds_.whole);
        limits.cuts = &cut_bounds_;
        limits.column = problem_.table.features[static_cast<size_t>(feature)].numbers;
        limits.rows = rows_.data();
        limits.by_weight = recipe_.missing == Missing::available;
        return limits;
    }
    /// Bounds on predictions, as the search measures these.
    Bounds measured(Bounds bounds) const {
        if constexpr (C::classification) bounds.margin = local_.weight ? 1e-12 : 0.0;
        else bounds.centre = local_.centre;
        return bounds;
    }

    Scorer scorer(const Totals& totals, const List* list, size_t n) {
        return started_scorer<Scorer>(criterion_, local_, totals, scratch_, list, n);
    }
    Totals totals_of(const List* list, size_t n) const {
        Totals t(problem_.width());
        t.count = n;
        for (size_t i = 0; i < n; ++i) {
            const double w = local_.weight_of(list[i].row);
            t.weight += w;
            if (problem_.n_classes) t.sums[static_cast<size_t>(label_[list[i].row])] += w;
            else t.sums[0] += w * centred_[list[i].row];
        }
        return t;
    }

    Candidate search_cuts(const Item& item, int32_t feature, Random& random) {
        const auto slot = static_cast<size_t>(slot_[static_cast<size_t>(feature)]);
        const List* list = list_[item.buffer].data() + slot * n_ + item.begin;
        const size_t n = item.size();
        size_t known = n;
        if (has_missing_[slot])
            while (known > 0 && list[known - 1].rank == List::missing) --known;
        if (list[0].rank == list[n - 1].rank) {
            constant_.push_back(feature);
            return {};
        }
        if (known == 0) return {};
        const CutLimits rules = limits(feature);
        if (recipe_.random_cuts) return random_cut(item, feature, list, known, rules, random);
        const double tolerance = tie_width(item);
        const auto start = [&](const Scorer& made, double share) {
            cut_.start(made.score_step(tolerance / share), rules.last_of_ties);
        };
        Candidate candidate;
        if (known == n) {
            const Scorer made = scorer(item.totals, list, n);
            start(made, 1);
            scan(list, known, 0, n, false, false, made, rules, cut_);
            if (cut_.found()) candidate.merit = made.merit(cut_.merit());
        } else if (recipe_.missing == Missing::available) {
            const Totals totals = totals_of(list, known);
            const double share = totals.weight / item.totals.weight;
            const Scorer made = scorer(totals, list, known);
            start(made, share);
            scan(list, known, 0, known, false, false, made, rules, cut_);
            if (cut_.found()) candidate.merit = made.merit(cut_.merit()) * share;
        } else {
            Scorer right = scorer(item.totals, list, n);
            start(right, 1);
            scan(list, known, 0, n, true, false, right, rules, cut_);
            Scorer left = scorer(item.totals, list, n);
            for (size_t i = known; i < n; ++i) left.add(list[i].row);
            scan(list, known, n - known, n, false, true, left, rules, cut_);
            if (cut_.found()) candidate.merit = left.merit(cut_.merit());
        }
        if (!cut_.found()) return {};
        const Cut cut = cut_.get();
        candidate.feature = feature;
        if (known < n && recipe_.missing == Missing::direction) candidate.default_branch = cut.missing_left ? 0 : 1;
        candidate.position = cut.position;
        candidate.threshold = std::numeric_limits<double>::quiet_NaN();  // looked up if it wins: set_threshold
        return candidate;
    }

    /// A threshold drawn between the smallest and the largest value (extremely randomised trees: Geurts, Ernst & Wehenkel, 2006).
    Candidate random_cut(const Item& item, int32_t feature, const List* list, size_t known, const CutLimits& rules,
                         Random& random) {
        const size_t n = item.size();
        const double low = number(feature, list[0].row), high = number(feature, list[known - 1].row);
        double cut = low + random.uniform() * (high - low);
        if (!(cut < high)) cut = low;
        const bool missing_left = known < n && random.below(2) == 0;
        Scorer made = scorer(item.totals, list, n);
        size_t left = 0, already = 0;
        if (missing_left)
            for (size_t i = known; i < n; ++i, ++already) made.add(list[i].row);
        if (low == high) cut = infinity;  // only known against missing is left
        while (left < known && number(feature, list[left].row) <= cut) made.add(list[left++].row);
        if (left + already < rules.min_count || n - left - already < rules.min_count || left + already == n) return {};
        const auto missing = [&] {
            if (known < n) return MissingSides{missing_left, !missing_left};
            return rules.larger(left, n - left, made.left_weight_now(), made.right_weight_now());
        };
        if (!rules.allow(made, [&] { return cut; }, missing)) return {};
        Candidate candidate;
        candidate.merit = made.merit(made.score());
        candidate.feature = feature;
        candidate.threshold = cut;
        candidate.position = left;
        if (known < n) candidate.default_branch = missing_left ? 0 : 1;
        return candidate;
    }

    Candidate search_bit(const Item& item, int32_t feature) {
        if constexpr (C::classification) {
            if (!bit_varies(item, feature)) {
                constant_.push_back(feature);
                return {};
            }
            const auto bit = static_cast<size_t>(problem_.bits->bit_of(static_cast<size_t>(feature)));
            Scorer scorer = make_scorer<Scorer>(criterion_, local_, item.totals, scratch_);
            left_totals_.sums.resize(problem_.width());
            const auto [merit, left] = score_bit(bit_counter_.ones(bit), item.totals, recipe_, scorer, left_totals_);
            if (merit == -infinity) return {};
            Candidate candidate;
            candidate.merit = merit;
            candidate.feature = feature;
            candidate.threshold = problem_.bits->threshold(bit);
            candidate.position = left;
            return candidate;
        } else {
            return {};
        }
    }

    Candidate search_categories(const Item& item, int32_t feature) {
        const std::vector<int32_t>& codes = codes_[static_cast<size_t>(slot_[static_cast<size_t>(feature)])];
        const Index* order = order_[item.buffer].data() + item.begin;
        const size_t n = item.size();
        if constexpr (C::by_rows) {
            GroupSearch<C, Scorer, Index> search(problem_, local_, scratch_, item.totals, item.impurity, limits(feature),
                                                 feature);
            for (size_t i = 0; i < n; ++i) search.add(codes[order[i]], order[i]);
            if (search.constant()) {
                constant_.push_back(feature);
                return {};
            }
            return search.best();
        } else {
            counter_.count(
                static_cast<size_t>(problem_.table.features[static_cast<size_t>(feature)].n_categories), problem_.width(), local_,
                [&](auto&& use) {
                    for (size_t i = 0; i < n; ++i) use(codes[order[i]], order[i]);
                },
                levels_);
            if (levels_.size() + (levels_.missing.count > 0) < 2) {
                constant_.push_back(feature);
                return {};
            }
            return CategorySearch<C>(problem_, levels_, item.totals, item.impurity, feature, limits(feature).bounds,
                                     local_.levels)
                .best();
        }
    }

    /// How many candidates a feature has here, for tests of significance.
    double count_candidates(const Item& item, int32_t feature) const {
        return is_bit(static_cast<size_t>(feature)) ? bit_varies(item, feature) : Rows::count_candidates(item, feature);
    }

    SplitChoice choice_;
    BitCounter bit_counter_;
    BestCut cut_;
    Totals left_totals_;
    CutBounds cut_bounds_;  // of the feature in hand

    // reused from node to node
    std::vector<int32_t> constant_, chosen_;
    FeatureDraw draw_;
    std::vector<double> sorted_target_;
    std::vector<int32_t> target_rank_;
    std::vector<Index> by_target_;
    Scratch scratch_;
    LevelCounter counter_;
    Levels levels_;
};

}  // namespace treewright
