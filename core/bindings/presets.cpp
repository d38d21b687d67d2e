// Trees of C4.5 and CART, by the programs' rules.
#include "bindings/numpy_arrays.hpp"
#include "programs/c45/c45.hpp"
#include "programs/cart/cart.hpp"

namespace treewright::border {

namespace {

c45::Options read_c45(const nb::dict& o) {
    c45::Options c;
    c.min_weight = option<double>(o, "min_weight");
    c.binary = option<bool>(o, "binary");
    c.mdl = option<bool>(o, "mdl");
    c.observed = option<bool>(o, "observed");
    c.tolerance = option<double>(o, "tolerance");
    c.same_value = option<double>(o, "same_value");
    c.collapse = option<bool>(o, "collapse");
    c.prune = option<bool>(o, "prune");
    c.raising = option<bool>(o, "raising");
    c.confidence = option<double>(o, "confidence");
    c.deviate = option<double>(o, "deviate");
    c.last_half = option<double>(o, "last_half");
    c.last_of_largest = option<bool>(o, "last_of_largest");
    c.max_competitors = option<int>(o, "max_competitors");
    c.threads = option<int>(o, "threads");
    return c;
}

nb::dict grow_c45(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                  const Vector<int32_t>& n_categories, const TargetArray& target, int n_classes,
                  const std::optional<Vector<double>>& weight, const nb::dict& options) {
    const c45::Options read = read_c45(options);
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0), options);
    const Target y = read_target(target, n_classes, weight);
    return to_dict(watched(options, [&](Monitor& monitor) { return c45::grow(table, y, read, monitor); }), width_of(n_classes));
}

cart::Options read_cart(const nb::dict& o) {
    cart::Options c;
    c.criterion = option<std::string>(o, "criterion");
    c.min_samples_split = option<int64_t>(o, "min_samples_split");
    c.min_samples_leaf = option<int64_t>(o, "min_samples_leaf");
    c.max_depth = option<int64_t>(o, "max_depth");
    c.cp = option<double>(o, "cp");
    c.max_competitors = option<int>(o, "max_competitors");
    c.max_surrogates = option<int>(o, "max_surrogates");
    c.use_surrogates = option<int>(o, "use_surrogates");
    c.surrogate_style = option<int>(o, "surrogate_style");
    c.priors = numbers_of<double>(o, "priors");
    c.costs = numbers_of<double>(o, "costs");
    c.feature_costs = numbers_of<double>(o, "feature_costs");
    c.shrink = option<double>(o, "shrink");
    c.exposure = numbers_of<double>(o, "exposure");
    c.largest_improve = option<double>(o, "largest_improve");
    c.rpart = option<bool>(o, "rpart");
    c.stands_for_missing = numbers_of<double>(o, "stands_for_missing");
    c.ordinal = numbers_of<int32_t>(o, "ordinal");
    c.threads = option<int>(o, "threads");
    return c;
}

nb::dict grow_cart(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                   const Vector<int32_t>& n_categories, const TargetArray& target, int n_classes,
                   const std::optional<Vector<double>>& weight, const nb::dict& options) {
    const cart::Options read = read_cart(options);
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0), options);
    const Target y = read_target(target, n_classes, weight);
    cart::Grown grown = watched(options, [&](Monitor& monitor) { return cart::grow(table, y, read, monitor); });
    nb::dict out = to_dict(std::move(grown.tree), width_of(n_classes));
    out["complexity"] = give(std::move(grown.complexity));
    out["split_rows"] = give(std::move(grown.split_rows));
    out["split_below"] = give(std::move(grown.split_below));
    out["competitor_below"] = give(std::move(grown.competitor_below));
    out["competitor_rows"] = give(std::move(grown.competitor_rows));
    out["credit"] = give(std::move(grown.credit), table.features.size());
    out["largest_improve"] = grown.largest_improve;
    return out;
}

nb::tuple validate_cart(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                        const Vector<int32_t>& n_categories, const TargetArray& target, int n_classes,
                        const std::optional<Vector<double>>& weight, const nb::dict& options, const Vector<double>& prices,
                        double alpha, const Vector<int32_t>& fold) {
    const cart::Options read = read_cart(options);
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0), options);
    const Target y = read_target(target, n_classes, weight);
    if (fold.shape(0) != table.n_rows) throw nb::value_error("fold must have a number for every row");
    cart::Validation sums = watched(options, [&](Monitor& monitor) {
        return cart::cross_validate(table, y, read, span(prices), alpha, span(fold), monitor);
    });
    return nb::make_tuple(give(std::move(sums.error)), give(std::move(sums.squared)));
}

}  // namespace

void add_presets(nb::module_& m) {
    m.def("grow_c45", &grow_c45, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a);
    m.def("grow_cart", &grow_cart, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a);
    m.def("validate_cart", &validate_cart, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a,
          "prices"_a.noconvert(), "alpha"_a, "fold"_a.noconvert());
}

}  // namespace treewright::border
