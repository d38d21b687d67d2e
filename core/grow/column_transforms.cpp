// Building recoded columns and turning their thresholds back.
#include "grow/column_transforms.hpp"

#include <map>

#include "splits/candidate.hpp"
#include "splits/category_order.hpp"
#include "cuts/scan.hpp"

namespace treewright {

namespace {

/// Above this many values, categories are ordered once unless the recipe says otherwise.
constexpr int32_t many_categories = 256;

std::vector<double> sorted_values(const double* values, size_t n) {
    std::vector<double> sorted;
    sorted.reserve(n);
    for (size_t i = 0; i < n; ++i)
        if (!std::isnan(values[i])) sorted.push_back(values[i] + 0.0);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

}  // namespace

bool is_ranked(const Feature& feature, const Recipe& recipe) {
    return feature.categorical() && recipe.subset && recipe.max_groups == 2 && recipe.threshold && !recipe.plain &&
           recipe.policies.empty() &&
           (recipe.category_order == CategoryOrder::once ||
            (recipe.category_order == CategoryOrder::automatic && feature.n_categories > many_categories));
}

ColumnTransforms::ColumnTransforms(const Table& table, const Target& target, const Recipe& recipe,
                                   const std::vector<std::vector<int32_t>>* orders)
    : given_(table),
      recipe_(recipe),
      table_(table),
      columns_(table.features.size()),
      bins_(table.features.size()),
      rankings_(table.features.size()),
      ranking_of_(table.features.size(), nullptr) {
    for (size_t f = 0; f < table.features.size(); ++f) {
        const Feature& feature = table.features[f];
        if (!feature.categorical()) {
            if (recipe.max_bins > 0) bin(f, recipe.max_bins);
        } else if (is_ranked(feature, recipe)) {
            rank(f, orders ? std::vector((*orders)[f]) : category_ranks(feature, table.n_rows, target));
        }
    }
}

void ColumnTransforms::bin(size_t feature, int max_bins) {
    const double* values = given_.features[feature].numbers;
    const std::vector<double> sorted = sorted_values(values, given_.n_rows);
    Bins& bins = bins_[feature];
    const size_t n = sorted.size(), wanted = static_cast<size_t>(max_bins);
    size_t distinct = 0;
    for (size_t i = 0; i < n; ++i) distinct += i == 0 || sorted[i] != sorted[i - 1];
    for (size_t i = 0; i < n; ++i) {  // a new bin where the next quantile is passed and the value changes
        const bool changes = i == 0 || sorted[i] != sorted[i - 1];
        if (changes && (distinct <= wanted || i * wanted >= bins.low.size() * n)) {
            bins.low.push_back(sorted[i]);
            bins.high.push_back(sorted[i]);
        }
        bins.high.back() = sorted[i];
    }
    std::vector<double>& column = columns_[feature];
    column.resize(given_.n_rows);
    for (size_t i = 0; i < given_.n_rows; ++i)
        column[i] =
            std::isnan(values[i])
                ? values[i]
                : static_cast<double>(std::lower_bound(bins.high.begin(), bins.high.end(), values[i]) - bins.high.begin());
    table_.features[feature].numbers = column.data();
}

std::vector<int32_t> category_ranks(const Feature& feature, size_t n_rows, const Target& target) {
    const int32_t* codes = feature.codes;
    const auto levels = static_cast<size_t>(feature.n_categories);
    const size_t outputs = target.n_outputs, width = outputs * static_cast<size_t>(std::max(target.n_classes, 1));
    std::vector<double> sums(levels * width, 0.0), weight(levels, 0.0);
    for (size_t i = 0; i < n_rows; ++i) {
        if (codes[i] < 0) continue;
        const auto level = static_cast<size_t>(codes[i]);
        const double w = target.weight ? target.weight[i] : 1.0;
        weight[level] += w;
        for (size_t at = i * outputs, o = 0; o < outputs; ++o)
            sums[level * width + (target.n_classes ? static_cast<size_t>(target.label[at + o]) : o)] +=
                target.n_classes ? w : w * target.number[at + o];
    }
    return order_levels(sums, weight, width, feature.truth, static_cast<size_t>(target.n_classes));
}

void ColumnTransforms::rank(size_t feature, std::vector<int32_t>&& code_of) {
    const int32_t* codes = given_.features[feature].codes;
    const auto levels = static_cast<size_t>(given_.features[feature].n_categories);
    Ranking& ranking = rankings_[feature];
    ranking.code_of = std::move(code_of);
    std::vector<double> rank_of(levels, 0.0);
    for (size_t r = 0; r < ranking.code_of.size(); ++r) rank_of[static_cast<size_t>(ranking.code_of[r])] = static_cast<double>(r);
    std::vector<double>& column = columns_[feature];
    column.resize(given_.n_rows);
    for (size_t i = 0; i < given_.n_rows; ++i)
        column[i] = codes[i] < 0 ? std::numeric_limits<double>::quiet_NaN() : rank_of[static_cast<size_t>(codes[i])];
    table_.features[feature] = Feature{column.data(), nullptr, 0};
    ranking_of_[feature] = &ranking;
}

double ColumnTransforms::restored(size_t feature, double threshold) const {
    const Bins& bins = bins_[feature];
    if (bins.low.empty() || !std::isfinite(threshold)) return threshold;
    const auto left = static_cast<size_t>(std::clamp(std::floor(threshold), 0.0, static_cast<double>(bins.low.size() - 1)));
    return left + 1 < bins.low.size() ? cut_between(bins.high[left], bins.low[left + 1], recipe_.short_cuts) : bins.high[left];
}

void ColumnTransforms::restore(TreeArrays& tree) const {
    std::map<int32_t, std::vector<double>> sorted;  // whole columns, for observed cuts
    for (SplitTable* table : {&tree.splits, &tree.competitors})
        for (size_t s = 0; s < table->kind.size(); ++s) {
            const auto kind = static_cast<SplitKind>(table->kind[s]);
            const int32_t f = table->feature[s];
            double before = -std::numeric_limits<double>::infinity();  // the cut below
            const auto restore_cut = [&](double& cut) {
                cut = restored(static_cast<size_t>(f), cut);
                if (!recipe_.observed_cuts || !std::isfinite(cut)) return;
                auto& values = sorted[f];
                if (values.empty()) values = sorted_values(given_.features[static_cast<size_t>(f)].numbers, given_.n_rows);
                const auto above = std::upper_bound(values.begin(), values.end(), cut);
                // between two cuts of an interval there may be rows without a value alone, which stand at the mean
                if (above != values.begin() && *(above - 1) > before) cut = *(above - 1);
                before = cut;
            };
            if (kind == SplitKind::threshold) restore_cut(table->threshold[s]);
            if (kind == SplitKind::interval)
                for (int64_t entry = table->pool_begin[s]; entry < table->pool_begin[s + 1]; ++entry)
                    restore_cut(table->pool_value[static_cast<size_t>(entry)]);
        }
}

}  // namespace treewright
