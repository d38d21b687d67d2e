#include "partitions/growth.hpp"

#include "grow/driver.hpp"
#include "grow/feature_draw.hpp"
#include "grow/histogram/suspect_bins.hpp"
#include "grow/offers.hpp"

namespace treewright {

namespace {

const int32_t no_codes = 0;  // a categorical feature has a column, which nobody looks at here

Levels levels_of(const BinLayout& layout, size_t n_categories, const double* sums, double centre) {
    Levels levels;
    levels.width = layout.width;
    levels.centre = centre;
    levels.known = Totals(layout.width);
    levels.missing = layout.totals(sums + n_categories * layout.stride());
    for (size_t c = 0; c < n_categories; ++c) {
        const double* bin = sums + c * layout.stride();
        const Totals here = layout.totals(bin);
        if (here.count == 0) continue;
        if (!layout.classes) levels.squares += BinLayout::rows_apart(bin);
        levels.code.push_back(static_cast<int32_t>(c));
        levels.weight.push_back(here.weight);
        levels.count.push_back(here.count);
        levels.sums.insert(levels.sums.end(), here.sums.begin(), here.sums.end());
        levels.known.add(here);
    }
    return levels;
}

}  // namespace

/// Answers the driver from what passes have told.
class PartitionedGrowth::Engine {
public:
    struct Item : GrowingNode {
        int32_t number = 0;
        size_t count = 0;

        size_t size() const { return count; }
    };
    using SubtreeRows = int32_t;  // the number of the node

    explicit Engine(PartitionedGrowth& growth) : growth_(growth) {}
    Item root() const {
        Item root;
        root.seed = growth_.task_.root_seed;
        root.count = growth_.nodes_[0].totals.count;
        return root;
    }
    Description describe(Item& item) {
        Node& node = of(item);
        node.depth = item.depth;
        node.seed = item.seed;
        if (growth_.counts()) growth_.describe_counts(node);
        item.totals = node.totals;
        item.centre = node.description.centre;
        return node.description;
    }
    bool hands_over(const Item& item) const { return !of(item).known; }
    int32_t hand_over(Item& item) const { return item.number; }
    bool search(Item& item) {
        item.split = of(item).split;
        return item.split.found();
    }
    std::vector<BranchSums> branch_sums(const Item& item) const {
        std::vector<BranchSums> sums;
        for (const Totals& branch : of(item).branches) {
            BranchSums& one = sums.emplace_back();
            one.weight = branch.weight;
            one.classes = branch.sums;
        }
        return sums;
    }
    void partition(Item& item) {
        std::vector<double> size;
        for (const Totals& branch : of(item).branches) size.push_back(static_cast<double>(branch.count));
        const Missing policy = growth_.recipe_.policy(static_cast<size_t>(item.split.feature));
        choose_default_branch(policy, growth_.recipe_, size, item.split.default_branch);
        of(item).split.default_branch = item.split.default_branch;
    }
    void take_branches(const Item& item, std::vector<Item>& children) {
        if (of(item).first_child < 0) {
            of(item).first_child = static_cast<int32_t>(growth_.nodes_.size());
            for (size_t b = 0; b < children.size(); ++b) growth_.add_node(item.number, Totals(of(item).branches[b]));
        }
        for (size_t b = 0; b < children.size(); ++b) {
            children[b].number = of(item).first_child + static_cast<int32_t>(b);
            children[b].count = of(children[b]).totals.count;
        }
    }
    void finish(const Item& item, Candidate& split) const {
        const Node& node = of(item);
        if (split.kind != SplitKind::threshold) return;
        split.threshold = node.high == infinity ? infinity : cut_between(node.low, node.high, growth_.recipe_.short_cuts);
        if (!std::isnan(node.threshold)) split.threshold = node.threshold;
        if (const Ranking* ranking = growth_.task_.ranking(static_cast<size_t>(split.feature)))
            to_table(*ranking, item.size(), split, [](size_t) { return true; });
    }
    void pass_on(const Item&, const std::vector<Item>&) {}

private:
    Node& of(const Item& item) const { return growth_.nodes_[static_cast<size_t>(item.number)]; }

    PartitionedGrowth& growth_;
};

PartitionedGrowth::PartitionedGrowth(PartitionedTable&& table, const Recipe& recipe)
    : table_(std::move(table)),
      recipe_(recipe.normalised(table_.features.size())),
      task_{columns_, recipe_, table_.n_classes, nullptr, nullptr, 0, monitor_},
      layout_{table_.n_classes > 0, table_.unit, static_cast<size_t>(std::max(table_.n_classes, 1))},
      tree_(layout_.width) {
    if (const std::string choice = memory_only(recipe_); !choice.empty())
        throw std::invalid_argument(choice + " needs a table in memory");
    columns_.n_rows = table_.n_rows;
    columns_.features = table_.features;
    for (Feature& feature : columns_.features)
        if (feature.n_categories > 0) feature.codes = &no_codes;
    for (const auto& ranking : table_.rankings) rankings_.push_back(ranking.get());
    task_.rankings = &rankings_;
    task_.root_seed = Random(recipe_.random_state).next();
    use_criterion(task_);
    kernel_ = task_.make_kernel(task_, layout_.unit && !task_.formula->traits.log_table);
    Totals all(layout_.width);
    all.count = table_.n_rows;
    if (layout_.classes) all.sums = table_.class_rows;  // which are its weights if every row weighs one
    all.weight = static_cast<double>(table_.n_rows);
    if (table_.whole) {
        all.sums = table_.class_weights;
        all.weight = std::accumulate(all.sums.begin(), all.sums.end(), 0.0);
    }
    task_.total_weight = all.weight;
    add_node(-1, all);
}

/// Until it is described, a node stands as a leaf.
void PartitionedGrowth::add_node(int32_t parent, const Totals& totals) {
    Node& node = nodes_.emplace_back();
    node.parent = parent;
    node.totals = totals;
    node.description.count = totals.count;
    node.description.value.assign(layout_.width, 0.0);
}

void PartitionedGrowth::describe_counts(Node& node) {
    describe_classes(task_, node.totals, node.description);
    node.described = true;
}

const PartitionedGrowth::Unknown& PartitionedGrowth::unknown() {
    unknown_ = {};
    for (size_t i = 0; i < nodes_.size(); ++i)
        if (!nodes_[i].described) describe(static_cast<int32_t>(i));
    return unknown_;
}

void PartitionedGrowth::describe(int32_t number) {
    Node& node = nodes_[static_cast<size_t>(number)];
    const size_t n = node.totals.count;
    if (n == 0) {
        node.described = true;
    } else if (counts()) {
        describe_counts(node);
    } else if (!node.range) {
        unknown_.ranges.push_back(number);
    } else if (layout_.classes) {
        if (node.range->heaviest > 0) return unknown_.sums.push_back({number, 0, n, node.range->heaviest, 0});
        std::fill(node.totals.sums.begin(), node.totals.sums.end(), 0.0);
        node.totals.weight = 0;
        describe_counts(node);
    } else {
        const RowsElsewhere rows(n, !layout_.unit, *node.range, node.sums);
        SquaredError::describe_rows(rows, node.description);
        node.described = rows.unknown().empty();
        for (SumRequest request : rows.unknown()) {
            request.node = number;
            unknown_.sums.push_back(request);
        }
        node.totals.weight = node.description.weight;
        if (node.described && number == 0) task_.total_weight = node.description.weight;
        if (!node.described) node.description.pure = true;
    }
}

void PartitionedGrowth::answer(const double* ranges, const uint64_t* sums) {
    for (size_t i = 0; i < unknown_.ranges.size(); ++i, ranges += 3)
        nodes_[static_cast<size_t>(unknown_.ranges[i])].range = NumberRange{ranges[0], ranges[1], ranges[2]};
    for (const SumRequest& request : unknown_.sums) {
        if (layout_.classes) set_class_weights(request.node, request, sums);
        else nodes_[static_cast<size_t>(request.node)].sums.push_back(request.grid().total(request.n, {sums[0], sums[1]}));
        sums += 3 * layout_.width;
    }
}

/// As `orderless_class_weights` has them.
void PartitionedGrowth::set_class_weights(int32_t number, const SumRequest& request, const uint64_t* sums) {
    Node& node = nodes_[static_cast<size_t>(number)];
    GridSum all;
    for (size_t k = 0; k < layout_.width; ++k, sums += 3) {
        node.totals.sums[k] = request.grid().total(sums[2], {sums[0], sums[1]});
        all.add({sums[0], sums[1]});
    }
    node.totals.weight = std::accumulate(node.totals.sums.begin(), node.totals.sums.end(), 0.0);
    if (number == 0) task_.total_weight = request.grid().total(request.n, all);
    describe_counts(node);
}

std::vector<double> PartitionedGrowth::centres() const {
    std::vector<double> centres;
    for (const Node& node : nodes_) centres.push_back(node.description.centre);
    return centres;
}

PartitionedGrowth::~PartitionedGrowth() = default;

std::vector<PartitionedGrowth::Waiting> PartitionedGrowth::grow() {
    tree_ = Builder(layout_.width);
    Engine engine(*this);
    const auto subtrees = Driver(task_, engine, tree_).grow(engine.root());
    std::vector<int32_t> place(tree_.nodes.size()), stack{0};
    for (int32_t next = 0; !stack.empty(); ++next) {
        const NodeRecord& record = tree_.nodes[static_cast<size_t>(stack.back())];
        place[static_cast<size_t>(stack.back())] = next;
        stack.pop_back();
        for (int32_t b = record.n_children; b-- > 0;) stack.push_back(record.first_child + b);
    }
    std::vector<Waiting> waiting;
    for (const auto& subtree : subtrees) {
        const Node& node = nodes_[static_cast<size_t>(subtree.rows)];
        waiting.push_back({subtree.rows, subtree.depth, subtree.seed, node.totals.count, node.parent,
                           place[static_cast<size_t>(subtree.node)]});
    }
    return waiting;
}

std::vector<Suspect> PartitionedGrowth::search(int32_t number, const double* bins, const std::vector<const double*>& categories) {
    Node& node = nodes_[static_cast<size_t>(number)];
    node.search = std::make_unique<Search>();
    const size_t stride = layout_.stride(), n_numeric = table_.met.size() / 65536;
    for (size_t c = 0; c < n_numeric; ++c) {
        Bins& of_column = node.search->bins.emplace_back();
        const double* from = bins + c * 256 * stride;
        of_column.missing = layout_.totals(from + missing_bin * stride);
        of_column.missing_sums.assign(from + missing_bin * stride, from + (missing_bin + 1) * stride);
        for (int32_t b = 0; b < missing_bin; ++b) {
            const double* sums = from + static_cast<size_t>(b) * stride;
            if (layout_.count(sums) == 0) continue;
            of_column.bin.push_back({b * 256, false, false, infinity});
            of_column.sums.insert(of_column.sums.end(), sums, sums + stride);
        }
    }
    size_t c = 0;
    for (const Feature& feature : columns_.features)
        if (feature.categorical())
            node.search->levels.push_back(
                levels_of(layout_, static_cast<size_t>(feature.n_categories), categories[c++], node.description.centre));
    if (!layout_.classes) node.totals.sums[0] = sum_of_targets(*node.search);
    return look(number);
}

/// Of all rows of a node, less its centre: any feature has them all.
double PartitionedGrowth::sum_of_targets(const Search& search) const {
    if (search.bins.empty()) return search.levels[0].known.sums[0] + search.levels[0].missing.sums[0];
    Totals all = search.bins[0].missing;
    for (size_t b = 0; b < search.bins[0].bin.size(); ++b) layout_.add(search.bins[0].sums.data() + b * layout_.stride(), all);
    return all.sums[0];
}

std::vector<Suspect> PartitionedGrowth::refine(int32_t number, std::span<const Refined> refined) {
    Node& node = nodes_[static_cast<size_t>(number)];
    const size_t stride = layout_.stride();
    for (size_t c = 0; c < node.search->bins.size(); ++c) {
        Bins& of_column = node.search->bins[c];
        Bins finer;
        for (size_t b = 0; b < of_column.bin.size(); ++b) {
            const Bins::Bin& bin = of_column.bin[b];
            const double* sums = of_column.sums.data() + b * stride;
            const auto found = std::find_if(refined.begin(), refined.end(), [&](const Refined& one) {
                return one.suspect.column == static_cast<int32_t>(c) && one.suspect.code == bin.code &&
                       one.suspect.one_code == bin.one_code && !bin.one_value;
            });
            const auto put = [&](const Bins::Bin& part, const double* of_part) {
                if (layout_.count(of_part) == 0) return;
                finer.bin.push_back(part);
                finer.sums.insert(finer.sums.end(), of_part, of_part + stride);
            };
            if (found == refined.end()) put(bin, sums);
            else if (!bin.one_code)
                for (int32_t code = 0; code < 256; ++code)
                    put({bin.code + code, true, false, infinity}, found->bins + static_cast<size_t>(code) * stride);
            else
                for (size_t v = 0; v < found->values.size(); ++v)
                    put({bin.code, true, true, found->values[v]}, found->bins + v * stride);
        }
        of_column.bin.swap(finer.bin);
        of_column.sums.swap(finer.sums);
    }
    return look(number);
}

BinnedFeature PartitionedGrowth::binned(const Node& node, const Bins& bins) const {
    BinnedFeature feature{layout_, bins.sums.data(), node.totals, bins.missing};
    feature.n_bins = bins.bin.size();
    feature.some_missing = feature.both_sides = bins.missing.count > 0;
    return feature;
}

bool PartitionedGrowth::several_behind(size_t column, const Bins::Bin& bin) const {
    const Values* met = table_.met.data() + column * 65536 + bin.code;
    if (bin.one_value) return false;
    if (bin.one_code) return *met == Values::several;
    size_t codes = 0;
    for (size_t code = 0; code < 256; ++code) {
        codes += met[code] != Values::none;
        if (codes > 1 || met[code] == Values::several) return true;
    }
    return false;
}

/// Every cut between bins; then the bins that may hold a better one. When there are none, the best is the best of all.
std::vector<Suspect> PartitionedGrowth::look(int32_t number) {
    if (recipe_.random_cuts) return look_at_drawn(number);
    Node& node = nodes_[static_cast<size_t>(number)];
    const Description& description = node.description;
    LocalRows no_rows;
    no_rows.centre = description.centre;
    const double tolerance = task_.formula->tolerance(node.totals, description.impurity);
    const NodeView view{no_rows, node.totals, description.impurity, tolerance};
    const size_t p = columns_.features.size();
    std::vector<Best<BinCut>> cuts(p);
    std::vector<Candidate> tables(p);
    std::vector<double> merits(p, -infinity);
    double best = -infinity;
    std::vector<Suspect> suspects;
    Random random(node.seed);
    const std::vector<int32_t> features = features_in_order(number, random, suspects);
    if (!suspects.empty()) return suspects;
    for (const int32_t feature : features) {
        const auto f = static_cast<size_t>(feature);
        const int32_t column = table_.column[f];
        double most = -infinity;
        if (column < 0) {
            const Levels& levels = node.search->levels[static_cast<size_t>(-1 - column)];
            if (levels.size() + (levels.missing.count > 0) < 2) continue;
            tables[f] = kernel_->best_grouping(view, columns_, static_cast<int32_t>(f), levels, Bounds{});
            most = merits[f] = tables[f].merit;
        } else if (recipe_.threshold) {
            const Bins& bins = node.search->bins[static_cast<size_t>(column)];
            if (bins.bin.empty()) continue;
            kernel_->score_edges(view, binned(node, bins), cuts[f]);
            merits[f] = cuts[f].merit();
            most = cuts[f].most();
        }
        best = std::max(best, recipe_.merit_per_cost(most, static_cast<int32_t>(f)));
    }
    std::vector<double> bound;
    for (const int32_t drawn : features) {
        const auto f = static_cast<size_t>(drawn);
        const int32_t column = table_.column[f];
        if (column < 0 || !recipe_.threshold) continue;
        const Bins& bins = node.search->bins[static_cast<size_t>(column)];
        if (bins.bin.empty()) continue;
        const BinnedFeature feature = binned(node, bins);
        const double least = least_useful(recipe_, f, best, tolerance);
        std::vector<bool> suspect(bins.bin.size());
        bound.resize(bins.bin.size());
        feature.each_side([&](bool missing_left) {
            kernel_->bound_bins(view, feature, missing_left, least, bound);
            for (size_t b = 0; b < bins.bin.size(); ++b)
                if (feature.layout.count(feature.bin(b)) > 1 && several_behind(static_cast<size_t>(column), bins.bin[b]) &&
                    safe_bound(task_, view, feature, bound[b]) >= least)
                    suspect[b] = true;
        });
        for (size_t b = 0; b < bins.bin.size(); ++b)
            if (suspect[b]) suspects.push_back({number, column, bins.bin[b].code, bins.bin[b].one_code});
    }
    if (suspects.empty()) choose(node, features, merits, cuts, tables);
    return suspects;
}

std::vector<int32_t> PartitionedGrowth::features_in_order(int32_t number, Random& random, std::vector<Suspect>& suspects) const {
    const Node& node = nodes_[static_cast<size_t>(number)];
    FeatureDraw draw(columns_.features.size());
    if (!draw.chooses(recipe_)) return order_of_features(recipe_, columns_.features.size(), node.seed);
    return draw.choose(recipe_, random, [&](int32_t feature) {
        const int32_t column = table_.column[static_cast<size_t>(feature)];
        if (column < 0) {
            const Levels& levels = node.search->levels[static_cast<size_t>(-1 - column)];
            return levels.size() + (levels.missing.count > 0) > 1;
        }
        const Bins& bins = node.search->bins[static_cast<size_t>(column)];
        if (bins.bin.size() + (bins.missing.count > 0) > 1) return true;
        if (bins.bin.size() == 1 && several_behind(static_cast<size_t>(column), bins.bin[0]))
            suspects.push_back({number, column, bins.bin[0].code, bins.bin[0].one_code});
        return false;
    });
}

std::vector<Suspect> PartitionedGrowth::look_at_drawn(int32_t number) {
    Node& node = nodes_[static_cast<size_t>(number)];
    const Description& description = node.description;
    LocalRows no_rows;
    no_rows.centre = description.centre;
    const NodeView view{no_rows, node.totals, description.impurity, task_.formula->tolerance(node.totals, description.impurity)};
    std::vector<Suspect> suspects;
    Random random(node.seed);
    const std::vector<int32_t> features = features_in_order(number, random, suspects);
    const size_t p = columns_.features.size();
    std::vector<std::optional<Drawn>> drawn(p);
    for (size_t i = 0; i < features.size() && suspects.empty(); ++i)  // all draws come one after the other
        if (const int32_t column = table_.column[static_cast<size_t>(features[i])]; column >= 0)
            drawn[static_cast<size_t>(features[i])] = draw(number, column, random, suspects);
    if (!suspects.empty()) return suspects;
    std::vector<double> merits(p, -infinity);
    std::vector<Candidate> tables(p);
    for (const int32_t feature : features) {
        const auto f = static_cast<size_t>(feature);
        if (table_.column[f] < 0) {
            const Levels& levels = node.search->levels[static_cast<size_t>(-1 - table_.column[f])];
            if (levels.size() + (levels.missing.count > 0) < 2) continue;
            tables[f] = kernel_->best_grouping(view, columns_, feature, levels, Bounds{});
            merits[f] = tables[f].merit;
        } else if (drawn[f]) {
            BinnedFeature sides{layout_, drawn[f]->sides.data(), node.totals, Totals(layout_.width)};
            sides.n_bins = 2;
            Best<BinCut> cut;
            kernel_->score_edges(view, sides, cut);
            merits[f] = cut.merit();
        }
    }
    const std::optional<size_t> best = best_feature(recipe_, features, merits, view.tolerance);
    node.known = true;
    if (best) {
        node.split.merit = merits[*best];
        if (table_.column[*best] < 0) take_table(node, *best, std::move(tables[*best]));
        else take_drawn(node, *best, *drawn[*best]);
    }
    node.search.reset();
    return suspects;
}

std::optional<PartitionedGrowth::Drawn> PartitionedGrowth::draw(int32_t number, int32_t column, Random& random,
                                                                std::vector<Suspect>& suspects) const {
    const Bins& bins = nodes_[static_cast<size_t>(number)].search->bins[static_cast<size_t>(column)];
    const bool some_missing = bins.missing.count > 0;
    const auto suspect = [&](const Bins::Bin& bin) { suspects.push_back({number, column, bin.code, bin.one_code}); };
    if (bins.bin.empty()) return std::nullopt;
    if (!bins.bin.front().one_value) suspect(bins.bin.front());
    if (!bins.bin.back().one_value && bins.bin.size() > 1) suspect(bins.bin.back());
    if (!suspects.empty()) return std::nullopt;
    const double low = bins.bin.front().value, high = bins.bin.back().value;
    if (low == high && !some_missing) return std::nullopt;
    Drawn drawn{draw_cut(low, high, some_missing, random), std::vector<double>(2 * layout_.stride())};
    const int32_t code = code_of_number(table_.values[static_cast<size_t>(column)], drawn.cut.threshold);
    const auto add = [&](const double* sums, bool left) {
        for (size_t s = 0; s < layout_.stride(); ++s) drawn.sides[(left ? 0 : layout_.stride()) + s] += sums[s];
    };
    for (size_t b = 0; b < bins.bin.size(); ++b) {
        const Bins::Bin& bin = bins.bin[b];
        const int32_t first = bin.code, last = bin.one_code ? bin.code : bin.code + 255;
        if (!bin.one_value && first <= code && code <= last && drawn.cut.threshold < infinity) suspect(bin);
        const bool left = bin.one_value ? bin.value <= drawn.cut.threshold : last < code || drawn.cut.threshold == infinity;
        add(bins.sums.data() + b * layout_.stride(), left);
    }
    add(bins.missing_sums.data(), drawn.cut.missing_left);
    return drawn;
}

void PartitionedGrowth::take_drawn(Node& node, size_t feature, const Drawn& drawn) const {
    const auto column = static_cast<size_t>(table_.column[feature]);
    node.split.feature = static_cast<int32_t>(feature);
    if (node.search->bins[column].missing.count > 0) node.split.default_branch = drawn.cut.missing_left ? 0 : 1;
    node.cut = code_of_number(table_.values[column], drawn.cut.threshold);
    node.value = node.threshold = drawn.cut.threshold;
    node.branches = {layout_.totals(drawn.sides.data()), layout_.totals(drawn.sides.data() + layout_.stride())};
}

/// Of all features the best, and of equals the first; as the histogram finder does.
void PartitionedGrowth::choose(Node& node, const std::vector<int32_t>& features, const std::vector<double>& merits,
                               const std::vector<Best<BinCut>>& cuts, std::vector<Candidate>& tables) const {
    const std::optional<size_t> feature =
        best_feature(recipe_, features, merits, task_.formula->tolerance(node.totals, node.description.impurity));
    node.known = true;
    if (feature) {
        node.split.merit = merits[*feature];
        if (table_.column[*feature] < 0) take_table(node, *feature, std::move(tables[*feature]));
        else take_cut(node, *feature, cuts[*feature].get());
    }
    node.search.reset();
}

void PartitionedGrowth::take_cut(Node& node, size_t feature, const BinCut& cut) const {
    const Bins& bins = node.search->bins[static_cast<size_t>(table_.column[feature])];
    const auto last_left = static_cast<size_t>(cut.bin);
    node.split.feature = static_cast<int32_t>(feature);
    if (bins.missing.count > 0) node.split.default_branch = cut.missing_left ? 0 : 1;
    const Bins::Bin& bin = bins.bin[last_left];
    node.cut = bin.one_code ? bin.code : bin.code + 255;
    node.value = bin.value;
    node.branches.assign(2, Totals(layout_.width));
    for (size_t b = 0; b < bins.bin.size(); ++b)
        layout_.add(bins.sums.data() + b * layout_.stride(), node.branches[b <= last_left ? 0 : 1]);
    node.branches[cut.missing_left ? 0 : 1].add(bins.missing);
}

void PartitionedGrowth::take_table(Node& node, size_t feature, Candidate&& table) const {
    const Levels& levels = node.search->levels[static_cast<size_t>(-1 - table_.column[feature])];
    node.split = std::move(table);
    node.branches.assign(static_cast<size_t>(node.split.n_branches), Totals(layout_.width));
    for (size_t level = 0; level < levels.size(); ++level)
        levels.add_to(node.branches[static_cast<size_t>(node.split.branch_of(levels.code[level]))], level);
    if (levels.missing.count > 0) node.branches[static_cast<size_t>(node.split.default_branch)].add(levels.missing);
}

PartitionedGrowth::Splits PartitionedGrowth::splits() const {
    Splits splits;
    const size_t n = nodes_.size();
    splits.column.assign(n, 0);
    splits.cut.assign(n, 0);
    splits.first_child.assign(n, -1);
    splits.default_branch.assign(n, -1);
    splits.value.assign(n, infinity);
    splits.lookup_begin.push_back(0);
    for (size_t i = 0; i < n; ++i) {
        const Node& node = nodes_[i];
        if (node.first_child >= 0 && !node.routed) {
            const auto feature = static_cast<size_t>(node.split.feature);
            splits.column[i] = table_.column[feature];
            splits.first_child[i] = node.first_child;
            splits.cut[i] = node.cut;
            splits.value[i] = node.value;
            splits.default_branch[i] = node.split.default_branch;
            if (table_.column[feature] < 0)
                for (int32_t code = 0; code < columns_.features[feature].n_categories; ++code)
                    splits.lookup.push_back(node.split.branch_of(code));
        }
        splits.lookup_begin.push_back(static_cast<int64_t>(splits.lookup.size()));
    }
    return splits;
}

void PartitionedGrowth::set_neighbours(std::span<const double> low, std::span<const double> high) {
    for (size_t i = 0; i < low.size(); ++i) {
        Node& node = nodes_[i];
        if (node.first_child < 0 || node.routed) continue;
        node.routed = true;
        node.low = low[i];
        node.high = high[i];
    }
}

TreeArrays PartitionedGrowth::tree() const { return assemble(tree_, {}); }

std::string memory_only(const Recipe& recipe) {
#define TREEWRIGHT_ASK(type, name, standard) \
    if (const type usual = standard; !offers::partitions.holds({Choice::name}) && !(recipe.name == usual)) return #name;
    TREEWRIGHT_CHOICES(TREEWRIGHT_ASK)
#undef TREEWRIGHT_ASK
    if (recipe.ties == Ties::last) return "ties='last'";
    const bool bounded = Criteria::with(
        recipe.criterion, []<class C>() { return C::traits.bounded && (C::classification || std::same_as<C, SquaredError>); });
    return bounded ? "" : "criterion='" + recipe.criterion + "'";
}

}  // namespace treewright
