// Splits on a categorical feature for absolute error, which is no function of sums: groupings are valued by moving rows.
//
// Two groups: the best cut of the values in the order of their medians, and in the order of their means. No order is known to
// be exact for absolute error.
#pragma once
#include "splits/candidate.hpp"
#include "cuts/scan.hpp"
#include "splits/category_order.hpp"
#include "grow/grow_task.hpp"

namespace treewright {

template <class C>
class GroupSearch {
    using Scorer = typename C::TurnScorer;
    using List = Entry<uint32_t>;

public:
    GroupSearch(const Recipe& recipe, const Table& table, const NodeView& node, const CutLimits& limits, int32_t feature,
                Scratch& scratch)
        : recipe_(recipe),
          rows_(node.rows),
          scratch_(scratch),
          node_(node.totals),
          tolerance_(node.tolerance),
          spread_(C::spread(node.impurity, node.rows.centre)),
          limits_(limits),
          feature_(feature),
          n_categories_(table.features[static_cast<size_t>(feature)].n_categories),
          truth_(table.features[static_cast<size_t>(feature)].truth),
          group_of_(static_cast<size_t>(n_categories_), -1) {}

    void add(int32_t code, uint32_t row) {
        if (code < 0) {
            missing_.push_back(row);
            return;
        }
        int32_t& group = group_of_[static_cast<size_t>(code)];
        if (group < 0) {
            group = static_cast<int32_t>(groups_.size());
            groups_.push_back({code, {}});
        }
        groups_[static_cast<size_t>(group)].rows.push_back(row);
    }
    Candidate best() {
        std::sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) { return a.code < b.code; });
        by_direction_ = recipe_.missing == Missing::direction && !missing_.empty();
        if (recipe_.subset) {
            cut(order_by([&](const Group& g) { return describe(g.rows).value[0]; }), Cuts::all);
            cut(order_by([&](const Group& g) { return describe(g.rows).centre; }), Cuts::all);
        }
        if (recipe_.one_vs_rest) one_against_rest();
        if (recipe_.multiway) multiway();
        return std::move(best_);
    }

private:
    struct Group {
        int32_t code;
        std::vector<uint32_t> rows;
    };
    enum class Cuts { all, after_first, known_against_missing };

    Description describe(const std::vector<uint32_t>& rows) const {
        std::vector<double> target, weight;
        for (uint32_t row : rows) {
            target.push_back(rows_.target[row]);
            weight.push_back(rows_.weight_of(row));
        }
        Description description;
        describe_numbers<C>(target, weight, description);
        return description;
    }
    template <class Key>
    std::vector<size_t> order_by(Key&& key) const {
        std::vector<double> keys;
        for (const Group& group : groups_) keys.push_back(truth_ ? 0.0 : key(group));
        return ascending(keys, spread_);
    }

    /// The rows of the groups in this order, ranked by group; missing rows last where they take part.
    void line_up(const std::vector<size_t>& order, Cuts cuts) {
        line_.clear();
        for (size_t i = 0; i < order.size(); ++i) {
            const size_t rank = cuts == Cuts::all ? i : cuts == Cuts::after_first ? std::min<size_t>(i, 1) : 0;
            for (uint32_t row : groups_[order[i]].rows) line_.push_back({static_cast<uint32_t>(rank), row});
        }
        known_ = line_.size();
        if (by_direction_)
            for (uint32_t row : missing_) line_.push_back({List::missing, row});
        basis_ = Totals(1);
        basis_.count = line_.size();
        for (const List& entry : line_) {
            basis_.weight += rows_.weight_of(entry.row);
            basis_.sums[0] += rows_.weight_of(entry.row) * rows_.target[entry.row];
        }
    }

    /// A scorer of the rows lined up, all on the right.
    Scorer scorer() { return started_scorer<Scorer>(C{}, rows_, basis_, scratch_, line_.data(), line_.size()); }

    void cut(const std::vector<size_t>& order, Cuts cuts) {
        line_up(order, cuts);
        const size_t total = line_.size();
        const Scorer right = scorer();
        BestCut found(right.score_step(tolerance_ * node_.weight / basis_.weight), limits_.last_of_ties);
        scan(line_.data(), known_, 0, total, by_direction_ && cuts != Cuts::after_first, false, right, limits_, found);
        if (by_direction_ && cuts != Cuts::known_against_missing) {
            Scorer left = scorer();
            for (size_t i = known_; i < total; ++i) left.add(line_[i].row);
            scan(line_.data(), known_, total - known_, total, false, true, left, limits_, found);
        }
        if (!found.found()) return;
        std::vector<char> on_left(groups_.size(), 0);
        for (size_t i = 0, covered = 0; i < order.size() && covered < found.get().position();
             covered += groups_[order[i++]].rows.size())
            on_left[order[i]] = 1;
        if (!offer(basis_.weight / node_.weight * right.merit(found.merit()))) return;
        best_.n_branches = 2;
        best_.default_branch = by_direction_ ? (found.get().missing_left() ? 0 : 1) : -1;
        for (size_t g = 0; g < groups_.size(); ++g) best_.table.emplace_back(groups_[g].code, on_left[g] ? 0 : 1);
    }

    void one_against_rest() {
        std::vector<size_t> order(groups_.size());
        std::iota(order.begin(), order.end(), size_t{0});
        if (by_direction_) cut(order, Cuts::known_against_missing);
        for (size_t chosen = 0; chosen < (truth_ ? 1 : groups_.size()) && groups_.size() >= 2; ++chosen) {
            std::rotate(order.begin(), std::find(order.begin(), order.end(), chosen), order.end());
            cut(order, Cuts::after_first);
        }
    }

    void multiway() {
        std::vector<double> weight(groups_.size(), 0.0);
        for (size_t g = 0; g < groups_.size(); ++g)
            for (uint32_t row : groups_[g].rows) weight[g] += rows_.weight_of(row);
        const size_t heaviest = first_largest(weight);
        size_t large = 0;
        double after = 0;
        for (size_t g = 0; g < groups_.size(); ++g) {
            std::vector<uint32_t> rows = groups_[g].rows;
            if (by_direction_ && g == heaviest) rows.insert(rows.end(), missing_.begin(), missing_.end());
            const Description part = describe(rows);
            if (!limits_.bounds.hold(part.value[0])) return;
            after += part.risk;
            large += part.count >= limits_.min_count && part.weight >= limits_.min_weight;
        }
        if (large < 2) return;
        std::vector<size_t> order(groups_.size());
        std::iota(order.begin(), order.end(), size_t{0});
        line_up(order, Cuts::all);
        if (!offer(basis_.weight / node_.weight * scorer().merit(-after))) return;
        best_.n_branches = n_categories_;
        best_.default_branch = groups_[heaviest].code;
        for (int32_t code = 0; code < n_categories_; ++code) best_.table.emplace_back(code, code);
    }

    /// Whether this merit is the best so far; if so, the caller fills in the branches.
    bool offer(double merit) {
        if (recipe_.ties == Ties::last ? merit < best_.merit - tolerance_ : merit <= best_.merit + tolerance_) return false;
        best_ = Candidate{};
        best_.merit = merit;
        best_.feature = feature_;
        best_.kind = SplitKind::table;
        return true;
    }

    const Recipe& recipe_;
    const LocalRows& rows_;
    Scratch& scratch_;
    const Totals& node_;
    double tolerance_, spread_;
    CutLimits limits_;
    int32_t feature_, n_categories_;
    bool truth_;  // False stays on the left
    bool by_direction_ = false;
    std::vector<Group> groups_;
    std::vector<uint32_t> missing_;
    std::vector<int32_t> group_of_;
    std::vector<List> line_;
    size_t known_ = 0;
    Totals basis_;
    Candidate best_;
};

}  // namespace treewright
