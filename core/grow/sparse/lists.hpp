// The stored values of a node's features as sorted lists: carried down the tree, or gathered where few features are looked at.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/table.hpp"
#include "cuts/sorted_list.hpp"

namespace treewright {

/// The rows of a node that have a value of a feature other than zero, ascending by value, those that miss it last. Ranks are
/// places in the column of the table, equal values have that of the first of them, and zero has its own between the others.
template <class Index>
struct SparseList {
    std::span<const Entry<Index>> entries;
    Index zero = 0;  // its rank

    /// Whether the feature has several values at a node of so many rows.
    bool varies(size_t n_rows) const {
        return !entries.empty() && (entries.size() < n_rows || entries.front().rank != entries.back().rank);
    }
    /// Entries that are not missing, and those below zero.
    size_t known() const { return count_below(Entry<Index>::missing); }
    size_t below() const { return entries.empty() || entries.front().rank > zero ? 0 : count_below(zero); }

private:
    size_t count_below(Index rank) const {
        if (entries.empty() || entries.back().rank < rank) return entries.size();
        const auto end = std::ranges::partition_point(entries, [&](const auto& entry) { return entry.rank < rank; });
        return static_cast<size_t>(end - entries.begin());
    }
};

/// The columns of a table with ranks in place of values.
template <class Index>
class RankedColumns {
public:
    void load(const SparseColumns& columns) {
        columns_ = &columns;
        const size_t p = columns.begin.size() - 1;
        entry_.resize(columns.row.size());
        zero_.resize(p);
        for (size_t f = 0; f < p; ++f) rank(f);
    }
    size_t n_features() const { return zero_.size(); }
    size_t n_stored() const { return entry_.size(); }
    std::span<const Entry<Index>> entries() const { return entry_; }
    SparseList<Index> operator[](size_t f) const { return {std::span(entry_).subspan(begin(f), size(f)), zero_[f]}; }
    size_t begin(size_t f) const { return static_cast<size_t>(columns_->begin[f]); }
    size_t size(size_t f) const { return static_cast<size_t>(columns_->begin[f + 1]) - begin(f); }
    Index zero(size_t f) const { return zero_[f]; }
    double value(size_t f, Index rank) const {
        if (rank == zero_[f]) return 0.0;
        return columns_->value[begin(f) + rank - (rank > zero_[f] ? 1 : 0)];
    }
    const double* values() const { return columns_->value.data(); }
    /// Hand the entries over to whoever carries them on.
    std::vector<Entry<Index>>&& take() { return std::move(entry_); }

private:
    void rank(size_t f) {
        const double* value = columns_->value.data() + begin(f);
        const size_t n = size(f);
        size_t below = 0, first = 0;
        while (below < n && value[below] < 0) ++below;
        zero_[f] = static_cast<Index>(below);
        for (size_t i = 0; i < n; ++i) {
            if (i > 0 && value[i] != value[i - 1]) first = i;
            const bool missing = value[i] != value[i];
            entry_[begin(f) + i] = {missing ? Entry<Index>::missing : static_cast<Index>(first + (i >= below)),
                                    static_cast<Index>(columns_->row[begin(f) + i])};
        }
    }

    const SparseColumns* columns_ = nullptr;
    std::vector<Entry<Index>> entry_;
    std::vector<Index> zero_;  // by feature
};

/// What a node carries where lists are carried: those of its features, features ascending, in a part of one of two buffers.
struct NodeLists {
    struct Head {
        int32_t feature;
        uint32_t begin, end;  // of its entries
        uint32_t zero;        // its rank
    };
    std::vector<Head> heads;
    uint32_t first = 0;  // where its part of the buffer begins
    uint8_t buffer = 0;
};

/// Every feature that varies at a node has its list there; a split parts the lists stably. For nodes that look at most features.
template <class Index>
class CarriedLists {
public:
    using Node = NodeLists;
    using Head = NodeLists::Head;

    void load(const SparseColumns& columns, size_t n_rows, Node& root) {
        columns_.load(columns);
        n_stored_.assign(n_rows, 0);
        for (uint32_t row : columns.row) ++n_stored_[row];
        for (size_t f = 0; f < columns_.n_features(); ++f) {
            if (!columns_[f].varies(n_rows)) continue;
            const auto begin = static_cast<uint32_t>(columns_.begin(f));
            root.heads.push_back(
                {static_cast<int32_t>(f), begin, begin + static_cast<uint32_t>(columns_.size(f)), columns_.zero(f)});
        }
        buffer_[0] = columns_.take();
        buffer_[1].resize(buffer_[0].size() + 1);  // one to spare: what nobody reads is written there
        buffer_[0].resize(buffer_[0].size() + 1);
    }
    double value(size_t feature, Index rank) const { return columns_.value(feature, rank); }

    void look_at(const Node&, std::span<const Index>, size_t) {}
    void call_for(std::span<const int32_t>, bool) const {}
    SparseList<Index> list(const Node& node, const Head& head) const {
        return {std::span(buffer_[node.buffer]).subspan(head.begin, head.end - head.begin), static_cast<Index>(head.zero)};
    }
    SparseList<Index> list(const Node& node, int32_t feature) const {
        const auto head = std::ranges::lower_bound(node.heads, feature, {}, &Head::feature);
        return head == node.heads.end() || head->feature != feature ? SparseList<Index>{} : list(node, *head);
    }
    /// use(feature, list) for every feature that varies.
    template <class Use>
    void each(const Node& node, Use&& use) const {
        for (const Head& head : node.heads) use(head.feature, list(node, head));
    }

    /// Part the lists of a node: `side` is 1 for rows that go left. A branch that is a leaf needs none.
    void partition(const Node& node, const uint8_t* side, std::span<const Index> left_rows, std::span<const Index> right_rows,
                   Node* left, Node* right) {
        uint32_t n_left = 0;  // entries of the left branch
        for (Index row : left_rows) n_left += n_stored_[row];
        const Entry<Index>* from = buffer_[node.buffer].data();
        const auto to = static_cast<uint8_t>(1 - node.buffer);
        const auto nowhere = static_cast<uint32_t>(buffer_[to].size() - 1);
        Branch branches[] = {start(left, to, node.first, nowhere), start(right, to, node.first + n_left, nowhere)};
        for (const Head& head : node.heads) {
            uint32_t l = branches[0].at, r = branches[1].at;
            const uint32_t left_step = left ? 1 : 0, right_step = right ? 1 : 0;
            Entry<Index>* out = buffer_[to].data();
            for (uint32_t i = head.begin; i < head.end; ++i) {
                const uint32_t goes_left = side[from[i].row];
                out[r ^ ((l ^ r) & (0 - goes_left))] = from[i];  // without a branch: sides are a coin toss
                l += goes_left & left_step;
                r += (goes_left ^ 1) & right_step;
            }
            finish(branches[0], head, l, left_rows.size());
            finish(branches[1], head, r, right_rows.size());
        }
    }

private:
    struct Branch {
        Node* node;
        uint32_t at;  // where the next entry goes
    };
    static Branch start(Node* node, uint8_t buffer, uint32_t first, uint32_t nowhere) {
        if (!node) return {nullptr, nowhere};
        node->buffer = buffer;
        node->first = first;
        return {node, first};
    }
    /// Keep the list that was written for a branch, if the feature varies there.
    void finish(Branch& branch, const Head& head, uint32_t end, size_t n_rows) {
        if (!branch.node || end == branch.at) return;
        const Head made{head.feature, branch.at, end, head.zero};
        if (!list(*branch.node, made).varies(n_rows)) return;
        branch.node->heads.push_back(made);
        branch.at = end;
    }

    RankedColumns<Index> columns_;
    std::vector<uint32_t> n_stored_;  // of each row
    std::vector<Entry<Index>> buffer_[2];
};

/// A node reads the columns of the features it looks at, and leaves out other rows; or, if these are fewer, what its rows have
/// stored. For nodes that look at few of many features.
template <class Index>
class GatheredLists {
public:
    using Node = NodeLists;  // none

    void load(const SparseColumns& columns, size_t n_rows, Node&) {
        columns_.load(columns);
        n_rows_ = n_rows;
        node_of_.assign(n_rows, 0);
        mean_stored_ = columns_.n_stored() / std::max<size_t>(columns_.n_features(), 1) + 1;
        transpose();
        found_.assign(columns_.n_features(), {});
        wanted_.assign(columns_.n_features() / 64 + 1, 0);
        for (size_t f = 0; f < found_.size(); ++f) {
            found_[f].begin = static_cast<uint32_t>(columns_.begin(f));
            found_[f].end = found_[f].begin + static_cast<uint32_t>(columns_.size(f));
            found_[f].zero = columns_.zero(f);
        }
    }
    double value(size_t feature, Index rank) const { return columns_.value(feature, rank); }

    /// Get ready for the lists of a node that looks at about so many features.
    void look_at(const Node&, std::span<const Index> rows, size_t n_features) {
        here_ = node_of_[rows[0]];
        rows_here_ = rows;
        ++round_;
        n_gathered_ = 0;
        chain_.resize(1);
        for (int32_t feature : called_for_) wanted_[static_cast<size_t>(feature) / 64] = 0;
        called_for_.clear();
        chained_all_ = false;
        size_t stored = 0;
        const size_t enough = n_features * (mean_stored_ + 16);  // to read a column costs about as much as sixteen entries
        for (size_t i = 0; i < rows.size() && stored <= enough; ++i) stored += row_begin_[rows[i] + 1] - row_begin_[rows[i]];
        by_row_ = stored <= enough;
    }
    /// Have the lists of these features ready: out of the rows of a small node, else brought near, with the ends of their values,
    /// between which cuts are drawn.
    void call_for(std::span<const int32_t> features, bool values) {
        if (by_row_) {
            called_for_.assign(features.begin(), features.end());
            for (int32_t feature : features) wanted_[static_cast<size_t>(feature) / 64] |= bit_of(feature);
            chain([&](uint32_t feature) { return (wanted_[feature / 64] & bit_of(feature)) != 0; });
        }
        for (int32_t feature : features) __builtin_prefetch(&found_[static_cast<size_t>(feature)]);
        if (by_row_ && !values) return;
        constexpr uint32_t line = 64 / sizeof(Entry<Index>),
                           most = 4 * line;  // a line of memory; the rest of long columns follows
        for (int32_t feature : features) {
            const Found& found = found_[static_cast<size_t>(feature)];
            if (values) __builtin_prefetch(columns_.values() + found.begin);
            if (by_row_) continue;
            for (uint32_t at = found.begin; at < std::min(found.end, found.begin + most); at += line)
                __builtin_prefetch(columns_.entries().data() + at);
        }
    }
    /// Good until the next list is asked for.
    SparseList<Index> list(const Node&, int32_t feature) {
        const auto f = static_cast<size_t>(feature);
        if (rows_here_.size() == n_rows_) return columns_[f];
        if (by_row_ && !chained_all_ && !(wanted_[f / 64] & bit_of(feature))) chain_others();
        Found& found = found_[f];
        if (by_row_ && found.chained != round_) return {};
        if (found.listed != round_) {
            found.first = static_cast<uint32_t>(n_gathered_);
            if (by_row_) follow(found.last);
            else filter(columns_.entries().subspan(found.begin, found.end - found.begin));
            found.listed = round_;
            found.n = static_cast<uint32_t>(n_gathered_) - found.first;
        }
        return {std::span(gathered_).subspan(found.first, found.n), found.zero};
    }
    template <class Use>
    void each(const Node& node, Use&& use) {
        for (size_t f = 0; f < columns_.n_features(); ++f)
            if (const SparseList<Index> found = list(node, static_cast<int32_t>(f)); found.varies(rows_here_.size()))
                use(static_cast<int32_t>(f), found);
    }
    void partition(const Node&, const uint8_t*, std::span<const Index>, std::span<const Index> right_rows, Node*, Node*) {
        ++n_nodes_;  // rows on the left keep the number that they have
        for (Index row : right_rows) node_of_[row] = n_nodes_;
    }

private:
    /// A feature: its column, and what is known of it in the round in which it was met. All in one place, as features are drawn
    /// from anywhere.
    struct Found {
        uint32_t begin = 0, end = 0;            // in the columns
        uint32_t chained = 0, last = 0;         // its last link
        uint32_t listed = 0, first = 0, n = 0;  // in gathered_
        Index zero = 0;
    };
    /// Room for so many entries more.
    Entry<Index>* room(size_t more) {
        if (gathered_.size() < n_gathered_ + more) gathered_.resize(2 * (n_gathered_ + more));
        return gathered_.data();
    }
    void filter(std::span<const Entry<Index>> column) {
        Entry<Index>* to = room(column.size() + 1);  // one to spare: what is not kept is written over
        const uint32_t* node_of = node_of_.data();
        const uint32_t here = here_;
        size_t n = n_gathered_;
        for (const auto& entry : column) {
            to[n] = entry;
            n += node_of[entry.row] == here;
        }
        n_gathered_ = n;
    }
    void follow(uint32_t last) {
        const size_t begin = n_gathered_;
        for (uint32_t at = last; at != 0; at = chain_[at].next) {
            room(1)[n_gathered_] = chain_[at].entry;
            ++n_gathered_;
        }
        std::ranges::sort(std::span(gathered_).subspan(begin, n_gathered_ - begin),
                          [](const auto& a, const auto& b) { return a.rank != b.rank ? a.rank < b.rank : a.row < b.row; });
    }

    struct Link {
        Entry<Index> entry;
        uint32_t next;  // of the same feature, 0 = none
    };
    /// The values of each row, with their features.
    void transpose() {
        row_begin_.assign(n_rows_ + 1, 0);
        stored_.resize(columns_.n_stored());
        for (size_t f = 0; f < columns_.n_features(); ++f)
            for (const auto& entry : columns_[f].entries) ++row_begin_[entry.row + 1];
        for (size_t row = 0; row < n_rows_; ++row) row_begin_[row + 1] += row_begin_[row];
        std::vector<uint32_t> at(row_begin_.begin(), row_begin_.end() - 1);
        for (size_t f = 0; f < columns_.n_features(); ++f)
            for (const auto& entry : columns_[f].entries) stored_[at[entry.row]++] = {static_cast<uint32_t>(f), entry.rank};
    }
    /// String the values of the node's rows together by feature, of the features asked for.
    template <class Wanted>
    void chain(Wanted&& wanted) {
        for (Index row : rows_here_)
            for (uint32_t i = row_begin_[row]; i < row_begin_[row + 1]; ++i) {
                const auto [feature, rank] = stored_[i];
                if (!wanted(feature)) continue;
                Found& found = found_[feature];
                chain_.push_back({{rank, row}, found.chained == round_ ? found.last : 0});
                found.chained = round_;
                found.last = static_cast<uint32_t>(chain_.size() - 1);
            }
    }
    /// Where more features are looked at than were called for: all the others.
    void chain_others() {
        chained_all_ = true;
        chain([&](uint32_t feature) { return (wanted_[feature / 64] & bit_of(feature)) == 0; });
    }
    template <class Feature>
    static uint64_t bit_of(Feature feature) {
        return uint64_t{1} << (feature % 64);
    }

    struct Stored {
        uint32_t feature;
        Index rank;
    };
    RankedColumns<Index> columns_;
    size_t n_rows_ = 0, mean_stored_ = 0;
    std::vector<uint32_t> row_begin_;
    std::vector<Stored> stored_;     // by row
    std::vector<uint32_t> node_of_;  // by row
    uint32_t n_nodes_ = 0;

    // the node in hand
    uint32_t here_ = 0, round_ = 0;
    std::span<const Index> rows_here_;
    bool by_row_ = false, chained_all_ = false;
    std::vector<int32_t> called_for_;
    std::vector<uint64_t> wanted_;  // a bit for each feature: called for
    std::vector<Found> found_;      // by feature
    std::vector<Link> chain_;
    std::vector<Entry<Index>> gathered_;
    size_t n_gathered_ = 0;
};

}  // namespace treewright
