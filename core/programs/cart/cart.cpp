// CART: growing by presorted lists, then cost-complexity prices, as rpart has them (Breiman, Friedman, Olshen & Stone, 1984;
// Therneau & Atkinson, 1997).
#include "programs/cart/cart.hpp"

#include "programs/cart/sorted_rows.hpp"
#include "programs/cart/tree.hpp"
#include "base/midpoint.hpp"

namespace treewright::cart {

namespace {

/// A rule that looks for Ctrl-C while categories change sides: of thirty there are half a billion groupings.
template <class Rule>
class Watched : public Rule {
public:
    Watched(const Rule& rule, Monitor& monitor) : Rule(rule), monitor_(&monitor) {}

    using Rule::move;
    void move(const typename Rule::Tally& tally, double sign) {
        if (++moves_ % (1 << 20) == 0) monitor_->poll(thread);
        Rule::move(tally, sign);
    }
    int thread = 0;

private:
    Monitor* monitor_;
    uint64_t moves_ = 0;
};

template <class Rule>
class Grower {
public:
    Grower(const Table& table, const Outcome& outcome, const Rule& rule, const Options& options, Monitor& monitor)
        : table_(table),
          outcome_(outcome),
          rule_(rule, monitor),
          options_(options),
          monitor_(monitor),
          side_(table.n_rows, Side::none),
          signed_weight_(table.n_rows, 0.0),
          largest_(options.largest_improve) {
        surrogate_rules_.max_surrogates = options.max_surrogates;
        surrogate_rules_.of_both_known = options.surrogate_style == 1;
        surrogate_rules_.rpart = options.rpart;
    }

    /// Grow on the rows of `sorted`, which it takes over; `rows` are the same rows in row order. alpha < 0 = cp × root risk.
    void grow(SortedRows&& sorted, std::span<const uint32_t> rows, double alpha, int thread) {
        sorted_ = std::move(sorted);
        spare_.resize(sorted_.n_rows);
        thread_ = rule_.thread = thread;
        rule_.begin_tree(rows);
        nodes_.assign(1, Node{});
        describe(nodes_[0], rows);
        if (alpha < 0) alpha = options_.cp * nodes_[0].leaf.risk;
        std::vector<Step> open{{Range{0, 0, 0, rows.size()}}};
        while (!open.empty()) {
            const Step step = open.back();
            open.pop_back();
            if (step.grown) set_complexity(nodes_, step.range.node, alpha);
            else enter(step, alpha, open);
        }
        cap_complexity(nodes_);
    }
    const std::vector<Node>& nodes() const { return nodes_; }
    double largest_improve() const { return largest_; }

    /// Errors of a held-out row under each price, descending: it goes down while its node would not have collapsed.
    void errors(uint32_t row, std::span<const double> prices, std::vector<double>& error) const {
        const Node* at = &nodes_[0];
        bool stopped = false;
        for (size_t i = 0; i < prices.size(); ++i) {
            while (!stopped && prices[i] < at->complexity) {
                const int32_t next = child_of(*at, row);
                if (next < 0) stopped = true;
                else at = &nodes_[static_cast<size_t>(next)];
            }
            if (stopped && options_.rpart) return;
            error[i] = rule_.error(row, at->leaf, options_.rpart);
        }
    }

private:
    /// The rows of a node stand at [begin, end) of every list.
    struct Range {
        size_t node;
        int64_t depth;
        size_t begin, end;

        size_t size() const { return end - begin; }
    };
    /// The rows of a node in the order of a feature.
    std::span<uint32_t> order_of(size_t feature, const Range& range) {
        return sorted_.of(feature).subspan(range.begin, range.size());
    }
    /// A node to be split or, when all below it is grown, to be given its complexity.
    struct Step {
        Range range;
        int32_t parent = -1;
        bool grown = false;
    };
    void describe(Node& node, std::span<const uint32_t> rows) const {
        rule_.describe(rows, node.leaf);
        node.count = rows.size();
    }
    void enter(const Step& step, double alpha, std::vector<Step>& open) {
        const Range range = step.range;
        poll(range.size() * table_.features.size());
        open.push_back({range, step.parent, true});
        set_bound(step, alpha);
        const bool small = static_cast<int64_t>(range.size()) < options_.min_samples_split;
        if (small || nodes_[range.node].bound <= alpha || range.depth >= options_.max_depth || !find(range)) return;
        const auto [middle, end] = divide(range);
        const auto at = static_cast<int32_t>(range.node);
        const Range low = append(range, 0, range.begin, middle), high = append(range, 1, middle, end);
        open.push_back({high, at});
        open.push_back({low, at});
    }
    void set_bound(const Step& step, double alpha) {
        Node& node = nodes_[step.range.node];
        node.inherited_bound = node.leaf.risk;
        if (options_.rpart && step.parent >= 0) {
            const Node& above = nodes_[static_cast<size_t>(step.parent)];
            const bool is_left = above.child[0] == static_cast<int32_t>(step.range.node);
            node.inherited_bound =
                is_left ? bound_of_left(above, alpha) : bound_of_right(above, nodes_[static_cast<size_t>(above.child[0])], alpha);
        }
        node.bound = std::min(node.leaf.risk, node.inherited_bound);
    }
    Range append(const Range& above, int side, size_t begin, size_t end) {
        const size_t at = nodes_.size();
        nodes_[above.node].child[side] = static_cast<int32_t>(at);
        const Range range{at, above.depth + 1, begin, end};
        describe(nodes_.emplace_back(), order_of(0, range));
        return range;
    }
    void poll(size_t rows) {
        work_ += rows;
        if (work_ <= 2'000'000) return;
        monitor_.poll(thread_);
        work_ = 0;
    }

    /// Where a row goes from a node, or −1 if nothing answers. A row without a default goes right, as in rpart.
    int32_t child_of(const Node& node, uint32_t row) const {
        if (node.is_leaf()) return -1;
        Side side = side_of(node.splits[0], row);
        if (side == Side::none && options_.use_surrogates > 0)
            for (const TwoSidedSplit& surrogate : node.surrogates)
                if ((side = side_of(surrogate, row)) != Side::none) break;
        if (side == Side::none) {
            if (options_.use_surrogates < 2) return -1;
            side = node.majority;
        }
        return node.child[side == Side::left ? 0 : 1];
    }
    Side side_of(const TwoSidedSplit& split, uint32_t row) const {
        const Feature& feature = table_.features[static_cast<size_t>(split.feature)];
        if (feature.categorical())
            return is_known(feature.codes[row]) ? split.side[static_cast<size_t>(feature.codes[row])] : Side::none;
        const double x = feature.numbers[row];
        if (!is_known(x)) return Side::none;
        return (options_.rpart ? x < split.cut : x <= split.cut) ? split.below : opposite(split.below);
    }
    /// The cut between the rows of the column in hand that stand before a place and those from there on: side_of() keeps them
    /// apart.
    double cut_at(size_t place) const {
        const double low = column_.x[place - 1], high = column_.x[place];
        return options_.rpart ? midpoint_above(low, high) : midpoint(low, high);
    }

    void gather(size_t feature, const Range& range) {
        const Feature& from = table_.features[feature];
        const bool complete = sorted_.complete[feature];
        if (from.categorical()) column_.gather(order_of(feature, range), from.codes, complete);
        else column_.gather(order_of(feature, range), from.numbers, complete);
    }

    bool find(const Range& range) {
        const auto edge = static_cast<size_t>(options_.min_samples_leaf);
        const size_t most = static_cast<size_t>(options_.max_competitors) + 1;
        Node& node = nodes_[range.node];
        for (size_t f = 0; f < table_.features.size(); ++f) {
            gather(f, range);
            const Feature& feature = table_.features[f];
            if (column_.size() == 0) continue;
            if (!feature.categorical() && column_.x[0] == column_.x[column_.size() - 1]) continue;
            TwoSidedSplit split;
            split.feature = static_cast<int32_t>(f);
            split.rows = column_.size();
            const auto n_codes = static_cast<size_t>(feature.n_categories);
            if (feature.categorical()) {
                if (!CategoryGroups<Watched<Rule>>(rule_, column_, n_codes, edge).best(node.leaf, split)) continue;
            } else {
                const size_t place = best_cut(rule_, column_, edge, node.leaf, split);
                if (place == 0) continue;
                split.cut = cut_at(place);
            }
            largest_ = std::max(largest_, split.score);
            if (!(split.score > largest_ * 1e-10)) continue;  // no more than rounding
            if (!options_.feature_costs.empty()) split.score /= options_.feature_costs[f];
            insert_by_score(node.splits, std::move(split), most, options_.rpart);
        }
        return !node.splits.empty();
    }

    /// Send every row of a node to a side and partition the lists of all features: left rows, right rows, rows that stay. Gives
    /// the ends of the first two.
    std::pair<size_t, size_t> divide(const Range& range) {
        Node& node = nodes_[range.node];
        const TwoSidedSplit& split = node.splits[0];
        PrimarySides primary{signed_weight_};
        std::vector<uint32_t> unanswered;
        for (uint32_t row : order_of(0, range)) {
            const Side side = side_[row] = side_of(split, row);
            const double weight = outcome_.weight_of(row);
            signed_weight_[row] = side == Side::left ? weight : side == Side::right ? -weight : 0.0;
            if (side == Side::none) unanswered.push_back(row);
            else (side == Side::left ? primary.left_weight : primary.right_weight) += weight;
        }
        if (options_.max_surrogates > 0) find_surrogates(range, primary);
        if (options_.max_surrogates > 0 || !options_.rpart) {
            if (primary.left_weight > primary.right_weight) node.majority = Side::left;
            else if (primary.left_weight < primary.right_weight) node.majority = Side::right;
            else if (!options_.rpart) node.majority = Side::left;
        }
        if (options_.use_surrogates > 0)
            for (TwoSidedSplit& surrogate : node.surrogates)
                surrogate.rows =
                    std::erase_if(unanswered, [&](uint32_t row) { return (side_[row] = side_of(surrogate, row)) != Side::none; });
        if (options_.use_surrogates == 2)
            for (uint32_t row : unanswered) side_[row] = node.majority;
        return partition(range);
    }
    void find_surrogates(const Range& range, const PrimarySides& primary) {
        Node& node = nodes_[range.node];
        for (size_t f = 0; f < table_.features.size(); ++f) {
            if (static_cast<int32_t>(f) == node.splits[0].feature) continue;
            poll(range.size());
            gather(f, range);
            const Feature& feature = table_.features[f];
            TwoSidedSplit split;
            split.feature = static_cast<int32_t>(f);
            const Agreement agreement = feature.categorical() ? groups_like(feature, primary, split) : cut_like(primary, split);
            offer_surrogate(std::move(split), agreement, primary, surrogate_rules_, node.surrogates);
        }
    }
    Agreement groups_like(const Feature& feature, const PrimarySides& primary, TwoSidedSplit& split) const {
        const auto each = [&](auto&& use) {
            for (size_t i = 0; i < column_.size(); ++i) use(static_cast<size_t>(column_.x[i]), column_.row[i]);
        };
        return agreeing_groups(static_cast<size_t>(feature.n_categories), each, primary, options_.rpart, split.side);
    }
    Agreement cut_like(const PrimarySides& primary, TwoSidedSplit& split) const {
        size_t place = 0;
        const Agreement agreement = agreeing_cut(
            column_.size(), [&](size_t i) { return column_.row[i]; }, [&](size_t i) { return column_.x[i] != column_.x[i - 1]; },
            primary, place, split.below);
        if (agreement.found) split.cut = cut_at(place);
        return agreement;
    }
    std::pair<size_t, size_t> partition(const Range& range) {
        const auto place_of = [&](uint32_t row) { return static_cast<size_t>(static_cast<int>(side_[row]) + 1); };
        size_t count[3] = {0, 0, 0};  // left, staying, right
        for (uint32_t row : order_of(0, range)) ++count[place_of(row)];
        const size_t middle = range.begin + count[0], end = middle + count[2];
        for (size_t f = 0; f < table_.features.size(); ++f) {
            poll(range.size());
            const std::span<uint32_t> order = order_of(f, range);
            std::ranges::copy(order, spare_.begin());
            uint32_t* const all = sorted_.of(f).data();
            uint32_t* to[3] = {all + range.begin, all + end, all + middle};
            for (size_t i = 0; i < range.size(); ++i) *to[place_of(spare_[i])]++ = spare_[i];
        }
        return {middle, end};
    }

    const Table& table_;
    const Outcome& outcome_;
    Watched<Rule> rule_;
    const Options& options_;
    SurrogateRules surrogate_rules_;
    Monitor& monitor_;
    SortedRows sorted_;
    std::vector<uint32_t> spare_;
    std::vector<Side> side_;             // of each row, by the split of the node in hand
    std::vector<double> signed_weight_;  // see PrimarySides
    std::vector<Node> nodes_;
    Column column_;
    double largest_;
    uint64_t work_ = 0;
    int thread_ = 0;
};

Outcome outcome_of(const Target& target, const Options& options) {
    return {target.label, target.number, target.weight, options.exposure.empty() ? nullptr : options.exposure.data()};
}

// ---- by the rule of the criterion ----------------------------------------------------------------------------------

template <class Use>
auto with_rule(const Table& table, const Target& target, const Outcome& outcome, const Options& options, Use&& use) {
    if (target.n_classes > 0) {
        ClassTerms terms =
            class_terms(outcome, table.n_rows, options.priors, options.costs, static_cast<size_t>(target.n_classes));
        terms.every_grouping = options.rpart;
        if (options.criterion == "gini") return use(ClassRule<false>(outcome, terms));
        if (options.criterion == "entropy") return use(ClassRule<true>(outcome, terms));
    } else {
        if (options.criterion == "squared_error") return use(SquaresRule(outcome));
        if (options.criterion == "poisson") return use(PoissonRule(outcome, options.shrink));
    }
    throw std::invalid_argument("criterion '" + options.criterion + "' does not fit this target");
}

/// One fold: the rows to grow on, the rows held out, and the prices of a split, which shrink with the weight of the former.
struct Fold {
    std::vector<uint32_t> kept, held;
    std::vector<double> prices;
    double alpha = 0;
};

std::vector<Fold> divide_rows(const Outcome& outcome, std::span<const double> prices, double alpha,
                              std::span<const int32_t> fold) {
    const auto n_folds = static_cast<size_t>(*std::max_element(fold.begin(), fold.end()) + 1);
    std::vector<Fold> folds(n_folds);
    double before = 0;
    for (uint32_t row = 0; row < fold.size(); ++row) before += outcome.weight_of(row);
    std::vector<double> now(prices.begin(), prices.end());
    for (size_t f = 0; f < n_folds; ++f) {
        double weight = 0;
        for (uint32_t row = 0; row < fold.size(); ++row) {
            const bool out = fold[row] == static_cast<int32_t>(f);
            (out ? folds[f].held : folds[f].kept).push_back(row);
            if (!out) weight += outcome.weight_of(row);
        }
        for (double& price : now) price *= weight / before;
        alpha *= weight / before;
        before = weight;
        folds[f].prices = now;
        folds[f].alpha = alpha;
    }
    return folds;
}

}  // namespace

Grown grow(const Table& table, const Target& target, const Options& options, Monitor& monitor) {
    const Outcome outcome = outcome_of(target, options);
    std::vector<uint32_t> rows(table.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    monitor.total = static_cast<double>(table.n_rows);
    return with_rule(table, target, outcome, options, [&](auto&& rule) {
        Grower grower(table, outcome, rule, options, monitor);
        grower.grow(sorted_rows(table, options, monitor), rows, -1, 0);
        Grown out = TreeOutput(grower.nodes(), table, options).write();
        out.largest_improve = grower.largest_improve();
        return out;
    });
}

Validation cross_validate(const Table& table, const Target& target, const Options& options, std::span<const double> prices,
                          double alpha, std::span<const int32_t> fold, Monitor& monitor) {
    const Outcome outcome = outcome_of(target, options);
    const SortedRows all = sorted_rows(table, options, monitor);
    const std::vector<Fold> folds = divide_rows(outcome, prices, alpha, fold);
    const size_t n = prices.size();
    // Where a row stops early rpart leaves the errors of the row before in place: rows must then come in order.
    const int threads = options.rpart && options.use_surrogates < 2 ? 1 : std::max(options.threads, 1);
    std::vector<std::vector<double>> errors(static_cast<size_t>(threads), std::vector<double>(n, 0.0));
    std::vector<Validation> part(folds.size());
    return with_rule(table, target, outcome, options, [&](auto&& rule) {
        parallel_for(folds.size(), threads, [&](size_t f, int thread) {
            std::vector<double>& error = errors[static_cast<size_t>(thread)];
            Validation& sums = part[f];
            sums.error.assign(n, 0.0);
            sums.squared.assign(n, 0.0);
            if (folds[f].held.empty() || folds[f].kept.empty()) return;
            Grower grower(table, outcome, rule, options, monitor);
            monitor.poll(thread);
            grower.grow(without(all, fold, static_cast<int32_t>(f), folds[f].kept.size(), table.features.size()), folds[f].kept,
                        folds[f].alpha, thread);
            for (uint32_t row : folds[f].held) {
                grower.errors(row, folds[f].prices, error);
                for (size_t i = 0; i < n; ++i) {
                    sums.error[i] += error[i] * outcome.weight_of(row);
                    sums.squared[i] += error[i] * error[i] * outcome.weight_of(row);
                }
            }
        });
        Validation sum{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
        for (const Validation& fold_sums : part)
            for (size_t i = 0; i < n; ++i) {
                sum.error[i] += fold_sums.error[i];
                sum.squared[i] += fold_sums.squared[i];
            }
        return sum;
    });
}

}  // namespace treewright::cart
