// grow: table and recipe in, tree out.
#pragma once
#include "grow/grow_task.hpp"
#include "base/tree.hpp"

namespace treewright {

struct Target {
    int n_classes = 0;  // 0 = regression
    const int32_t* label = nullptr;
    const double* number = nullptr;
    const double* weight = nullptr;  // null = every row weighs one
};

TreeArrays grow(const Table& table, const Target& target, const Recipe& recipe, Monitor& monitor);

}  // namespace treewright
