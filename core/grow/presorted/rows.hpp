// Rows in presorted lists: columns of their own under local row numbers, a sorted list a feature, and their stable partition.
#pragma once
#include <memory>

#include "grow/bits.hpp"
#include "base/builder.hpp"
#include "base/large_array.hpp"
#include "grow/constraints.hpp"
#include "cuts/sorted_list.hpp"
#include "grow/missing_policy.hpp"
#include "grow/presorted/row_targets.hpp"
#include "grow/significance.hpp"

namespace treewright {

/// The rows of one node: [begin, end) of every list in one of the two buffers.
struct RowSpan {
    uint32_t begin = 0, end = 0;
    uint8_t buffer = 0;

    size_t size() const { return end - begin; }
};

/// The cut of a node, and the values beside it.
struct CutValues {
    int32_t node;
    const double *below, *above;
};

/// Memory is kept from one load to the next.
template <class Index>
class PresortedRows {
public:
    using List = Entry<Index>;

    PresortedRows(const GrowTask& task, const std::vector<double>& weight)
        : task_(task), recipe_(task.recipe), targets_(task, weight) {}
    PresortedRows(const PresortedRows&) = delete;  // it points into itself
    PresortedRows& operator=(const PresortedRows&) = delete;

    /// Take over these rows of the table.
    void load(std::span<const uint32_t> rows, int thread) {
        rows_ = rows;
        thread_ = thread;
        n_ = rows.size();
        targets_.load(rows);
        gather_features();
        for (auto& order : order_) order.resize(n_);
        std::iota(order_[0].begin(), order_[0].end(), Index{0});
        branch_.resize(n_);
        left_.resize(n_);
    }

    // ---- what a node holds -------------------------------------------------------------------------------------

    size_t size() const { return n_; }
    int thread() const { return thread_; }
    /// Rows of the table.
    const uint32_t* rows() const { return rows_.data(); }
    /// What scorers read.
    const LocalRows& local() const { return targets_.local(); }
    LocalRows& local() { return targets_.local(); }
    /// Features that are not constant.
    const Interactions::Features& features() const { return features_; }

    bool is_bit(int32_t feature) const { return task_.bits && task_.bits->bit_of(static_cast<size_t>(feature)) >= 0; }
    bool is_ranked(int32_t feature) const { return task_.ranking(static_cast<size_t>(feature)) != nullptr; }
    bool is_categorical(int32_t feature) const { return task_.table.features[static_cast<size_t>(feature)].categorical(); }
    /// Local row numbers of a node, ascending.
    const Index* order(const RowSpan& node) const { return order_[node.buffer].data() + node.begin; }
    /// Rows of a node in the order of a numeric feature, those without a value last.
    const List* list(const RowSpan& node, int32_t feature) const {
        return list_[node.buffer].data() + slot(feature) * n_ + node.begin;
    }
    /// They will be looked at soon.
    void bring_near(const RowSpan& node, int32_t feature) const {
        if (is_categorical(feature) || is_bit(feature)) return;
        const List* entries = list(node, feature);
        __builtin_prefetch(entries);
        __builtin_prefetch(entries + node.size() - 1);
    }
    /// How many of them have a value.
    size_t known(const RowSpan& node, int32_t feature) const {
        size_t known = node.size();
        if (has_missing_[slot(feature)]) {
            const List* entries = list(node, feature);
            while (known > 0 && entries[known - 1].rank == List::missing) --known;
        }
        return known;
    }
    /// Codes of a categorical feature, by local row.
    const std::vector<int32_t>& codes(int32_t feature) const { return codes_[slot(feature)]; }
    double number(int32_t feature, size_t local_row) const {
        return task_.table.features[static_cast<size_t>(feature)].numbers[rows_[local_row]];
    }
    double target(size_t local_row) const { return targets_.target(local_row); }

    void count_classes(const RowSpan& node, Totals& totals) const { targets_.count_classes(rows_of(node), totals); }
    /// Describe a node, and give it its totals; class weights that it has already are not counted again.
    template <class Node>
    void describe(Node& node, Description& description) {
        if (task_.n_classes) {
            if (node.totals.sums.empty()) targets_.count_classes(rows_of(node), node.totals);
            describe_classes(task_, node.totals, description);
        } else {
            targets_.describe(rows_of(node), description);
            node.totals.count = node.size();
            node.totals.weight = description.weight;
            node.centre = description.centre;
        }
    }
    /// Take the centre off the targets of a node; gives their sums.
    void centre_targets(const RowSpan& node, double centre, Totals& totals) {
        totals.sums.resize(task_.width());
        targets_.centre(rows_of(node), centre, totals);
    }
    /// Count the two-valued features of a node, all at once.
    void count_bits(const RowSpan& node, BitCounter& counter) const {
        const Index* order = this->order(node);
        const size_t words = task_.bits->words();
        counter.count(
            node.size(), task_.bits->size(), task_.width(), [&](size_t i) { return masks_.data() + order[i] * words; },
            [&](size_t i) { return targets_.label(order[i]); });
    }
    bool varies(const RowSpan& node, int32_t feature) const {
        if (!is_categorical(feature)) {
            const List* entries = list(node, feature);
            return entries[0].rank != entries[node.size() - 1].rank;
        }
        const Index* order = this->order(node);
        const std::vector<int32_t>& of = codes(feature);
        return std::any_of(order, order + node.size(), [&](Index row) { return of[row] != of[order[0]]; });
    }

    // ---- which row goes where ----------------------------------------------------------------------------------

    /// Where the values beside the cut of a node are found, if that is all there is to know of it.
    bool beside_cut(const RowSpan& item, int32_t node, const Candidate& candidate, std::vector<CutValues>& out) const {
        const size_t at = candidate.position;
        if (candidate.kind != SplitKind::threshold || !std::isnan(candidate.threshold) || is_ranked(candidate.feature))
            return false;
        const List* list = this->list(item, candidate.feature);
        if (at == item.size() || list[at].rank == List::missing) return false;
        const double* numbers = task_.table.features[static_cast<size_t>(candidate.feature)].numbers;
        out.push_back({node, numbers + rows_[list[at - 1].row], numbers + rows_[list[at].row]});
        __builtin_prefetch(out.back().below);
        __builtin_prefetch(out.back().above);
        return true;
    }
    /// Look up where a cut stands, unless it is known.
    void set_threshold(const RowSpan& item, Candidate& candidate) const {
        if (candidate.kind != SplitKind::threshold || !std::isnan(candidate.threshold)) return;
        const List* list = this->list(item, candidate.feature);
        const size_t at = candidate.position;
        const bool end = at == item.size() || list[at].rank == List::missing;
        candidate.threshold = end ? infinity
                                  : cut_between(number(candidate.feature, list[at - 1].row),
                                                number(candidate.feature, list[at].row), recipe_.short_cuts);
    }

    /// Find the branch of every row of a node, and where each branch begins; settles default_branch.
    void assign_branches(const RowSpan& item, Candidate& split) {
        if (split.kind == SplitKind::table) assign_by_table(item, split);
        else if (is_bit(split.feature)) assign_by_bit(item, split);
        else assign_by_position(item, split);
    }
    /// Send the rows of a node down two branches, `n_left` of them left: all to one side but those that each(put) names.
    template <class Each>
    void assign_sides(const RowSpan& item, bool others_left, size_t n_left, Each&& each) {
        const Index* order = this->order(item);
        for (size_t i = 0; i < item.size(); ++i) left_[order[i]] = others_left;
        each([&](Index row, bool left) { left_[row] = left; });
        begin_.assign({0, static_cast<uint32_t>(n_left), static_cast<uint32_t>(item.size())});
    }
    /// By local row, 1 = the row was sent left.
    const uint8_t* sides() const { return left_.data(); }
    /// A split on ranked categories as a table of those present at the node.
    void unrank(const RowSpan& item, Candidate& split) const {
        const Ranking* ranking = task_.ranking(static_cast<size_t>(split.feature));
        if (!ranking || split.kind != SplitKind::threshold) return;
        const Index* order = this->order(item);
        std::vector<bool> present(ranking->code_of.size());
        for (size_t i = 0; i < item.size(); ++i) {
            const double rank = number(split.feature, order[i]);
            if (!std::isnan(rank)) present[static_cast<size_t>(rank)] = true;
        }
        to_table(*ranking, item.size(), split, [&](size_t rank) { return present[rank]; });
    }

    // ---- what tests of significance look at ------------------------------------------------------------------

    /// How many candidates a feature has here.
    double count_candidates(const RowSpan& item, int32_t feature) const {
        const size_t n = item.size();
        if (is_ranked(feature)) {
            const List* entries = list(item, feature);
            size_t levels = 1;
            for (size_t i = 1; i < n; ++i) levels += entries[i].rank != entries[i - 1].rank;
            return count_groupings(recipe_, levels);
        }
        if (!is_categorical(feature)) return count_cuts(list(item, feature), known(item, feature), n);
        const Index* order = this->order(item);
        std::vector<int32_t> codes;
        for (size_t i = 0; i < n; ++i) codes.push_back(this->codes(feature)[order[i]]);
        std::sort(codes.begin(), codes.end());
        const auto end = std::unique(codes.begin(), codes.end());
        return count_groupings(recipe_, static_cast<size_t>(end - codes.begin()));
    }
    /// The rows of each category of a feature; numbers about a centre.
    std::vector<BranchSums> category_sums(const RowSpan& item, int32_t feature, double centre) const {
        const Ranking* ranking = task_.ranking(static_cast<size_t>(feature));
        const auto n_categories = ranking ? ranking->code_of.size()
                                          : static_cast<size_t>(task_.table.features[static_cast<size_t>(feature)].n_categories);
        return sums_by_category(n_categories, static_cast<size_t>(task_.n_classes), [&](auto&& of) {
            const Index* order = this->order(item);
            for (size_t i = 0; i < item.size(); ++i) add_row(of(code(feature, order[i])), order[i], centre);
        });
    }
    /// The rows of each branch, as a split parts them; numbers about a centre.
    std::vector<BranchSums> branch_sums(const RowSpan& item, Candidate& split, double centre) {
        assign_branches(item, split);
        return branch_sums(item, centre, static_cast<size_t>(split.n_branches));
    }
    /// The same once they are assigned.
    std::vector<BranchSums> branch_sums(const RowSpan& item, double centre, size_t n_branches = 2) const {
        std::vector<BranchSums> branches(n_branches);
        const Index* order = this->order(item);
        for (BranchSums& branch : branches) branch.classes.resize(task_.n_classes ? task_.width() : 0);
        for (size_t i = 0; i < item.size(); ++i) {
            const Index row = order[i];
            const bool two = branches.size() == 2;
            BranchSums& branch = branches[two ? static_cast<size_t>(!left_[row]) : static_cast<size_t>(branch_[row])];
            add_row(branch, row, centre);
        }
        return branches;
    }

    /// Whole counts subtract without rounding: only the smaller of two branches is counted.
    template <class Item>
    void share_totals(const Totals& node, std::vector<Item>& children) const {
        if (children.size() != 2 || !task_.n_classes || local().weight) return;
        const bool first = children[0].size() <= children[1].size();
        Item &small = children[first ? 0 : 1], &large = children[first ? 1 : 0];
        count_classes(small, small.totals);
        large.totals = node;
        large.totals.remove(small.totals);
    }

    // ---- partitioning ----------------------------------------------------------------------------------------

    /// Put the rows of each branch side by side, in the other buffer.
    void partition_order(const RowSpan& item, size_t branches) {
        partition(order(item), order_[1 - item.buffer].data() + item.begin, item.size(), branches, [](Index row) { return row; });
    }
    /// Where the rows of a branch stand, once they are assigned.
    RowSpan branch_rows(const RowSpan& item, size_t branch) const {
        return {item.begin + begin_[branch], item.begin + begin_[branch + 1], static_cast<uint8_t>(1 - item.buffer)};
    }
    /// The same for the lists of these features; where one of two branches only is split further (`grows`), for that one.
    void partition_lists(const RowSpan& item, const Candidate& split, const std::vector<int32_t>& active, size_t branches,
                         std::span<const uint8_t> grows) {
        const bool one = branches == 2 && grows[0] != grows[1];
        const size_t first = one && !grows[0] ? begin_[1] : 0, last = one && grows[0] ? begin_[1] : item.size();
        for (int32_t feature : active) {
            if (is_categorical(feature) || is_bit(feature)) continue;
            const size_t offset = slot(feature) * n_ + item.begin;
            const List* from = list_[item.buffer].data() + offset;
            List* to = list_[1 - item.buffer].data() + offset;
            if (feature == split.feature && split.position > 0 && begin_[1] == split.position)  // already in order
                std::copy(from + first, from + last, to + first);
            else if (one) take_side(from, to + first, to + last, grows[0]);
            else partition(from, to, item.size(), branches, [](const List& entry) { return entry.row; });
        }
    }

private:
    std::span<const Index> rows_of(const RowSpan& node) const { return {order(node), node.size()}; }
    void add_row(BranchSums& sums, Index row, double centre) const {
        const bool classes = task_.n_classes > 0;
        sums.add(local().weight_of(row), classes, classes ? static_cast<size_t>(targets_.label(row)) : 0,
                 classes ? 0.0 : targets_.target(row) - centre, task_.rank_of(rows_[row]));
    }
    /// Category of a row, or its rank where categories are ranked; −1 if it has none.
    int32_t code(int32_t feature, Index row) const {
        if (!is_ranked(feature)) return codes(feature)[row];
        const double rank = number(feature, row);
        return std::isnan(rank) ? -1 : static_cast<int32_t>(rank);
    }

    // ---- setting up ------------------------------------------------------------------------------------------

    void gather_features() {
        const size_t p = task_.n_features();
        slot_.assign(p, -1);
        codes_.clear();
        has_missing_.clear();
        auto active = std::make_shared<std::vector<int32_t>>();
        buffer_.resize(n_);
        double* values = buffer_.data();
        size_t lists = 0;
        for (size_t f = 0; f < p; ++f) lists += !task_.table.features[f].categorical() && !is_bit(static_cast<int32_t>(f));
        if (recipe_.threshold)
            for (auto& buffer : list_)
                if (buffer.size() < lists * n_) {
                    buffer.clear();  // nothing is worth copying
                    buffer.resize(lists * n_);
                }
        size_t used = 0;
        for (size_t f = 0; f < p; ++f) {
            const Feature& feature = task_.table.features[f];
            if (n_ > most_narrow_rows) task_.monitor.poll(thread_);
            bool varies = false;
            if (is_bit(static_cast<int32_t>(f))) {
                varies = true;
            } else if (feature.categorical()) {
                std::vector<int32_t> codes(n_);
                for (size_t i = 0; i < n_; ++i) codes[i] = feature.codes[rows_[i]];
                varies = std::any_of(codes.begin(), codes.end(), [&](int32_t c) { return c != codes[0]; });
                if (varies) {
                    slot_[f] = static_cast<int32_t>(codes_.size());
                    codes_.push_back(std::move(codes));
                }
            } else if (recipe_.threshold) {
                for (size_t i = 0; i < n_; ++i) values[i] = feature.numbers[rows_[i]];
                List* list = list_[0].data() + used * n_;
                const size_t known = sorter_.sort(values, n_, list);
                varies = known > 0 && list[0].rank != list[n_ - 1].rank;
                if (varies) {
                    slot_[f] = static_cast<int32_t>(used++);
                    has_missing_.push_back(known < n_);
                }
            }
            if (varies) active->push_back(static_cast<int32_t>(f));
        }
        features_ = std::move(active);
        if (task_.bits) {
            const size_t words = task_.bits->words();
            masks_.resize(n_ * words);
            for (size_t i = 0; i < n_; ++i) std::copy_n(task_.bits->mask(rows_[i]), words, masks_.data() + i * words);
        }
    }
    size_t slot(int32_t feature) const { return static_cast<size_t>(slot_[static_cast<size_t>(feature)]); }

    void assign_by_bit(const RowSpan& item, Candidate& split) {
        const auto bit = static_cast<size_t>(task_.bits->bit_of(static_cast<size_t>(split.feature)));
        const size_t words = task_.bits->words(), n = item.size(), left = split.position;
        const Index* order = this->order(item);
        for (size_t i = 0; i < n; ++i) left_[order[i]] = !(masks_[order[i] * words + bit / 64] >> (bit % 64) & 1);
        const double size[2] = {static_cast<double>(left), static_cast<double>(n - left)};
        choose_default_branch(recipe_.missing, recipe_, size, split.default_branch);
        begin_.assign({0, static_cast<uint32_t>(left), static_cast<uint32_t>(n)});
    }
    void assign_by_position(const RowSpan& item, Candidate& split) {
        const List* list = this->list(item, split.feature);
        const size_t n = item.size(), left = split.position, known = this->known(item, split.feature);
        for (size_t i = 0; i < left; ++i) left_[list[i].row] = 1;
        for (size_t i = left; i < known; ++i) left_[list[i].row] = 0;
        if (split.default_branch < 0) {
            double size[2] = {static_cast<double>(left), static_cast<double>(known - left)};
            if (recipe_.missing == Missing::available && local().weight) {
                size[0] = size[1] = 0;
                for (size_t i = 0; i < known; ++i) size[left_[list[i].row] ? 0 : 1] += local().weight[list[i].row];
            }
            choose_default_branch(recipe_.missing, recipe_, size, split.default_branch);
        }
        for (size_t i = known; i < n; ++i) left_[list[i].row] = split.default_branch == 0;
        const size_t n_left = left + (split.default_branch == 0 ? n - known : 0);
        begin_.assign({0, static_cast<uint32_t>(n_left), static_cast<uint32_t>(n)});
    }
    void assign_by_table(const RowSpan& item, Candidate& split) {
        const std::vector<int32_t>& codes = this->codes(split.feature);
        const Index* order = this->order(item);
        const size_t n = item.size(), branches = static_cast<size_t>(split.n_branches);
        lookup_.assign(static_cast<size_t>(task_.table.features[static_cast<size_t>(split.feature)].n_categories), -1);
        for (const auto& [code, branch] : split.table) lookup_[static_cast<size_t>(code)] = branch;
        std::vector<double> size(branches, 0.0);
        const bool by_weight = recipe_.missing == Missing::available;
        for (size_t i = 0; i < n; ++i) {
            const int32_t code = codes[order[i]], branch = code < 0 ? -1 : lookup_[static_cast<size_t>(code)];
            branch_[order[i]] = branch;
            if (branch >= 0) size[static_cast<size_t>(branch)] += by_weight ? local().weight_of(order[i]) : 1.0;
        }
        choose_default_branch(recipe_.missing, recipe_, size, split.default_branch);
        begin_.assign(branches + 1, 0);
        for (size_t i = 0; i < n; ++i) {
            int32_t& branch = branch_[order[i]];
            if (branch < 0) branch = split.default_branch;
            left_[order[i]] = branch == 0;
            ++begin_[static_cast<size_t>(branch) + 1];
        }
        for (size_t b = 0; b < branches; ++b) begin_[b + 1] += begin_[b];
    }
    /// The entries of one of two branches, which fill [to, end). Without a branch, as sides are a coin toss.
    void take_side(const List* from, List* to, const List* end, uint8_t side) const {
        const uint8_t* sides = left_.data();
        for (; to < end; ++from) {
            *to = *from;
            to += sides[from->row] == side;
        }
    }
    /// Stable partition of n entries into the branches whose beginnings stand in begin_.
    template <class T, class Row>
    void partition(const T* from, T* to, size_t n, size_t branches, Row&& row_of) {
        if (branches == 2) {
            size_t left = 0;
            const size_t n_left = begin_[1];
            const uint8_t* sides = left_.data();
            for (size_t i = 0; i < n; ++i) {
                const size_t goes_left = sides[row_of(from[i])], right = n_left + i - left;
                to[right ^ ((left ^ right) & (0 - goes_left))] = from[i];  // chosen without a branch: sides are a coin toss
                left += goes_left;
            }
        } else {
            place_.assign(begin_.begin(), begin_.end());
            for (size_t i = 0; i < n; ++i) to[place_[static_cast<size_t>(branch_[row_of(from[i])])]++] = from[i];
        }
    }

    const GrowTask& task_;
    const Recipe& recipe_;
    RowTargets<Index> targets_;
    std::span<const uint32_t> rows_;
    size_t n_ = 0;
    int thread_ = 0;

    // columns, by local row
    std::vector<std::vector<int32_t>> codes_;
    LargeArray<List> list_[2];
    std::vector<Index> order_[2];  // rows ascending
    std::vector<int32_t> slot_;    // by feature: its list or code column; -1 = constant
    std::vector<char> has_missing_;
    std::vector<uint64_t> masks_;  // two-valued features, by local row
    Interactions::Features features_;

    // the branch of each row of the node in hand
    std::vector<uint8_t> left_;  // branch_ == 0, for two branches
    std::vector<int32_t> branch_, lookup_;
    std::vector<uint32_t> begin_;
    std::vector<size_t> place_;
    std::vector<double> buffer_;
    RowSorter sorter_;
};

extern template class PresortedRows<uint16_t>;
extern template class PresortedRows<uint32_t>;

}  // namespace treewright
