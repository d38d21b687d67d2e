// Rows find their leaves.
#include "border.hpp"

namespace treewright::border {

namespace {

/// The arrays of a tree as Python holds them, kept alive while the view is used.
struct HeldTree {
    Vector<int32_t> first_child, n_children, default_branch, feature, pool_index;
    Vector<int64_t> split_begin, pool_begin;
    Vector<double> weight, threshold, pool_value;
    Vector<uint8_t> kind;

    explicit HeldTree(const nb::dict& a)
        : first_child(held<int32_t>(a, "first_child")),
          n_children(held<int32_t>(a, "n_children")),
          default_branch(held<int32_t>(a, "default_branch")),
          feature(held<int32_t>(a, "split_feature")),
          pool_index(held<int32_t>(a, "split_pool_index")),
          split_begin(held<int64_t>(a, "split_begin")),
          pool_begin(held<int64_t>(a, "split_pool_begin")),
          weight(held<double>(a, "weight")),
          threshold(held<double>(a, "split_threshold")),
          pool_value(held<double>(a, "split_pool_value")),
          kind(held<uint8_t>(a, "split_kind")) {}

    TreeView view() const {
        return {span(first_child),
                span(n_children),
                span(default_branch),
                span(split_begin),
                span(weight),
                {span(kind), span(feature), span(threshold), span(pool_begin), span(pool_index), span(pool_value)}};
    }
};

nb::object pack_tree(const nb::dict& arrays, const Vector<int32_t>& position) {
    const HeldTree held(arrays);
    auto packed = pack(held.view(), span(position));
    if (!packed) return nb::none();
    return give_bytes(std::move(*packed));
}

nb::tuple walk_rows(const nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& packed,
                    const Grid<double>& numbers, int threads) {
    const size_t rows = numbers.shape(0);
    auto [leaf, owner] = allocate<int32_t>(rows);
    const std::span<const PackedNode> nodes(reinterpret_cast<const PackedNode*>(packed.data()), packed.shape(0));
    const bool infinite = interruptible([&](Monitor& monitor) { return walk(nodes, matrix(numbers), leaf, threads, monitor); });
    const size_t shape[] = {rows};
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, int32_t>(leaf, 1, shape, owner)), infinite);
}

nb::object route_rows(const nb::dict& arrays, const Grid<double>& numbers, const Grid<int32_t>& codes,
                      const Vector<int32_t>& position, const Vector<int32_t>& n_categories, int threads) {
    const HeldTree held(arrays);
    const size_t rows = std::max(numbers.shape(0), codes.shape(0));
    auto [leaf, owner] = allocate<int32_t>(rows);
    interruptible([&](Monitor& monitor) {
        route(held.view(), matrix(numbers), matrix(codes), span(position), span(n_categories), leaf, threads, monitor);
        return true;
    });
    const size_t shape[] = {rows};
    return nb::cast(nb::ndarray<nb::numpy, int32_t>(leaf, 1, shape, owner));
}

/// Sum over the leaves of each row of the rows of `value`, by the share of the row that ends there.
nb::object spread_rows(const nb::dict& arrays, const Grid<double>& numbers, const Grid<int32_t>& codes,
                       const Vector<int32_t>& position, const Vector<int32_t>& n_categories,
                       const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& value, int threads) {
    const HeldTree held(arrays);
    const size_t rows = std::max(numbers.shape(0), codes.shape(0)), width = value.shape(1);
    if (value.shape(0) != held.first_child.shape(0)) throw nb::value_error("value must have a row for every node");
    auto [sums, owner] = allocate<double>(rows * width);
    interruptible([&](Monitor& monitor) {
        spread(held.view(), matrix(numbers), matrix(codes), span(position), span(n_categories), {value.data(), value.size()},
               sums, threads, monitor);
        return true;
    });
    const size_t shape[] = {rows, width};
    return nb::cast(nb::ndarray<nb::numpy, double>(sums, 2, shape, owner));
}

}  // namespace

void add_routing(nb::module_& m) {
    m.def("pack", &pack_tree, "arrays"_a, "position"_a.noconvert());
    m.def("walk", &walk_rows, "packed"_a.noconvert(), "numbers"_a.noconvert(), "threads"_a = 1);
    m.def("route", &route_rows, "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "threads"_a = 1);
    m.def("spread", &spread_rows, "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "value"_a.noconvert(), "threads"_a = 1);
}

}  // namespace treewright::border
