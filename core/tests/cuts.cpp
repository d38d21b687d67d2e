// The best cut of a sorted list against all of its cuts, valued one by one by the formula: with rows without a value on the
// right, on the left or left out, scanned or looked for by bounds.
#include "cuts/search.hpp"
#include "tests/check.hpp"
#include "tests/node.hpp"

using namespace treewright;

namespace {

template <class Index>
struct Listed {
    std::vector<Entry<Index>> entries;
    size_t known = 0;
};

/// The rows of a node by a feature of few values, some of them missing.
template <class Index>
Listed<Index> listed(std::mt19937_64& random, size_t n, bool missing) {
    std::vector<std::pair<Index, Index>> values;
    for (size_t i = 0; i < n; ++i)
        values.emplace_back(missing && random() % 4 == 0 ? Entry<Index>::missing : static_cast<Index>(random() % (2 + n / 3)),
                            static_cast<Index>(i));
    std::sort(values.begin(), values.end());
    Listed<Index> list;
    for (const auto& [rank, row] : values) {
        list.entries.push_back({rank, row});
        list.known += rank != Entry<Index>::missing;
    }
    return list;
}

template <class C>
double merit_of(const Node& node, const Totals& all, const Totals& left, const Totals& right) {
    const Totals* both[] = {&left, &right};
    if constexpr (C::classification) return C::merit(all, both);
    else return C::merit(all, both, node.mean);
}

/// Every cut in its turn; the first within the tolerance of the largest merit.
template <class C, class Index>
FoundCut best_of_all(const Node& node, const Listed<Index>& list, bool left_out, size_t min_count, double tolerance) {
    const auto sum = [&](auto&& goes) {
        Totals t(node.width());
        for (size_t i = 0; i < list.entries.size(); ++i)
            if (goes(i)) t.add(node.sum(list.entries[i].row, static_cast<size_t>(list.entries[i].row) + 1));
        return t;
    };
    const size_t n = left_out ? list.known : list.entries.size();
    const Totals all = sum([&](size_t i) { return i < n; });
    Best<Cut> best(tolerance);
    for (const bool missing_left : {false, true}) {
        if (missing_left && n == list.known) break;
        for (size_t at = 1; at <= list.known; ++at) {
            if (at < list.known ? list.entries[at - 1].rank == list.entries[at].rank : missing_left || n == list.known) continue;
            const auto goes_left = [&](size_t i) { return i < at || (missing_left && i >= list.known && i < n); };
            const Totals left = sum(goes_left), right = sum([&](size_t i) { return i < n && !goes_left(i); });
            if (left.count < min_count || right.count < min_count) continue;
            best.offer(all.weight / node.totals.weight * merit_of<C>(node, all, left, right), {at, missing_left});
        }
    }
    if (!best.found()) return {};
    return {best.merit(), best.get()};
}

template <class C, class Scorer, class Index>
void check_search(std::mt19937_64& random, const Node& node) {
    const LogTable logs(node.n);
    Scratch scratch(logs.data());
    const C criterion{};
    CutSearch<C, Scorer> search(criterion, scratch);
    std::vector<PairSum> pairs(node.n);
    if constexpr (requires { typename C::PairScorer; })
        for (size_t i = 0; i < node.n; ++i)
            pairs[i] = {node.weight[i], node.weight[i] * (node.n_classes ? node.bit[i] : node.target[i]), 0};
    for (const bool missing : {false, true})
        for (const bool left_out : {false, true})
            for (const bool bounded : {false, true})
                for (const size_t min_count : {1u, 3u}) {
                    const Listed<Index> list = listed<Index>(random, node.n, missing);
                    CutLimits limits;
                    limits.min_count = min_count;
                    const double tolerance = 1e-9;
                    NodeView view{node.rows, node.totals, 1.0, tolerance};
                    if (C::by_pairs(static_cast<int>(node.n_classes))) view.pairs = &pairs;
                    const std::span<const Entry<Index>> all(list.entries);
                    CutTask<Index> task{left_out ? all.first(list.known) : all, list.known, limits, left_out};
                    task.bounded = bounded;
                    const FoundCut found = search.best(view, task);
                    const FoundCut expected =
                        list.known ? best_of_all<C>(node, list, left_out, min_count, tolerance) : FoundCut{};
                    CHECK_NEAR(found.merit, expected.merit, 1e-8);
                    if (expected.merit == -infinity) continue;
                    CHECK_EQUAL(found.cut.position(), expected.cut.position());
                    CHECK_EQUAL(found.cut.missing_left(), expected.cut.missing_left());
                    WideList wide;
                    CHECK_NEAR(search.merit(view, widened(task, wide), found.cut, 0.0), expected.merit, 1e-8);
                }
}

template <class C>
void check_criterion(size_t n_classes, bool positive = false) {
    std::mt19937_64 random(7);
    for (size_t n : {2u, 6u, 40u, 150u})
        for (const bool unit : {true, false})
            for (int round = 0; round < 6; ++round) {
                const Node node(random, n, n_classes, unit, positive);
                C::with_scorer(static_cast<int>(n_classes), unit, [&]<class Scorer>() {
                    check_search<C, Scorer, uint16_t>(random, node);
                    check_search<C, Scorer, uint32_t>(random, node);
                });
            }
}

}  // namespace

TEST(cuts_of_two_classes_by_gini) { check_criterion<Gini>(2); }
TEST(cuts_of_classes_by_gini) { check_criterion<Gini>(5); }
TEST(cuts_of_classes_by_entropy) { check_criterion<Entropy>(4); }
TEST(cuts_of_classes_by_twoing) { check_criterion<Twoing>(3); }
TEST(cuts_of_numbers_by_squared_error) { check_criterion<SquaredError>(0); }
