// The rows of a tree that is grown by sorting: those of a node side by side, and the columns they are read from.
#pragma once
#include <memory>
#include <optional>

#include "base/builder.hpp"
#include "base/large_array.hpp"
#include "base/midpoint.hpp"
#include "splits/category_order.hpp"
#include "grow/grow_task.hpp"
#include "grow/missing_policy.hpp"
#include "grow/by_sorting/ranks.hpp"

namespace treewright {

/// Whether small subtrees copy their columns: a row of them is looked at about a dozen times, so copying pays up to there.
inline bool copies_columns(const GrowTask& task) {
    const auto drawn = static_cast<size_t>(task.recipe.max_features);  // 0 = all
    return drawn == 0 || task.n_features() <= 12 * drawn;
}

/// Whether the values of a categorical feature are ordered once for a tree.
inline bool orders_once(const Recipe& recipe, const Feature& feature) {
    constexpr int32_t many_categories = 256;
    return recipe.category_order == CategoryOrder::once ||
           (recipe.category_order == CategoryOrder::automatic && feature.n_categories > many_categories);
}

/// The weight of rows whose class weights these are; of several targets each has it.
inline double weight_of_classes(const GrowTask& task, const std::vector<double>& sums) {
    return std::accumulate(sums.begin(), sums.begin() + task.n_classes, 0.0);
}

/// The impurity of a node by its class weights, as describe_classes has it.
inline double impurity_of_classes(const GrowTask& task, const Totals& totals) {
    if (task.n_outputs() == 1) return task.formula->impurity(totals);
    Description node;
    describe_several_classes(task, totals, node);
    return node.impurity;
}

/// The rows of one node: [begin, end) of every column.
struct RowRange {
    uint32_t begin = 0, end = 0;

    size_t size() const { return end - begin; }
    bool holds(const RowRange& other) const { return begin <= other.begin && other.end <= end; }
};

/// What splits a node in two.
struct SortedSplit {
    static constexpr int32_t n_branches = 2;

    double merit = -infinity;
    int32_t feature = -1, default_branch = -1;
    bool table = false;
    uint32_t left_rank = 0;  // rows of at most this rank go left
    bool between = false;    // the threshold lies half-way between the values of these two rows of the table
    uint32_t left_row = 0, right_row = 0;
    double threshold = 0;
    std::vector<std::pair<int32_t, int32_t>> groups = {};  // of a table: the branch of each code
};

/// The columns that all trees of a forest read: ranks, or of random cuts values.
struct SortedColumns {
    std::optional<RankTable> ranks;
    std::optional<ValueTable> values;

    explicit SortedColumns(const GrowTask& task) {
        const int threads = task.recipe.threads;
        if (task.recipe.random_cuts) values.emplace(task.table, copies_columns(task), threads);
        else ranks.emplace(task.table, copies_columns(task), threads, task.monitor);
    }
    bool has_missing(size_t feature) const { return ranks ? ranks->has_missing(feature) : values->has_missing(feature); }
};

class SortedRows {
public:
    SortedRows(const GrowTask& task, const SortedColumns& columns)
        : task_(task),
          recipe_(task.recipe),
          columns_(columns),
          outputs_(task.n_outputs()),
          codes_(task.n_features()),
          numbers_(task.n_features()),
          rank_(task.n_features()),
          has_missing_(task.n_features()),
          ordered_(task.n_features()) {
        for (size_t f = 0; f < task.n_features(); ++f) {
            const Feature& feature = task.table.features[f];
            if (!feature.categorical()) {
                has_missing_[f] = columns.has_missing(f);
                continue;
            }
            any_codes_ = true;
            has_missing_[f] =
                std::any_of(feature.codes, feature.codes + task.table.n_rows, [](int32_t code) { return code < 0; });
            if (orders_once(task.recipe, feature)) ordered_[f] = std::make_unique<OrderedLevels>();
        }
        if (columns.values) {
            place_.resize(task.n_features());
            width_ = columns.values->width();
            for (size_t f = 0; f < task.n_features(); ++f) place_[f] = ordered_[f] ? width_++ : columns.values->column(f);
        }
        if (!copies_columns(task)) return;
        const size_t near = std::clamp<size_t>(400'000 / (sizeof(uint32_t) * task.n_features()), 256, 4096);
        most_copied_ = recipe_.random_cuts ? 4 * near : near;
        least_copied_ = recipe_.random_cuts ? near / 2 : most_copied_;
    }
    SortedRows(const SortedRows&) = delete;  // they point into themselves
    SortedRows& operator=(const SortedRows&) = delete;

    /// Take these rows of the table; `weight` goes by row of the table, empty = every row weighs one.
    void load(std::span<const uint32_t> rows, std::span<const double> weight) {
        const size_t n = rows.size();
        row_.assign(rows.begin(), rows.end());
        side_.resize(n);
        spare_row_.resize(n);
        spare_target_.resize(n * outputs_);
        spare_weight_.resize(n);
        const auto gather = [&](const auto* from, auto& to, size_t width) {
            to.resize(n * width);
            for (size_t i = 0; i < n; ++i) std::copy_n(from + rows[i] * width, width, to.data() + i * width);
        };
        weight_.clear();
        if (!weight.empty()) gather(weight.data(), weight_, 1);
        whole_ = std::all_of(weight_.begin(), weight_.end(), [](double w) { return w == std::floor(w) && w < 1048576; });
        if (task_.n_classes) gather(task_.label, label_, outputs_);
        else gather(task_.target, target_, outputs_);
        for (size_t f = 0; f < ordered_.size(); ++f)
            if (ordered_[f]) order(f);
        read_table();
    }

    // ---- the node in hand --------------------------------------------------------------------------------------

    /// Read this node's columns, and those of its subtree, where they are near: a small subtree copies its own side by side, so
    /// that all its nodes read them from the core's own cache. A subtree is left for good once a node outside is looked at.
    void look_at(const RowRange& node) {
        const size_t before = n_copies_;
        while (n_copies_ > 0 && !copies_[n_copies_ - 1].range.holds(node)) --n_copies_;
        if (n_copies_ != before) read_columns();
        if (n_copies_ == 0 ? node.size() <= most_copied_ : pays_to_copy_again(node)) copy_columns(node);
    }
    /// The rows of a node: what stands here is what columns are read by.
    const uint32_t* rows(const RowRange& node) const { return row_.data() + node.begin; }
    /// Their weights; null = every row weighs one.
    const double* weight(const RowRange& node) const { return weight_.empty() ? nullptr : weight_.data() + node.begin; }
    /// Whether all weights are small whole numbers, such as those of draws: their sums are exact in any order.
    bool whole() const { return whole_; }
    /// Their labels or numbers; of several targets those of a row side by side.
    const int32_t* label(const RowRange& node) const { return label_.data() + node.begin * outputs_; }
    const double* target(const RowRange& node) const { return target_.data() + node.begin * outputs_; }

    /// The columns, by what rows() gives.
    const int32_t* codes(size_t feature) const { return codes_[feature]; }
    const ValueColumn& numbers(size_t feature) const { return numbers_[feature]; }
    /// Call use(rank), where rank(row) is the rank of a row by a feature.
    template <class Use>
    auto with_ranks(size_t feature, Use&& use) const {
        const uint16_t* narrow = task_.table.features[feature].categorical() ? nullptr : columns_.ranks->narrow(feature);
        if (narrow) return use([narrow](uint32_t row) { return RankTable::widen(narrow[row]); });
        return use([rank = rank_[feature]](uint32_t row) { return rank[row]; });
    }
    bool has_missing(size_t feature) const { return has_missing_[feature]; }
    bool any_codes() const { return any_codes_; }
    /// Whether a feature is categorical, and neither ranked nor numbered.
    bool only_codes(size_t feature) const { return task_.table.features[feature].categorical() && !ordered_[feature]; }
    /// The row of the table behind one of rows().
    uint32_t origin(uint32_t row) const { return n_copies_ > 0 ? copies_[n_copies_ - 1].origin[row] : row; }

    // ---- carrying a split out ------------------------------------------------------------------------------------

    /// Bring the rows of a node that go left before those that go right, choose the default branch, and give the number of the
    /// first.
    size_t partition(const RowRange& node, SortedSplit& split) {
        const auto f = static_cast<size_t>(split.feature);
        const bool weighs =
            recipe_.missing == Missing::available && !weight_.empty();  // where the default branch follows weights
        if (split.table || has_missing_[f] || weighs) {
            const size_t left = split.table           ? sides_by_table(node, split)
                                : recipe_.random_cuts ? sides_by_value(node, split)
                                                      : sides_by_rank(node, split);
            bring_left_first(node, [side = side_.data()](size_t i, uint32_t) { return side[i]; });
            return left;
        }
        const size_t left = sides_at_once(node, split);
        if (split.default_branch < 0)
            split.default_branch = larger(static_cast<double>(left), static_cast<double>(node.size() - left));
        return left;
    }
    /// A cut of ordered categories as a table: of all that the tree knows if they are few, else of those present at the node.
    void finish(const RowRange& node, SortedSplit& split) {
        const auto f = static_cast<size_t>(split.feature);
        if (!ordered_[f]) return;
        const OrderedLevels& levels = *ordered_[f];
        double last = split.threshold;
        if (split.between) last = midpoint(split.left_rank, levels.rank[split.right_row]);
        const auto put = [&](int32_t code) {
            split.groups.emplace_back(code, levels.rank_of[static_cast<size_t>(code)] <= last ? 0 : 1);
        };
        split.groups.clear();
        if (levels.code_of.size() <= few_levels || node.size() > most_rows_of_small_node) {  // as `to_table`
            for (int32_t code : levels.code_of) put(code);
        } else {
            int8_t* seen = lookup(levels.rank_of.size());
            for (size_t i = node.begin; i < node.end; ++i) {
                const int32_t code = codes_[f][row_[i]];
                if (code < 0 || seen[code] == 1) continue;
                seen[code] = 1;
                put(code);
            }
            for (const auto& [code, branch] : split.groups) seen[code] = -1;
        }
        std::sort(split.groups.begin(), split.groups.end());
        split.table = true;
        split.between = false;
    }

private:
    /// A categorical feature whose values are ordered once for the tree, and the rows by it.
    struct OrderedLevels {
        std::vector<int32_t> code_of;         // by rank
        std::vector<uint32_t> rank_of, rank;  // by code; by row of the table
        std::vector<double> number;           // the same as numbers, for random cuts
    };

    /// Order the values of a categorical feature by the target of the rows of this tree, and rank the rows by it.
    void order(size_t feature) {
        const Feature& column = task_.table.features[feature];
        OrderedLevels& levels = *ordered_[feature];
        const auto n_levels = static_cast<size_t>(column.n_categories);
        const size_t width = task_.width();
        std::vector<double> sums(n_levels * width, 0.0), weight(n_levels, 0.0);
        for (size_t i = 0; i < row_.size(); ++i) {
            const int32_t code = column.codes[row_[i]];
            if (code < 0) continue;
            const auto level = static_cast<size_t>(code);
            const double w = weight_.empty() ? 1.0 : weight_[i];
            weight[level] += w;
            for (size_t at = i * outputs_, o = 0; o < outputs_; ++o)
                sums[level * width + (task_.n_classes ? static_cast<size_t>(label_[at + o]) : o)] +=
                    task_.n_classes ? w : w * target_[at + o];
        }
        const auto n_classes = static_cast<size_t>(task_.n_classes);
        const std::vector<int32_t>& codes = levels.code_of = order_levels(sums, weight, width, column.truth, n_classes);
        levels.rank_of.assign(n_levels, 0);
        for (size_t rank = 0; rank < codes.size(); ++rank)
            levels.rank_of[static_cast<size_t>(codes[rank])] = static_cast<uint32_t>(rank);
        levels.rank.resize(recipe_.random_cuts ? 0 : task_.table.n_rows);
        levels.number.resize(recipe_.random_cuts ? task_.table.n_rows : 0);
        for (uint32_t row : row_) {
            const int32_t code = column.codes[row];
            const uint32_t rank = code < 0 ? RankTable::missing : levels.rank_of[static_cast<size_t>(code)];
            if (recipe_.random_cuts) levels.number[row] = code < 0 ? std::numeric_limits<double>::quiet_NaN() : rank;
            else levels.rank[row] = rank;
        }
    }

    // ---- where columns are read ------------------------------------------------------------------------------

    /// The columns of a subtree, side by side; values row by row.
    struct Copy {
        RowRange range;
        std::vector<uint32_t> origin, ranks;  // origin: rows of the table
        std::vector<int32_t> codes;
        LargeArray<double> numbers;
    };
    /// Values of random cuts, which take the most room, are copied again when few rows of a copy are left.
    bool pays_to_copy_again(const RowRange& node) const {
        const size_t copied = copies_[n_copies_ - 1].range.size();
        return copied > least_copied_ && 8 * node.size() <= copied;
    }
    void copy_columns(const RowRange& node) {
        const size_t n = node.size(), p = codes_.size();
        if (copies_.size() == n_copies_) copies_.emplace_back();
        Copy& copy = copies_[n_copies_];
        const bool from_table = n_copies_ == 0;
        const std::span<uint32_t> rows(row_.data() + node.begin, n);
        copy.range = node;
        copy.origin.resize(n);
        for (size_t i = 0; i < n; ++i) copy.origin[i] = origin(rows[i]);
        const auto fit = [&](auto& memory, size_t width) {
            if (memory.size() < n * width) memory.resize(n * width);
        };
        if (recipe_.random_cuts) fit(copy.numbers, width_);
        else fit(copy.ranks, p);
        fit(copy.codes, any_codes_ ? p : 0);
        const auto gather = [&](const auto* from, auto* to) {
            for (size_t i = 0; i < n; ++i) to[i] = from[rows[i]];
        };
        for (size_t f = 0; f < p; ++f) {
            const bool categorical = task_.table.features[f].categorical();
            if (categorical) gather(codes_[f], copy.codes.data() + f * n);
            if (recipe_.random_cuts || (categorical && !ordered_[f])) continue;
            if (from_table && !ordered_[f]) continue;  // copied by rows
            gather(rank_[f], copy.ranks.data() + f * n);
        }
        if (recipe_.random_cuts) copy_values(rows, copy);
        else if (from_table) copy_ranks(copy.origin, copy.ranks.data());
        std::iota(rows.begin(), rows.end(), 0u);
        ++n_copies_;
        read_columns();
    }
    /// The numeric features of rows of the table, from rows side by side to columns.
    void copy_ranks(std::span<const uint32_t> rows, uint32_t* to) const {
        constexpr size_t tile = 64;
        const RankTable& from = *columns_.ranks;
        const size_t n = rows.size();
        for (size_t begin = 0; begin < n; begin += tile)
            for (size_t f = 0; f < codes_.size(); ++f) {
                if (task_.table.features[f].categorical()) continue;
                const size_t column = from.column(f);
                for (size_t i = begin; i < std::min(n, begin + tile); ++i) to[f * n + i] = from.row(rows[i])[column];
            }
    }
    /// The values of rows, row by row: out of the last copy, or out of the table and behind them the ranks of categories.
    void copy_values(std::span<const uint32_t> rows, Copy& copy) const {
        double* to = copy.numbers.data();
        if (n_copies_ > 0) {
            const double* from = copies_[n_copies_ - 1].numbers.data();
            for (size_t i = 0; i < rows.size(); ++i) std::copy_n(from + rows[i] * width_, width_, to + i * width_);
            return;
        }
        const size_t numeric = columns_.values->width();
        for (size_t i = 0; i < rows.size(); ++i) std::copy_n(columns_.values->row(rows[i]), numeric, to + i * width_);
        for (size_t f = 0; f < ordered_.size(); ++f)
            if (ordered_[f])
                for (size_t i = 0; i < rows.size(); ++i) to[i * width_ + place_[f]] = ordered_[f]->number[rows[i]];
    }
    /// Read columns in the last copy, or in the table.
    void read_columns() {
        if (n_copies_ == 0) return read_table();
        const Copy& copy = copies_[n_copies_ - 1];
        const size_t n = copy.range.size();
        for (size_t f = 0; f < codes_.size(); ++f) {
            codes_[f] = copy.codes.data() + (any_codes_ ? f * n : 0);
            if (recipe_.random_cuts) numbers_[f] = {copy.numbers.data() + place_[f], width_};
            else rank_[f] = copy.ranks.data() + f * n;
        }
    }
    void read_table() {
        for (size_t f = 0; f < codes_.size(); ++f) {
            codes_[f] = task_.table.features[f].codes;
            if (ordered_[f]) numbers_[f] = {ordered_[f]->number.data()};
            else numbers_[f] = {task_.table.features[f].numbers};
            if (ordered_[f]) rank_[f] = ordered_[f]->rank.data();
            else if (!task_.table.features[f].categorical()) rank_[f] = columns_.ranks ? columns_.ranks->of(f) : nullptr;
        }
        n_copies_ = 0;
    }

    // ---- which row goes where ----------------------------------------------------------------------------------

    /// The branch of an unanswered split where none was learned: by weight under `available`, by rows under `direction`.
    int32_t larger(double left, double right) const {
        const double size[2] = {left, right};
        return largest_branch(size, recipe_.missing != Missing::available);
    }

    /// Of splits that answer every row, as most do: no side is written down.
    size_t sides_at_once(const RowRange& node, const SortedSplit& split) {
        const auto f = static_cast<size_t>(split.feature);
        if (recipe_.random_cuts)
            return bring_left_first(node, [value = numbers_[f], threshold = split.threshold](size_t, uint32_t row) {
                return static_cast<size_t>(value[row] <= threshold);
            });
        return with_ranks(f, [&](auto rank) {
            return bring_left_first(
                node, [rank, last = split.left_rank](size_t, uint32_t row) { return static_cast<size_t>(rank(row) <= last); });
        });
    }
    size_t sides_by_rank(const RowRange& node, SortedSplit& split) {
        return with_ranks(static_cast<size_t>(split.feature), [&, last = split.left_rank](auto rank) {
            return set_sides(node, split.default_branch, [&](uint32_t row) {
                return rank(row) == RankTable::missing ? -1 : static_cast<int>(rank(row) <= last);
            });
        });
    }
    size_t sides_by_value(const RowRange& node, SortedSplit& split) {
        const ValueColumn value = numbers_[static_cast<size_t>(split.feature)];
        return set_sides(node, split.default_branch, [&](uint32_t row) {
            return std::isnan(value[row]) ? -1 : static_cast<int>(value[row] <= split.threshold);
        });
    }
    size_t sides_by_table(const RowRange& node, SortedSplit& split) {
        const auto f = static_cast<size_t>(split.feature);
        const int32_t* codes = codes_[f];
        int8_t* left_of = lookup(static_cast<size_t>(task_.table.features[f].n_categories));
        for (const auto& [code, branch] : split.groups) left_of[code] = static_cast<int8_t>(branch == 0);
        const size_t left = set_sides(node, split.default_branch, [&](uint32_t row) {
            const int32_t code = codes[row];
            return code < 0 ? -1 : static_cast<int>(left_of[code]);
        });
        for (const auto& [code, branch] : split.groups) left_of[code] = -1;
        return left;
    }
    /// A place for every code, -1 each; who writes there puts it back.
    int8_t* lookup(size_t n_codes) {
        if (lookup_.size() < n_codes) lookup_.resize(n_codes, -1);
        return lookup_.data();
    }

    /// Write the side of every row into side_ (1 = left), choose the default branch, and give the number on the left.
    /// `answer` is 1, 0, or -1 where the split is unanswered.
    template <class Answer>
    size_t set_sides(const RowRange& node, int32_t& default_branch, Answer&& answer) {
        const size_t n = node.size();
        const uint32_t* row = row_.data() + node.begin;
        const double* weight = recipe_.missing == Missing::available && !weight_.empty() ? weight_.data() + node.begin : nullptr;
        constexpr uint8_t unanswered = 2;
        double size[3] = {0, 0, 0};  // right, left, unanswered
        for (size_t i = 0; i < n; ++i) {
            const int goes_left = answer(row[i]);
            side_[i] = goes_left < 0 ? unanswered : static_cast<uint8_t>(goes_left);
            size[side_[i]] += weight ? weight[i] : 1.0;
        }
        if (default_branch < 0) default_branch = larger(size[1], size[0]);
        size_t left = 0;
        for (size_t i = 0; i < n; ++i) {
            if (side_[i] == unanswered) side_[i] = default_branch == 0;
            left += side_[i];
        }
        return left;
    }
    /// Stable partition of the rows of a node, with their weights and targets, by goes_left(place, row); the number on the left.
    template <class GoesLeft>
    size_t bring_left_first(const RowRange& node, GoesLeft&& goes_left) {
        const auto part = [&](auto& targets) {
            return outputs_ == 1 ? partition(node, targets, goes_left) : partition_several(node, targets, goes_left);
        };
        return task_.n_classes ? part(label_) : part(target_);
    }
    template <class T, class GoesLeft>
    size_t partition(const RowRange& node, std::vector<T>& targets, GoesLeft&& goes_left) {
        const size_t n = node.size();
        uint32_t *row = row_.data() + node.begin, *row_right = spare_row_.data();
        T *target = targets.data() + node.begin, *target_right = reinterpret_cast<T*>(spare_target_.data());
        const bool weighted = !weight_.empty();
        double *weight = weighted ? weight_.data() + node.begin : spare_weight_.data(), *weight_right = spare_weight_.data();
        size_t l = 0, r = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t moved = row[i];
            const size_t left = goes_left(i, moved);
            row[l] = row_right[r] = moved;
            target[l] = target_right[r] = target[i];
            if (weighted) weight[l] = weight_right[r] = weight[i];
            l += left;
            r += left ^ 1;
        }
        std::copy_n(row_right, r, row + l);
        std::copy_n(target_right, r, target + l);
        if (weighted) std::copy_n(weight_right, r, weight + l);
        return l;
    }
    /// The same of several targets.
    template <class T, class GoesLeft>
    size_t partition_several(const RowRange& node, std::vector<T>& targets, GoesLeft&& goes_left) {
        size_t n_left = 0;
        for (size_t i = 0; i < node.size(); ++i) n_left += side_[i] = static_cast<uint8_t>(goes_left(i, row_[node.begin + i]));
        const auto part = [&](auto& all, auto* right, size_t width) {
            auto *const begin = all.data() + node.begin * width, *left = begin;
            auto* const right_begin = right;
            for (size_t i = 0; i < node.size(); ++i) {
                auto*& to = side_[i] ? left : right;
                to = std::copy_n(begin + i * width, width, to);
            }
            std::copy(right_begin, right, left);
        };
        part(row_, spare_row_.data(), 1);
        part(targets, reinterpret_cast<T*>(spare_target_.data()), outputs_);
        if (!weight_.empty()) part(weight_, spare_weight_.data(), 1);
        return n_left;
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    const SortedColumns& columns_;
    size_t outputs_;             // targets
    std::vector<size_t> place_;  // by feature, among the values of a row
    size_t width_ = 0;           // values of a row in a copy
    bool any_codes_ = false;

    // the rows of the tree, those of a node side by side
    std::vector<uint32_t> row_;
    std::vector<double> weight_, target_;
    bool whole_ = true;
    std::vector<int32_t> label_;

    // where the columns are read: in the table, or in the copies of a subtree
    std::vector<const int32_t*> codes_;
    std::vector<ValueColumn> numbers_;
    std::vector<const uint32_t*> rank_;
    std::vector<char> has_missing_;
    std::vector<std::unique_ptr<OrderedLevels>> ordered_;  // by feature
    size_t most_copied_ = 0, least_copied_ = 0;            // rows: of the first copy, and of one that is not copied again
    std::vector<Copy> copies_;                             // of a subtree, of one in it, and so on
    size_t n_copies_ = 0;                                  // in use

    std::vector<uint8_t> side_;
    std::vector<int8_t> lookup_;
    std::vector<uint32_t> spare_row_;
    std::vector<double> spare_target_, spare_weight_;
};

}  // namespace treewright
