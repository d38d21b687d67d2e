// Rows that go down every branch with their share: the sum of what their leaves say (Quinlan, 1993, ch. 3).
#include "base/parallel.hpp"
#include "grow/grow_task.hpp"
#include "predict/route.hpp"
#include "predict/router.hpp"

namespace treewright {

namespace {

constexpr int64_t rows_per_task = 1024;

/// Weight of a node's branches together.
std::vector<double> branch_weights(const TreeView& tree) {
    std::vector<double> sum(tree.size(), 0.0);
    for (size_t node = 0; node < tree.size(); ++node)
        for (int32_t b = 0; b < tree.children.count(node); ++b) sum[node] += tree.weight[tree.children(node, b)];
    return sum;
}

}  // namespace

void spread(const TreeView& tree, const Matrix<double>& numbers, const Matrix<int32_t>& codes, std::span<const int32_t> position,
            std::span<const double> value, double* out, int threads, Monitor& monitor) {
    const Router router{tree, {numbers, codes, position}};
    const size_t width = value.size() / tree.size();
    const std::vector<double> below = branch_weights(tree);
    const int64_t rows = std::max(numbers.n_rows, codes.n_rows);
    const auto add = [&](double* to, size_t node, double share) {
        for (size_t k = 0; k < width; ++k) to[k] += share * value[node * width + k];
    };
    parallel_for(static_cast<size_t>((rows + rows_per_task - 1) / rows_per_task), threads, [&](size_t task, int thread) {
        monitor.poll(thread);
        const int64_t first = static_cast<int64_t>(task) * rows_per_task;
        std::vector<std::pair<size_t, double>> stack;
        for (int64_t row = first; row < std::min(rows, first + rows_per_task); ++row) {
            double* to = out + static_cast<size_t>(row) * width;
            std::fill_n(to, width, 0.0);
            stack.assign(1, {0, 1.0});
            while (!stack.empty()) {
                const auto [node, share] = stack.back();
                stack.pop_back();
                const int32_t chosen = tree.children.count(node) > 0 ? router.choose(node, row).branch : stay_at_node;
                if (chosen == stay_at_node) {
                    add(to, node, share);
                } else if (chosen >= 0) {
                    stack.emplace_back(tree.children(node, chosen), share);
                } else if (!(below[node] > 0)) {
                    add(to, node, share);
                } else {
                    for (int32_t b = tree.children.count(node); b-- > 0;) {
                        const size_t child = tree.children(node, b);
                        if (tree.weight[child] > 0) stack.emplace_back(child, share * tree.weight[child] / below[node]);
                    }
                }
            }
        }
    });
}

}  // namespace treewright
