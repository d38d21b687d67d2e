// Growing a forest: rows are drawn for each tree, trees grow side by side, and a tree's seed alone decides what it is.
#include "forest/forest.hpp"

#include <memory>
#include <mutex>
#include <optional>

#include "grow/driver.hpp"
#include "grow/offers.hpp"
#include "base/orderless_sum.hpp"
#include "base/parallel.hpp"
#include "base/sparse.hpp"
#include "grow/by_sorting/finder.hpp"
#include "grow/kernel.hpp"

namespace treewright {

namespace {

/// The rows one tree grows on, and what each weighs.
struct Sample {
    std::vector<uint32_t> times, rows;
    std::vector<double> weight;  // by row of the table; empty = every row weighs one
    double total = 0;

    void draw(const Sampler& sampler, const Draws& draws, const Target& target, uint64_t seed, const Sampler::Listener& listen) {
        sampler.draw(seed, draws.n_draws, times, listen);
        rows.clear();
        for (size_t i = 0; i < times.size(); ++i)
            if (times[i]) rows.push_back(static_cast<uint32_t>(i));
        weight.clear();
        if (draws.n_draws) weight.assign(times.begin(), times.end());
        else if (target.weight) weight.assign(target.weight, target.weight + times.size());
        if (draws.n_draws && draws.balanced) balance(target, draws.n_draws);
        total = static_cast<double>(draws.n_draws && !draws.balanced ? draws.n_draws : rows.size());
        if (weight.empty() || (draws.n_draws && !draws.balanced)) return;
        std::vector<double> drawn;
        for (uint32_t row : rows) drawn.push_back(weight[row]);
        total = orderless_weight(drawn);
    }

private:
    /// Give every class that was drawn the same weight; factors of several targets are multiplied.
    void balance(const Target& target, size_t n_draws) {
        for (size_t o = 0; o < target.n_outputs; ++o) {
            const auto class_of = [&](uint32_t row) { return static_cast<size_t>(target.label[row * target.n_outputs + o]); };
            std::vector<double> drawn(target.n_outputs * static_cast<size_t>(target.n_classes), 0.0);
            for (uint32_t row : rows) drawn[class_of(row)] += times[row];
            const auto present = static_cast<double>(std::count_if(drawn.begin(), drawn.end(), [](double n) { return n > 0; }));
            for (uint32_t row : rows) weight[row] *= static_cast<double>(n_draws) / (present * drawn[class_of(row)]);
        }
    }
};

/// The drawn rows as a table of their own, for the engines that grow on all rows of one.
class DrawnTable {
public:
    DrawnTable() = default;
    DrawnTable(const DrawnTable&) = delete;  // it points into itself
    DrawnTable& operator=(const DrawnTable&) = delete;

    void fill(const Table& table, const Target& target, const Sample& sample) {
        const std::vector<uint32_t>& rows = sample.rows;
        const auto gather = [&](const auto* from, auto& to, size_t width = 1) {
            const size_t at = to.size();
            to.resize(at + rows.size() * width);
            for (size_t i = 0; i < rows.size(); ++i) std::copy_n(from + rows[i] * width, width, to.data() + at + i * width);
        };
        numbers_.clear();
        codes_.clear();
        label_.clear();
        number_.clear();
        weight_.clear();
        table_ = table;
        table_.n_rows = rows.size();
        if (table.sparse) {
            take_stored(*table.sparse, table.n_rows, rows);
        } else {
            for (const Feature& feature : table.features) {
                if (feature.categorical()) gather(feature.codes, codes_);
                else gather(feature.numbers, numbers_);
            }
            size_t n_numbers = 0, n_codes = 0;
            for (Feature& feature : table_.features) {
                if (feature.categorical()) feature.codes = codes_.data() + rows.size() * n_codes++;
                else feature.numbers = numbers_.data() + rows.size() * n_numbers++;
            }
        }
        target_ = target;
        if (target.n_classes) gather(target.label, label_, target.n_outputs);
        else gather(target.number, number_, target.n_outputs);
        target_.label = label_.data();
        target_.number = number_.data();
        if (!sample.weight.empty()) gather(sample.weight.data(), weight_);
        target_.weight = weight_.empty() ? nullptr : weight_.data();
    }
    const Table& table() const { return table_; }
    const Target& target() const { return target_; }

private:
    void take_stored(const SparseColumns& columns, size_t n_rows, const std::vector<uint32_t>& rows) {
        if (rows.size() == n_rows) return;  // all of them: the table as it is
        std::vector<int32_t> place(n_rows, -1);
        for (size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<int32_t>(i);
        take_rows(columns, place, stored_);
        sparse_ = stored_.view();
        table_.sparse = &sparse_;
    }

    Table table_;
    StoredColumns stored_;
    SparseColumns sparse_;
    Target target_;
    std::vector<double> numbers_, number_, weight_;
    std::vector<int32_t> codes_, label_;
};

/// Whether nodes are grown by sorting the features they draw, rather than on presorted lists of all of them.
bool use_sorting(const GrowTask& task) {
    const Recipe& r = task.recipe;
    if (task.table.sparse) return false;
    const bool few = r.random_cuts || (r.max_features > 0 && 2 * r.max_features <= static_cast<int64_t>(task.n_features()));
    return sorts_by(r.criterion) && few && r.ties != Ties::last && offers::by_sorting.holds(r.demands());
}

/// What every tree of a forest shares.
struct ForestTask {
    const Table& table;
    const Target& target;
    const Recipe& recipe;
    const Draws& draws;
    std::span<const int32_t> position, n_categories;
    Monitor& monitor;
    Sampler sampler;

    size_t n_trees() const { return draws.seeds.size(); }
    double least_weight_of_leaf(const Sample& sample) const {
        return draws.min_weight_fraction ? *draws.min_weight_fraction * sample.total : recipe.min_weight_leaf;
    }
    /// A forest of no trees yet, with the precision its weights need.
    Forest blank() const {
        Forest forest;
        forest.width = target.n_outputs * static_cast<size_t>(std::max(target.n_classes, 1));
        const bool whole = (draws.n_draws ? !draws.balanced : !target.weight) && recipe.class_factor.empty();
        const bool narrow = whole && std::max(draws.n_draws, table.n_rows) < (size_t{1} << 24);
        forest.value.narrow = narrow && target.n_classes > 0;
        forest.weight.narrow = narrow;
        return forest;
    }
};

/// Sets trees one behind the other, in their order, as they are done: what they took to grow serves the next ones. A forest is
/// never held twice.
class TreesInOrder {
public:
    TreesInOrder(Forest& out, size_t n_trees, bool classes) : out_(out), waiting_(n_trees), classes_(classes) {}

    void add(size_t number, Forest&& tree) {
        const std::lock_guard lock(busy_);
        waiting_[number] = std::move(tree);
        for (; next_ < waiting_.size() && waiting_[next_]; waiting_[next_++].reset()) {
            const size_t nodes = waiting_[next_]->node.size();
            if (next_ == 0) out_.reserve((nodes + nodes / 16) * waiting_.size(), classes_);  // others are about as large
            out_.append(*waiting_[next_]);
        }
    }

private:
    Forest& out_;
    std::vector<std::optional<Forest>> waiting_;  // for those before them
    bool classes_;
    size_t next_ = 0;
    std::mutex busy_;
};

Forest grow_sorted(const ForestTask& shared, GrowTask task) {
    struct Worker {
        Recipe recipe;  // with the least weight of a leaf in the tree in hand
        GrowTask task;
        ForestWriter writer;
        SortingFinder finder;
        Sample sample;

        Worker(const ForestTask& shared, const GrowTask& all, const SortedColumns& columns, bool unit)
            : recipe(shared.recipe),
              task(all.with(recipe)),
              writer(task, shared.position, shared.n_categories),
              finder(task, columns, unit, writer) {}

        void grow(const ForestTask& shared, uint64_t seed, int thread, Forest& out) {
            sample.draw(shared.sampler, shared.draws, shared.target, seed, [&] { shared.monitor.poll(thread); });
            task.total_weight = sample.total;
            recipe.min_weight_leaf = shared.least_weight_of_leaf(sample);
            writer.start(out);
            Driver(task, finder, writer, thread).grow(finder.root(sample.rows, sample.weight, Random(seed).next()));
            writer.finish();
            shared.monitor.rows_done += shared.table.n_rows - sample.rows.size();
        }
    };
    const int threads = shared.recipe.threads;
    const SortedColumns columns(task);
    const bool unit = shared.draws.n_draws == 0 && !shared.target.weight;
    use_criterion(task);
    const LogTable logs(task.formula->traits.log_table && unit ? task.table.n_rows : 0);
    task.n_log_n = logs.data();
    std::vector<std::unique_ptr<Worker>> workers(static_cast<size_t>(std::max(threads, 1)));
    Forest forest = shared.blank();
    TreesInOrder trees(forest, shared.n_trees(), task.n_classes > 0);
    parallel_for(shared.n_trees(), threads, [&](size_t t, int thread) {
        auto& worker = workers[static_cast<size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker>(shared, task, columns, unit);
        shared.monitor.poll(thread);
        Forest grown = shared.blank();
        worker->grow(shared, shared.draws.seeds[t], thread, grown);
        trees.add(t, std::move(grown));
    });
    return forest;
}

/// Every tree by the engine that `grow` would choose for it.
GrownForest grow_each(const ForestTask& shared) {
    const size_t n = shared.n_trees();
    const int threads = std::max(shared.recipe.threads, 1);
    std::vector<TreeArrays> trees(n);
    std::vector<DrawnTable> drawn(static_cast<size_t>(threads));
    std::vector<Sample> samples(static_cast<size_t>(threads));
    parallel_for(n, threads, [&](size_t t, int thread) {
        Sample& sample = samples[static_cast<size_t>(thread)];
        sample.draw(shared.sampler, shared.draws, shared.target, shared.draws.seeds[t], [&] { shared.monitor.poll(thread); });
        DrawnTable& rows = drawn[static_cast<size_t>(thread)];
        rows.fill(shared.table, shared.target, sample);
        Recipe recipe = shared.recipe;
        recipe.random_state = shared.draws.seeds[t];
        recipe.min_weight_leaf = shared.least_weight_of_leaf(sample);
        recipe.threads = std::max(1, threads / static_cast<int>(std::min(n, static_cast<size_t>(threads))));
        Monitor inner;
        inner.check = [&](double) {
            shared.monitor.poll(thread);
            return true;
        };
        trees[t] = grow(rows.table(), rows.target(), recipe, inner);
        shared.monitor.rows_done += shared.table.n_rows;
    });
    GrownForest grown{shared.blank(), {}};
    const bool classes = shared.target.n_classes > 0;
    for (const TreeArrays& tree : trees)
        if (!pack_into(tree, grown.forest.width, classes, shared.position, shared.n_categories, grown.forest))
            return {shared.blank(), std::move(trees)};
    return grown;
}

}  // namespace

GrownForest grow_forest(const Table& table, const Target& target, const Recipe& given, const Draws& draws,
                        std::span<const int32_t> position, std::span<const int32_t> n_categories, Monitor& monitor) {
    const Recipe recipe = given.normalised(table.features.size());
    const ForestTask shared{table,    target,       recipe,  draws,
                            position, n_categories, monitor, Sampler(table.n_rows, draws.chance, draws.splitmix)};
    monitor.total = static_cast<double>(table.n_rows) * static_cast<double>(std::max<size_t>(shared.n_trees(), 1));
    const GrowTask task{table, recipe, target.n_classes, target.label, target.number, 0, monitor};
    if (!use_sorting(task)) return grow_each(shared);
    return {grow_sorted(shared, task), {}};
}

std::optional<TreeArrays> grow_drawn_cuts(const Table& table, const Target& target, const Recipe& given, Monitor& monitor) {
    const Recipe recipe = given.normalised(table.features.size());
    const GrowTask task{table, recipe, target.n_classes, target.label, target.number, 0, monitor};
    if (!recipe.random_cuts || !use_sorting(task)) return std::nullopt;
    std::vector<int32_t> position, n_categories;
    int32_t n_numbers = 0, n_codes = 0;
    for (const Feature& feature : table.features) {
        position.push_back(feature.categorical() ? n_codes++ : n_numbers++);
        n_categories.push_back(feature.n_categories);
    }
    Draws draws;
    draws.seeds = {recipe.random_state};
    const Forest forest = grow_forest(table, target, recipe, draws, position, n_categories, monitor).forest;
    return unpack(forest.view(target.n_classes), 0, recipe.criterion, position, n_categories);
}

}  // namespace treewright
