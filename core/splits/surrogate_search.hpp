// Surrogates as splits of the engines: looked for on all other features, written as candidates, followed by rows.
#pragma once
#include <numeric>

#include "base/midpoint.hpp"
#include "splits/candidate.hpp"
#include "base/recipe.hpp"
#include "splits/surrogate_agreement.hpp"
#include "base/table.hpp"

namespace treewright {

/// Each row's branch at a node and its weight: what surrogates are held to.
struct BranchAssignment {
    std::span<const int32_t> branch;  // −1 where the split does not answer
    std::span<const double> weight;   // empty = every row counts one
    size_t n_branches = 2;

    double weight_of(size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
    /// The weights that the split sends each way; `signed_weight` is by the caller's own row numbers.
    PrimarySides sides(std::span<const double> signed_weight) const {
        std::vector<double> size(n_branches, 0.0);
        for (size_t i = 0; i < branch.size(); ++i)
            if (branch[i] >= 0) size[static_cast<size_t>(branch[i])] += weight_of(i);
        PrimarySides primary{signed_weight};
        const auto largest = std::max_element(size.begin(), size.end());  // which way it is does not matter
        primary.left_weight = std::exchange(*largest, 0.0);
        primary.right_weight = *std::max_element(size.begin(), size.end());
        primary.other_weight = std::accumulate(size.begin(), size.end(), 0.0) - primary.right_weight;
        primary.tolerance = weight.empty() ? 0.0 : 1e-11 * primary.total();
        return primary;
    }
    /// +weight if a row goes left, −weight if right, 0 if the split does not answer.
    double signed_weight(size_t i) const { return branch[i] < 0 ? 0.0 : branch[i] == 0 ? weight_of(i) : -weight_of(i); }
};

/// The cut of a surrogate between two values; the test is x ≤ cut, and −x ≤ −cut where lower numbers go right.
inline double surrogate_cut(Side below, double left, double right) {
    return below == Side::left ? midpoint(left, right) : midpoint_above(left, right);
}

inline Candidate surrogate_candidate(const TwoSidedSplit& split) {
    Candidate candidate;
    candidate.feature = split.feature;
    candidate.merit = split.score;
    candidate.adjusted = split.adjusted;
    candidate.kind = split.below == Side::left ? SplitKind::threshold : SplitKind::hyperplane;
    candidate.threshold = split.below == Side::left ? split.cut : -split.cut;
    if (candidate.oblique()) {  // it runs the other way: −x ≤ threshold
        candidate.pool_index.push_back(split.feature);
        candidate.pool_value.push_back(-1.0);
    }
    return candidate;
}

/// Surrogates on all features but the split's own, best first. row_of(i) is the i-th row's place in the table;
/// cut_of(feature, primary, least, split) finds the cut of a numeric feature that agrees best, and need not if that is below
/// `least`.
template <class RowOf, class CutOf>
std::vector<Candidate> find_surrogates(const Table& table, const Recipe& recipe, const Candidate& of,
                                       const BranchAssignment& assigned, const PrimarySides& primary, RowOf&& row_of,
                                       CutOf&& cut_of) {
    std::vector<TwoSidedSplit> kept;
    std::vector<std::vector<std::pair<int32_t, int32_t>>> tables(table.features.size());
    SurrogateRules rules;
    rules.max_surrogates = recipe.max_surrogates;
    for (size_t f = 0; f < table.features.size(); ++f) {
        const Feature& feature = table.features[f];
        const bool own = static_cast<int32_t>(f) == of.feature && !of.oblique();
        if (own || (assigned.n_branches != 2 && !feature.categorical())) continue;
        TwoSidedSplit split;
        split.feature = static_cast<int32_t>(f);
        const auto each = [&](auto&& use) {
            for (size_t i = 0; i < assigned.branch.size(); ++i) {
                const int32_t code = feature.codes[row_of(i)], branch = assigned.branch[i];
                if (branch >= 0 && code >= 0) use(static_cast<size_t>(code), static_cast<size_t>(branch), assigned.weight_of(i));
            }
        };
        const Agreement agreement = feature.categorical() ? agreeing_branches(static_cast<size_t>(feature.n_categories),
                                                                              assigned.n_branches, each, tables[f])
                                                          : cut_of(f, primary, least_agreement(primary, rules, kept), split);
        offer_surrogate(std::move(split), agreement, primary, rules, kept);
    }
    std::vector<Candidate> surrogates;
    for (const TwoSidedSplit& split : kept) {
        Candidate& candidate = surrogates.emplace_back(surrogate_candidate(split));
        if (!table.features[static_cast<size_t>(split.feature)].categorical()) continue;
        candidate.kind = SplitKind::table;
        candidate.table = std::move(tables[static_cast<size_t>(split.feature)]);
    }
    return surrogates;
}

/// Send the rows that the split does not answer where the first surrogate that does sends them.
template <class RowOf>
void follow_surrogates(const Table& table, const std::vector<Candidate>& surrogates, RowOf&& row_of, std::span<int32_t> branch) {
    for (size_t i = 0; i < branch.size(); ++i)
        for (size_t s = 0; s < surrogates.size() && branch[i] < 0; ++s) branch[i] = row_branch(surrogates[s], table, row_of(i));
}

}  // namespace treewright
