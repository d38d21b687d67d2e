// The plain engine: every node holds its rows with their weights, and every policy for missing values is at home.
//
// Numeric features are sorted once and their order is handed down (part_lists.hpp); where a policy fills in values, the order
// changes from node to node, and the feature is sorted anew. The fast engines (block.hpp, trunk.hpp) serve the policies
// `direction` and `available`.
#pragma once
#include <map>

#include "builder.hpp"
#include "criteria/known_gain_ratio.hpp"
#include "forms.hpp"
#include "missing.hpp"
#include "part_lists.hpp"
#include "random.hpp"
#include "significance.hpp"
#include "splits/categorical.hpp"
#include "splits/threshold.hpp"
#include "surrogates.hpp"

namespace treewright {

template <class C>
class Lists {
    friend class Forms<Lists>;
    using Criterion = C;
    using Scorer = typename C::template Scorer<false>;
    using List = Entry<uint32_t>;

public:
    /// A row, or the share of it that comes this way.
    struct Part {
        uint32_t row;
        double weight;
    };
    struct Item {
        int32_t node = 0, depth = 0;
        uint64_t seed = 0;
        std::vector<Part> parts;
        PartLists lists;                  // made when the node is searched, unless its parent handed them down
        Interactions::Open groups;        // of features that may still be used together
        Interactions::Features features;  // that may be used here; null = all
        Totals totals;
        double impurity = 0, centre = 0;
        Candidate split;
        std::vector<Candidate> competitors;
        double decrease = 0;

        size_t size() const { return parts.size(); }
    };

    Lists(const Problem& problem, const std::vector<double>& weight, Builder& out)
        : original_(problem),
          recipe_(with_shares(problem, weight)),
          by_side_(recipe_),
          by_known_(recipe_),
          table_(problem.table),
          side_problem_{table_,         by_side_, problem.n_classes, problem.label, problem.target, problem.total_weight,
                        problem.monitor},
          known_problem_{table_,         by_known_, problem.n_classes, problem.label, problem.target, problem.total_weight,
                         problem.monitor},
          weights_(weight),
          out_(out),
          interactions_(recipe_.interaction),
          holes_(table_, [&](size_t f) { return left_out(recipe_.policies[f]); }),
          unit_(weight.empty() && !shares(recipe_) && !recipe_.forms()) {
        if (shares(recipe_)) min_weight_split_ = static_cast<double>(recipe_.min_samples_split) * lightest(weight);
        by_side_.missing = Missing::direction;
        by_known_.missing = Missing::available;
        for (size_t f = 0; f < table_.features.size(); ++f) {  // a missing category is one more category
            Feature& feature = table_.features[f];
            const auto missing = [&] {
                return std::any_of(feature.codes, feature.codes + table_.n_rows, [](int32_t code) { return code < 0; });
            };
            if (feature.categorical() && recipe_.policies[f] == Missing::value && missing()) ++feature.n_categories;
        }
    }

    Item root(uint64_t seed) {
        Item item;
        item.seed = seed;
        for (uint32_t row = 0; row < table_.n_rows; ++row) item.parts.push_back({row, weights_.empty() ? 1.0 : weights_[row]});
        const Description description = describe(item);
        item.node = out_.append(-1, 0, description);
        pure_root_ = description.pure;
        return item;
    }
    bool root_may_split(const Item& item) const { return !pure_root_ && may_split(item); }

    void grow(Item item) {
        std::vector<Item> stack;
        stack.push_back(std::move(item));
        uint64_t work = 0;
        while (!stack.empty()) {
            Item next = std::move(stack.back());
            stack.pop_back();
            work += next.size() * table_.features.size();
            if (work > 1'000'000) {
                original_.monitor.poll(0);
                work = 0;
            }
            if (!find(next)) {
                original_.monitor.settled += next.size();
                continue;
            }
            std::vector<Item> children = split(next);
            for (size_t i = children.size(); i-- > 0;) stack.push_back(std::move(children[i]));
        }
    }

    bool find(Item& item) {
        prepare(item);
        if (!item.lists.ready()) sort_features(item);
        Candidate best;
        std::vector<Candidate> found;
        Random random(item.seed);
        const double tolerance = C::tolerance(item.totals, item.impurity);
        double best_worth = -infinity;
        candidates_ = 0;
        const auto consider = [&](Candidate&& candidate) {
            if (!candidate.found()) return;
            const double worth = worth_of(candidate);
            const bool better = recipe_.ties == Ties::last ? worth >= best_worth - tolerance : worth > best_worth + tolerance;
            if (recipe_.max_competitors > 0) found.push_back(candidate);
            if (better) {
                best = std::move(candidate);
                best_worth = worth;
            }
        };
        std::vector<int32_t> rest, features = chosen_features(item, random, rest);
        while (!features.empty()) {
            for (int32_t feature : features) consider(search(item, feature));
            Forms<Lists>(*this).search(item, features, best, consider);
            features.clear();
            if (best.found() || rest.empty()) break;
            features.push_back(rest.back());  // nothing to be split by among those drawn: draw on
            rest.pop_back();
        }
        if (!best.found() || !(best.merit > recipe_.min_merit)) return false;
        item.split = std::move(best);
        keep_competitors(item, std::move(found));
        if (recipe_.min_impurity_decrease > 0 || recipe_.complexity > 0 || recipe_.order == Order::best_first) {
            item.decrease = decrease(item) * item.totals.weight / original_.total_weight;
            if (item.decrease + 2.2e-16 < recipe_.least_decrease(item.split.n_branches)) return false;
        }
        return recipe_.significance >= 1 || significant(item);
    }

    /// Carry out the split of an item: append the children, give back those that may be split further.
    std::vector<Item> split(Item& item) {
        prepare(item);
        std::vector<Candidate> surrogates;
        std::vector<std::vector<Part>> parts = send(item, surrogates);
        const auto branches = parts.size();
        std::vector<Item> children(branches);
        const auto first = static_cast<int32_t>(out_.nodes.size());
        if (!interactions_.free()) {
            for (int32_t feature : item.split.features()) item.groups = interactions_.below(item.groups, feature);
            item.features = interactions_.among(allowed_features(item), item.groups);
        }
        for (size_t b = 0; b < branches; ++b) make_child(item, b, std::move(parts[b]), children[b]);
        if (branches == 2) hand_down(item, children[0], children[1]);
        out_.set_split(item.node, item.split, first, std::move(item.competitors));
        out_.set_surrogates(item.node, std::move(surrogates));
        item.parts.clear();
        item.lists = {};
        std::erase_if(children, [](const Item& child) { return child.node < 0; });
        return children;
    }

private:
    static bool shares(const Recipe& recipe) { return std::ranges::count(recipe.policies, Missing::fractional) > 0; }
    /// The weight of the lightest row, less what rounding may take from a sum of shares.
    static double lightest(const std::vector<double>& weight) {
        return (weight.empty() ? 1.0 : *std::ranges::min_element(weight)) * (1 - 1e-9);
    }
    /// Where rows are shared out, crumbs of rows do not make up for rows: limits on rows are also limits on weight, as in C4.5.
    static Recipe with_shares(const Problem& problem, const std::vector<double>& weight) {
        Recipe recipe = problem.recipe;
        if (shares(recipe))
            recipe.min_weight_leaf =
                std::max(recipe.min_weight_leaf, static_cast<double>(recipe.min_samples_leaf) * lightest(weight));
        return recipe;
    }
    const Feature& feature_at(int32_t feature) const { return table_.features[static_cast<size_t>(feature)]; }
    Missing policy_of(int32_t feature) const { return recipe_.policies[static_cast<size_t>(feature)]; }
    size_t n_classes() const { return static_cast<size_t>(original_.n_classes); }
    bool may_split(const Item& item) const {
        return (recipe_.max_depth < 0 || item.depth < recipe_.max_depth) &&
               item.size() >= static_cast<size_t>(std::max(recipe_.min_samples_split, 2 * recipe_.min_samples_leaf)) &&
               item.totals.weight >= std::max(2 * recipe_.min_weight_leaf, min_weight_split_);
    }

    // ---- a node's rows ---------------------------------------------------------------------------------------------

    Description describe(Item& item) {
        Description node;
        item.totals = Totals(original_.width());
        item.totals.count = item.size();
        if constexpr (C::classification) {
            for (const Part& part : item.parts) {
                item.totals.sums[static_cast<size_t>(original_.label[part.row])] += part.weight;
                item.totals.weight += part.weight;
            }
            describe_classes<C>(original_, item.totals, node);
        } else {
            std::vector<double> target, weight;
            for (const Part& part : item.parts) {
                target.push_back(original_.target[part.row]);
                weight.push_back(part.weight);
            }
            describe_numbers<C>(target, weight, node);
            item.totals.weight = node.weight;
        }
        item.impurity = node.impurity;
        item.centre = node.centre;
        return node;
    }
    /// Number the rows of the node 0, 1, …, with target and weight as the scorers want them.
    void prepare(Item& item) {
        if (std::exchange(prepared_, item.node) == item.node) return;
        const size_t n = item.size();
        weight_.resize(n);
        for (size_t i = 0; i < n; ++i) weight_[i] = item.parts[i].weight;
        local_ = LocalRows{};
        local_.weight = unit_ ? nullptr : weight_.data();
        if constexpr (C::classification) {
            label_.resize(n);
            bit_.resize(n);
            for (size_t i = 0; i < n; ++i) {
                label_[i] = original_.label[item.parts[i].row];
                bit_[i] = label_[i] == 1;
            }
            local_.label = label_.data();
            local_.bit = bit_.data();
        } else {
            target_.resize(n);
            const double centre = C::centred ? item.centre : 0.0;
            double sum = 0;
            for (size_t i = 0; i < n; ++i) {
                target_[i] = original_.target[item.parts[i].row] - centre;
                sum += weight_[i] * target_[i];
            }
            item.totals.sums[0] = sum;
            local_.target = target_.data();
            if constexpr (std::is_same_v<C, AbsoluteError>) rank_targets(n);
        }
        sum_holes(item);
    }
    /// What the node's rows with holes sum up to, by feature.
    void sum_holes(const Item& item) {
        const size_t width = original_.width();
        missing_weight_.assign(table_.features.size(), 0.0);
        missing_sums_.assign(table_.features.size() * width, 0.0);
        for (size_t i = 0; i < item.size(); ++i) {
            const size_t k = C::classification ? static_cast<size_t>(label_[i]) : 0;
            const double amount = C::classification ? weight_[i] : weight_[i] * target_[i];
            for (int32_t feature : holes_.of(item.parts[i].row)) {
                missing_weight_[static_cast<size_t>(feature)] += weight_[i];
                missing_sums_[static_cast<size_t>(feature) * width + k] += amount;
            }
        }
    }
    void rank_targets(size_t n) {
        std::vector<uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return target_[a] < target_[b]; });
        sorted_target_.resize(n);
        target_rank_.resize(n);
        for (size_t i = 0; i < n; ++i) {
            sorted_target_[i] = target_[order[i]];
            target_rank_[order[i]] = static_cast<int32_t>(i);
        }
        local_.target_rank = target_rank_.data();
        local_.sorted_target = sorted_target_.data();
        local_.n_targets = n;
    }

    /// Values of a feature by local row, filled by its policy; NaN or −1 where they stay missing.
    Fill gather(const Item& item, int32_t feature) {
        const Feature& from = feature_at(feature);
        const Missing policy = policy_of(feature);
        const size_t n = item.size();
        value_.resize(n);
        bool missing = false;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t row = item.parts[i].row;
            if (!from.categorical()) value_[i] = from.numbers[row];
            else if (from.codes[row] >= 0) value_[i] = from.codes[row];
            else value_[i] = std::numeric_limits<double>::quiet_NaN();
            missing |= std::isnan(value_[i]);
        }
        Fill fill;
        if (!fills(policy)) {
            if (missing && policy == Missing::value && from.categorical())
                for (double& value : value_)
                    if (std::isnan(value)) value = from.n_categories - 1;
            return fill;
        }
        const auto label = [&](size_t i) { return original_.n_classes ? original_.label[item.parts[i].row] : 0; };
        fill = make_fill(policy, from.categorical(), n_classes(), [&](auto&& use) {
            for (size_t i = 0; i < n; ++i)
                if (!std::isnan(value_[i])) use(value_[i], weight_[i], label(i));
        });
        if (missing && fill.found)
            for (size_t i = 0; i < n; ++i)
                if (std::isnan(value_[i])) value_[i] = fill.of(label(i));
        return fill;
    }

    /// Whether the order of a feature's values stays the same from node to node.
    bool keeps_order(size_t feature) const {
        return (recipe_.threshold || recipe_.hyperplane) && !table_.features[feature].categorical() &&
               !fills(recipe_.policies[feature]);
    }
    void sort_features(Item& item) {
        item.lists = PartLists(table_.features.size(), item.size());
        for (size_t f = 0; f < table_.features.size(); ++f) {
            if (!keeps_order(f)) continue;
            gather_raw(item, static_cast<int32_t>(f));
            item.lists.sort(f, value_, sorter_);
        }
    }

    /// Give the order of the features to the children that may be split further.
    void hand_down(const Item& item, Item& left, Item& right) const {
        if (left.node >= 0 && right.node >= 0) {
            auto lists = item.lists.children(place_, left.size(), right.size());
            left.lists = std::move(lists[0]);
            right.lists = std::move(lists[1]);
        } else if (left.node >= 0) {
            left.lists = item.lists.child(place_, 0, left.size());
        } else if (right.node >= 0) {
            right.lists = item.lists.child(place_, 1, right.size());
        }
    }

    // ---- searching ---------------------------------------------------------------------------------------------------

    std::vector<int32_t> allowed_features(const Item& item) const {
        if (item.features) return *item.features;
        std::vector<int32_t> features(table_.features.size());
        std::iota(features.begin(), features.end(), 0);
        return features;
    }
    /// The features to look at: all, or max_features drawn of them, and the rest in the order in which it would be drawn, the
    /// next one last. As drawn, so that chance decides between equals, or else ascending.
    std::vector<int32_t> chosen_features(const Item& item, Random& random, std::vector<int32_t>& rest) const {
        std::vector<int32_t> features = allowed_features(item);
        const size_t n = features.size();
        const size_t wanted = recipe_.max_features == 0 ? n : std::min(static_cast<size_t>(recipe_.max_features), n);
        if (wanted == n && recipe_.ties != Ties::random) return features;
        for (size_t i = 0; i < n; ++i) std::swap(features[i], features[i + random.below(n - i)]);
        rest.assign(features.rbegin(), features.rend() - static_cast<std::ptrdiff_t>(wanted));
        features.resize(wanted);
        if (recipe_.ties != Ties::random) std::sort(features.begin(), features.end());
        return features;
    }

    /// What a merit counts for where features have their price: a split pays for every feature it looks at.
    double worth_of(const Candidate& candidate) const {
        if (recipe_.feature_costs.empty()) return candidate.merit;
        double paid = 0;
        for (int32_t feature : candidate.features()) paid += recipe_.feature_costs[static_cast<size_t>(feature)];
        return candidate.merit / paid;
    }

    Candidate search(const Item& item, int32_t feature) {
        if (keeps_order(static_cast<size_t>(feature))) return search_sorted(item, feature);
        gather(item, feature);
        if (!feature_at(feature).categorical())
            return recipe_.threshold || recipe_.hyperplane ? search_cuts(item, feature) : Candidate{};
        if constexpr (std::is_same_v<C, AbsoluteError>) return search_orders(item, feature);
        else return search_categories(item, feature);
    }

    CutLimits limits() const {
        CutLimits limits;
        limits.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits.min_weight = recipe_.min_weight_leaf;
        limits.last_of_ties = recipe_.ties == Ties::last;
        return limits;
    }
    /// Totals of the rows that know a feature: those of the node less the rows that do not, unless these are nearly all.
    Totals known_totals(const Item& item, int32_t feature, std::span<const List> known) const {
        if (known.size() == item.size()) return item.totals;
        if (known.size() * 64 < item.size()) return totals_of(known.data(), known.size());
        const auto f = static_cast<size_t>(feature);
        Totals t = item.totals;
        t.count = known.size();
        t.weight -= missing_weight_[f];
        for (size_t k = 0; k < t.sums.size(); ++k) {
            const double missing = missing_sums_[f * t.sums.size() + k];
            t.sums[k] = C::classification ? remainder(t.sums[k], missing) : t.sums[k] - missing;
        }
        return t;
    }
    Totals totals_of(const List* list, size_t n) const {
        Totals t(original_.width());
        t.count = n;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t row = list[i].row;
            t.weight += weight_[row];
            if constexpr (C::classification) t.sums[static_cast<size_t>(label_[row])] += weight_[row];
            else t.sums[0] += weight_[row] * target_[row];
        }
        return t;
    }

    /// The best cut of a sorted list, given the totals of its known rows; those behind them have no value.
    Candidate best_cut(const Item& item, int32_t feature, const List* list, const Totals& totals, Cut& cut) {
        const size_t known = totals.count;
        if (known == 0) return {};
        if constexpr (std::is_same_v<C, GainRatio>) {
            if (policy_of(feature) == Missing::fractional) {
                const KnownGainRatio::Scorer scorer(local_, totals, item.totals.weight, scratch_);
                scan(list, known, 0, known, false, false, scorer, limits(), scorer.tolerance(item.impurity), cut);
                Candidate candidate;
                candidate.merit = cut.score;
                candidate.feature = cut.found() ? feature : -1;
                return candidate;
            }
        }
        if constexpr (std::is_same_v<C, Gini>)
            if (original_.n_classes == 2)
                return unit_ ? best_cut_by<MeanDifferenceScorer<true, true>>(item, feature, list, totals, cut)
                             : best_cut_by<MeanDifferenceScorer<false, true>>(item, feature, list, totals, cut);
        return unit_ ? best_cut_by<typename C::template Scorer<true>>(item, feature, list, totals, cut)
                     : best_cut_by<typename C::template Scorer<false>>(item, feature, list, totals, cut);
    }
    template <class Scorer>
    Candidate best_cut_by(const Item& item, int32_t feature, const List* list, const Totals& totals, Cut& cut) {
        const size_t n = item.size(), known = totals.count;
        Candidate candidate;
        if (known < n && !left_out(policy_of(feature))) {
            const Scorer right = started_scorer<Scorer>(local_, item.totals, scratch_, list, n);
            const double tolerance = right.tolerance(item.impurity);
            scan(list, known, 0, n, true, false, right, limits(), tolerance, cut);
            Scorer left = started_scorer<Scorer>(local_, item.totals, scratch_, list, n);
            for (size_t i = known; i < n; ++i) left.add(list[i].row);
            scan(list, known, n - known, n, false, true, left, limits(), tolerance, cut);
            candidate.merit = left.merit(cut.score);
            candidate.default_branch = cut.missing_left ? 0 : 1;
        } else {
            const Scorer scorer = started_scorer<Scorer>(local_, totals, scratch_, list, known);
            scan(list, known, 0, known, false, false, scorer, limits(), scorer.tolerance(item.impurity), cut);
            candidate.merit = scorer.merit(cut.score) * totals.weight / item.totals.weight;
        }
        candidate.feature = cut.found() ? feature : -1;
        return candidate;
    }
    Candidate search_sorted(const Item& item, int32_t feature) {
        std::span<const List> list = item.lists.of(static_cast<size_t>(feature));
        const size_t known = list.size();
        if (known == 0) return {};
        const double* number = feature_at(feature).numbers;
        if (known < item.size() && !left_out(policy_of(feature))) {  // the rows without the value take a side
            list_.assign(list.begin(), list.end());
            for (uint32_t i = 0; i < item.size(); ++i)
                if (std::isnan(number[item.parts[i].row])) list_.push_back({List::missing, i});
            list = list_;
        }
        if (list.front().rank == list.back().rank) return {};
        candidates_ += count_cuts(list.data(), known, list.size());
        Cut cut;
        Candidate candidate = best_cut(item, feature, list.data(), known_totals(item, feature, list.first(known)), cut);
        if (!candidate.found()) return {};
        const auto value = [&](size_t i) { return number[item.parts[list[i].row].row]; };
        candidate.threshold = cut.position == known ? infinity : midpoint(value(cut.position - 1), value(cut.position));
        return candidate;
    }
    Candidate search_cuts(const Item& item, int32_t feature) {
        const size_t n = item.size();
        list_.resize(n);
        const size_t known = sorter_.sort(value_.data(), n, list_.data());
        if (list_[0].rank == list_[n - 1].rank) return {};
        candidates_ += count_cuts(list_.data(), known, left_out(policy_of(feature)) ? known : n);
        Cut cut;
        Candidate candidate = best_cut(item, feature, list_.data(), totals_of(list_.data(), known), cut);
        if (!candidate.found()) return {};
        candidate.threshold =
            cut.position == known ? infinity : midpoint(value_[list_[cut.position - 1].row], value_[list_[cut.position].row]);
        return candidate;
    }
    Candidate search_categories(const Item& item, int32_t feature) {
        const size_t n = item.size();
        const Problem& problem = left_out(policy_of(feature)) ? known_problem_ : side_problem_;
        counter_.count(
            static_cast<size_t>(feature_at(feature).n_categories), original_.width(), local_,
            [&](auto&& use) {
                for (size_t i = 0; i < n; ++i) use(std::isnan(value_[i]) ? -1 : static_cast<int32_t>(value_[i]), i);
            },
            levels_);
        if (levels_.size() + (levels_.missing.count > 0) < 2) return {};
        candidates_ += count_groupings(recipe_, levels_.size() + (levels_.missing.count > 0 && !left_out(policy_of(feature))));
        Candidate candidate = CategorySearch<C>(problem, levels_, item.totals, item.impurity, feature).best();
        if (!candidate.found()) return candidate;
        if (left_out(policy_of(feature))) candidate.default_branch = -1;
        if constexpr (std::is_same_v<C, GainRatio>)
            if (policy_of(feature) == Missing::fractional) candidate.merit = known_gain_ratio(item, candidate);
        return candidate;
    }
    double known_gain_ratio(const Item& item, const Candidate& candidate) const {
        std::vector<Totals> branch(static_cast<size_t>(candidate.n_branches), Totals(original_.width()));
        for (size_t level = 0; level < levels_.size(); ++level)
            levels_.add_to(branch[static_cast<size_t>(candidate.branch_of(levels_.code[level]))], level);
        std::vector<const Totals*> all;
        std::vector<double> weights;
        for (const Totals& b : branch) {
            all.push_back(&b);
            weights.push_back(b.weight);
        }
        return KnownGainRatio::merit(Entropy::merit(levels_.known, all), levels_.known.weight, item.totals.weight, weights);
    }
    /// Absolute error is not a function of sums: two groups by a cut of the categories in the order of their means.
    Candidate search_orders(const Item& item, int32_t feature) {
        if (!recipe_.subset)
            throw std::invalid_argument(
                "criterion 'absolute_error' groups categories by 'subset' only under this missing policy");
        const size_t n = item.size();
        std::map<int32_t, std::pair<double, double>> sums;
        for (size_t i = 0; i < n; ++i) {
            if (std::isnan(value_[i])) continue;
            auto& [sum, weight] = sums[static_cast<int32_t>(value_[i])];
            sum += weight_[i] * target_[i];
            weight += weight_[i];
        }
        std::vector<std::pair<double, int32_t>> order;
        for (const auto& [code, s] : sums) order.emplace_back(s.first / s.second, code);
        std::sort(order.begin(), order.end());
        candidates_ += count_groupings(recipe_, order.size());
        std::map<int32_t, double> rank;
        for (size_t i = 0; i < order.size(); ++i) rank[order[i].second] = static_cast<double>(i);
        for (double& value : value_)
            if (!std::isnan(value)) value = rank[static_cast<int32_t>(value)];
        list_.resize(n);
        const size_t known = sorter_.sort(value_.data(), n, list_.data());
        if (list_[0].rank == list_[n - 1].rank) return {};
        Cut cut;
        Candidate candidate = best_cut(item, feature, list_.data(), totals_of(list_.data(), known), cut);
        if (!candidate.found()) return {};
        candidate.kind = SplitKind::table;
        const double last = value_[list_[cut.position - 1].row];
        for (const auto& [code, at] : rank) candidate.table.emplace_back(code, at <= last ? 0 : 1);
        return candidate;
    }

    /// Entries of the category that stands for missing become the default branch.
    void settle_missing_category(Candidate& candidate) const {
        if (candidate.kind != SplitKind::table || policy_of(candidate.feature) != Missing::value) return;
        const int32_t extra = original_.table.features[static_cast<size_t>(candidate.feature)].n_categories;
        if (candidate.table.empty() || candidate.table.back().first != extra) return;
        candidate.default_branch = candidate.table.back().second;
        candidate.table.pop_back();
    }
    void keep_competitors(Item& item, std::vector<Candidate>&& found) {
        settle_missing_category(item.split);
        std::erase_if(found,
                      [&](const Candidate& c) { return c.feature == item.split.feature && c.oblique() == item.split.oblique(); });
        std::stable_sort(found.begin(), found.end(), [&](const Candidate& a, const Candidate& b) {
            return worth_of(a) > worth_of(b);
        });
        if (found.size() > static_cast<size_t>(recipe_.max_competitors))
            found.resize(static_cast<size_t>(recipe_.max_competitors));
        for (Candidate& candidate : found) settle_missing_category(candidate);
        item.competitors = std::move(found);
    }

    // ---- sending rows down -------------------------------------------------------------------------------------------------

    int32_t branch_of(const Candidate& split, double value) const {
        if (std::isnan(value)) return -1;
        if (split.kind == SplitKind::interval) return interval_of(split.pool(), value);
        if (split.kind != SplitKind::table) return value <= split.threshold ? 0 : 1;
        return split.branch_of(static_cast<int32_t>(value));
    }
    /// The branch of every row by the split's own feature; −1 where it does not answer. Settles the default branch.
    std::vector<int32_t> answers(const Item& item, Candidate& split) {
        const Fill fill = split.oblique() ? Forms<Lists>(*this).gather(item, split) : gather(item, split.feature);
        const Missing policy = policy_of(split.feature);
        std::vector<int32_t> branch(item.size());
        const bool by_rows = policy == Missing::direction || policy == Missing::value;
        std::vector<double> size(static_cast<size_t>(split.n_branches), 0.0);
        for (size_t i = 0; i < branch.size(); ++i) {
            branch[i] = branch_of(split, value_[i]);
            if (branch[i] >= 0) size[static_cast<size_t>(branch[i])] += by_rows ? 1.0 : weight_[i];
        }
        if (fill.found) split.default_branch = branch_of(split, fill.value);
        if (policy == Missing::fractional) split.default_branch = share_row;
        else if (split.default_branch < 0) split.default_branch = largest(size, by_rows);
        if (policy == Missing::surrogate && recipe_.use_surrogates < 2) split.default_branch = stay_at_node;
        return branch;
    }
    /// The branch of an unanswered split: the first of the largest, but of two equal in rows the second, as scikit-learn has it.
    static int32_t largest(const std::vector<double>& size, bool by_rows) {
        if (by_rows && size.size() == 2 && size[0] == size[1]) return 1;
        return static_cast<int32_t>(std::max_element(size.begin(), size.end()) - size.begin());
    }
    std::vector<std::vector<Part>> send(Item& item, std::vector<Candidate>& surrogates) {
        Candidate& split = item.split;
        std::vector<int32_t> branch = answers(item, split);
        const auto n_branches = static_cast<size_t>(split.n_branches);
        if (policy_of(split.feature) == Missing::surrogate && recipe_.use_surrogates > 0 && recipe_.max_surrogates > 0) {
            surrogates = find_surrogates(item, branch);
            for (const Candidate& surrogate : surrogates) {
                gather_raw(item, surrogate.feature);
                for (size_t i = 0; i < branch.size(); ++i)
                    if (branch[i] < 0) branch[i] = surrogate_branch(surrogate, value_[i]);
            }
        }
        std::vector<double> known(n_branches, 0.0);
        for (size_t i = 0; i < branch.size(); ++i)
            if (branch[i] >= 0) known[static_cast<size_t>(branch[i])] += weight_[i];
        const double total = std::accumulate(known.begin(), known.end(), 0.0);
        std::vector<std::vector<Part>> parts(n_branches);
        place_.assign(branch.size(), {PartLists::absent, PartLists::absent});
        const auto give = [&](size_t to, size_t i, double weight) {
            if (to < 2) place_[i][to] = static_cast<uint32_t>(parts[to].size());
            parts[to].push_back({item.parts[i].row, weight});
        };
        for (size_t i = 0; i < branch.size(); ++i) {
            const double whole = item.parts[i].weight;
            const int32_t b = branch[i] >= 0 ? branch[i] : split.default_branch;
            if (b >= 0) {
                give(static_cast<size_t>(b), i, whole);
            } else if (b == share_row) {
                for (size_t to = 0; to < n_branches; ++to)
                    if (const double weight = whole * known[to] / total; weight > 1e-9) give(to, i, weight);
            }
        }
        return parts;
    }
    void gather_raw(const Item& item, int32_t feature) {
        const Feature& from = original_.table.features[static_cast<size_t>(feature)];
        value_.resize(item.size());
        for (size_t i = 0; i < item.size(); ++i) {
            const uint32_t row = item.parts[i].row;
            value_[i] = !from.categorical()    ? from.numbers[row]
                        : from.codes[row] >= 0 ? from.codes[row]
                                               : std::numeric_limits<double>::quiet_NaN();
        }
    }
    static int32_t surrogate_branch(const Candidate& split, double value) {
        if (std::isnan(value)) return -1;
        if (split.kind == SplitKind::table) return split.branch_of(static_cast<int32_t>(value));
        return (split.kind == SplitKind::hyperplane ? -value : value) <= split.threshold ? 0 : 1;
    }
    /// Stand-ins on all other features, best first (surrogates.hpp).
    std::vector<Candidate> find_surrogates(const Item& item, const std::vector<int32_t>& branch) {
        const bool binary = item.split.n_branches == 2;
        std::vector<double> size(static_cast<size_t>(item.split.n_branches), 0.0);
        pull_.assign(branch.size(), 0.0);
        for (size_t i = 0; i < branch.size(); ++i) {
            if (branch[i] < 0) continue;
            size[static_cast<size_t>(branch[i])] += weight_[i];
            pull_[i] = branch[i] == 0 ? weight_[i] : -weight_[i];
        }
        cart::Ways ways{pull_};
        ways.left_weight = *std::max_element(size.begin(), size.end());  // only the larger and the sum of both count
        ways.right_weight = std::accumulate(size.begin(), size.end(), 0.0) - ways.left_weight;
        std::vector<cart::Split> kept;
        std::vector<std::vector<std::pair<int32_t, int32_t>>> tables(table_.features.size());
        cart::SurrogateRules rules;
        rules.max_surrogates = recipe_.max_surrogates;
        for (size_t f = 0; f < table_.features.size(); ++f) {
            const Feature& feature = original_.table.features[f];
            const bool own = static_cast<int32_t>(f) == item.split.feature && !item.split.oblique();
            if (own || (!binary && !feature.categorical())) continue;
            cart::Split split;
            split.feature = static_cast<int32_t>(f);
            const cart::Agreement agreement = feature.categorical()
                                                  ? agreeing_table(item, feature, branch, size.size(), tables[f])
                                                  : agreeing_cut(item, f, ways, split);
            cart::consider(std::move(split), agreement, ways, rules, kept);
        }
        std::vector<Candidate> surrogates;
        for (const cart::Split& split : kept) {
            Candidate candidate;
            candidate.feature = split.feature;
            candidate.merit = split.improve;
            candidate.adjusted = split.adjusted;
            if (original_.table.features[static_cast<size_t>(split.feature)].categorical()) {
                candidate.kind = SplitKind::table;
                candidate.table = std::move(tables[static_cast<size_t>(split.feature)]);
            } else {
                candidate.kind = split.below == cart::left ? SplitKind::threshold : SplitKind::hyperplane;
                candidate.threshold = split.below == cart::left ? split.cut : -split.cut;
                if (candidate.oblique()) {  // it runs the other way: −x ≤ threshold
                    candidate.pool_index.push_back(split.feature);
                    candidate.pool_value.push_back(-1.0);
                }
            }
            surrogates.push_back(std::move(candidate));
        }
        return surrogates;
    }
    cart::Agreement agreeing_table(const Item& item, const Feature& feature, const std::vector<int32_t>& branch,
                                   size_t n_branches, std::vector<std::pair<int32_t, int32_t>>& table) const {
        return cart::agreeing_branches(
            static_cast<size_t>(feature.n_categories), n_branches,
            [&](auto&& use) {
                for (size_t i = 0; i < branch.size(); ++i) {
                    const int32_t code = feature.codes[item.parts[i].row];
                    if (branch[i] >= 0 && code >= 0) use(static_cast<size_t>(code), static_cast<size_t>(branch[i]), weight_[i]);
                }
            },
            table);
    }
    cart::Agreement agreeing_cut(const Item& item, size_t feature, const cart::Ways& ways, cart::Split& split) {
        std::span<const List> list = item.lists.of(feature);
        if (!keeps_order(feature)) {
            gather_raw(item, static_cast<int32_t>(feature));
            list_.resize(value_.size());
            list = std::span(list_).first(sorter_.sort(value_.data(), value_.size(), list_.data()));
        }
        const double* number = original_.table.features[feature].numbers;
        size_t place = 0;
        const cart::Agreement agreement = cart::agreeing_cut(
            list.size(), [&](size_t i) { return list[i].row; }, [&](size_t i) { return list[i].rank != list[i - 1].rank; }, ways,
            place, split.below);
        if (agreement.found)
            split.cut = (number[item.parts[list[place - 1].row].row] + number[item.parts[list[place].row].row]) / 2;
        return agreement;
    }

    /// Whether the split is more than chance (significance.hpp); a row counts in a branch by its share.
    bool significant(Item& item) {
        std::vector<Candidate> unused;
        std::vector<BranchSums> branches;
        for (const std::vector<Part>& parts : send(item, unused)) {
            BranchSums& branch = branches.emplace_back();
            branch.classes.resize(n_classes());
            branch.count = static_cast<double>(parts.size());
            for (const Part& part : parts) {
                branch.weight += part.weight;
                if constexpr (C::classification) {
                    branch.classes[static_cast<size_t>(original_.label[part.row])] += part.weight;
                } else {
                    const double difference = original_.target[part.row] - item.centre;
                    branch.sum += part.weight * difference;
                    branch.squares += part.weight * difference * difference;
                }
            }
        }
        const double p = C::classification ? chi_square_p(branches) : f_test_p(branches);
        const double candidates = recipe_.n_families() * (item.split.rivals > 0 ? item.split.rivals : candidates_);
        return p * std::min(candidates, 1e300) <= recipe_.significance;
    }
    /// Decrease of the node's impurity by its split.
    double decrease(Item& item) {
        if constexpr (C::concave || !C::classification) {
            return item.split.merit;
        } else {
            std::vector<Candidate> unused;
            double after = 0;
            for (const std::vector<Part>& parts : send(item, unused)) {
                Totals t(original_.width());
                for (const Part& part : parts) {
                    t.weight += part.weight;
                    t.sums[static_cast<size_t>(original_.label[part.row])] += part.weight;
                }
                if (t.weight > 0) after += t.weight * C::impurity(t);
            }
            return item.impurity - after / item.totals.weight;
        }
    }

    void make_child(const Item& item, size_t b, std::vector<Part>&& parts, Item& child) {
        child.depth = item.depth + 1;
        child.seed = child_seed(item.seed, b);
        child.parts = std::move(parts);
        child.groups = item.groups;
        child.features = item.features;
        Description description = describe(child);
        if (child.size() == 0) {  // an empty branch predicts what its parent does
            const auto width = static_cast<int64_t>(out_.width);
            const auto at = out_.value.begin() + static_cast<int64_t>(item.node) * width;
            description.value.assign(at, at + width);
            description.weight = description.risk = description.impurity = 0;
        }
        child.node = out_.append(item.node, child.depth, description);
        if (description.pure || !may_split(child)) {
            original_.monitor.settled += child.size();
            child.node = -1;
        }
    }

    const Problem& original_;
    const Recipe recipe_;
    Recipe by_side_, by_known_;  // as CategorySearch reads them: missing rows take a side, or take no part
    Table table_;
    Problem side_problem_, known_problem_;
    const std::vector<double>& weights_;
    Builder& out_;
    Interactions interactions_;
    bool pure_root_ = false;
    const Holes holes_;
    double min_weight_split_ = 0;
    bool unit_;              // every part is a whole row that weighs one
    int32_t prepared_ = -1;  // the node whose rows stand below
    double candidates_ = 0;  // looked at in the node in hand

    std::vector<double> missing_weight_, missing_sums_;  // of the rows at hand without a value, by feature
    LocalRows local_;
    std::vector<double> weight_, target_, value_, sorted_target_, pull_;
    std::vector<int32_t> label_, target_rank_;
    std::vector<uint8_t> bit_;
    std::vector<List> list_;
    std::vector<PartLists::Place> place_;  // of each part on the first two branches
    RowSorter sorter_;
    Scratch scratch_;
    LevelCounter counter_;
    Levels levels_;
};

}  // namespace treewright
