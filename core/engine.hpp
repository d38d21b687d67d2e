// The growing loop, as a template over criteria: blocks for small tables, trunk and grafts for large ones.
// Each grow_*.cpp instantiates it for its criteria.
#pragma once
#include "grow/presorted/finder.hpp"
#include "grow/driver.hpp"
#include "grow/offers.hpp"
#include "parallel.hpp"
#include "grow/histogram/finder.hpp"

namespace treewright {

namespace {

/// Scorers that spend their time on the formula: one width of row numbers is enough.
template <class Scorer>
inline constexpr bool is_plain = false;
template <>
inline constexpr bool is_plain<FormulaScorer> = true;

/// Rows of a block whose lists, twice four bytes a value, stay in a core's own cache.
size_t block_rows(const Problem& problem) {
    const size_t n_features = problem.n_features() - (problem.bits ? problem.bits->size() : 0);
    constexpr size_t cache = 1'300'000;
    return std::clamp<size_t>(cache / (8 * std::max<size_t>(n_features, 1)), 1024, 8192);
}

/// Histograms serve criteria whose merit is a decrease of a concave impurity.
template <class C>
bool use_trunk(const Problem& problem) {
    return criterion_of<C>(problem).traits.bounded && offers::histogram.holds(problem.recipe.demands()) &&
           problem.recipe.ties != Ties::last && problem.table.n_rows > block_rows(problem);
}

/// All rows of the table.
inline Parts all_rows(const Problem& problem, const std::vector<double>& weight) {
    Parts parts;
    parts.row.resize(problem.table.n_rows);
    std::iota(parts.row.begin(), parts.row.end(), 0u);
    parts.weight = weight;
    return parts;
}

template <class C, class Scorer, class Index>
TreeArrays grow_block(const Problem& problem, const std::vector<double>& weight) {
    Builder out(problem.width());
    const Parts rows = all_rows(problem, {});  // blocks have the weights of the table
    Block<C, Scorer, Index> block(problem, weight);
    block.load(rows, out);
    Driver(problem, block, out).grow(block.root(0, Random(problem.recipe.random_state).next()));
    return assemble(out, {});
}

/// Nodes of more than `most` rows in the trunk, then the others each in an engine of their own, the largest first. make(Engine*)
/// gives a new engine.
template <class C, class Scorer, class Small, class Large, class Make>
TreeArrays grow_trunk(const Problem& problem, Parts&& rows, size_t most, Make&& make) {
    Builder out(problem.width());
    std::vector<Builder> builders;
    Trunk<C, Scorer> trunk(problem, rows.weight.empty(), most);
    std::vector<Subtree<Parts>> grafts = Driver(problem, trunk, out).grow(trunk.root(std::move(rows)));
    std::stable_sort(grafts.begin(), grafts.end(), [](const auto& a, const auto& b) { return a.rows.size() > b.rows.size(); });
    builders.assign(grafts.size(), Builder(problem.width()));
    std::vector<std::unique_ptr<Small>> small(static_cast<size_t>(std::max(problem.recipe.threads, 1)));
    const auto grow_graft = [&](auto& engine, size_t i, int thread) {
        problem.monitor.poll(thread);
        engine.load(grafts[i].rows, builders[i], thread);
        Driver(problem, engine, builders[i], thread).grow(engine.root(grafts[i].depth, grafts[i].seed, grafts[i].groups));
        builders[i].fit();
        grafts[i].rows = {};
    };
    parallel_for(grafts.size(), problem.recipe.threads, [&](size_t i, int thread) {
        auto& mine = small[static_cast<size_t>(thread)];
        if (grafts[i].rows.size() > small_block) {
            grow_graft(*make(static_cast<Large*>(nullptr)), i, thread);
        } else {
            if (!mine) mine = make(static_cast<Small*>(nullptr));
            grow_graft(*mine, i, thread);
        }
    });
    for (size_t i = 0; i < grafts.size(); ++i) out.nodes[static_cast<size_t>(grafts[i].node)].graft = static_cast<int32_t>(i);
    return assemble(out, builders);
}

template <class C, class Scorer>
TreeArrays grow_with(const Problem& problem, const std::vector<double>& weight) {
    if constexpr (may_be_bounded<C>)
        if (use_trunk<C>(problem)) {
            using Small = Block<C, Scorer, std::conditional_t<is_plain<Scorer>, uint32_t, uint16_t>>;
            const auto make = [&]<class Engine>(Engine*) { return std::make_unique<Engine>(problem, weight); };
            return grow_trunk<C, Scorer, Small, Block<C, Scorer, uint32_t>>(problem, all_rows(problem, weight),
                                                                            block_rows(problem), make);
        }
    if constexpr (!is_plain<Scorer>)
        if (problem.table.n_rows <= small_block) return grow_block<C, Scorer, uint16_t>(problem, weight);
    return grow_block<C, Scorer, uint32_t>(problem, weight);
}

/// Two-valued features are counted as bits where every row weighs one.
template <class C>
bool use_bits(const Problem& problem, bool unit) {
    return C::classification && unit && offers::bits.holds(problem.recipe.demands()) &&
           static_cast<size_t>(problem.n_classes) <= BitTable::most_classes && problem.table.n_rows >= 256;
}

}  // namespace

template <class C>
TreeArrays grow_by(const Problem& given, const std::vector<double>& weight) {
    const bool unit = weight.empty();
    Problem problem = given;
    std::optional<BitTable> bits;
    if (use_bits<C>(problem, unit)) {
        bits.emplace(problem.table, problem.recipe.threads);
        if (bits->size() > 0) problem.bits = &*bits;
    }
    return C::with_scorer(problem.n_classes, unit, [&]<class Scorer>() { return grow_with<C, Scorer>(problem, weight); });
}

}  // namespace treewright
