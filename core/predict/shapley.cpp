#include "predict/shapley.hpp"

#include <array>
#include <numeric>

#include "base/parallel.hpp"
#include "grow/grow_task.hpp"
#include "predict/shapley_table.hpp"

// Compiled for several sets of instructions, of which the program takes the widest that there is; rows do not meet, so that the
// numbers are the same.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TREEWRIGHT_WIDE [[gnu::flatten, gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define TREEWRIGHT_WIDE
#endif

namespace treewright {

namespace {

/// The steps in the order of a walk that goes down first.
struct Walk {
    std::vector<uint32_t> step, level;
    uint32_t deepest = 0;

    explicit Walk(const ShapleySteps& steps) {
        const size_t n = steps.size();
        std::vector<uint32_t> begin(n + 2, 0), below(n);
        for (size_t i = 1; i < n; ++i) ++begin[static_cast<size_t>(steps.parent[i]) + 2];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        for (size_t i = 1; i < n; ++i) below[begin[static_cast<size_t>(steps.parent[i]) + 1]++] = static_cast<uint32_t>(i);
        std::vector<std::pair<uint32_t, uint32_t>> open{{0, 0}};
        while (!open.empty()) {
            const auto [at, depth] = open.back();
            open.pop_back();
            step.push_back(at);
            level.push_back(depth);
            deepest = std::max(deepest, depth);
            for (uint32_t i = begin[at + 1]; i-- > begin[at];) open.emplace_back(below[i], depth + 1);
        }
    }
};

/// What a step does to a row, at every point of the integral: the factor of how much of the row comes here, and by how much more
/// each bit of knowing its player now moves what is said below.
///
/// With `known` and `share` of all steps by the player on the way, the row comes by share + t (known − share), which moves at the
/// rate of (known − share) / (share + t (known − share)).
struct Effect {
    double known = 1, share = 1;

    double factor(double t) const { return share + t * (known - share); }
    double rate(double t) const {
        const double made = factor(t);
        return made > 0 ? (known - share) / made : 0.0;  // a step that nobody takes leads to nothing
    }
    /// From the step above by the same player to this one.
    void write(const Effect& above, std::span<const double> point, double* ratio, double* moved) const {
        for (size_t i = 0; i < point.size(); ++i) {
            const double before = above.factor(point[i]);
            ratio[i] = before > 0 ? factor(point[i]) / before : 0.0;
            moved[i] = rate(point[i]) - above.rate(point[i]);
        }
    }
};

/// The effects of every step on rows that are whole, in the order of the walk: those that take it, and those that do not though
/// they took the steps above by its player.
class Effects {
public:
    Effects(const ShapleySteps& steps, const Walk& walk) : n_(steps.point.size()), number_(walk.step.size() * 4 * n_) {
        std::vector<size_t> nearest(steps.n_players, 0), before(walk.deepest + 1, 0), player(walk.deepest + 1, 0);
        std::vector<double> share(walk.deepest + 1, 1.0);
        size_t at = 0;
        for (size_t i = 1; i < walk.step.size(); ++i) {
            const size_t step = walk.step[i], level = walk.level[i];
            for (; at >= level; --at) nearest[player[at]] = before[at];
            at = level;
            player[at] = static_cast<size_t>(steps.player[step]);
            before[at] = std::exchange(nearest[player[at]], at);
            share[at] = steps.share[step] * share[before[at]];
            const Effect above{1, share[before[at]]};
            for (const bool taken : {false, true})
                Effect{taken ? 1.0 : 0.0, share[at]}.write(above, steps.point, &number_[(i * 4 + 2 * taken) * n_],
                                                           &number_[(i * 4 + 2 * taken + 1) * n_]);
        }
    }
    const double* ratio(size_t place, bool taken) const { return &number_[(place * 4 + 2 * taken) * n_]; }
    const double* moved(size_t place, bool taken) const { return ratio(place, taken) + n_; }

private:
    size_t n_;  // points
    std::vector<double> number_;
};

/// Some rows at a time, side by side in lanes: the way to the step in hand, level by level, and what lies below each.
class RowsShapley {
public:
    static constexpr size_t lanes = 8;

    RowsShapley(const Router& router, const ShapleySteps& steps, const Walk& walk, const Effects& effects, bool pairs)
        : router_(router),
          steps_(steps),
          walk_(walk),
          effects_(effects),
          pairs_(pairs),
          n_(steps.point.size()),
          nearest_(steps.n_players),
          levels_(walk.deepest + 1),
          odd_(2 * n_),
          reached_(levels_.size() * n_),
          moved_(levels_.size() * n_),
          below_(levels_.size() * n_ * steps.width) {}

    /// For up to as many rows as there are lanes; out is rows × numbers.
    void add(size_t first, size_t n_rows, double* out, size_t numbers) {
        n_rows_ = n_rows;
        numbers_ = numbers;
        for (size_t l = 0; l < lanes; ++l) row_[l] = static_cast<int64_t>(first + std::min(l, n_rows - 1));
        std::fill_n(reached_.begin(), n_, all(1.0));
        std::fill_n(below_.begin(), n_ * steps_.width, all(0.0));
        std::fill(nearest_.begin(), nearest_.end(), 0);
        choose(levels_[0], 0);
        size_t at = 0;
        for (size_t i = 1; i < walk_.step.size(); ++i) {
            const size_t level = walk_.level[i];
            for (; at >= level; --at) close(at, out);
            open(i, at = level);
        }
        for (; at > 0; --at) close(at, out);
    }

private:
    using Lanes = std::array<double, lanes>;
    struct Level {
        size_t player = 0, before = 0;  // the level of the step above by the same player; 0 = there is none
        Lanes known = all(1.0);         // of the steps by this player so far
        double share = 1;
        std::array<int32_t, lanes> chosen{};  // the branches that the rows take here
    };

    static Lanes all(double x) {
        Lanes same;
        same.fill(x);
        return same;
    }
    void choose(Level& level, size_t node) const {
        for (size_t l = 0; l < lanes; ++l) level.chosen[l] = router_.choose(node, row_[l]).branch;
    }

    /// Take the step at this place of the walk.
    void open(size_t place, size_t at) {
        const size_t step = walk_.step[place];
        Level& level = levels_[at];
        level.player = static_cast<size_t>(steps_.player[step]);
        level.before = std::exchange(nearest_[level.player], at);
        const Level& above = levels_[level.before];  // level 0 is known, and all of it
        const double share = steps_.share[step];
        level.share = share * above.share;
        // one of the three is 1: the row takes the step, or does not, or its player has sent it elsewhere already
        Lanes takes, does_not, elsewhere;
        bool odd = false;
        for (size_t l = 0; l < lanes; ++l) {
            const int32_t chosen = levels_[at - 1].chosen[l];
            const double taken = chosen == steps_.branch[step] ? 1.0 : 0.0, known = above.known[l];
            level.known[l] = (chosen == share_row ? share : taken) * known;
            elsewhere[l] = known == 0 ? 1.0 : 0.0;
            takes[l] = taken * (1 - elsewhere[l]);
            does_not[l] = (1 - taken) * (1 - elsewhere[l]);
            odd |= known != 0 && (known != 1 || chosen == share_row);
        }
        const double *if_taken = effects_.ratio(place, true), *if_not = effects_.ratio(place, false);
        const double *moves = effects_.moved(place, true), *holds = effects_.moved(place, false);
        const Lanes* from = &reached_[(at - 1) * n_];
        Lanes *reached = &reached_[at * n_], *moved = &moved_[at * n_];
        for (size_t i = 0; i < n_; ++i) {  // in lanes of their own, so that the compiler sees that they do not meet
            Lanes part = from[i], change;
            for (size_t l = 0; l < lanes; ++l) {
                part[l] *= takes[l] * if_taken[i] + does_not[l] * if_not[i] + elsewhere[l] * share;
                change[l] = takes[l] * moves[i] + does_not[l] * holds[i];
            }
            reached[i] = part;
            moved[i] = change;
        }
        if (odd) share_parts(above, level, from, reached, moved);
        for (size_t k = 0; k < steps_.width; ++k) {
            const double says = steps_.value[step * steps_.width + k];
            Lanes* below = &below_[(at * steps_.width + k) * n_];
            for (size_t i = 0; i < n_; ++i) {
                Lanes part = reached[i];
                for (size_t l = 0; l < lanes; ++l) part[l] *= says;
                below[i] = part;
            }
        }
        if (step < router_.tree.size() && router_.tree.children.count(step) > 0) choose(level, step);
    }
    /// The same for rows of which the player knows only a part.
    void share_parts(const Level& above, const Level& level, const Lanes* from, Lanes* reached, Lanes* moved) {
        for (size_t l = 0; l < lanes; ++l) {
            if (above.known[l] == 0) continue;
            Effect{level.known[l], level.share}.write({above.known[l], above.share}, steps_.point, odd_.data(), odd_.data() + n_);
            for (size_t i = 0; i < n_; ++i) {
                reached[i][l] = from[i][l] * odd_[i];
                moved[i][l] = odd_[n_ + i];
            }
        }
    }
    /// All below a step is summed up: give its player what it moves, and the sum to the level above.
    void close(size_t at, double* out) {
        const Level& level = levels_[at];
        nearest_[level.player] = level.before;
        const size_t width = steps_.width;
        const Lanes* moved = &moved_[at * n_];
        const size_t own = level.player * (pairs_ ? steps_.n_players + 1 : 1) * width;
        for (size_t k = 0; k < width; ++k) {
            Lanes *below = &below_[(at * width + k) * n_], *above = &below_[((at - 1) * width + k) * n_], sum = all(0.0);
            for (size_t i = 0; i < n_; ++i) {
                const double measure = steps_.measure[i];
                Lanes part = below[i], whole = above[i], change = moved[i];
                for (size_t l = 0; l < lanes; ++l) {
                    whole[l] += part[l];
                    part[l] *= measure * change[l];
                    sum[l] += part[l];
                }
                above[i] = whole;
                below[i] = part;
            }
            for (size_t l = 0; l < n_rows_; ++l) out[l * numbers_ + own + k] += sum[l];
        }
        if (!pairs_) return;
        for (size_t other = 1; other < at; ++other)
            if (levels_[other].player != level.player) add_pair(at, other, out);
    }
    void add_pair(size_t at, size_t other, double* out) const {
        const size_t width = steps_.width, one = levels_[at].player, two = levels_[other].player;
        const Lanes* moved = &moved_[other * n_];
        for (size_t k = 0; k < width; ++k) {
            const Lanes* below = &below_[(at * width + k) * n_];
            Lanes sum = all(0.0);
            for (size_t i = 0; i < n_; ++i)
                for (size_t l = 0; l < lanes; ++l) sum[l] += below[i][l] * moved[i][l];
            for (size_t l = 0; l < n_rows_; ++l) {
                out[l * numbers_ + (one * steps_.n_players + two) * width + k] += sum[l] / 2;
                out[l * numbers_ + (two * steps_.n_players + one) * width + k] += sum[l] / 2;
            }
        }
    }

    const Router& router_;
    const ShapleySteps& steps_;
    const Walk& walk_;
    const Effects& effects_;
    const bool pairs_;
    const size_t n_;  // points
    std::array<int64_t, lanes> row_{};
    size_t n_rows_ = 0, numbers_ = 0;
    std::vector<size_t> nearest_;  // by player: the level of its last step, 0 = none
    std::vector<Level> levels_;
    std::vector<double> odd_;
    std::vector<Lanes> reached_, moved_;  // level × point
    std::vector<Lanes> below_;            // level × width × point: what is said below, by how much of the row comes there
};

TREEWRIGHT_WIDE void share_rows(RowsShapley& rows, size_t begin, size_t end, double* out, size_t numbers) {
    for (size_t row = begin; row < end; row += RowsShapley::lanes)
        rows.add(row, std::min(RowsShapley::lanes, end - row), out + row * numbers, numbers);
}

}  // namespace

void shapley(const TreeView& tree, const RowValues& values, size_t n_rows, const ShapleySteps& steps, bool pairs, double* out,
             int threads, Monitor& monitor) {
    const Router router{tree, values};
    const size_t numbers = steps.n_players * (pairs ? steps.n_players : 1) * steps.width;
    std::fill_n(out, n_rows * numbers, 0.0);
    if (!pairs && ShapleyWays::suit(tree, steps)) {
        const ShapleyWays ways(tree, steps);
        constexpr size_t at_once = 4096;  // rows that fill a table of their own
        parallel_for((n_rows + at_once - 1) / at_once, threads, [&](size_t chunk, int thread) {
            monitor.poll(thread);
            ShapleyTable table(router, steps, ways);
            for (size_t row = chunk * at_once; row < std::min(n_rows, (chunk + 1) * at_once); ++row)
                table.add(static_cast<int64_t>(row), out + row * numbers);
        });
        return;
    }
    const Walk walk(steps);
    const Effects effects(steps, walk);
    const size_t at_once = RowsShapley::lanes * std::max<size_t>(1, 50'000 / (steps.size() * steps.point.size()));
    parallel_for((n_rows + at_once - 1) / at_once, threads, [&](size_t chunk, int thread) {
        monitor.poll(thread);
        RowsShapley some(router, steps, walk, effects, pairs);
        share_rows(some, chunk * at_once, std::min(n_rows, (chunk + 1) * at_once), out, numbers);
    });
}

}  // namespace treewright
