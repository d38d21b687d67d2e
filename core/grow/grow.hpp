// grow: table and recipe in, tree out.
#pragma once
#include "grow/grow_task.hpp"
#include "base/tree.hpp"

namespace treewright {

struct Target {
    int n_classes = 0;  // 0 = regression; of several targets the most of one
    size_t n_outputs = 1;
    const int32_t* label =
        nullptr;  // of several targets those of a row side by side, each after those before: code + target·n_classes
    const double* number = nullptr;
    const double* weight = nullptr;  // null = every row weighs one
};

/// Where the table is that of a subtree: what it has of the whole tree.
struct SubtreeRoot {
    uint64_t seed;
    double total_weight;
    std::vector<std::vector<int32_t>> rankings;  // by feature: codes of categories in their order; empty = not grown on as ranks
};

TreeArrays grow(const Table& table, const Target& target, const Recipe& recipe, Monitor& monitor,
                const SubtreeRoot* root = nullptr);

}  // namespace treewright
