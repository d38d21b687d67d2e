// A subtree grown on presorted lists: every feature is sorted once, then each split partitions the lists stably.
//
// Rows are renumbered 0, 1, … inside the block, with 16-bit numbers for blocks that fit a cache (the design of
// presorted attribute lists: Mehta, Agrawal & Rissanen, 1996; here in cache-sized blocks).
#pragma once
#include <memory>

#include "asked_rows.hpp"
#include "feature_draw.hpp"
#include "neighbours.hpp"
#include "parts.hpp"
#include "random.hpp"
#include "splits/row_groups.hpp"

namespace treewright {

template <class C, class Scorer, class Index>
class Block : std::conditional_t<C::asked, AskedRows<C, Index>, BlockRows<Index>> {
    using Rows = std::conditional_t<C::asked, AskedRows<C, Index>, BlockRows<Index>>;
    using List = Entry<Index>;
    using Rows::codes_, Rows::list_, Rows::order_, Rows::slot_, Rows::has_missing_, Rows::masks_, Rows::active_, Rows::begin_,
        Rows::left_;
    using Rows::partition, Rows::partition_lists;
    using Rows::problem_, Rows::recipe_, Rows::n_, Rows::thread_, Rows::weight_, Rows::target_, Rows::centred_, Rows::label_,
        Rows::local_;
    using Rows::side_, Rows::buffer_, Rows::rows_, Rows::is_bit, Rows::number, Rows::set_threshold, Rows::assign_branches,
        Rows::unrank, Rows::branch_sums;

public:
    /// A node of the block.
    struct Item : BlockRange {
        int32_t node = 0, depth = 0;
        uint64_t seed = 0;
        std::shared_ptr<const std::vector<int32_t>> active;  // features that are not constant here, and allowed
        Interactions::Open groups;                           // of features that may still be used together
        Totals totals;
        double impurity = 0, centre = 0;
        Candidate split;
        std::vector<Candidate> competitors;
        double decrease = 0;  // of overall impurity, by weight
    };

    Block(const Problem& problem, const std::vector<double>& weight)
        : Rows(problem, weight), interactions_(recipe_.interaction), neighbours_(problem), draw_(problem.n_features()) {
        if (monotone()) local_.levels = &problem.levels;
    }

    /// Take over these rows of the table; nodes go to `out`. Memory is kept from one load to the next.
    void load(const Parts& parts, Builder& out, int thread = 0) {
        out_ = &out;
        Rows::gather(parts.row, thread);
    }

    /// The root of the block.
    Item root(int32_t depth, uint64_t seed, const Interactions::Open& groups = nullptr) {
        Item item;
        item.depth = depth;
        item.end = static_cast<uint32_t>(n_);
        item.seed = seed;
        item.groups = groups;
        item.active = groups ? interactions_.among(*active_, groups) : active_;
        const Description description = describe(item);
        item.node = out_->append(-1, depth, description);
        pure_root_ = description.pure;
        if (monotone()) neighbours_.start(*out_, prediction(item));
        return item;
    }
    bool root_may_split(const Item& item) const { return !pure_root_ && may_split(item); }

    /// Grow everything below the item, depth first.
    void grow(Item item) {
        std::vector<Item> stack;
        stack.push_back(std::move(item));
        uint64_t work = 0;
        while (!stack.empty()) {
            Item next = std::move(stack.back());
            stack.pop_back();
            work += next.size() * problem_.n_features();
            if (work > 4'000'000) {
                problem_.monitor.poll(thread_);
                work = 0;
            }
            if (!find(next)) {
                problem_.monitor.settled += next.size();
                continue;
            }
            std::vector<Item> children = split(next);
            for (size_t i = children.size(); i-- > 0;) stack.push_back(std::move(children[i]));
        }
    }

    bool may_split(const Item& item) const {
        return (recipe_.max_depth < 0 || item.depth < recipe_.max_depth) &&
               item.size() >= static_cast<size_t>(std::max(recipe_.min_samples_split, 2 * recipe_.min_samples_leaf)) &&
               item.totals.weight >= 2 * recipe_.min_weight_leaf;
    }

    /// Find the best split of an impure node; false if there is none.
    bool find(Item& item) {
        prepare(item);
        if (monotone()) look_around(item);
        best_ = Candidate{};
        found_.clear();
        const std::vector<int32_t>& active = *item.active;
        constant_.clear();
        Random random(item.seed);
        const std::vector<int32_t>& features = chosen_features(item, random);
        if constexpr (C::asked)
            Rows::ask(item, item.totals.weight, item.impurity, item.centre, features, constant_,
                      [&](int32_t feature) { return limits(item, feature); });
        const double tolerance = tie_width(item);
        const bool stop_at_pure = C::concave && recipe_.ties != Ties::last && recipe_.max_competitors == 0 &&
                                  recipe_.feature_costs.empty() && recipe_.significance >= 1;
        double best_worth = -infinity, candidates = 0;
        for (size_t i = 0; i < features.size(); ++i) {
            const int32_t feature = features[i];
            if (item.size() > small_block) problem_.monitor.poll(thread_);
            Candidate candidate = find_on(item, i, feature, random);
            if (recipe_.significance < 1) candidates += count_candidates(item, feature);
            if (!candidate.found()) continue;
            const double worth = recipe_.worth(candidate.merit, feature);
            const bool better = recipe_.ties == Ties::last ? worth >= best_worth - tolerance : worth > best_worth + tolerance;
            if (recipe_.max_competitors > 0) found_.push_back(candidate);
            if (better) {
                best_ = std::move(candidate);
                best_worth = worth;
            }
            if (stop_at_pure && best_.merit >= item.impurity - tolerance)
                break;  // pure branches: nothing can be better, and what comes later loses the tie
        }
        if (!constant_.empty()) drop_constant(item, active);
        if (!best_.found() || !(best_.merit > recipe_.min_merit)) return false;
        set_threshold(item, best_);
        item.split = std::move(best_);
        if (recipe_.max_competitors > 0) keep_competitors(item);
        if (recipe_.min_impurity_decrease > 0 || recipe_.complexity > 0 || recipe_.order == Order::best_first) {
            item.decrease = decrease(item) * item.totals.weight / problem_.total_weight;
            if (item.decrease + 2.2e-16 < recipe_.least_decrease(item.split.n_branches)) return false;
        }
        return recipe_.significance >= 1 || significant(item, candidates);
    }

    /// Carry out the split of an item: append the children, give back those that may be split further.
    std::vector<Item> split(Item& item) {
        const size_t branches = static_cast<size_t>(item.split.n_branches);
        if (monotone() && neighbours_.looked_at() != item.node) look_around(item);
        assign_branches(item, item.split);
        partition(order_[item.buffer].data() + item.begin, order_[1 - item.buffer].data() + item.begin, item.size(), branches,
                  [](Index row) { return row; });
        if (!interactions_.free()) {
            item.groups = interactions_.below(item.groups, item.split.feature);
            item.active = interactions_.among(*item.active, item.groups);
        }
        std::vector<Item> children(branches);
        for (size_t b = 0; b < branches; ++b) take_branch(item, b, children[b]);
        share_totals(item, children);
        const auto first = static_cast<int32_t>(out_->nodes.size());
        bool any = false;
        for (Item& child : children) any |= append_child(item, child);
        unrank(item, item.split);
        for (Candidate& other : item.competitors) unrank(item, other);
        out_->set_split(item.node, item.split, first, std::move(item.competitors));
        if (monotone()) settle_children(item, children);
        if (any) partition_lists(item, item.split, *item.active, branches);
        std::erase_if(children, [](const Item& child) { return child.node < 0; });
        return children;
    }

private:
    // ---- describing a node -----------------------------------------------------------------------------------

    Description describe(Item& item) {
        const Index* order = order_[item.buffer].data() + item.begin;
        Description node;
        if (problem_.n_classes) {
            if (item.totals.sums.empty()) count_classes(item);
            if constexpr (C::classification) describe_classes<C>(problem_, item.totals, node);
        } else {
            item.totals = Totals(problem_.width());
            buffer_.resize(item.size());
            for (size_t i = 0; i < item.size(); ++i) buffer_[i] = target_[order[i]];
            if (local_.weight) {
                weight_buffer_.resize(item.size());
                for (size_t i = 0; i < item.size(); ++i) weight_buffer_[i] = weight_[order[i]];
            }
            if constexpr (!C::classification) describe_numbers<C>(buffer_, weight_buffer_, node);
            item.totals.count = item.size();
            item.totals.weight = node.weight;
            item.centre = node.centre;
        }
        item.impurity = node.impurity;
        return node;
    }

    void count_classes(Item& item) const {
        const Index* order = order_[item.buffer].data() + item.begin;
        Totals& t = item.totals;
        t = Totals(problem_.width());
        for (size_t i = 0; i < item.size(); ++i) {
            const double w = local_.weight_of(order[i]);
            t.sums[static_cast<size_t>(label_[order[i]])] += w;
            t.weight += w;
        }
        t.count = item.size();
    }
    /// Whole counts subtract without rounding: only the smaller of two branches is counted.
    void share_totals(const Item& item, std::vector<Item>& children) const {
        if (children.size() != 2 || !problem_.n_classes || local_.weight) return;
        const bool first = children[0].size() <= children[1].size();
        Item &small = children[first ? 0 : 1], &large = children[first ? 1 : 0];
        count_classes(small);
        large.totals = item.totals;
        large.totals.remove(small.totals);
    }

    /// Count the two-valued features of a node, all at once.
    void count_bits(const Item& item) {
        const Index* order = order_[item.buffer].data() + item.begin;
        const size_t words = problem_.bits->words();
        bit_counter_.count(
            item.size(), problem_.bits->size(), problem_.width(), [&](size_t i) { return masks_.data() + order[i] * words; },
            [&](size_t i) { return label_[order[i]]; });
    }

    /// Bring the target into the form the scorers want for this node.
    void prepare(Item& item) {
        if (problem_.bits) count_bits(item);
        if constexpr (!C::classification) {
            const Index* order = order_[item.buffer].data() + item.begin;
            const double centre = C::centred ? item.centre : 0.0;
            double sum = 0;
            for (size_t i = 0; i < item.size(); ++i) {
                centred_[order[i]] = target_[order[i]] - centre;
                sum += local_.weight_of(order[i]) * centred_[order[i]];
            }
            item.totals.sums[0] = sum;
            if constexpr (std::is_same_v<C, AbsoluteError>) rank_targets(order, item.size());
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

    // ---- searching -------------------------------------------------------------------------------------------

    /// The features to look at: all, or max_features drawn of them and more until one varies; in the order of the draw, so that
    /// chance decides between equals, or else ascending.
    const std::vector<int32_t>& chosen_features(const Item& item, Random& random) {
        const size_t p = problem_.n_features();
        const size_t wanted = recipe_.max_features == 0 ? p : std::min(static_cast<size_t>(recipe_.max_features), p);
        if (wanted == p && recipe_.ties != Ties::random) return *item.active;
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
        if (!std::binary_search(item.active->begin(), item.active->end(), feature)) return false;
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
    Candidate search_bit(const Item& item, int32_t feature) {
        if constexpr (C::classification) {
            if (!bit_varies(item, feature)) {
                constant_.push_back(feature);
                return {};
            }
            const auto bit = static_cast<size_t>(problem_.bits->bit_of(static_cast<size_t>(feature)));
            Scorer scorer(local_, item.totals, scratch_);
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

    /// Merits nearer than this are equal.
    double tie_width(const Item& item) const {
        if constexpr (C::asked) return Rows::tolerance();
        else return C::tolerance(item.totals, item.impurity);
    }
    /// The best candidate of the i-th feature looked at.
    Candidate find_on(const Item& item, size_t i, int32_t feature, Random& random) {
        if constexpr (C::asked) return Rows::answer(i);
        else return search(item, feature, random);
    }
    Candidate search(const Item& item, int32_t feature, Random& random) {
        if (is_bit(static_cast<size_t>(feature))) return search_bit(item, feature);
        return problem_.table.features[static_cast<size_t>(feature)].categorical() ? search_categories(item, feature)
                                                                                   : search_cuts(item, feature, random);
    }

    CutLimits limits(const Item& item, int32_t feature) {
        CutLimits limits;
        limits.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits.min_weight = recipe_.min_weight_leaf;
        limits.last_of_ties = recipe_.ties == Ties::last;
        if (!monotone()) return limits;
        if (problem_.table.features[static_cast<size_t>(feature)].categorical()) {
            limits.bounds = measured(neighbours_.bounds(), item);
            return limits;
        }
        cut_bounds_ = neighbours_.bounds(feature);
        cut_bounds_.whole = measured(cut_bounds_.whole, item);
        limits.cuts = &cut_bounds_;
        limits.column = problem_.table.features[static_cast<size_t>(feature)].numbers;
        limits.rows = rows_.data();
        limits.by_weight = recipe_.missing == Missing::available;
        return limits;
    }
    /// Bounds on predictions, as the search measures these.
    Bounds measured(Bounds bounds, const Item& item) const {
        if constexpr (C::classification) bounds.margin = local_.weight ? 1e-12 : 0.0;
        else bounds.centre = C::centred ? item.centre : 0.0;
        return bounds;
    }
    Scorer scorer(const Totals& totals, const List* list, size_t n) {
        return started_scorer<Scorer>(local_, totals, scratch_, list, n);
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
        const CutLimits rules = limits(item, feature);
        if (recipe_.random_cuts) return random_cut(item, feature, list, known, rules, random);
        Cut cut;
        Candidate candidate;
        if (known == n) {
            const Scorer made = scorer(item.totals, list, n);
            scan(list, known, 0, n, false, false, made, rules, made.tolerance(item.impurity), cut);
            candidate.merit = cut.found() ? made.merit(cut.score) : -infinity;
        } else if (recipe_.missing == Missing::available) {
            const Totals totals = totals_of(list, known);
            const Scorer made = scorer(totals, list, known);
            scan(list, known, 0, known, false, false, made, rules, made.tolerance(item.impurity), cut);
            if (cut.found()) candidate.merit = made.merit(cut.score) * totals.weight / item.totals.weight;
        } else {
            Scorer right = scorer(item.totals, list, n);
            const double tolerance = right.tolerance(item.impurity);
            scan(list, known, 0, n, true, false, right, rules, tolerance, cut);
            Scorer left = scorer(item.totals, list, n);
            for (size_t i = known; i < n; ++i) left.add(list[i].row);
            scan(list, known, n - known, n, false, true, left, rules, tolerance, cut);
            if (cut.found()) candidate.merit = left.merit(cut.score);
        }
        if (!cut.found()) return {};
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

    Candidate search_categories(const Item& item, int32_t feature) {
        const std::vector<int32_t>& codes = codes_[static_cast<size_t>(slot_[static_cast<size_t>(feature)])];
        const Index* order = order_[item.buffer].data() + item.begin;
        const size_t n = item.size();
        if constexpr (std::is_same_v<C, AbsoluteError>) {
            GroupSearch<Scorer, Index> search(problem_, local_, scratch_, item.totals, item.impurity, limits(item, feature),
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
            return CategorySearch<C>(problem_, levels_, item.totals, item.impurity, feature, limits(item, feature).bounds,
                                     local_.levels)
                .best();
        }
    }

    /// How many candidates a feature has here, for tests of significance.
    double count_candidates(const Item& item, int32_t feature) const {
        return is_bit(static_cast<size_t>(feature)) ? bit_varies(item, feature) : Rows::count_candidates(item, feature);
    }
    bool significant(Item& item, double candidates) {
        const std::vector<BranchSums> branches = branch_sums(item, item.split, item.centre);
        const double p = problem_.n_classes ? chi_square_p(branches) : f_test_p(branches);
        return p * candidates <= recipe_.significance;
    }

    // ---- after the search ------------------------------------------------------------------------------------

    void drop_constant(Item& item, const std::vector<int32_t>& active) {
        auto kept = std::make_shared<std::vector<int32_t>>();
        std::sort(constant_.begin(), constant_.end());
        std::set_difference(active.begin(), active.end(), constant_.begin(), constant_.end(), std::back_inserter(*kept));
        item.active = std::move(kept);
    }
    void keep_competitors(Item& item) {
        std::erase_if(found_, [&](const Candidate& c) { return c.feature == item.split.feature; });
        std::stable_sort(found_.begin(), found_.end(), [&](const Candidate& a, const Candidate& b) {
            return recipe_.worth(a.merit, a.feature) > recipe_.worth(b.merit, b.feature);
        });
        if (found_.size() > static_cast<size_t>(recipe_.max_competitors))
            found_.resize(static_cast<size_t>(recipe_.max_competitors));
        for (Candidate& candidate : found_) set_threshold(item, candidate);
        item.competitors = std::move(found_);
        found_ = {};
    }

    /// Decrease of the node's impurity by its split.
    double decrease(Item& item) {
        if constexpr (C::concave || !(C::classification || C::asked)) {
            return item.split.merit;
        } else {
            double after = 0;
            for (const BranchSums& branch : branch_sums(item, item.split, item.centre)) {
                if (branch.weight <= 0) continue;
                if constexpr (C::classification) {
                    Totals t(problem_.width());
                    t.weight = branch.weight;
                    t.sums = branch.classes;
                    after += t.weight * C::impurity(t);
                } else {
                    after += branch.squares - branch.sum * branch.sum / branch.weight;
                }
            }
            return item.impurity - after / item.totals.weight;
        }
    }

    void take_branch(const Item& item, size_t b, Item& child) const {
        child.depth = item.depth + 1;
        child.begin = item.begin + begin_[b];
        child.end = item.begin + begin_[b + 1];
        child.buffer = static_cast<uint8_t>(1 - item.buffer);
        child.seed = child_seed(item.seed, b);
        child.active = item.active;
        child.groups = item.groups;
    }
    /// Append a child; true if it may be split further (else its item is emptied).
    bool append_child(const Item& item, Item& child) {
        Description description = describe(child);
        if (child.size() == 0) {  // an empty branch predicts what its parent does
            const auto width = static_cast<int64_t>(out_->width);
            const auto at = out_->value.begin() + static_cast<int64_t>(item.node) * width;
            description.value.assign(at, at + width);
            description.weight = description.risk = description.impurity = 0;
        }
        child.node = out_->append(item.node, child.depth, description);
        const bool further = !description.pure && may_split(child);
        if (!further) {
            problem_.monitor.settled += child.size();
            child.node = -1;
        }
        return further;
    }

    // ---- monotone constraints ----------------------------------------------------------------------------------

    bool monotone() const { return !recipe_.monotonic.empty(); }
    /// What a node predicts, as monotone constraints speak of it.
    double prediction(const Item& item) const {
        return problem_.n_classes ? local_.levels->mean(item.totals.sums.data()) : out_->value[static_cast<size_t>(item.node)];
    }
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
    /// The branches are leaves now. The search adds numbers in another order than leaves do: what it rounded is put right.
    void settle_children(const Item& item, const std::vector<Item>& children) {
        std::vector<double> predictions(children.size());
        const auto first = out_->nodes.size() - children.size();
        if constexpr (C::classification) {
            for (size_t b = 0; b < children.size(); ++b)
                predictions[b] = children[b].size() ? prediction(children[b]) : neighbours_.prediction(item.node);
        } else {
            keep_in_order(item, std::span(out_->value).subspan(first, children.size()));
            for (size_t b = 0; b < children.size(); ++b) predictions[b] = out_->value[first + b];
        }
        neighbours_.split(item.node, predictions);
    }
    void keep_in_order(const Item& item, std::span<double> value) const {
        const auto hold = [](double& prediction, const Bounds& bounds) {
            prediction = std::clamp(prediction, bounds.lowest, bounds.highest);
        };
        if (problem_.table.features[static_cast<size_t>(item.split.feature)].categorical()) {
            for (double& prediction : value) hold(prediction, neighbours_.bounds());
            return;
        }
        const CutBounds cuts = neighbours_.bounds(item.split.feature);
        if (item.split.threshold < infinity && !cuts.whole.in_order(value[0], value[1]))
            value[0] = value[1] = value[0] / 2 + value[1] / 2;
        hold(value[0], cuts.left(item.split.threshold, item.split.default_branch == 0));
        hold(value[1], cuts.right(item.split.threshold, item.split.default_branch == 1));
    }

    Builder* out_ = nullptr;
    bool pure_root_ = false;
    BitCounter bit_counter_;
    Totals left_totals_;
    Interactions interactions_;
    Neighbours neighbours_;
    CutBounds cut_bounds_;  // of the feature in hand

    // reused while growing
    Candidate best_;
    std::vector<Candidate> found_;
    std::vector<int32_t> constant_, chosen_;
    FeatureDraw draw_;
    std::vector<double> weight_buffer_, sorted_target_;
    std::vector<int32_t> target_rank_;
    std::vector<Index> by_target_;
    Scratch scratch_;
    LevelCounter counter_;
    Levels levels_;
};

}  // namespace treewright
