#include "splits/categorical.hpp"

#include "splits/category_order.hpp"
#include "splits/cheapest_runs.hpp"

namespace treewright {

namespace {

constexpr size_t exhaustive_levels = 12;

/// Searches the groupings of one feature's values for one node.
class CategorySearch {
public:
    explicit CategorySearch(const GroupingTask& task)
        : criterion_(task.criterion),
          classification_(task.criterion.classification),
          recipe_(task.recipe),
          levels_(task.levels),
          bounds_(task.bounds),
          classes_(task.classes),
          feature_(task.feature),
          n_categories_(task.table.features[static_cast<size_t>(feature_)].n_categories),
          truth_(task.table.features[static_cast<size_t>(feature_)].truth),
          by_direction_(!left_out(recipe_.policy(static_cast<size_t>(feature_))) && levels_.missing.count > 0),
          basis_(by_direction_ ? task.node : levels_.known),
          left_(levels_.width),
          right_(levels_.width),
          share_(basis_.weight / task.node.weight),
          tolerance_(task.tolerance),
          spread_(task.spread),
          best_(tolerance_, recipe_.ties == Ties::last) {}

    Candidate best() {
        if (recipe_.subset && levels_.size() >= 1) subset();
        if (recipe_.one_vs_rest) one_against_rest();
        if (recipe_.multiway) multiway();
        return best_.found() ? std::move(best_.get()) : Candidate{};
    }
    /// Whether the bounds hold what the branches of a split would predict.
    bool allows(const Candidate& split) const {
        if (bounds_.free()) return true;
        std::vector<Totals> branch(static_cast<size_t>(split.n_branches), Totals(levels_.width));
        for (size_t level = 0; level < levels_.size(); ++level)
            levels_.add_to(branch[static_cast<size_t>(split.branch_of(levels_.code[level]))], level);
        if (by_direction_) branch[static_cast<size_t>(split.default_branch)].add(levels_.missing);
        return std::ranges::all_of(branch, [&](const Totals& b) { return b.count == 0 || bounds_.hold(prediction(b)); });
    }

private:
    bool large_enough(const Totals& t) const {
        return t.count >= static_cast<size_t>(recipe_.min_samples_leaf) && t.weight >= recipe_.min_weight_leaf;
    }
    /// What is left of some rows without a part of them.
    void take(const Totals& all, const Totals& part, Totals& rest) const {
        rest.weight = all.weight - part.weight;
        rest.count = all.count - part.count;
        if (classification_)
            for (size_t k = 0; k < rest.sums.size(); ++k) rest.sums[k] = rest_of(all.sums[k], part.sums[k]);
        else
            for (size_t k = 0; k < rest.sums.size(); ++k) rest.sums[k] = all.sums[k] - part.sums[k];
    }
    /// Merit of left_ against the rest, or -infinity if a side is too small.
    double merit() {
        take(basis_, left_, right_);
        if (left_.count == 0 || right_.count == 0 || !large_enough(left_) || !large_enough(right_)) return -infinity;
        if (!both_weigh(left_.weight, right_.weight, 0)) return -infinity;
        if (!bounds_.free() && !bounds_.allow(prediction(left_), prediction(right_))) return -infinity;
        const Totals* both[] = {&left_, &right_};
        return share_ * merit_of(both);
    }
    double merit_of(Branches branches) const { return criterion_.merit(basis_, branches, levels_.centre); }
    /// What a branch of these totals would predict, as bounds speak of it.
    double prediction(const Totals& t) const { return classification_ ? classes_->mean(t.sums.data()) : t.sums[0] / t.weight; }
    /// Groupings that follow are told apart by a mark.
    void begin() { groupings_.start(tolerance_, recipe_.ties == Ties::last); }
    /// Value left_.
    void offer(size_t mark, bool missing_left) { groupings_.offer(merit(), {mark, missing_left}); }
    /// Write down the best of the groupings that were offered; on_left(level, mark) tells whether it has a level on the left.
    template <class OnLeft>
    void commit(OnLeft&& on_left) {
        if (!groupings_.found()) return;
        const auto [mark, missing_left] = groupings_.get();
        write(groupings_.merit(), missing_left, [&](size_t level) { return on_left(level, mark); });
    }
    template <class OnLeft>
    void write(double merit, bool missing_left, OnLeft&& on_left) {
        Candidate candidate;
        candidate.merit = merit;
        candidate.feature = feature_;
        candidate.kind = SplitKind::table;
        candidate.default_branch = by_direction_ ? (missing_left ? 0 : 1) : -1;
        for (size_t level = 0; level < levels_.size(); ++level)
            candidate.table.emplace_back(levels_.code[level], on_left(level) ? 0 : 1);
        best_.offer(merit, std::move(candidate));
    }
    /// Rounding dust that removing a level may leave counts as nothing.
    void dust() {
        if (classification_)
            for (size_t k = 0; k < left_.sums.size(); ++k)
                if (left_.sums[k] < rounding_share * basis_.sums[k]) left_.sums[k] = 0;
    }
    void start(bool missing_left) {
        left_.clear();
        if (missing_left) left_.add(levels_.missing);
    }
    template <class Try>
    void each_direction(Try&& attempt) {
        attempt(false);
        if (by_direction_) attempt(true);
    }

    void subset() {
        const size_t n = levels_.size();
        known_against_missing();
        if (n < 2) return;
        if (!criterion_.user_defined && recipe_.max_groups > 2 && n > 2)
            return several_groups(static_cast<size_t>(recipe_.max_groups));
        if (has_one_order()) cut_order(order_by([&](size_t level) { return levels_.mean(level, classification_); }));
        else if (n <= exhaustive_levels) all_groupings();
        else search_groupings();
    }
    /// Whether the best grouping is a cut of the levels ordered by mean.
    bool has_one_order() const { return !criterion_.several && (!classification_ || levels_.width == 2); }
    template <class Key>
    std::vector<size_t> order_by(Key&& key) const {
        std::vector<double> keys(levels_.size());
        for (size_t level = 0; level < keys.size(); ++level) keys[level] = truth_ ? 0.0 : key(level);
        return ascending(keys, spread_);
    }
    /// Best cut of the levels in this order.
    void cut_order(const std::vector<size_t>& order) {
        std::vector<size_t> place(order.size());
        for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
        begin();
        each_direction([&](bool missing_left) {
            start(missing_left);
            for (size_t i = 0; i + 1 < order.size(); ++i) {
                levels_.add_to(left_, order[i]);
                offer(i, missing_left);
            }
        });
        commit([&](size_t level, size_t mark) { return place[level] <= mark; });
    }
    /// All groupings, in Gray-code order so that one level moves at a time; the first level stays on the left.
    void all_groupings() {
        const size_t n = levels_.size();
        begin();
        each_direction([&](bool missing_left) {
            start(missing_left);
            for (size_t level = 0; level < n; ++level) levels_.add_to(left_, level);
            uint32_t right = 0;  // bit i: level i + 1 is on the right
            for (uint32_t step = 1; step < (1u << (n - 1)); ++step) {
                const auto moved = static_cast<size_t>(std::countr_zero(step));
                right ^= 1u << moved;
                if (right >> moved & 1) levels_.remove_from(left_, moved + 1);
                else levels_.add_to(left_, moved + 1);
                dust();
                offer(right, missing_left);
            }
        });
        commit([&](size_t level, size_t mark) { return level == 0 || !(mark >> (level - 1) & 1); });
    }
    void search_groupings() {
        if (classification_ && !criterion_.user_defined && recipe_.category_search == GroupsBy::descent) {
            each_order([&](const std::vector<size_t>& order) {
                each_direction([&](bool missing_left) { descend(runs(order, 2), 2, missing_left); });
            });
            return;
        }
        each_order([&](const std::vector<size_t>& order) { cut_order(order); });
        if (best_.found()) exchange(best_.get());
    }
    /// The levels ordered by the share of each class, and by the first principal component of the class shares.
    template <class Use>
    void each_order(Use&& use) {
        const size_t width = levels_.width;
        for (size_t k = 0; k < width; ++k)
            if (!classification_ || basis_.sums[k] > 0)
                use(order_by([&](size_t level) { return levels_.sums[level * width + k] / levels_.weight[level]; }));
        const std::vector<double> axis = principal_axis();
        use(order_by([&](size_t level) {
            double projection = 0;
            for (size_t k = 0; k < width; ++k) projection += axis[k] * levels_.sums[level * width + k] / levels_.weight[level];
            return projection;
        }));
    }

    // ---- several groups, and descent -------------------------------------------------------------------------

    void several_groups(size_t most) {
        if (classification_ && levels_.width > 2) {
            for (size_t n_groups = 2; n_groups <= std::min(most, levels_.size()); ++n_groups)
                each_order([&](const std::vector<size_t>& order) { descend(runs(order, n_groups), n_groups, false); });
            return;
        }
        const std::vector<size_t> order = order_by([&](size_t level) { return levels_.mean(level, classification_); });
        std::vector<Totals> before(1, Totals(levels_.width));
        for (size_t level : order) levels_.add_to(before.emplace_back(before.back()), level);
        Totals run(levels_.width);
        const auto cost = [&](size_t i, size_t j) {
            take(before[j], before[i], run);
            if (!large_enough(run)) return infinity;
            if (classification_) return run.weight * criterion_.impurity(run);
            const Totals* alone[] = {&run};
            return (merit_of(Branches{}) - merit_of(alone)) * basis_.weight;
        };
        const std::vector<size_t> cuts = cheapest_runs(order.size(), most, tolerance_ * basis_.weight, cost, [] {});
        if (cuts.empty()) return;
        std::vector<size_t> group(order.size());
        for (size_t at = 0; at < order.size(); ++at)
            group[order[at]] = static_cast<size_t>(std::ranges::upper_bound(cuts, at) - cuts.begin());
        const Groups found = grouped(group, cuts.size() + 1, false);
        if (found.merit > -infinity) write_groups(found, group);
    }
    /// The levels in this order, in runs of about equal weight.
    std::vector<size_t> runs(const std::vector<size_t>& order, size_t n_groups) const {
        std::vector<size_t> group(order.size());
        double before = 0;
        for (size_t level : order) {
            const double middle = (before + levels_.weight[level] / 2) / levels_.known.weight + equal_weights;
            group[level] = std::min(static_cast<size_t>(middle * static_cast<double>(n_groups)), n_groups - 1);
            before += levels_.weight[level];
        }
        return group;
    }
    /// Groups of levels, summed up, and what they are worth as branches: −infinity if they may not be made.
    struct Groups {
        std::vector<Totals> totals;
        size_t of_missing;
        double merit;
    };
    Groups grouped(const std::vector<size_t>& group, size_t n_groups, bool missing_left) const {
        Groups groups{std::vector<Totals>(n_groups, Totals(levels_.width)), 0, -infinity};
        for (size_t level = 0; level < group.size(); ++level) levels_.add_to(groups.totals[group[level]], level);
        std::vector<double> weight;
        for (const Totals& part : groups.totals) weight.push_back(part.weight);
        groups.of_missing = n_groups > 2 ? first_largest(weight) : missing_left ? 0 : 1;
        if (by_direction_) groups.totals[groups.of_missing].add(levels_.missing);
        std::vector<const Totals*> branches;
        for (const Totals& part : groups.totals) {
            if (part.count == 0) continue;
            if (!large_enough(part) || part.weight <= rounding_share * basis_.weight) return groups;
            if (!bounds_.free() && !bounds_.hold(prediction(part))) return groups;
            branches.push_back(&part);
        }
        if (branches.size() < 2) return groups;
        if (!bounds_.free() && !bounds_.allow(prediction(*branches[0]), prediction(*branches[1]))) return groups;
        groups.merit = share_ * merit_of(branches);
        return groups;
    }
    /// From these groups downhill, and offer where that ends.
    void descend(std::vector<size_t> group, size_t n_groups, bool missing_left) {
        constexpr int most_rounds = 100;
        const size_t width = levels_.width;
        Groups best = grouped(group, n_groups, missing_left);
        std::vector<size_t> moved(group.size());
        for (int round = 0; round < most_rounds && best.merit > -infinity; ++round) {
            std::vector<double> slope(n_groups * width, infinity);
            for (size_t g = 0; g < n_groups; ++g)
                if (best.totals[g].count > 0) tangent(best.totals[g], std::span(slope).subspan(g * width, width));
            for (size_t level = 0; level < group.size(); ++level) {
                double lowest = infinity;
                for (size_t g = 0; g < n_groups; ++g) {
                    if (best.totals[g].count == 0) continue;
                    double height = 0, size = 0;
                    for (size_t k = 0; k < width; ++k) {
                        const double weight = levels_.sums[level * width + k], part = slope[g * width + k] * weight;
                        height += part;
                        size += std::max(std::abs(part), weight);
                    }
                    if (height < lowest - 1e-9 * size) {  // slopes are differences: what is closer is equal
                        lowest = height;
                        moved[level] = g;
                    }
                }
            }
            Groups next = grouped(moved, n_groups, missing_left);
            if (!(next.merit > best.merit + tolerance_)) break;
            best = std::move(next);
            group = moved;
        }
        if (best.merit > -infinity) write_groups(best, group);
    }
    /// How the weighted impurity of a group changes with the weight of each class.
    void tangent(const Totals& at, std::span<double> slope) const {
        Totals near = at;
        const auto height = [&] { return near.weight * criterion_.impurity(near); };
        const double step = 1e-5 * at.weight, here = height();
        for (size_t k = 0; k < slope.size(); ++k) {
            const double below = std::min(step, at.sums[k]);
            near.sums[k] = at.sums[k] + step;
            near.weight = at.weight + step;
            const double above_height = height();
            near.sums[k] = at.sums[k] - below;
            near.weight = at.weight - below;
            slope[k] =
                (above_height - (below > 0 && near.weight > 0 ? height() : here)) / (step + (near.weight > 0 ? below : 0.0));
            near.sums[k] = at.sums[k];
            near.weight = at.weight;
        }
    }
    /// Branches in the order of their first levels.
    void write_groups(const Groups& groups, const std::vector<size_t>& group) {
        std::vector<int32_t> branch(groups.totals.size(), -1);
        Candidate candidate;
        candidate.n_branches = 0;
        for (size_t level = 0; level < group.size(); ++level) {
            int32_t& own = branch[group[level]];
            if (own < 0) own = candidate.n_branches++;
            candidate.table.emplace_back(levels_.code[level], own);
        }
        candidate.merit = groups.merit;
        candidate.feature = feature_;
        candidate.kind = SplitKind::table;
        if (by_direction_) {
            int32_t& own = branch[groups.of_missing];
            if (own < 0) own = candidate.n_branches++;  // rows without a value alone
            candidate.default_branch = own;
        }
        best_.offer(candidate.merit, std::move(candidate));
    }

    // ---- two groups, by single values ------------------------------------------------------------------------

    /// First principal component of the levels' class shares, weighted, by power iteration, which begins alike for
    /// the classes of every target.
    std::vector<double> principal_axis() const {
        const size_t width = levels_.width, n = levels_.size();
        std::vector<double> mean(width), axis(width), next(width), centred(width);
        for (size_t k = 0; k < width; ++k) mean[k] = levels_.known.sums[k] / levels_.known.weight;
        const size_t of_one_target = classification_ ? width / static_cast<size_t>(recipe_.n_outputs) : width;
        for (size_t k = 0; k < width; ++k) {
            const size_t own = k % of_one_target;
            axis[k] = 1.0 + 0.1 * static_cast<double>(own % 7) - (own % 2 ? 2.0 : 0.0);
        }
        for (int round = 0; round < 30; ++round) {
            std::fill(next.begin(), next.end(), 0.0);
            for (size_t level = 0; level < n; ++level) {
                double projection = 0;
                for (size_t k = 0; k < width; ++k) {
                    centred[k] = levels_.sums[level * width + k] / levels_.weight[level] - mean[k];
                    projection += centred[k] * axis[k];
                }
                for (size_t k = 0; k < width; ++k) next[k] += levels_.weight[level] * projection * centred[k];
            }
            double length = 0;
            for (double x : next) length += x * x;
            if (length <= 0) break;
            for (size_t k = 0; k < width; ++k) axis[k] = next[k] / std::sqrt(length);
        }
        return axis;
    }
    /// Move single levels across while the merit rises.
    void exchange(const Candidate& from) {
        std::vector<bool> on_left(levels_.size());
        for (size_t level = 0; level < levels_.size(); ++level) on_left[level] = from.table[level].second == 0;
        const bool missing_left = from.default_branch == 0;
        double most = from.merit;
        start(missing_left);
        for (size_t level = 0; level < levels_.size(); ++level)
            if (on_left[level]) levels_.add_to(left_, level);
        const auto move = [&](size_t level) {
            if (on_left[level]) levels_.remove_from(left_, level);
            else levels_.add_to(left_, level);
            dust();
            on_left[level] = !on_left[level];
        };
        bool moved = false;
        for (bool rising = true; rising;) {
            rising = false;
            for (size_t level = 0; level < levels_.size(); ++level) {
                move(level);
                if (const double m = merit(); m > most + tolerance_) {
                    most = m;
                    moved = rising = true;
                } else {
                    move(level);
                }
            }
        }
        if (moved) write(most, missing_left, [&](size_t level) { return on_left[level]; });
    }

    void known_against_missing() {
        if (!by_direction_) return;
        begin();
        left_ = levels_.known;
        offer(0, false);
        commit([](size_t, size_t) { return true; });
    }
    void one_against_rest() {
        known_against_missing();
        if (levels_.size() < 2) return;
        begin();
        for (size_t chosen = 0; chosen < (truth_ ? 1 : levels_.size()); ++chosen)
            each_direction([&](bool missing_left) {
                start(missing_left);
                levels_.add_to(left_, chosen);
                offer(chosen, missing_left);
            });
        commit([](size_t level, size_t mark) { return level == mark; });
    }
    /// One branch per value of the domain; missing rows are tried in the largest branch.
    void multiway() {
        std::vector<Totals> branch(levels_.size(), Totals(levels_.width));
        size_t large = 0;
        for (size_t level = 0; level < levels_.size(); ++level) levels_.add_to(branch[level], level);
        const size_t heaviest = levels_.weight.empty() ? 0 : first_largest(levels_.weight);
        if (by_direction_ && !branch.empty()) branch[heaviest].add(levels_.missing);
        std::vector<const Totals*> all;
        for (const Totals& b : branch) {
            large += large_enough(b);
            if (!bounds_.free() && !bounds_.hold(prediction(b))) return;
            all.push_back(&b);
        }
        if (large < 2) return;
        Candidate candidate;
        candidate.merit = share_ * merit_of(all);
        candidate.feature = feature_;
        candidate.kind = SplitKind::table;
        candidate.n_branches = n_categories_;
        candidate.default_branch = levels_.code[heaviest];
        for (int32_t code = 0; code < n_categories_; ++code) candidate.table.emplace_back(code, code);
        best_.offer(candidate.merit, std::move(candidate));
    }

    GroupingCriterion& criterion_;
    const bool classification_;
    const Recipe& recipe_;
    const Levels& levels_;
    Bounds bounds_;
    const ClassLevels* classes_;
    int32_t feature_, n_categories_;
    bool truth_;  // False stays on the left
    bool by_direction_;
    const Totals& basis_;
    Totals left_, right_;
    double share_, tolerance_, spread_;
    struct Grouping {
        size_t mark;
        bool missing_left;
    };
    Best<Grouping> groupings_;  // of the order in hand
    Best<Candidate> best_;
};

}  // namespace

Candidate best_grouping(const GroupingTask& task) { return CategorySearch(task).best(); }

bool allows(const GroupingTask& task, const Candidate& split) { return CategorySearch(task).allows(split); }

}  // namespace treewright
