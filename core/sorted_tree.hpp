// A tree grown by sorting: each node looks only at the features it has drawn, and sorts them anew (sorted_search.hpp).
//
// Where a node looks at few of many features this beats presorted lists, which must carry every feature down every branch.
// It gives the tree that block.hpp gives on the same rows, weights and seed.
#pragma once
#include <bit>

#include "forest.hpp"
#include "sorted_search.hpp"

namespace treewright {

template <class C, class Scorer>
class SortedTree : SortedSearch<C, Scorer> {
    using Search = SortedSearch<C, Scorer>;
    using Rows = SortedRows<C>;
    using Rows::enter_block, Rows::leave_block, Rows::fits_block, Rows::partition, Rows::set_sides, Rows::set_all_sides,
        Rows::with_ranks;
    using Rows::problem_, Rows::recipe_, Rows::row_, Rows::target_, Rows::label_, Rows::codes_, Rows::numbers_,
        Rows::has_missing_, Rows::ordered_, Rows::in_block_;
    using Search::limits_, Search::local_, Search::totals_, Search::impurity_, Search::bit_, Search::centred_, Search::best_,
        Search::groups_;
    using Search::look_at, Search::search_drawn;
    using typename Rows::OrderedLevels;

    static constexpr int32_t between_rows = -2;  // in table_of_

public:
    SortedTree(const Problem& problem, const RankTable& ranks, std::span<const int32_t> position,
               std::span<const int32_t> n_categories)
        : Search(problem, ranks), position_(position), n_categories_(n_categories) {
        for (size_t f = 0; f < problem.n_features(); ++f)
            if (n_categories[f] == 0) {
                feature_of_.resize(std::max(feature_of_.size(), static_cast<size_t>(position[f]) + 1));
                feature_of_[static_cast<size_t>(position[f])] = static_cast<int32_t>(f);
            }
    }

    /// Grow one tree on these rows. `weight` goes by row of the table, empty = every row weighs one.
    void grow(std::span<const uint32_t> rows, std::span<const double> weight, double min_weight_leaf, uint64_t seed, int thread,
              Forest& out) {
        out_ = &out;
        out.reserve(merit_.size() + merit_.size() / 16, C::classification);  // as many as the tree before, and some
        thread_ = thread;
        limits_ = CutLimits{};
        limits_.min_count = static_cast<size_t>(std::max<int64_t>(recipe_.min_samples_leaf, 1));
        limits_.min_weight = min_weight_leaf;
        load(rows, weight);
        std::vector<Item> stack;
        size_t block_floor = 0;  // nodes that were waiting when the block was entered
        Item root{{0, static_cast<uint32_t>(rows.size())}, 0, 0, Random(seed).next()};
        if (append(root)) stack.push_back(root);
        total_weight_ = description_.weight;
        uint64_t work = 0;
        while (!stack.empty()) {
            const Item item = stack.back();
            stack.pop_back();
            if (in_block_ && stack.size() < block_floor) leave_block();
            if (fits_block(item)) {
                enter_block(item);
                block_floor = stack.size();
            }
            work += item.size() + 64;
            if (work > 500'000) {
                problem_.monitor.poll(thread_);
                work = 0;
            }
            if (!find(item)) continue;
            Item child[2];
            split(item, child);
            const bool further[2] = {append(child[0]), append(child[1])};
            for (size_t b : {1, 0})
                if (further[b]) stack.push_back(child[b]);
        }
        finish();
    }

private:
    struct Item : RowRange {
        uint32_t node = 0;
        int32_t depth = 0;
        uint64_t seed = 0;
    };

    void load(std::span<const uint32_t> rows, std::span<const double> weight) {
        Search::load(rows, weight);
        merit_.clear();
        table_of_.clear();
        tables_.clear();
    }

    // ---- describing a node -----------------------------------------------------------------------------------

    /// Append a node with its statistics; true if it may be split.
    bool append(Item& item) {
        look_at(item);
        const size_t n = item.size();
        totals_.clear();
        if constexpr (C::classification) {
            const int32_t* label = local_.label;
            if (local_.weight)
                for (size_t i = 0; i < n; ++i) totals_.sums[static_cast<size_t>(label[i])] += local_.weight[i];
            else
                for (size_t i = 0; i < n; ++i) totals_.sums[static_cast<size_t>(label[i])] += 1.0;
            for (double sum : totals_.sums) totals_.weight += sum;
            totals_.count = n;
            describe_classes<C>(problem_, totals_, description_);
        } else {
            const std::span<const double> weight = local_.weight ? std::span(local_.weight, n) : std::span<const double>();
            describe_numbers<C>(std::span(target_).subspan(item.begin, n), weight, description_);
            out_->weight.add(description_.weight);
            out_->risk.push_back(description_.risk);
        }
        item.node = static_cast<uint32_t>(merit_.size());
        for (double value : description_.value) out_->value.add(value);
        out_->count.push_back(static_cast<uint32_t>(n));
        out_->node.push_back({infinity, missing_left, item.node});
        merit_.push_back(0.0);
        table_of_.push_back(-1);
        return !description_.pure && (recipe_.max_depth < 0 || item.depth < recipe_.max_depth) &&
               n >= static_cast<size_t>(std::max(recipe_.min_samples_split, 2 * recipe_.min_samples_leaf)) &&
               description_.weight >= 2 * limits_.min_weight;
    }

    /// Bring back the totals of a node that was appended before, and the target in the form the scorers want.
    void prepare(const Item& item) {
        look_at(item);
        const size_t n = item.size(), at = first_node() + item.node, width = totals_.sums.size();
        totals_.count = n;
        if constexpr (C::classification) {
            totals_.weight = 0;
            for (size_t k = 0; k < width; ++k) totals_.weight += totals_.sums[k] = out_->value[at * width + k];
            impurity_ = C::impurity(totals_);
            for (size_t i = 0; i < n; ++i) bit_[i] = local_.label[i] == 1;
        } else {
            totals_.weight = out_->weight[at];
            impurity_ = out_->risk[at] / totals_.weight;
            const double centre = local_.centre = out_->value[at];
            const double* target = target_.data() + item.begin;
            double sum = 0;
            for (size_t i = 0; i < n; ++i) {
                centred_[i] = target[i] - centre;
                sum += local_.weight_of(i) * centred_[i];
            }
            totals_.sums[0] = sum;
        }
    }
    size_t first_node() const { return static_cast<size_t>(out_->tree_begin.back()); }

    bool find(const Item& item) {
        prepare(item);
        if (!search_drawn(item, item.seed) || !(best_.merit > recipe_.min_merit)) return false;
        return recipe_.min_impurity_decrease <= 0 ||
               best_.merit * totals_.weight / total_weight_ + 2.2e-16 >= recipe_.min_impurity_decrease;
    }

    // ---- carrying a split out --------------------------------------------------------------------------------

    void split(const Item& item, Item* child) {
        const auto f = static_cast<size_t>(best_.feature);
        const size_t left = best_.table ? sides_by_table(item) : recipe_.random_cuts ? sides_by_value(item) : sides_by_rank(item);
        if (ordered_[f]) to_table(item, *ordered_[f]);
        write(item, static_cast<uint32_t>(merit_.size()));
        if constexpr (C::classification) partition(item, label_);
        else partition(item, target_);
        const uint32_t middle = item.begin + static_cast<uint32_t>(left);
        child[0] = {{item.begin, middle}, 0, item.depth + 1, child_seed(item.seed, 0)};
        child[1] = {{middle, item.end}, 0, item.depth + 1, child_seed(item.seed, 1)};
    }

    size_t sides_by_rank(const Item& item) {
        const auto f = static_cast<size_t>(best_.feature);
        return with_ranks(f, [&](auto rank) {
            if (!has_missing_[f])
                return set_all_sides(item, best_.default_branch, [&](uint32_t row) { return rank(row) <= best_.left_rank; });
            return set_sides(item, best_.default_branch, [&](uint32_t row) {
                return rank(row) == RankTable::missing ? -1 : static_cast<int>(rank(row) <= best_.left_rank);
            });
        });
    }
    size_t sides_by_value(const Item& item) {
        const double* value = numbers_[static_cast<size_t>(best_.feature)];
        return set_sides(item, best_.default_branch, [&](uint32_t row) {
            return std::isnan(value[row]) ? -1 : static_cast<int>(value[row] <= best_.threshold);
        });
    }
    size_t sides_by_table(const Item& item) {
        const int32_t* codes = codes_[static_cast<size_t>(best_.feature)];
        const auto n_categories = static_cast<size_t>(problem_.table.features[static_cast<size_t>(best_.feature)].n_categories);
        if (lookup_.size() < n_categories) lookup_.resize(n_categories, -1);
        for (const auto& [code, branch] : groups_.table) lookup_[static_cast<size_t>(code)] = static_cast<int8_t>(branch == 0);
        const size_t left = set_sides(item, best_.default_branch, [&](uint32_t row) {
            const int32_t code = codes[row];
            return code < 0 ? -1 : static_cast<int>(lookup_[static_cast<size_t>(code)]);
        });
        for (const auto& [code, branch] : groups_.table) lookup_[static_cast<size_t>(code)] = -1;
        return left;
    }

    /// A cut of ordered categories as a table: of all that the tree knows if they are few, else of those present at the node.
    void to_table(const Item& item, const OrderedLevels& levels) {
        double last = best_.threshold;
        if (best_.between) last = midpoint(best_.left_rank, levels.rank[best_.right_row]);
        const auto put = [&](int32_t code) {
            groups_.table.emplace_back(code, levels.rank_of[static_cast<size_t>(code)] <= last ? 0 : 1);
        };
        groups_.table.clear();
        if (levels.code_of.size() <= few_levels) {
            for (int32_t code : levels.code_of) put(code);
        } else {
            const int32_t* codes = codes_[static_cast<size_t>(best_.feature)];
            if (lookup_.size() < levels.rank_of.size()) lookup_.resize(levels.rank_of.size(), -1);
            for (size_t i = 0; i < item.size(); ++i) {
                const int32_t code = codes[row_[item.begin + i]];
                if (code < 0 || lookup_[static_cast<size_t>(code)] == 1) continue;
                lookup_[static_cast<size_t>(code)] = 1;
                put(code);
            }
            for (const auto& [code, branch] : groups_.table) lookup_[static_cast<size_t>(code)] = -1;
        }
        std::sort(groups_.table.begin(), groups_.table.end());
        best_.table = true;
        best_.between = false;
    }

    // ---- writing the tree ------------------------------------------------------------------------------------

    void write(const Item& item, uint32_t first_child) {
        const auto f = static_cast<size_t>(best_.feature);
        PackedNode& node = out_->node[first_node() + item.node];
        node.first_child = first_child;
        node.column = static_cast<uint32_t>(position_[f]) | (best_.default_branch == 0 ? missing_left : 0);
        node.threshold = best_.threshold;
        merit_[item.node] = best_.merit;
        if (best_.between) {
            node.threshold = std::bit_cast<double>(static_cast<uint64_t>(best_.left_row) << 32 | best_.right_row);
            table_of_[item.node] = between_rows;
        }
        if (!best_.table) return;
        table_of_[item.node] = static_cast<int32_t>(tables_.size());
        tables_.push_back({n_categories_[f], std::move(groups_.table)});
    }

    /// The threshold of a node that lies between two rows. Values are looked up all at once, since each is far away in memory.
    double middle(const PackedNode& packed) const {
        const auto rows = std::bit_cast<uint64_t>(packed.threshold);
        const double* value = problem_.table.features[static_cast<size_t>(feature_of_[packed.column & column_bits])].numbers;
        return midpoint(value[rows >> 32], value[rows & 0xffffffffu]);
    }
    /// Put what belongs to splits into the order of their nodes.
    void finish() {
        for (size_t node = 0; node < merit_.size(); ++node) {
            PackedNode& packed = out_->node[first_node() + node];
            if (packed.first_child == node) continue;
            out_->merit.push_back(merit_[node]);
            if (table_of_[node] == between_rows) packed.threshold = middle(packed);
            if (table_of_[node] < 0) continue;
            const auto& [n_categories, groups] = tables_[static_cast<size_t>(table_of_[node])];
            out_->add_table(packed, groups, n_categories);
        }
        out_->close();
    }

    std::span<const int32_t> position_, n_categories_;
    std::vector<int32_t> feature_of_;  // by column of numbers
    Forest* out_ = nullptr;
    int thread_ = 0;
    double total_weight_ = 0;
    Description description_;
    std::vector<int8_t> lookup_;

    // by node, until the tree is done
    std::vector<double> merit_;
    std::vector<int32_t> table_of_;
    std::vector<std::pair<int32_t, std::vector<std::pair<int32_t, int32_t>>>> tables_;  // with the number of categories
};

}  // namespace treewright
