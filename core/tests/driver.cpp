// The whole core without Python, for sanitizers: every grower on one table, stopped at every place where it listens and out of
// memory at every allocation. An exception comes out each time, nothing leaks, and the next tree is the one that was grown
// before.
//   core_driver [threads [rows]]
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <new>
#include <random>

#include "base/sparse.hpp"
#include "forest/forest.hpp"
#include "linear/equations.hpp"
#include "optimal/optimal.hpp"
#include "predict/forest/sparse_vote.hpp"
#include "programs/c45/c45.hpp"
#include "programs/cart/cart.hpp"

namespace {

std::atomic<int64_t> allocations{0}, last_allocation{std::numeric_limits<int64_t>::max()};

void* allocate(size_t size) {
    if (++allocations > last_allocation) throw std::bad_alloc();
    if (void* memory = std::malloc(size ? size : 1)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) { return allocate(size); }
void* operator new[](size_t size) { return allocate(size); }
// Without it those of `std::stable_sort` would be the library's, which are not `malloc`'s under sanitizers.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    try {
        return allocate(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace treewright {

namespace {

/// A table of numbers, some of them missing, and of categories, with both kinds of target.
struct Rows {
    std::vector<std::vector<double>> numbers;
    std::vector<std::vector<int32_t>> codes;
    std::vector<int32_t> label;
    std::vector<double> number;
    std::vector<int32_t> labels;  // of two targets
    std::vector<double> pairs;
    std::vector<std::vector<double>> full;  // numbers without gaps
    std::vector<int64_t> few_rows;          // a sparse matrix by rows
    std::vector<int32_t> few_columns;
    std::vector<double> few;
    Table table;

    explicit Rows(size_t n) : numbers(4, std::vector<double>(n)), codes(2, std::vector<int32_t>(n)), label(n), number(n) {
        std::mt19937_64 random(1);
        for (size_t i = 0; i < n; ++i) {
            for (auto& column : numbers) column[i] = random() % 9 ? static_cast<double>(random() % 1000) / 8 : std::nan("");
            for (auto& column : codes) column[i] = static_cast<int32_t>(random() % 6) - 1;
            const double x = numbers[0][i] > 60 ? 1 : 0;
            label[i] = static_cast<int32_t>((x + static_cast<double>(codes[0][i] > 2) + static_cast<double>(random() % 4 == 0)));
            number[i] = 2 * x + static_cast<double>(random() % 100) / 50;
        }
        for (size_t i = 0; i < n; ++i) {
            labels.insert(labels.end(), {label[i], 4 + label[(i + n / 2) % n]});
            pairs.insert(pairs.end(), {number[i], static_cast<double>(label[i])});
            few_rows.push_back(static_cast<int64_t>(few_columns.size()));
            for (int32_t column = 0; column < 6; ++column)
                if (random() % 5 == 0 || column == label[i]) {
                    few_columns.push_back(column);
                    few.push_back(static_cast<double>(random() % 9) - 3);
                }
        }
        few_rows.push_back(static_cast<int64_t>(few.size()));
        for (const auto& column : numbers) {
            full.push_back(column);
            for (double& value : full.back()) value = std::isnan(value) ? -1 : std::floor(value / 8);
        }
        table.n_rows = n;
        for (const auto& column : numbers) table.features.push_back({column.data(), nullptr, 0});
        for (const auto& column : codes) table.features.push_back({nullptr, column.data(), 5});
    }
    Target classes() const { return {4, 1, label.data(), nullptr, nullptr}; }
    Target regression() const { return {0, 1, nullptr, number.data(), nullptr}; }
    Target several_classes() const { return {4, 2, labels.data(), nullptr, nullptr}; }
    Target several_numbers() const { return {0, 2, nullptr, pairs.data(), nullptr}; }
};

using Work = std::function<size_t(Monitor&)>;  // gives the number of nodes

std::map<std::string, Work> growers(const Rows& rows, int threads) {
    std::map<std::string, Work> all;
    const auto add = [&](const std::string& name, const Target& target, const std::function<void(Recipe&)>& choose) {
        Recipe recipe;
        recipe.threads = threads;
        choose(recipe);
        all[name] = [&rows, target, recipe](Monitor& monitor) { return grow(rows.table, target, recipe, monitor).parent.size(); };
    };
    for (const char* criterion : {"gini", "entropy", "twoing", "hellinger"})
        add(criterion, rows.classes(), [&](Recipe& recipe) { recipe.criterion = criterion; });
    for (const char* criterion : {"squared_error", "absolute_error", "poisson"})
        add(criterion, rows.regression(), [&](Recipe& recipe) { recipe.criterion = criterion; });
    const std::pair<const char*, Missing> policies[] = {{"available", Missing::available},
                                                        {"fractional", Missing::fractional},
                                                        {"surrogate", Missing::surrogate},
                                                        {"mean", Missing::mean}};
    for (const auto& [name, policy] : policies)
        add(name, rows.classes(), [&](Recipe& recipe) { recipe.policies.assign(rows.table.features.size(), policy); });
    add("best first", rows.classes(), [](Recipe& recipe) {
        recipe.order = Order::best_first;
        recipe.max_leaf_nodes = 20;
        recipe.max_competitors = 3;
    });
    add("several forms", rows.classes(), [](Recipe& recipe) {
        recipe.multiway = recipe.one_vs_rest = recipe.interval = recipe.hyperplane = recipe.sphere = true;
        recipe.max_depth = 3;
    });
    add("monotone", rows.regression(), [](Recipe& recipe) {
        recipe.criterion = "squared_error";
        recipe.monotonic = {1, -1, 0, 0, 0, 0};
    });
    all["C4.5"] = [&rows, threads](Monitor& monitor) {
        c45::Options options;
        options.threads = threads;
        return c45::grow(rows.table, rows.classes(), options, monitor).parent.size();
    };
    for (bool rpart : {false, true})
        all[rpart ? "rpart" : "CART"] = [&rows, threads, rpart](Monitor& monitor) {
            cart::Options options;
            options.threads = threads;
            options.rpart = rpart;
            options.stands_for_missing.assign(rows.table.features.size(), 0.0);
            options.ordinal.assign(rows.table.features.size(), 0);
            return cart::grow(rows.table, rows.classes(), options, monitor).tree.parent.size();
        };
    for (const bool classes : {false, true})
        add(classes ? "two targets, classes" : "two targets, numbers", classes ? rows.several_classes() : rows.several_numbers(),
            [&](Recipe& recipe) {
                recipe.criterion = classes ? "gini" : "squared_error";
                recipe.n_outputs = 2;
            });
    all["sparse"] = [&rows, threads](Monitor& monitor) {
        const SparseMatrix matrix{rows.table.n_rows, 6, true, rows.few_rows, rows.few_columns, rows.few};
        const StoredColumns columns = sorted_columns(matrix, threads);
        const SparseColumns view = columns.view();
        Recipe recipe;
        recipe.threads = threads;
        return grow(Table{rows.table.n_rows, std::vector<Feature>(6), &view}, rows.classes(), recipe, monitor).parent.size();
    };
    for (const int classes : {0, 2, 4})  // of two classes one is dearer, and columns of few values are counted by group
        all["optimal, classes: " + std::to_string(classes)] = [&rows, threads, classes](Monitor& monitor) {
            optimal::Options options;
            options.max_depth = 2;
            options.threads = threads;
            if (classes == 2) options.loss.costs = {0, 1.25, 1, 0};
            bool stopped = false;
            if (monitor.check) options.check = [&](double, double) { return !(stopped = stopped || !monitor.check(0)); };
            std::vector<int32_t> label = rows.label;
            for (int32_t& c : label) c %= std::max(1, classes);
            std::vector<std::vector<double>> columns = rows.full;
            for (auto& column : columns)
                for (double& value : column) value = classes == 2 ? std::fmod(value, 4) : value;
            Table numbers{rows.table.n_rows, {}};
            for (const auto& column : columns) numbers.features.push_back({column.data(), nullptr, 0});
            const optimal::Outcome found =
                optimal::grow(numbers, optimal::TargetView{classes, label.data(), rows.number.data(), nullptr}, options);
            if (stopped) throw Interrupted{};
            return found.tree.parent.size();
        };
    all["linear leaves"] = [&rows](Monitor&) {
        const Matrix<double> columns{rows.full[0].data(), static_cast<int64_t>(rows.table.n_rows), 1, 1, 0};
        const std::vector<int32_t> parent{-1, 0, 0};
        std::vector<int64_t> node;
        for (size_t i = 0; i < rows.table.n_rows; ++i) node.push_back(1 + rows.label[i] % 2);
        std::vector<double> products(parent.size() * 9);
        const std::vector<double> weight(rows.table.n_rows, 1.0);
        add_products(columns, rows.number, weight, node, products);
        return fit_equations(parent, products, 1, EquationRules{}).coefficient.size();
    };
    all["forest"] = [&rows, threads](Monitor& monitor) {
        Recipe recipe;
        recipe.threads = threads;
        recipe.max_features = 2;
        recipe.ties = Ties::random;
        Draws draws;
        draws.seeds = {1, 2, 3};
        draws.n_draws = rows.table.n_rows;
        const std::vector<int32_t> position{0, 1, 2, 3, 0, 1}, n_categories{0, 0, 0, 0, 5, 5};
        return grow_forest(rows.table, rows.classes(), recipe, draws, position, n_categories, monitor).forest.node.size();
    };
    all["votes of sparse rows, two targets"] = [&rows, threads](Monitor& monitor) {
        Recipe recipe;
        recipe.threads = threads;
        recipe.max_features = 2;
        recipe.n_outputs = 2;
        Draws draws;
        draws.seeds = {1, 2, 3};
        Table numbers{rows.table.n_rows, {}};
        for (const auto& column : rows.full) numbers.features.push_back({column.data(), nullptr, 0});
        const std::vector<int32_t> position{0, 1, 2, 3}, n_categories(4, 0);
        const Forest forest = grow_forest(numbers, rows.several_classes(), recipe, draws, position, n_categories, monitor).forest;
        const SparseRows<double> sparse{rows.few_rows, rows.few_columns, rows.few, 6};
        std::vector<double> sums(sparse.size() * forest.width);
        for (const Vote how : {Vote::soft, Vote::hard})
            vote_sparse(forest.view(4), sparse, how, nullptr, sums.data(), nullptr, threads, monitor);
        return forest.node.size();
    };
    return all;
}

/// Grow, stopped where it listens for the so-manieth time; −1 if it was stopped.
int64_t stopped_at(const Work& work, int64_t poll) {
    Monitor monitor;
    int64_t polls = 0;
    monitor.check = [&](double) { return ++polls != poll; };
    try {
        return static_cast<int64_t>(work(monitor));
    } catch (const Interrupted&) {
        return -1;
    }
}

/// Grow with so many allocations; −1 if they were too few.
int64_t with_allocations(const Work& work, int64_t most) {
    Monitor monitor;
    allocations = 0;
    last_allocation = most;
    int64_t nodes = -1;
    try {
        nodes = static_cast<int64_t>(work(monitor));
    } catch (const std::bad_alloc&) {
    }
    last_allocation = std::numeric_limits<int64_t>::max();
    return nodes;
}

}  // namespace

}  // namespace treewright

int main(int count, char** arguments) {
    using namespace treewright;
    const int threads = count > 1 ? std::atoi(arguments[1]) : 1;
    const Rows rows(count > 2 ? static_cast<size_t>(std::atol(arguments[2])) : 600);
    int failed = 0;
    for (const auto& [name, work] : growers(rows, threads)) {
        const int64_t nodes = stopped_at(work, 0);
        int64_t stops = 0, exhausted = 0;
        for (int64_t poll = 1; poll < 2000; poll += 1 + poll / 20) {
            const int64_t found = stopped_at(work, poll);
            if (found >= 0 && found != nodes) ++failed;
            if (found >= 0) break;
            ++stops;
        }
        if (threads == 1)
            for (int64_t most = 0;; most += 1 + most / 20) {
                const int64_t found = with_allocations(work, most);
                if (found >= 0 && found != nodes) ++failed;
                if (found >= 0) break;
                ++exhausted;
            }
        if (stopped_at(work, 0) != nodes) ++failed;
        std::cout << name << ": " << nodes << " nodes, stopped " << stops << " times, out of memory " << exhausted << " times\n";
    }
    std::cout << (failed ? "trees differ\n" : "the same trees each time\n");
    return failed > 0;
}
