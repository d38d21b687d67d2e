// Levels one after the other, by threads that share one search, within limits; then the tree.
#include "optimal/optimal.hpp"

#include <atomic>
#include <cmath>
#include <map>

#include "base/parallel.hpp"
#include "optimal/best_first.hpp"
#include "optimal/write.hpp"

namespace treewright::optimal {

namespace {

class Driver {
public:
    Driver(const Table& table, const TargetView& target, const Options& options)
        : table_(table),
          target_(target),
          options_(options),
          loss_(target, table.n_rows, options.loss),
          setting_{loss_, columns_, limits_, row_groups_},
          threads_(options.work_limit >= 0 ? 1 : std::max(1, options.threads)) {
        depth_ = static_cast<int>(std::min<size_t>(static_cast<size_t>(std::max(options.max_depth, 0)), table.n_rows));
        const size_t most = depth_ > 30 ? table.n_rows : std::min(table.n_rows, size_t{1} << depth_);
        leaves_ = static_cast<uint32_t>(options.max_leaves ? std::min<size_t>(options.max_leaves, most) : most);
        depth_ = std::min(depth_, static_cast<int>(leaves_) - 1);
        limits_.seconds = options.time_limit;
        limits_.work = options.work_limit;
        limits_.bytes = options.memory_limit;
        if (options.check)
            limits_.check = [this] {
                return options_.check(objective(best_now_.load(std::memory_order_relaxed)),
                                      objective(lower_now_.load(std::memory_order_relaxed)));
            };
    }

    Outcome grow() {
        bool proven = false;
        try {
            limits_.start();
            if (!by_sets()) {
                read();
                best_cost_ = root_.leaf;
                best_now_ = best_cost_;
                solve_root();
            }
            proven = true;
        } catch (const OutOfLimits&) {
        }
        Outcome outcome;
        outcome.tree = write(table_, target_, loss_, options_.loss, best_,
                             cut_values(best_, [&](int32_t f, int32_t rank) { return number_of(f, rank); }));
        double risk = 0;
        for (size_t i = 0; i < outcome.tree.risk.size(); ++i)
            if (outcome.tree.is_leaf(i)) risk += outcome.tree.risk[i];
        outcome.objective = risk / loss_.total_weight() + options_.loss.alpha * static_cast<double>(best_.n_leaves());
        const Cost ties = loss_.tie_price() * static_cast<Cost>(leaves_ - 1);  // no part of the objective
        outcome.lower_bound =
            proven ? outcome.objective : std::min(outcome.objective, std::max(options_.loss.alpha, objective(lower_ - ties)));
        outcome.optimal = proven || outcome.lower_bound >= outcome.objective;
        outcome.n_solved = limits_.done();
        outcome.memory_limited = limits_.memory_counted();
        return outcome;
    }

    Values frontier() {
        Values values{std::vector<double>(leaves_, std::nan(""))};
        try {
            limits_.start();
            read();
            for (uint32_t leaves = 1; leaves <= leaves_; ++leaves)
                values.objective[leaves - 1] = value_of(level(depth_, leaves).cost, level(depth_, leaves).plan);
        } catch (const OutOfLimits&) {
        }
        return values;
    }

    Values root_choices() {
        const double none = std::numeric_limits<double>::infinity();
        Values values{std::vector<double>(table_.features.size(), std::nan(""))};
        try {
            limits_.start();
            read();
            for (size_t f = 0; f < values.objective.size(); ++f) {
                values.objective[f] = none;
                if (depth_ == 0) continue;
                const auto [cost, plan] = best_with(static_cast<int32_t>(f));
                if (cost < endless) values.objective[f] = value_of(cost, plan);
            }
        } catch (const OutOfLimits&) {
        }
        return values;
    }

private:
    void read() {
        limits_.poll(0);
        if (!read_columns(table_, loss_, [&] { return !limits_.over(0); }, columns_, root_)) throw OutOfLimits{};
    }
    double objective(Cost cost) const { return loss_.objective(cost) + options_.loss.alpha; }
    /// The objective of a tree that was found: as that of trees that are written, up to rounding.
    double value_of(Cost cost, const Plan& plan) const {
        return loss_.objective(cost - loss_.leaf_price() * static_cast<Cost>(plan.nodes.size())) +
               options_.loss.alpha * static_cast<double>(plan.n_leaves());
    }
    void keep(Cost cost, const Plan& plan) {
        if (cost >= best_cost_) return;
        best_cost_ = cost;
        best_now_ = cost;
        best_ = plan;
    }

    /// Let all threads work on one search.
    void run(NodeSearch& search) {
        const auto tell = [&](Cost best, Cost lower) {
            best_now_ = std::min(best_cost_, best);
            lower_now_ = lower;
        };
        if (threads_ == 1) return search.work(solver(0), tell);
        for (int t = 0; t < threads_; ++t) solver(t);
        parallel_for(static_cast<size_t>(threads_), threads_, [&](size_t, int thread) { search.work(solver(thread), tell); });
    }
    Solver& solver(int thread) {
        while (solvers_.size() <= static_cast<size_t>(thread))
            solvers_.push_back(std::make_unique<Solver>(setting_, static_cast<int>(solvers_.size())));
        return *solvers_[static_cast<size_t>(thread)];
    }

    /// The best tree of the whole table for a depth and a number of leaves.
    const NodeSearch::Shallow& level(int depth, uint32_t leaves) {
        leaves = leaves_of_depth(depth, leaves);
        if (const auto at = levels_.find({depth, leaves}); at != levels_.end()) return at->second;
        NodeSearch::Shallow result;
        result.floors.assign(columns_.size(), 0);
        const bool sets = solver(0).counts_sets(root_, depth, leaves);
        if (depth == 2 || sets) level(depth - 1, leaves);  // a tree at hand, if time is out
        if (sets || depth <= 2 || leaves <= 2 || root_.active.empty()) {
            result.cost = solver(0).solve(root_, depth, leaves, endless, endless, result.plan, nullptr, &result.floors);
        } else {
            NodeSearch search(setting_, root_, depth, leaves, {}, [&](uint32_t fewer) { return level(depth - 1, fewer); });
            try {
                run(search);
            } catch (const OutOfLimits&) {
                if (search.found()) keep(search.goal().below, search.plan());
                throw;
            }
            result.cost = search.goal().below;
            result.plan = search.plan();
            result.floors = search.floors();
        }
        keep(result.cost, result.plan);
        return levels_[{depth, leaves}] = std::move(result);
    }

    /// The best tree of a table of two-valued columns, by the rule of ties; false if it is not such a table.
    bool by_sets() {
        if (depth_ < 1 || !ColumnSets::fits(loss_, depth_, leaves_)) return false;
        BitTable table;
        if (!table.read(table_, loss_, [&] { limits_.poll(0); }) ||
            !limits_.allows(ColumnSets::bytes(table.columns().size(), table_.n_rows, loss_, depth_)))
            return false;
        ColumnSets sets;
        SetCosts costs;
        const auto tell = [&] {
            best_now_ = costs.best;
            limits_.count(1, 0);
        };
        try {
            sets.solve(table, loss_, depth_, tell, costs);
        } catch (const OutOfLimits&) {
            best_ = sets.first_of_best(table, loss_, costs, [] {});
            throw;
        }
        lower_ = costs.best;
        best_ = sets.first_of_best(table, loss_, costs, [] {});
        return true;
    }

    /// The best tree, by the rule of ties.
    void solve_root() {
        if (leaves_ < 2 || root_.active.empty()) return;
        const bool sets = solver(0).counts_sets(root_, depth_, leaves_);
        if (sets || depth_ <= 2 || leaves_ == 2) {
            const auto& [cost, floors, plan] = level(depth_, leaves_);
            lower_ = cost;
            if (sets) return;  // it is the first of the best already
            best_ = solver(0).first_of_best(root_, depth_, leaves_, cost);
            return;
        }
        level(2, leaves_);  // a tree at hand, if time is out
        if (RowGroups::fits(columns_, loss_) && limits_.allows(RowGroups::bytes(root_.n_rows, columns_.size()))) {
            row_groups_.read(root_, columns_.size(), [&] { limits_.poll(0); });
            if (without_mistakes()) return;
        }
        // a tree no worse than that of a level less has few splits: if it cannot have too many leaves, none need be shared out
        const bool few = level(depth_ - 1, leaves_).cost + loss_.noise() < loss_.leaf_price() * static_cast<Cost>(leaves_);
        const uint32_t leaves = few ? unlimited(depth_, leaves_) : leaves_;
        const Goal goal = Goal::first_of(endless, loss_.noise());
        NodeSearch search(setting_, root_, depth_, leaves, goal, [&](uint32_t fewer) { return level(depth_ - 1, fewer); });
        try {
            run(search);
        } catch (const OutOfLimits&) {
            keep(search.goal().below, search.plan());
            lower_ = std::min(search.lower(), best_cost_);
            throw;
        }
        keep(search.goal().below, search.plan());
        lower_ = best_cost_;
        try {
            best_ = search.root() ? solver(0).first_below(root_, depth_, *search.root()) : search.plan();
        } catch (const OutOfLimits&) {  // the tree is a best one, if not the first of them
        }
    }

    /// The best tree, by the rule of ties, if it makes no mistake; false if there is none, or a cheaper one might make some.
    bool without_mistakes() {
        ErrorFree& error_free = solver(0).error_free();
        Plan plan;
        std::optional<uint32_t> splits;
        const auto cost = [&] { return loss_.leaf_price() * static_cast<Cost>(plan.nodes.size()); };
        try {
            splits = error_free.fewest(root_, depth_, leaves_ - 1, &plan);
        } catch (const OutOfLimits&) {
            if (!plan.nodes.empty()) keep(cost(), plan);
            throw;
        }
        if (!splits) return false;
        keep(cost(), plan);
        if (cost() >= loss_.each()) return false;
        lower_ = best_cost_;
        try {
            best_ = error_free.first(root_, depth_, *splits);
        } catch (const OutOfLimits&) {  // the tree is a best one, if not the first of them
        }
        return true;
    }

    /// The best tree that has a feature at its root.
    std::pair<Cost, Plan> best_with(int32_t feature) {
        NodeSearch search(
            setting_, root_, depth_, leaves_, {}, [&](uint32_t fewer) { return level(depth_ - 1, fewer); }, nullptr, feature);
        run(search);
        std::pair<Cost, Plan> best{search.found() ? search.goal().below : endless, search.plan()};
        for (size_t i = 0; i < root_.active.size(); ++i) {
            const Column& column = columns_[root_.active[i]];
            if (column.feature != feature || !column.categorical) continue;
            const Cost subset = solver(0).subset_cost(root_, i);
            if (subset < best.first) {
                best.first = subset;
                best.second.nodes.assign(1, {{TestKind::subset, true, feature, 0}});
            }
        }
        return best;
    }

    /// The number of a rank among those of a feature.
    double number_of(int32_t feature, int32_t rank) const {
        if (root_.n_rows == 0) {  // it has two values
            const double* numbers = table_.features[static_cast<size_t>(feature)].numbers;
            return *std::min_element(numbers, numbers + table_.n_rows);
        }
        for (size_t i = 0; i < root_.active.size(); ++i) {
            if (columns_[root_.active[i]].feature != feature) continue;
            const uint32_t* group = root_.group_of(i);
            const uint32_t* at = std::lower_bound(group, group + root_.n_rows, static_cast<uint32_t>(rank) + 1);
            return table_.features[static_cast<size_t>(feature)].numbers[root_.row[root_.order_of(i)[at - group]]];
        }
        return 0;
    }

    const Table& table_;
    const TargetView& target_;
    const Options& options_;
    const Loss loss_;
    Limits limits_;
    std::vector<Column> columns_;
    RowGroups row_groups_;
    const Setting setting_;
    const int threads_;
    int depth_ = 0;
    uint32_t leaves_ = 1;
    Node root_;
    std::vector<std::unique_ptr<Solver>> solvers_;
    std::map<std::pair<int, uint32_t>, NodeSearch::Shallow> levels_;
    Plan best_;
    Cost best_cost_ = endless, lower_ = 0;
    std::atomic<Cost> best_now_{0}, lower_now_{0};
};

}  // namespace

Outcome grow(const Table& table, const TargetView& target, const Options& options) {
    return Driver(table, target, options).grow();
}
Values root_choices(const Table& table, const TargetView& target, const Options& options) {
    return Driver(table, target, options).root_choices();
}
Values frontier(const Table& table, const TargetView& target, const Options& options) {
    return Driver(table, target, options).frontier();
}

}  // namespace treewright::optimal
