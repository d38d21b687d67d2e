// A forest on coded rows: every number is replaced by its place among the thresholds of its column, once for all trees.
//
// A node then takes eight bytes and a row two bytes a feature, so that a tree and its rows stay in the innermost caches, and
// the comparisons, on whole numbers, give exactly the branches that the thresholds give.
#pragma once
#include <optional>

#include "forest.hpp"

namespace treewright {

class CodedForest {
public:
    static constexpr uint16_t last_code = 65535;  // of leaves; no value has it

    /// Empty if the forest splits by tables, or a column has too many thresholds.
    static std::optional<CodedForest> of(const ForestView& forest, size_t n_columns);

    size_t n_columns() const { return thresholds_.size(); }
    /// Codes of n rows from `first` on, and the numbers of those that miss a value, for which codes have no place.
    void encode(const Matrix<double>& numbers, int64_t first, size_t n, std::vector<uint16_t>& code,
                std::vector<uint32_t>& odd) const;

    /// Leaves of n rows whose codes lie one after the other.
    void walk(size_t tree, const uint16_t* codes, size_t n, uint32_t* leaf) const;

private:
    /// Where to look for a value: an equal step of x gives the first threshold that may be meant.
    struct Column {
        std::vector<double> threshold;
        std::vector<uint16_t> start;
        double low = 0, scale = 0;

        void index();
        uint16_t code(double x) const;
    };
    void walk_few(size_t tree, const uint16_t* codes, size_t n, uint32_t* leaf) const;

    std::vector<Column> thresholds_;  // by column of numbers
    std::vector<uint64_t> node_;      // first child, column, code
    std::vector<int64_t> begin_;
    std::vector<uint32_t> depth_;
};

}  // namespace treewright
