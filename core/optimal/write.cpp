// Plans as trees.
#include "optimal/write.hpp"

#include <cmath>
#include <map>
#include <numeric>

#include "base/midpoint.hpp"
#include "base/writer.hpp"
#include "criteria/squared_error.hpp"
#include "grow/missing_policy.hpp"

namespace treewright::optimal {

namespace {

struct Branching {
    std::vector<size_t> rows;
    int32_t plan = -1;               // node of the plan; -1 = a leaf
    int32_t children[2] = {-1, -1};  // among the branchings
    Description description;
    double threshold = 0, merit = 0;
    int32_t default_branch = -1;
    SplitKind kind = SplitKind::threshold;
    std::vector<std::pair<int32_t, int32_t>> table;  // code and branch
};

class Writer {
public:
    Writer(const Table& table, const TargetView& target, const Loss& loss, const LossOptions& options, const Plan& plan,
           const std::vector<double>& values)
        : table_(table), target_(target), loss_(loss), options_(options), plan_(plan), values_(values) {}

    TreeArrays write() {
        Branching root;
        root.rows.resize(table_.n_rows);
        std::iota(root.rows.begin(), root.rows.end(), size_t{0});
        root.plan = plan_.nodes.empty() ? -1 : 0;
        nodes_.push_back(std::move(root));
        for (size_t i = 0; i < nodes_.size(); ++i) split(i);
        for (size_t i = nodes_.size(); i-- > 0;) weigh_merit(nodes_[i]);
        return write_tree(
            0,
            [&](int node, std::vector<int>& list) {
                for (const int32_t child : nodes_[static_cast<size_t>(node)].children)
                    if (child >= 0) list.push_back(child);
            },
            [&](int node, TreeArrays& tree) { return write_node(nodes_[static_cast<size_t>(node)], tree); }, nodes_.size());
    }

private:
    double weight_of(size_t row) const { return target_.weight ? target_.weight[row] : 1.0; }
    const Feature& feature(const Test& test) const { return table_.features[static_cast<size_t>(test.feature)]; }
    bool misses(const Test& test, size_t row) const {
        const Feature& of = feature(test);
        return of.categorical() ? of.codes[row] < 0 : std::isnan(of.numbers[row]);
    }

    void describe(Branching& node) const {
        Description& d = node.description;
        d.count = node.rows.size();
        if (target_.n_classes == 0) {
            std::vector<double> y, weight;
            for (const size_t row : node.rows) {
                y.push_back(target_.number[row]);
                if (target_.weight) weight.push_back(target_.weight[row]);
            }
            SquaredError::describe({y, weight}, d);
            return;
        }
        const auto k = static_cast<size_t>(target_.n_classes);
        d.value.assign(k, 0.0);
        for (const size_t row : node.rows) {
            const auto c = static_cast<size_t>(target_.label[row]);
            d.value[c] += weight_of(row) * (options_.class_factor.empty() ? 1.0 : options_.class_factor[c]);
        }
        d.weight = std::accumulate(d.value.begin(), d.value.end(), 0.0);
        d.pure = std::count_if(d.value.begin(), d.value.end(), [](double w) { return w > 0; }) <= 1;
        d.risk = infinity;
        for (size_t said = 0; said < k; ++said) {
            double cost = 0;
            for (size_t truth = 0; truth < k; ++truth)
                cost +=
                    d.value[truth] * (options_.costs.empty() ? (truth == said ? 0.0 : 1.0) : options_.costs[truth * k + said]);
            d.risk = std::min(d.risk, cost);
        }
        d.impurity = d.weight > 0 ? d.risk / d.weight : 0.0;
    }

    void split(size_t i) {
        describe(nodes_[i]);
        if (nodes_[i].plan < 0) {
            nodes_[i].rows = {};
            return;
        }
        const PlanNode& planned = plan_.nodes[static_cast<size_t>(nodes_[i].plan)];
        const Test& test = planned.test;
        Branching left, right;
        left.plan = planned.left;
        right.plan = planned.right;
        Branching& node = nodes_[i];
        if (test.kind == TestKind::subset) find_subset(test, node);
        else if (feature(test).categorical()) list_categories(test, node);
        bool any_missing = false;
        int32_t missing_branch = test.missing_left ? 0 : 1;
        if (test.kind == TestKind::subset) missing_branch = node.default_branch;
        double below = -infinity, above = infinity;
        for (const size_t row : node.rows) {
            int32_t branch = missing_branch;
            if (misses(test, row)) {
                any_missing = true;
            } else if (node.kind == SplitKind::table) {
                branch = branch_of(node, feature(test).codes[row]);
            } else if (test.kind == TestKind::known) {
                branch = 0;
            } else {
                const double x = feature(test).numbers[row];
                branch = x <= values_[static_cast<size_t>(nodes_[i].plan)] ? 0 : 1;
                if (branch == 0) below = std::max(below, x);
                else above = std::min(above, x);
            }
            (branch == 0 ? left : right).rows.push_back(row);
        }
        if (node.kind == SplitKind::threshold) {
            if (test.kind == TestKind::known) node.threshold = infinity;
            else if (below == -infinity || above == infinity) node.threshold = values_[static_cast<size_t>(node.plan)];
            else node.threshold = midpoint(below, above);
        }
        const double sizes[2] = {static_cast<double>(left.rows.size()), static_cast<double>(right.rows.size())};
        node.default_branch = any_missing ? missing_branch : largest_branch(sizes, true);
        if (test.kind == TestKind::known && !any_missing) node.default_branch = 1;
        node.rows = {};
        node.children[0] = static_cast<int32_t>(nodes_.size());
        node.children[1] = node.children[0] + 1;
        nodes_.push_back(std::move(left));
        nodes_.push_back(std::move(right));
    }

    static int32_t branch_of(const Branching& node, int32_t code) {
        const auto at = std::lower_bound(node.table.begin(), node.table.end(), std::pair<int32_t, int32_t>{code, -1});
        return at->second;
    }

    /// One category against all others, or every category against missing ones.
    void list_categories(const Test& test, Branching& node) const {
        node.kind = SplitKind::table;
        for (int32_t code = 0; code < feature(test).n_categories; ++code)
            node.table.emplace_back(code, test.kind == TestKind::known || code == test.at ? 0 : 1);
    }

    /// The best subset of the categories that the rows have: of equal ones that of the first pair of labels; a category that
    /// costs the same with both goes with the first. The first category is on the left. Missing values count as the last
    /// category.
    void find_subset(const Test& test, Branching& node) const {
        const auto width = static_cast<size_t>(loss_.width());
        const int32_t n = feature(test).n_categories;
        std::map<int32_t, std::vector<Cost>> sums;
        for (const size_t row : node.rows) {
            const int32_t code = misses(test, row) ? n : feature(test).codes[row];
            auto& of = sums[code];
            of.resize(width, 0);
            loss_.add(row, of.data());
        }
        const std::map<int32_t, bool> second = target_.n_classes ? by_labels(sums) : by_means(sums);
        const bool first = second.begin()->second;
        node.kind = SplitKind::table;
        for (const auto& [code, side] : second) {
            if (code < n) node.table.emplace_back(code, side == first ? 0 : 1);
            else node.default_branch = side == first ? 0 : 1;
        }
    }
    std::map<int32_t, bool> by_labels(const std::map<int32_t, std::vector<Cost>>& sums) const {
        const int k = target_.n_classes;
        const auto cost = [&](const std::vector<Cost>& of, int label) {
            if (loss_.kind() == LossKind::prices) return of[static_cast<size_t>(label)];
            Cost total = 0;
            for (int c = 0; c < k; ++c) total += of[static_cast<size_t>(c)] * loss_.price()[c * k + label];
            return total;
        };
        Cost best = endless;
        std::pair<int, int> labels{0, 0};
        for (int a = 0; a < k; ++a)
            for (int b = a + 1; b < k; ++b) {
                Cost total = 0;
                for (const auto& [code, of] : sums) total += std::min(cost(of, a), cost(of, b));
                if (total < best) {
                    best = total;
                    labels = {a, b};
                }
            }
        std::map<int32_t, bool> second;
        for (const auto& [code, of] : sums) second[code] = cost(of, labels.second) < cost(of, labels.first);
        return second;
    }
    std::map<int32_t, bool> by_means(const std::map<int32_t, std::vector<Cost>>& sums) const {
        std::vector<int32_t> codes;
        Cost all_weight = 0, all_sum = 0;
        for (const auto& [code, of] : sums) {
            codes.push_back(code);
            all_weight += of[0];
            all_sum += of[1];
        }
        const auto mean = [&](int32_t code) {
            const auto& of = sums.at(code);
            return static_cast<double>(of[1]) / static_cast<double>(of[0]);
        };
        std::stable_sort(codes.begin(), codes.end(), [&](int32_t a, int32_t b) { return mean(a) < mean(b); });
        Cost best = endless, weight = 0, sum = 0;
        size_t n_left = 1;
        for (size_t i = 0; i + 1 < codes.size(); ++i) {
            weight += sums.at(codes[i])[0];
            sum += sums.at(codes[i])[1];
            const Cost cost = loss_.square_score(weight, sum) + loss_.square_score(all_weight - weight, all_sum - sum);
            if (cost < best) {
                best = cost;
                n_left = i + 1;
            }
        }
        std::map<int32_t, bool> second;
        for (size_t i = 0; i < codes.size(); ++i) second[codes[i]] = i >= n_left;
        return second;
    }

    void weigh_merit(Branching& node) const {
        if (node.children[0] < 0) return;
        double below = 0;
        for (const int32_t child : node.children) {
            const Description& d = nodes_[static_cast<size_t>(child)].description;
            below += d.weight * d.impurity;
        }
        const double weight = node.description.weight;
        node.merit = weight > 0 ? std::max(0.0, node.description.impurity - below / weight) : 0.0;
    }

    NodeSummary write_node(const Branching& node, TreeArrays& tree) const {
        if (node.children[0] >= 0) {
            for (const auto& [code, branch] : node.table) {
                tree.splits.pool_index.push_back(code);
                tree.splits.pool_value.push_back(branch);
            }
            tree.splits.append(node.kind, plan_.nodes[static_cast<size_t>(node.plan)].test.feature, node.threshold, node.merit);
        }
        const Description& d = node.description;
        return {d.count, d.weight, d.impurity, d.risk, d.value, node.merit, node.default_branch};
    }

    const Table& table_;
    const TargetView& target_;
    const Loss& loss_;
    const LossOptions& options_;
    const Plan& plan_;
    const std::vector<double>& values_;
    std::vector<Branching> nodes_;
};

}  // namespace

TreeArrays write(const Table& table, const TargetView& target, const Loss& loss, const LossOptions& options, const Plan& plan,
                 const std::vector<double>& values) {
    return Writer(table, target, loss, options, plan, values).write();
}

}  // namespace treewright::optimal
