// The best split of a node on one feature, by any rule of CART: a cut of a numeric feature, or two groups of categories.
#pragma once
#include <bit>
#include <numeric>

#include "programs/cart/rules.hpp"
#include "programs/cart/sorted_rows.hpp"
#include "splits/two_sided.hpp"

namespace treewright::cart {

/// The known rows of a node in the order of one feature; the memory behind them is kept.
struct Column {
    std::vector<double> x;  // numbers, or codes
    Rows row;

    size_t size() const { return row.size(); }
    /// Take those of the rows whose value is known, which all are if `complete`.
    template <class Value>
    void gather(Rows from, const Value* values, bool complete) {
        if (x.size() < from.size()) x.resize(from.size());
        for (size_t i = 0; i < from.size(); ++i) x[i] = static_cast<double>(values[from[i]]);
        row = from;
        if (complete) return;
        if (known_.size() < from.size()) known_.resize(from.size());
        size_t n = 0;
        for (size_t i = 0; i < from.size(); ++i) {  // without a branch
            const double value = x[i];
            known_[n] = from[i];
            x[n] = value;
            n += is_known(static_cast<Value>(value));
        }
        row = Rows(known_).first(n);
    }

private:
    std::vector<uint32_t> known_;
};

/// Put codes in the ascending order of their keys, equals as they are.
inline void sort_by(const std::vector<double>& key, std::vector<size_t>& codes) {
    std::ranges::stable_sort(codes, {}, [&](size_t code) { return key[code]; });
}

/// The best cut that leaves at least `edge` rows on each side, the first of equals: the number of rows below it, 0 if none is
/// worth anything.
template <class Rule>
size_t best_cut(Rule& rule, const Column& column, size_t edge, const Leaf& node, TwoSidedSplit& split) {
    const size_t n = column.size();
    if (!rule.start(column.row)) return 0;
    double best = rule.least();
    size_t place = 0;
    for (size_t below = 1; below + edge <= n; ++below) {
        rule.move(column.row[below - 1]);
        if (below < edge || column.x[below] == column.x[below - 1] || !rule.may_beat(best)) continue;
        const double value = rule.value();
        if (!(value > best)) continue;
        best = value;
        place = below;
        split.below = rule.lower_left() ? Side::left : Side::right;
    }
    split.score = (best - rule.least()) / rule.scale(node);
    return split.score > 0 ? place : 0;
}

/// Two groups of the categories of a feature.
template <class Rule>
class CategoryGroups {
public:
    CategoryGroups(Rule& rule, const Column& column, size_t n_codes, size_t edge)
        : rule_(rule), n_(column.size()), edge_(edge), tally_(n_codes, rule.empty()), count_(n_codes, 0), on_left_(n_codes, 0) {
        useful_ = rule.start(column.row);
        for (size_t i = 0; i < n_; ++i) {
            const auto code = static_cast<size_t>(column.x[i]);
            rule.add(tally_[code], column.row[i]);
            if (count_[code]++ == 0) present_.push_back(code);
        }
        std::ranges::sort(present_);
    }
    bool best(const Leaf& node, TwoSidedSplit& split) {
        if (!useful_) return false;
        best_ = rule_.least();
        split.side.assign(count_.size(), Side::none);
        if (rule_.tries_all(present_.size())) {
            every_grouping(split);
        } else {
            for (size_t order = 0; order < rule_.n_orders(); ++order) cuts_of_order(order, split);
        }
        split.score = (best_ - rule_.least()) / rule_.scale(node);
        return split.score > 0;
    }

private:
    void cross(size_t code) {
        const bool back = on_left_[code];
        on_left_[code] = !back;
        n_left_ += back ? 0 - count_[code] : count_[code];
        rule_.move(tally_[code], back ? -1.0 : 1.0);
    }
    void offer(TwoSidedSplit& split) {
        if (n_left_ < edge_ || n_ - n_left_ < edge_) return;
        const double value = rule_.value();
        if (!(value > best_)) return;
        best_ = value;
        const Side of_left = rule_.lower_left() ? Side::left : Side::right;
        for (size_t code : present_) split.side[code] = on_left_[code] ? of_left : opposite(of_left);
    }
    /// Ties in the order of the codes.
    void cuts_of_order(size_t order, TwoSidedSplit& split) {
        std::vector<double> key(count_.size(), 0.0);
        for (size_t code : present_) key[code] = rule_.key(tally_[code], order);
        std::vector<size_t> codes = present_;
        sort_by(key, codes);
        for (size_t code : codes) {
            cross(code);
            offer(split);
        }
        for (size_t code : codes) cross(code);
    }
    /// In the order of a Gray code, one category crosses over at a time; the last of the domain stays, as sides may be named
    /// either way.
    void every_grouping(TwoSidedSplit& split) {
        if (present_.size() > 62)
            throw std::invalid_argument("a feature has more than 62 categories at a node, too many to try every grouping");
        const size_t n_moving = present_.size() - (present_.back() == count_.size() - 1);
        for (uint64_t step = 1; step < uint64_t{1} << n_moving; ++step) {
            cross(present_[static_cast<size_t>(std::countr_zero(step))]);
            offer(split);
        }
    }

    Rule& rule_;
    size_t n_, edge_, n_left_ = 0;
    bool useful_ = false;
    std::vector<typename Rule::Tally> tally_;
    std::vector<size_t> count_, present_;
    std::vector<char> on_left_;
    double best_ = 0;
};

}  // namespace treewright::cart
