// Linear equations at nodes: sums of products of rows, the equations that follow from them, and what they say of rows.
#include "linear/equations.hpp"

#include "bindings/numpy_arrays.hpp"
#include "base/parallel.hpp"
#include "predict/equations.hpp"

namespace treewright::border {

namespace {

constexpr size_t rows_per_poll = 4096;

void check_ids(std::span<const int64_t> ids, size_t end, const char* what) {
    for (int64_t id : ids)
        if (id < 0 || id >= static_cast<int64_t>(end)) throw nb::index_error(what);
}

/// Add the products of some rows to `products`, nodes × (columns + 2)².
void add_rows(const Grid<double>& columns, const Vector<double>& target, const Vector<double>& weight,
              const Vector<int64_t>& node, nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& products) {
    const size_t n = target.shape(0), width = columns.shape(1) + 2;
    if (columns.shape(0) != n || weight.shape(0) != n || node.shape(0) != n)
        throw nb::value_error("columns, target, weight and node must have as many rows");
    if (products.shape(1) != width * width) throw nb::value_error("products must have a row of (columns + 2)² for every node");
    check_ids(span(node), products.shape(0), "no such node");
    interruptible([&](Monitor&) {
        add_products(matrix(columns), span(target), span(weight), span(node), {products.data(), products.size()});
        return true;
    });
}

nb::dict fit_nodes(const Vector<int32_t>& parent,
                   const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& products, size_t n_columns,
                   double ridge, double price, double unit) {
    const size_t width = n_columns + 2;
    if (products.shape(0) != parent.shape(0) || products.shape(1) != width * width)
        throw nb::value_error("products must have a row of (columns + 2)² for every node");
    for (size_t node = 0; node < parent.shape(0); ++node)
        if (parent.data()[node] >= static_cast<int32_t>(node)) throw nb::value_error("parents come before their children");
    Equations found;
    interruptible([&](Monitor&) {
        found = fit_equations(span(parent), {products.data(), products.size()}, n_columns, {ridge, price, unit});
        return true;
    });
    nb::dict out;
    out["coefficient"] = give(std::move(found.coefficient), n_columns + 1);
    out["used"] = give(std::move(found.used));
    out["gain"] = give(std::move(found.gain));
    out["squares"] = give(std::move(found.squares));
    out["risk"] = give(std::move(found.risk));
    return out;
}

nb::object say(const nb::dict& arrays, const Grid<double>& numbers, const Grid<int32_t>& codes, const Vector<int32_t>& position,
               const Vector<int32_t>& n_categories, const Vector<int64_t>& rows, const Vector<int64_t>& nodes, int threads) {
    const auto constant = held<double>(arrays, "equation_constant");
    const auto begin = held<int64_t>(arrays, "equation_begin");
    const auto feature = held<int32_t>(arrays, "equation_feature"), code = held<int32_t>(arrays, "equation_code");
    const auto coefficient = held<double>(arrays, "equation_coefficient"), fill = held<double>(arrays, "equation_fill"),
               range = held<double>(arrays, "equation_range");
    const size_t n = rows.shape(0);
    if (nodes.shape(0) != n) throw nb::value_error("rows and nodes must come in pairs");
    if (range.shape(0) != 2 || begin.shape(0) != constant.shape(0) + 1 || fill.shape(0) != position.shape(0))
        throw nb::value_error("the equations are not of this table");
    check_ids(span(rows), std::max(numbers.shape(0), codes.shape(0)), "no such row");
    check_ids(span(nodes), constant.shape(0), "no such node");
    const EquationView equations{span(constant), span(begin),        span(feature),   span(code),     span(coefficient),
                                 span(fill),     span(n_categories), range.data()[0], range.data()[1]};
    const RowValues values{matrix(numbers), matrix(codes), span(position)};
    auto [said, owner] = allocate<double>(n);
    interruptible([&](Monitor& monitor) {
        parallel_for((n + rows_per_poll - 1) / rows_per_poll, threads, [&](size_t task, int thread) {
            monitor.poll(thread);
            for (size_t i = task * rows_per_poll; i < std::min(n, (task + 1) * rows_per_poll); ++i)
                said[i] = equations(static_cast<size_t>(nodes.data()[i]), values, rows.data()[i]);
        });
        return true;
    });
    const size_t shape[] = {n};
    return nb::cast(nb::ndarray<nb::numpy, double>(said, 1, shape, owner));
}

}  // namespace

void add_equations(nb::module_& m) {
    m.def("add_products", &add_rows, "columns"_a.noconvert(), "target"_a.noconvert(), "weight"_a.noconvert(),
          "node"_a.noconvert(), "products"_a.noconvert());
    m.def("fit_equations", &fit_nodes, "parent"_a.noconvert(), "products"_a.noconvert(), "n_columns"_a, "ridge"_a, "price"_a,
          "unit"_a);
    m.def("evaluate_equations", &say, "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "rows"_a.noconvert(), "nodes"_a.noconvert(), "threads"_a = 1);
}

}  // namespace treewright::border
