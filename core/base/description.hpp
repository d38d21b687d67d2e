// A node as a leaf.
#pragma once
#include "base/statistics.hpp"

namespace treewright {

/// What a node holds, predicts and costs.
struct Description {
    size_t count = 0;
    double weight = 0, impurity = 0, risk = 0;
    bool pure = true;
    std::vector<double> value;  // class weights, or the predicted number
    double centre = 0;          // regression: the mean, taken off the target in searches
};

}  // namespace treewright
