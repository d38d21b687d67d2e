// Which finder grows which nodes: presorted lists for small tables; for large ones histograms at the top, lists below.
#include "grow/choose_finder.hpp"

#include <optional>

#include "builder.hpp"
#include "grow/driver.hpp"
#include "grow/histogram/finder.hpp"
#include "grow/offers.hpp"
#include "grow/presorted/finder.hpp"
#include "grow/presorted/shared_finder.hpp"
#include "parallel.hpp"

namespace treewright {

namespace {

/// Rows of a subtree whose lists, twice four bytes a value, stay in a core's own cache.
size_t cached_rows(const Problem& problem) {
    const size_t n_features = problem.n_features() - (problem.bits ? problem.bits->size() : 0);
    constexpr size_t cache = 1'300'000;
    return std::clamp<size_t>(cache / (8 * std::max<size_t>(n_features, 1)), 1024, 8192);
}

/// Histograms serve criteria that bound what a cut inside a bin can be worth.
bool use_histograms(const Problem& problem) {
    return problem.formula->traits.bounded && offers::histogram.holds(problem.recipe.demands()) &&
           problem.recipe.ties != Ties::last && problem.table.n_rows > cached_rows(problem);
}

/// All rows of the table.
Parts all_rows(const Problem& problem, const std::vector<double>& weight) {
    Parts parts;
    parts.row.resize(problem.table.n_rows);
    std::iota(parts.row.begin(), parts.row.end(), 0u);
    parts.weight = weight;
    return parts;
}

template <class Finder>
TreeArrays grow_with(const Problem& problem, const Parts& rows, Finder& finder) {
    Builder out(problem.width());
    finder.load(rows, out);
    Driver(problem, finder, out).grow(finder.root(0, Random(problem.recipe.random_state).next()));
    return assemble(out, {});
}

/// Nodes of more than `small` rows by histograms, then the subtrees of the others each by a finder of their own, the largest
/// first. make(Finder*) gives a new one.
template <class Narrow, class Wide, class Make>
TreeArrays grow_by_histograms(const Problem& problem, Parts&& rows, size_t small, Make&& make) {
    Builder out(problem.width());
    HistogramFinder finder(problem, rows.weight.empty(), small);
    std::vector<Subtree<Parts>> subtrees = Driver(problem, finder, out).grow(finder.root(std::move(rows)));
    std::stable_sort(subtrees.begin(), subtrees.end(),
                     [](const auto& a, const auto& b) { return a.rows.size() > b.rows.size(); });
    std::vector<Builder> builders(subtrees.size(), Builder(problem.width()));
    std::vector<std::unique_ptr<Narrow>> of_thread(static_cast<size_t>(std::max(problem.recipe.threads, 1)));
    const auto grow_subtree = [&](auto& below, size_t i, int thread) {
        Subtree<Parts>& subtree = subtrees[i];
        problem.monitor.poll(thread);
        below.load(subtree.rows, builders[i], thread);
        Driver(problem, below, builders[i], thread).grow(below.root(subtree.depth, subtree.seed, subtree.groups));
        builders[i].fit();
        subtree.rows = {};
    };
    parallel_for(subtrees.size(), problem.recipe.threads, [&](size_t i, int thread) {
        auto& mine = of_thread[static_cast<size_t>(thread)];
        if (subtrees[i].rows.size() > most_narrow_rows) {
            grow_subtree(*make(static_cast<Wide*>(nullptr)), i, thread);
        } else {
            if (!mine) mine = make(static_cast<Narrow*>(nullptr));
            grow_subtree(*mine, i, thread);
        }
    });
    for (size_t i = 0; i < subtrees.size(); ++i) out.nodes[static_cast<size_t>(subtrees[i].node)].graft = static_cast<int32_t>(i);
    return assemble(out, builders);
}

/// Two-valued features are counted as bits where every row weighs one.
bool use_bits(const Problem& problem, bool unit) {
    return problem.n_classes && unit && offers::bits.holds(problem.recipe.demands()) &&
           static_cast<size_t>(problem.n_classes) <= BitTable::most_classes && problem.table.n_rows >= 256;
}

/// Rows are whole.
TreeArrays grow_whole_rows(Problem problem, const std::vector<double>& weight) {
    std::optional<BitTable> bits;
    if (use_bits(problem, weight.empty())) {
        bits.emplace(problem.table, problem.recipe.threads);
        if (bits->size() > 0) problem.bits = &*bits;
    }
    if (use_histograms(problem)) {
        const auto make = [&]<class Finder>(Finder*) { return std::make_unique<Finder>(problem, weight); };
        return grow_by_histograms<PresortedFinder<uint16_t>, PresortedFinder<uint32_t>>(problem, all_rows(problem, weight),
                                                                                        cached_rows(problem), make);
    }
    const Parts rows = all_rows(problem, {});  // lists have the weights of the table
    if (problem.table.n_rows <= most_narrow_rows) {
        PresortedFinder<uint16_t> finder(problem, weight);
        return grow_with(problem, rows, finder);
    }
    PresortedFinder<uint32_t> finder(problem, weight);
    return grow_with(problem, rows, finder);
}

/// Whether histograms know what to do with every missing value: none is filled in or a category of its own, and no split is
/// tested on rows that it shares.
bool histograms_know(const Recipe& recipe) {
    return recipe.significance >= 1 &&
           std::ranges::none_of(recipe.policies, [](Missing policy) { return fills(policy) || policy == Missing::value; });
}

/// A policy for missing values for each feature, or forms of splits beyond one cut or one table.
TreeArrays grow_shared_rows(Problem problem, const std::vector<double>& weight, const Recipe& recipe) {
    problem.rankings = nullptr;
    Parts rows = all_rows(problem, weight);
    if (weight.empty() && (recipe.shares() || recipe.forms())) rows.weight.assign(rows.size(), 1.0);
    const bool unit = rows.weight.empty();
    if (histograms_know(recipe) && use_histograms(problem)) {
        // shared rows are loaded into several subtrees: fewer and larger ones pay for what leaves the cache (measured)
        const size_t most = cached_rows(problem), small = recipe.shares() ? std::min(8 * most, most_narrow_rows) : most;
        const auto make = [&]<class Finder>(Finder*) { return std::make_unique<Finder>(problem, unit); };
        return grow_by_histograms<SharedRowsFinder<uint16_t>, SharedRowsFinder<uint32_t>>(problem, std::move(rows), small, make);
    }
    SharedRowsFinder<uint32_t> finder(problem, unit);
    return grow_with(problem, rows, finder);
}

}  // namespace

TreeArrays grow_tree(const Problem& problem, const std::vector<double>& weight) {
    const Recipe& recipe = problem.recipe;
    if (offers::presorted.holds(recipe.demands())) return grow_whole_rows(problem, weight);
    if (!offers::shared_rows.holds(recipe.demands()))
        throw std::invalid_argument("no finder grows trees by all of these choices together");
    const double lightest = weight.empty() ? 1.0 : *std::ranges::min_element(weight);
    const Recipe strict = recipe.shares() ? with_least_weights(recipe, lightest) : recipe;
    return grow_shared_rows(problem.with(strict), weight, strict);
}

}  // namespace treewright
