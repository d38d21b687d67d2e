// CART: growing with cost-complexity pruning on the way, as rpart does it (Therneau & Atkinson, 1997).
#include "cart.hpp"

#include "candidate.hpp"
#include "parallel.hpp"
#include "surrogates.hpp"

namespace treewright::cart {

namespace {

/// A node while the tree grows; left and right are rpart's.
struct Node {
    Leaf leaf;
    size_t count = 0;
    int32_t child[2] = {-1, -1};
    double complexity = 0;
    int8_t majority = nowhere;       // where the weight of rows with the split known goes
    std::vector<Split> splits;       // the split, then its competitors
    std::vector<Split> surrogates;

    bool is_leaf() const { return child[0] < 0; }
};

/// Rows by each feature, in one block: feature × row, a missing value marked as ~row.
struct SortedRows {
    size_t n_rows = 0;
    std::vector<int32_t> order;

    int32_t* of(size_t feature) { return order.data() + feature * n_rows; }
    const int32_t* of(size_t feature) const { return order.data() + feature * n_rows; }
};

uint32_t row_of(int32_t entry) { return static_cast<uint32_t>(entry < 0 ? ~entry : entry); }

SortedRows sorted_rows(const Table& table, int threads) {
    SortedRows sorted;
    sorted.n_rows = table.n_rows;
    sorted.order.resize(table.features.size() * table.n_rows);
    parallel_for(table.features.size(), threads, [&](size_t f, int) {
        const Feature& feature = table.features[f];
        int32_t* order = sorted.of(f);
        for (size_t row = 0; row < table.n_rows; ++row) {
            const bool missing = feature.categorical() ? feature.codes[row] < 0 : std::isnan(feature.numbers[row]);
            order[row] = missing ? ~static_cast<int32_t>(row) : static_cast<int32_t>(row);
        }
        if (feature.categorical() || table.n_rows == 0) return;
        const auto value = [&](int32_t entry) { return entry < 0 ? 0.0 : feature.numbers[entry]; };
        std::stable_sort(order, order + table.n_rows, [&](int32_t a, int32_t b) { return value(a) < value(b); });
    });
    return sorted;
}

template <class Rule>
class Grower {
public:
    Grower(const Table& table, const Outcome& outcome, const Rule& rule, const Options& options, Monitor& monitor)
        : table_(table), outcome_(outcome), rule_(rule), options_(options), monitor_(monitor), way_(table.n_rows, nowhere), pull_(table.n_rows, 0.0),
          largest_(options.largest_improve) {
        surrogate_rules_.max_surrogates = options.max_surrogates;
        surrogate_rules_.of_both_known = options.surrogate_style == 1;
        surrogate_rules_.rpart = options.rpart;
    }

    /// Grow on the rows of `sorted`, which it takes over; `rows` are the same rows in row order. alpha < 0 = cp × root risk.
    void grow(SortedRows&& sorted, std::span<const uint32_t> rows, double alpha, int thread) {
        sorted_ = std::move(sorted);
        spare_.resize(sorted_.n_rows);
        nodes_.assign(1, Node{});
        thread_ = thread;
        rule_.start(rows);
        rule_.describe(rows, nodes_[0].leaf);
        nodes_[0].count = rows.size();
        nodes_[0].complexity = nodes_[0].leaf.risk;
        alpha_ = alpha < 0 ? options_.cp * nodes_[0].leaf.risk : alpha;
        double risk = 0;
        partition(0, 0, 0, rows.size(), risk);
        cap_complexity();
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
    /// Where a row goes from a node, or −1 if nothing answers. A row without a default goes right, as in rpart.
    int32_t child_of(const Node& node, uint32_t row) const {
        if (node.is_leaf()) return -1;
        int8_t way = way_of(node.splits[0], row);
        if (way == nowhere && options_.use_surrogates > 0)
            for (const Split& surrogate : node.surrogates)
                if ((way = way_of(surrogate, row)) != nowhere) break;
        if (way == nowhere) {
            if (options_.use_surrogates < 2) return -1;
            way = node.majority;
        }
        return node.child[way == left ? 0 : 1];
    }
    bool known(const Feature& feature, uint32_t row) const {
        return feature.categorical() ? feature.codes[row] >= 0 : !std::isnan(feature.numbers[row]);
    }
    int8_t way_of(const Split& split, uint32_t row) const {
        const Feature& feature = table_.features[static_cast<size_t>(split.feature)];
        if (!known(feature, row)) return nowhere;
        if (feature.categorical()) return split.side[static_cast<size_t>(feature.codes[row])];
        return feature.numbers[row] < split.cut ? split.below : static_cast<int8_t>(-split.below);
    }

    /// Split a node and everything below it; gives the number of splits kept and the risk of the subtree.
    int64_t partition(int32_t at, int32_t depth, size_t begin, size_t end, double& risk) {
        double bound = node(at).leaf.risk;
        if (at != 0) {
            rows_.clear();
            for (size_t i = begin; i < end; ++i) rows_.push_back(row_of(sorted_.of(0)[i]));
            rule_.describe(rows_, node(at).leaf);
            node(at).count = end - begin;
            bound = std::min(node(at).leaf.risk, node(at).complexity);
        }
        risk = node(at).leaf.risk;
        work_ += (end - begin) * table_.features.size();
        if (work_ > 2'000'000) {
            monitor_.poll(thread_);
            work_ = 0;
        }
        const bool small = static_cast<int64_t>(end - begin) < options_.min_samples_split;
        if (small || bound <= alpha_ || depth >= options_.max_depth || !find(at, begin, end)) {
            node(at).complexity = alpha_;
            return 0;
        }
        const auto [n_left, n_right] = divide(at, begin, end);
        const int32_t low = append(bound - alpha_);
        double low_risk = 0, high_risk = 0;
        int64_t low_splits = partition(low, depth + 1, begin, begin + n_left, low_risk);
        bound = std::max((node(at).leaf.risk - low_risk) / static_cast<double>(low_splits + 1), node(at).leaf.risk - node(low).leaf.risk);
        bound = std::min(bound, node(at).complexity);
        const int32_t high = append(bound - alpha_);
        int64_t high_splits = partition(high, depth + 1, begin + n_left, begin + n_left + n_right, high_risk);
        weakest_first(node(at).leaf.risk, node(low), low_risk, low_splits, node(high), high_risk, high_splits);
        node(at).complexity = (node(at).leaf.risk - (low_risk + high_risk)) / static_cast<double>(low_splits + high_splits + 1);
        if (node(at).complexity <= alpha_) return 0;  // all in vain: the split does not pay
        node(at).child[0] = low;
        node(at).child[1] = high;
        risk = low_risk + high_risk;
        return low_splits + high_splits + 1;
    }
    /// Collapse the children that go before their parent would.
    static void weakest_first(double risk, const Node& low, double& low_risk, int64_t& low_splits, const Node& high, double& high_risk, int64_t& high_splits) {
        const bool low_is_weaker = high.complexity > low.complexity;
        const auto price = [&] { return (risk - (low_risk + high_risk)) / static_cast<double>(low_splits + high_splits + 1); };
        const auto collapse = [&](bool the_low) {
            (the_low ? low_risk : high_risk) = the_low ? low.leaf.risk : high.leaf.risk;
            (the_low ? low_splits : high_splits) = 0;
        };
        if (!(price() > (low_is_weaker ? low : high).complexity)) return;
        collapse(low_is_weaker);
        if (price() > (low_is_weaker ? high : low).complexity) collapse(!low_is_weaker);
    }
    /// A node collapses no later than its parent, and at the least price if it did not pay at all.
    void cap_complexity() {
        std::vector<int32_t> stack{0};
        while (!stack.empty()) {
            const Node& above = node(stack.back());
            stack.pop_back();
            if (above.is_leaf()) continue;
            for (int32_t child : above.child) {
                node(child).complexity = std::max(std::min(node(child).complexity, above.complexity), alpha_);
                stack.push_back(child);
            }
        }
    }

    void gather(size_t feature, size_t begin, size_t end) {
        column_.clear();
        const Feature& from = table_.features[feature];
        const int32_t* order = sorted_.of(feature);
        for (size_t i = begin; i < end; ++i) {
            if (order[i] < 0) continue;
            const auto row = static_cast<uint32_t>(order[i]);
            column_.row.push_back(row);
            column_.x.push_back(from.categorical() ? from.codes[row] : from.numbers[row]);
        }
    }

    bool find(int32_t at, size_t begin, size_t end) {
        const auto edge = static_cast<size_t>(options_.min_samples_leaf);
        const size_t most = static_cast<size_t>(options_.max_competitors) + 1;
        std::vector<Split>& found = node(at).splits;
        for (size_t f = 0; f < table_.features.size(); ++f) {
            gather(f, begin, end);
            const Feature& feature = table_.features[f];
            if (column_.size() == 0) continue;
            if (!feature.categorical() && column_.x.front() == column_.x.back()) continue;
            Split split;
            split.feature = static_cast<int32_t>(f);
            const double risk = node(at).leaf.risk;
            const bool better = feature.categorical() ? rule_.group(column_, static_cast<size_t>(feature.n_categories), edge, risk, split)
                                                      : rule_.cut(column_, edge, risk, split);
            if (!better) continue;
            largest_ = std::max(largest_, split.improve);
            if (!(split.improve > largest_ * 1e-10)) continue;  // rounding dust
            if (!options_.feature_costs.empty()) split.improve /= options_.feature_costs[f];
            insert(found, std::move(split), most, options_.rpart);
        }
        return !found.empty();
    }

    /// Send every row of a node on its way; the lists of all features are parted: left rows, right rows, rows that stay.
    std::pair<size_t, size_t> divide(int32_t at, size_t begin, size_t end) {
        const Split& split = node(at).splits[0];
        Ways ways{pull_};
        std::vector<uint32_t> waiting;
        for (size_t i = begin; i < end; ++i) {
            const uint32_t row = row_of(sorted_.of(0)[i]);
            way_[row] = way_of(split, row);
            const double weight = outcome_.weight_of(row);
            pull_[row] = way_[row] == left ? weight : way_[row] == right ? -weight : 0.0;
            if (way_[row] == nowhere) waiting.push_back(row);
            else (way_[row] == left ? ways.left_weight : ways.right_weight) += weight;
        }
        if (options_.max_surrogates > 0) find_surrogates(at, ways, begin, end);
        if (options_.max_surrogates > 0 || !options_.rpart) {
            if (ways.left_weight > ways.right_weight) node(at).majority = left;
            else if (ways.left_weight < ways.right_weight) node(at).majority = right;
            else if (!options_.rpart) node(at).majority = left;
        }
        if (options_.use_surrogates > 0)
            for (const Split& surrogate : node(at).surrogates)
                std::erase_if(waiting, [&](uint32_t row) { return (way_[row] = way_of(surrogate, row)) != nowhere; });
        if (options_.use_surrogates == 2)
            for (uint32_t row : waiting) way_[row] = node(at).majority;
        return part_lists(begin, end);
    }
    void find_surrogates(int32_t at, const Ways& ways, size_t begin, size_t end) {
        const int32_t primary = node(at).splits[0].feature;
        for (size_t f = 0; f < table_.features.size(); ++f) {
            if (static_cast<int32_t>(f) == primary) continue;
            gather(f, begin, end);
            const Feature& feature = table_.features[f];
            Split split;
            split.feature = static_cast<int32_t>(f);
            const Agreement agreement = feature.categorical() ? groups_like(feature, ways, split) : cut_like(ways, split);
            consider(std::move(split), agreement, ways, surrogate_rules_, node(at).surrogates);
        }
    }
    Agreement groups_like(const Feature& feature, const Ways& ways, Split& split) const {
        const auto each = [&](auto&& use) {
            for (size_t i = 0; i < column_.size(); ++i) use(static_cast<size_t>(column_.x[i]), column_.row[i]);
        };
        return agreeing_groups(static_cast<size_t>(feature.n_categories), each, ways, options_.rpart, split.side);
    }
    Agreement cut_like(const Ways& ways, Split& split) const {
        size_t place = 0;
        const Agreement agreement = agreeing_cut(
            column_.size(), [&](size_t i) { return column_.row[i]; }, [&](size_t i) { return column_.x[i] != column_.x[i - 1]; }, ways, place, split.below);
        if (agreement.found) split.cut = (column_.x[place - 1] + column_.x[place]) / 2;
        return agreement;
    }
    std::pair<size_t, size_t> part_lists(size_t begin, size_t end) {
        size_t n_left = 0, n_right = 0;
        for (size_t i = begin; i < end; ++i) {
            const int8_t way = way_[row_of(sorted_.of(0)[i])];
            n_left += way == left;
            n_right += way == right;
        }
        for (size_t f = 0; f < table_.features.size(); ++f) {
            int32_t* order = sorted_.of(f);
            size_t to_left = begin, to_right = 0, to_rest = n_right;
            for (size_t i = begin; i < end; ++i) {
                const int8_t way = way_[row_of(order[i])];
                if (way == left) order[to_left++] = order[i];
                else spare_[way == right ? to_right++ : to_rest++] = order[i];
            }
            std::copy(spare_.begin(), spare_.begin() + static_cast<int64_t>(to_rest), order + to_left);
        }
        return {n_left, n_right};
    }

    Node& node(int32_t at) { return nodes_[static_cast<size_t>(at)]; }
    int32_t append(double complexity) {
        nodes_.emplace_back().complexity = complexity;
        return static_cast<int32_t>(nodes_.size() - 1);
    }

    const Table& table_;
    const Outcome& outcome_;
    Rule rule_;
    const Options& options_;
    SurrogateRules surrogate_rules_;
    Monitor& monitor_;
    SortedRows sorted_;
    std::vector<int32_t> spare_;
    std::vector<uint32_t> rows_;
    std::vector<int8_t> way_;
    std::vector<double> pull_;
    std::vector<Node> nodes_;
    Column column_;
    double largest_, alpha_ = 0;
    uint64_t work_ = 0;
    int thread_ = 0;
};

// ---- the tree as arrays ------------------------------------------------------------------------------------------

/// Writes splits in branch numbers: branch 0 is `x ≤ threshold`, or for categories the left side.
struct Writer {
    const Table& table;
    bool rpart;

    /// rpart's test is x < cut: the number before the cut is the largest that passes.
    double threshold(double cut) const { return rpart ? std::nextafter(cut, -infinity) : cut; }

    void append(SplitTable& to, const Split& split, int8_t first_side) const {
        to.feature.push_back(split.feature);
        to.score.push_back(split.improve);
        if (table.features[static_cast<size_t>(split.feature)].categorical()) {
            to.kind.push_back(static_cast<uint8_t>(SplitKind::table));
            to.threshold.push_back(0.0);
            for (size_t code = 0; code < split.side.size(); ++code) {
                if (split.side[code] == nowhere) continue;
                to.pool_index.push_back(static_cast<int32_t>(code));
                to.pool_value.push_back(split.side[code] == first_side ? 0.0 : 1.0);
            }
        } else if (split.below == first_side) {
            to.kind.push_back(static_cast<uint8_t>(SplitKind::threshold));
            to.threshold.push_back(threshold(split.cut));
        } else {  // a surrogate that runs the other way: −x ≤ −cut
            to.feature.back() = -1;
            to.kind.push_back(static_cast<uint8_t>(SplitKind::hyperplane));
            to.threshold.push_back(-split.cut);
            to.pool_index.push_back(split.feature);
            to.pool_value.push_back(-1.0);
        }
        to.pool_begin.push_back(static_cast<int64_t>(to.pool_index.size()));
    }
};

int32_t default_branch(const std::vector<Node>& nodes, const Node& node, const Options& options, int8_t first_side) {
    if (options.use_surrogates < 2) return stay_at_node;
    int8_t way = node.majority;
    if (options.rpart) {  // when predicting, rpart follows the child with more rows
        const size_t low = nodes[static_cast<size_t>(node.child[0])].count, high = nodes[static_cast<size_t>(node.child[1])].count;
        way = low == high ? nowhere : low > high ? left : right;
    }
    return way == nowhere ? stay_at_node : way == first_side ? 0 : 1;
}

Grown write_tree(const std::vector<Node>& nodes, const Table& table, const Options& options) {
    struct Place {
        int32_t node, parent;
    };
    Grown out;
    const size_t p = table.features.size();
    TreeArrays& tree = out.tree;
    const Writer writer{table, options.rpart};
    const auto first_side = [&](const Node& node) {
        const Split& split = node.splits[0];
        return table.features[static_cast<size_t>(split.feature)].categorical() ? left : split.below;
    };
    std::vector<Place> places{{0, -1}};
    std::vector<int32_t> stack{0};
    tree.first_child.assign(1, -1);
    while (!stack.empty()) {
        const int32_t id = stack.back();
        stack.pop_back();
        const Node& node = nodes[static_cast<size_t>(places[static_cast<size_t>(id)].node)];
        if (node.is_leaf()) continue;
        const auto first = static_cast<int32_t>(places.size());
        tree.first_child[static_cast<size_t>(id)] = first;
        const bool turned = first_side(node) == right;
        for (int b = 0; b < 2; ++b) {
            places.push_back({node.child[turned ? 1 - b : b], id});
            tree.first_child.push_back(-1);
        }
        stack.push_back(first + 1);
        stack.push_back(first);
    }
    for (const Place& place : places) {
        const Node& node = nodes[static_cast<size_t>(place.node)];
        const bool leaf = node.is_leaf();
        tree.parent.push_back(place.parent);
        tree.n_children.push_back(leaf ? 0 : 2);
        tree.count.push_back(static_cast<int64_t>(node.count));
        tree.weight.push_back(node.leaf.weight);
        tree.impurity.push_back(node.leaf.impurity);
        tree.risk.push_back(node.leaf.risk);
        tree.merit.push_back(leaf ? 0.0 : node.splits[0].improve);
        tree.value.insert(tree.value.end(), node.leaf.value.begin(), node.leaf.value.end());
        tree.default_branch.push_back(leaf ? -1 : default_branch(nodes, node, options, first_side(node)));
        out.complexity.push_back(node.complexity);
        out.credit.resize(out.credit.size() + p, 0.0);
        double* credit = out.credit.data() + out.credit.size() - p;
        if (!leaf) {
            const int8_t first = first_side(node);
            const double gain = node.splits[0].improve * (options.criterion == "squared_error" ? node.leaf.risk : 1.0);
            writer.append(tree.splits, node.splits[0], first);
            credit[node.splits[0].feature] = gain;
            for (const Split& surrogate : node.surrogates) {
                credit[surrogate.feature] = gain * surrogate.adjusted;
                if (options.use_surrogates == 0) continue;
                writer.append(tree.splits, surrogate, first);
            }
            for (size_t i = 1; i < node.splits.size(); ++i) {
                const Split& other = node.splits[i];
                writer.append(tree.competitors, other, table.features[static_cast<size_t>(other.feature)].categorical() ? left : other.below);
            }
        }
        tree.split_begin.push_back(static_cast<int64_t>(tree.splits.kind.size()));
        tree.competitor_begin.push_back(static_cast<int64_t>(tree.competitors.kind.size()));
    }
    return out;
}

// ---- by the rule of the criterion ----------------------------------------------------------------------------------

template <class Use>
auto with_rule(const Table& table, const Target& target, const Outcome& outcome, const Options& options, Use&& use) {
    if (target.n_classes > 0) {
        ClassTerms terms = class_terms(outcome, table.n_rows, options.priors, options.costs, static_cast<size_t>(target.n_classes));
        terms.every_grouping = options.rpart;
        if (options.criterion == "gini") return use(ClassRule<false>(outcome, terms));
        if (options.criterion == "entropy") return use(ClassRule<true>(outcome, terms));
    } else {
        if (options.criterion == "squared_error") return use(SquaresRule(outcome));
        if (options.criterion == "poisson") return use(PoissonRule(outcome, options.rpart ? 1.0 : 0.0));
    }
    throw std::invalid_argument("criterion '" + options.criterion + "' does not fit this target");
}

/// The sorted lists without the rows of one fold.
SortedRows without(const SortedRows& all, std::span<const int32_t> fold, int32_t left_out, size_t n_kept, size_t n_features) {
    SortedRows kept;
    kept.n_rows = n_kept;
    kept.order.resize(n_features * n_kept);
    for (size_t f = 0; f < n_features; ++f) {
        int32_t* to = kept.of(f);
        for (size_t i = 0; i < all.n_rows; ++i)
            if (fold[row_of(all.of(f)[i])] != left_out) *to++ = all.of(f)[i];
    }
    return kept;
}

/// One fold: the rows to grow on, the rows held out, and the prices of a split, which shrink with the weight of the former.
struct Fold {
    std::vector<uint32_t> kept, held;
    std::vector<double> prices;
    double alpha = 0;
};

std::vector<Fold> divide_rows(const Outcome& outcome, std::span<const double> prices, double alpha, std::span<const int32_t> fold) {
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
    const Outcome outcome{target.label, target.number, target.weight};
    std::vector<uint32_t> rows(table.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    monitor.total = static_cast<double>(table.n_rows);
    return with_rule(table, target, outcome, options, [&](auto&& rule) {
        Grower grower(table, outcome, rule, options, monitor);
        grower.grow(sorted_rows(table, options.threads), rows, -1, 0);
        Grown out = write_tree(grower.nodes(), table, options);
        out.largest_improve = grower.largest_improve();
        return out;
    });
}

Validation cross_validate(const Table& table, const Target& target, const Options& options, std::span<const double> prices,
                          double alpha, std::span<const int32_t> fold, Monitor& monitor) {
    const Outcome outcome{target.label, target.number, target.weight};
    const SortedRows all = sorted_rows(table, options.threads);
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
            grower.grow(without(all, fold, static_cast<int32_t>(f), folds[f].kept.size(), table.features.size()), folds[f].kept, folds[f].alpha, thread);
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
