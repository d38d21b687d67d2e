// The candidates of a node put before a user's function: those of many features to a call.
#pragma once
#include "criteria/user_criterion.hpp"
#include "cuts/cut.hpp"
#include "grow/presorted/rows.hpp"
#include "splits/categorical.hpp"

namespace treewright {

/// Groupings judged by a user's function.
class GroupingByFunction final : public GroupingCriterion {
public:
    GroupingByFunction(CandidateBatch& batch, bool classes) : GroupingCriterion(classes, true, false), batch_(batch) {}
    double merit(const Totals& all, Branches branches, double) override { return batch_.merit(all, branches); }
    double impurity(const Totals&) const override { return 0; }

private:
    CandidateBatch& batch_;
};

template <class Index>
class UserCriterionSearch {
    using List = Entry<Index>;

public:
    UserCriterionSearch(const GrowTask& task, const PresortedRows<Index>& rows)
        : task_(task), recipe_(task.recipe), rows_(rows), batch_(recipe_.function, task.n_classes > 0) {}

    /// Merits nearer than this are equal.
    double tolerance() const { return batch_.tolerance(); }
    /// The best candidate of the i-th feature asked about.
    Candidate answer(size_t i) { return std::move(answers_[i]); }

    /// Put the candidates of all features before the function, many features to a call, and keep the best of each.
    template <class Limits>
    void ask(const RowSpan& item, double weight, double centre, const std::vector<int32_t>& features,
             std::vector<int32_t>& constant, Limits&& limits) {
        weight_of_node_ = weight;
        start_batch(item, centre);
        answers_.assign(features.size(), {});
        cuts_.clear();
        size_t first = 0;
        std::vector<Range> range;
        for (size_t i = 0; i < features.size(); ++i) {
            if (item.size() > most_narrow_rows) task_.monitor.poll(rows_.thread());
            batch_.record();
            const size_t cuts = cuts_.size(), begin = batch_.size();
            if (!put_candidates(item, features[i], limits(features[i]))) constant.push_back(features[i]);
            range.push_back({cuts, begin, batch_.size()});
            if (cuts_.size() < recipe_.function.capacity && i + 1 < features.size()) continue;
            batch_.value();
            for (; first <= i; ++first) {
                batch_.replay(range[first].begin, range[first].end);
                answers_[first] = best_answer(item, features[first], range[first], limits(features[first]));
            }
            cuts_.clear();
            batch_.forget();
        }
        batch_.value();  // of a node without features the scale alone
    }

private:
    /// Where the candidates of a feature stand: in cuts_, and among the answers.
    struct Range {
        size_t cuts, begin, end;
    };

    bool classes() const { return task_.n_classes > 0; }
    /// Totals of the rows of a list as the function sees them.
    void add_row(Totals& t, size_t row) const {
        const double w = rows_.local().weight_of(row);
        t.weight += w;
        ++t.count;
        if (classes()) {
            t.sums[label(row)] += w;
        } else {
            t.sums[0] += w * rows_.target(row);
            t.sums[1] += w * rows_.target(row) * rows_.target(row);
        }
    }
    size_t label(size_t row) const { return static_cast<size_t>(rows_.local().label[row]); }
    size_t width() const { return classes() ? task_.width() : 2; }
    void start_batch(const RowSpan& item, double centre) {
        const Index* order = rows_.order(item);
        node_ = Totals(width());
        Totals part(width());
        for (size_t i = 0; i < item.size(); ++i) add_row(node_, order[i]);
        if (classes()) {
            const auto largest = static_cast<size_t>(std::max_element(node_.sums.begin(), node_.sums.end()) - node_.sums.begin());
            part.weight = part.sums[largest] = node_.sums[largest];
        } else {
            for (size_t i = 0; i < item.size(); ++i)
                if (rows_.target(order[i]) <= centre) add_row(part, order[i]);
        }
        batch_.start(node_, part);
    }
    /// Put down what a feature has to offer; false if it is the same for all rows.
    bool put_candidates(const RowSpan& item, int32_t feature, const CutLimits& rules) {
        if (rows_.is_categorical(feature)) {
            if (!count_levels(item, feature)) return false;
            search_levels(feature, rules);
            return true;
        }
        const List* list = rows_.list(item, feature);
        const size_t n = item.size(), known = rows_.known(item, feature);
        if (list[0].rank == list[n - 1].rank) return false;
        Totals left(width());
        if (known == n || recipe_.missing == Missing::direction) {
            batch_.set_parent(node_);
            put_cuts(list, known, known < n, false, left, node_, rules);
            if (known == n) return true;
            for (size_t i = known; i < n; ++i) add_row(left, list[i].row);
            put_cuts(list, known, false, true, left, node_, rules);
        } else {
            Totals basis(width());
            for (size_t i = 0; i < known; ++i) add_row(basis, list[i].row);
            batch_.set_parent(basis);
            put_cuts(list, known, false, false, left, basis, rules);
        }
        return true;
    }
    /// Every allowed cut between different values; `to_the_end` also the one after the last known row.
    void put_cuts(const List* list, size_t known, bool to_the_end, bool missing_left, Totals left, const Totals& basis,
                  const CutLimits& rules) {
        Totals right(width());
        batch_.subtract(basis, left, right);
        for (size_t i = 0; i < known; ++i) {
            move_row(basis, left, right, list[i].row);
            if (i + 1 < known ? list[i].rank == list[i + 1].rank : !to_the_end) continue;
            if (left.count < rules.min_count || right.count < rules.min_count) continue;
            if (!both_weigh(left.weight, right.weight, rules.min_weight)) continue;
            if (!in_order(list, i, known, missing_left, left, right, rules)) continue;
            batch_.add(left, right);
            cuts_.push_back({i + 1, missing_left});
        }
    }
    bool in_order(const List* list, size_t i, size_t known, bool missing_left, const Totals& left, const Totals& right,
                  const CutLimits& rules) const {
        if (!rules.cuts || rules.cuts->free()) return true;
        const double threshold = i + 1 < known ? rules.between(list[i].row, list[i + 1].row) : infinity;
        const bool any_missing = left.count + right.count > known;
        const MissingSides missing = any_missing ? MissingSides{missing_left, !missing_left}
                                                 : rules.larger(left.count, right.count, left.weight, right.weight);
        return rules.cuts->allow(prediction(left), prediction(right), threshold, missing);
    }
    /// One more row on the left: of classes only its own changes.
    void move_row(const Totals& basis, Totals& left, Totals& right, size_t row) const {
        add_row(left, row);
        right.weight = basis.weight - left.weight;
        right.count = basis.count - left.count;
        if (classes()) {
            const auto k = label(row);
            right.sums[k] = rest_of(basis.sums[k], left.sums[k]);
        } else {
            for (size_t k = 0; k < 2; ++k) right.sums[k] = basis.sums[k] - left.sums[k];
        }
    }
    double prediction(const Totals& t) const {
        return classes() ? rows_.local().levels->mean(t.sums.data()) : t.sums[0] / t.weight;
    }
    bool count_levels(const RowSpan& item, int32_t feature) {
        const std::vector<int32_t>& codes = rows_.codes(feature);
        const Index* order = rows_.order(item);
        counter_.count(
            static_cast<size_t>(task_.table.features[static_cast<size_t>(feature)].n_categories), width(), rows_.local(),
            [&](auto&& use) {
                for (size_t i = 0; i < item.size(); ++i) use(codes[order[i]], order[i]);
            },
            levels_);
        return levels_.size() + (levels_.missing.count > 0) >= 2;
    }
    /// Groupings of the categories counted last: put down, or chosen from by the answers.
    Candidate search_levels(int32_t feature, const CutLimits& rules) {
        const double spread = classes() ? 1.0 : std::sqrt(node_.sums[1] / node_.weight);
        GroupingByFunction criterion(batch_, classes());
        return best_grouping({criterion, recipe_, task_.table, levels_, node_, batch_.tolerance(), spread, feature, rules.bounds,
                              rows_.local().levels});
    }
    /// The best candidate of a feature by the answers.
    Candidate best_answer(const RowSpan& item, int32_t feature, const Range& range, const CutLimits& rules) {
        if (range.begin == range.end) return {};
        if (rows_.is_categorical(feature)) {
            count_levels(item, feature);
            return search_levels(feature, rules);
        }
        Candidate candidate;
        BestCut cuts(batch_.tolerance(), recipe_.ties == Ties::last);
        for (size_t i = range.begin; i < range.end; ++i) cuts.offer(batch_.answer(i), cuts_[range.cuts + i - range.begin]);
        if (!cuts.found()) return candidate;
        const Cut best = cuts.get();
        const List* list = rows_.list(item, feature);
        candidate.feature = feature;
        candidate.position = best.position();
        candidate.merit = cuts.merit();
        candidate.threshold = std::numeric_limits<double>::quiet_NaN();
        if (list[item.size() - 1].rank == List::missing) {
            if (recipe_.missing == Missing::direction) candidate.default_branch = best.missing_left() ? 0 : 1;
            else candidate.merit *= known_weight(list, item.size()) / weight_of_node_;
        }
        return candidate;
    }
    double known_weight(const List* list, size_t n) const {
        double weight = 0;
        for (size_t i = 0; i < n && list[i].rank != List::missing; ++i) weight += rows_.local().weight_of(list[i].row);
        return weight;
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    const PresortedRows<Index>& rows_;
    CandidateBatch batch_;
    Totals node_;
    double weight_of_node_ = 0;
    std::vector<Candidate> answers_;  // by feature asked about
    std::vector<Cut> cuts_;           // put down and not yet answered
    LevelCounter counter_;
    Levels levels_;
};

}  // namespace treewright
