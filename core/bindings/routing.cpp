// Rows find their leaves.
#include "bindings/numpy_arrays.hpp"
#include "predict/shapley.hpp"
#include "base/sparse.hpp"
#include "predict/sparse_rows.hpp"

namespace treewright::border {

namespace {

/// The arrays of splits as Python holds them, kept alive while the view is used.
struct HeldSplits {
    Vector<uint8_t> kind;
    Vector<int32_t> feature, pool_index;
    Vector<double> threshold, pool_value;
    Vector<int64_t> pool_begin;

    explicit HeldSplits(const nb::dict& a)
        : kind(held<uint8_t>(a, "split_kind")),
          feature(held<int32_t>(a, "split_feature")),
          pool_index(held<int32_t>(a, "split_pool_index")),
          threshold(held<double>(a, "split_threshold")),
          pool_value(held<double>(a, "split_pool_value")),
          pool_begin(held<int64_t>(a, "split_pool_begin")) {}

    SplitView view() const {
        return {span(kind), span(feature), span(threshold), span(pool_begin), span(pool_index), span(pool_value)};
    }
};

/// The same of a tree.
struct HeldTree {
    Vector<int32_t> child_begin, children, default_branch;
    Vector<int64_t> split_begin;
    Vector<double> weight;
    HeldSplits splits;

    explicit HeldTree(const nb::dict& a)
        : child_begin(held<int32_t>(a, "child_begin")),
          children(held<int32_t>(a, "children")),
          default_branch(held<int32_t>(a, "default_branch")),
          split_begin(held<int64_t>(a, "split_begin")),
          weight(held<double>(a, "weight")),
          splits(a) {}

    TreeView view() const {
        return {{span(child_begin), span(children)}, span(default_branch), span(split_begin), span(weight), splits.view()};
    }
    size_t size() const { return default_branch.shape(0); }
};

/// Numbers of rows, nodes or splits, each below `end`.
std::span<const int64_t> below(const Vector<int64_t>& ids, size_t end, const char* what) {
    for (int64_t id : span(ids))
        if (id < 0 || id >= static_cast<int64_t>(end)) throw nb::index_error(what);
    return span(ids);
}

/// Where the children of each node begin, and all children: what `pack`, `route`, `branch` and `spread` find their way by.
nb::tuple children_of(const Vector<int32_t>& parent) {
    Children found(parents(parent));
    return nb::make_tuple(give(std::move(found.begin)), give(std::move(found.id)));
}

nb::object pack_tree(const nb::dict& arrays, const Vector<int32_t>& position) {
    const HeldTree held(arrays);
    auto packed = pack(held.view(), span(position));
    if (!packed) return nb::none();
    return nb::make_tuple(give_bytes(std::move(packed->nodes)), give(std::move(packed->id)));
}

nb::tuple walk_rows(const nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& packed,
                    const Vector<int32_t>& id, const Grid<double>& numbers, int threads) {
    const size_t rows = numbers.shape(0);
    auto [leaf, owner] = allocate<int32_t>(rows);
    const std::span<const PackedNode> nodes(reinterpret_cast<const PackedNode*>(packed.data()), packed.shape(0));
    const bool infinite =
        interruptible([&](Monitor& monitor) { return walk(nodes, span(id), matrix(numbers), leaf, threads, monitor); });
    const size_t shape[] = {rows};
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, int32_t>(leaf, 1, shape, owner)), infinite);
}

/// The same of sparse rows; gives flags of what was met: 1 = missing, 2 = infinite.
template <class Number>
nb::tuple walk_sparse_rows(const nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& packed,
                           const Vector<int32_t>& id, const Vector<int64_t>& begin, const Vector<int32_t>& column,
                           const Vector<Number>& value, size_t n_columns, int threads) {
    const SparseRows<Number> rows{span(begin), span(column), span(value), n_columns};
    check_begins(rows.begin, rows.column.size());
    auto [leaf, owner] = allocate<int32_t>(rows.size());
    const std::span<const PackedNode> nodes(reinterpret_cast<const PackedNode*>(packed.data()), packed.shape(0));
    const int flags = interruptible([&](Monitor& monitor) { return walk_sparse(nodes, span(id), rows, leaf, threads, monitor); });
    const size_t shape[] = {rows.size()};
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, int32_t>(leaf, 1, shape, owner)), flags);
}

nb::object route_rows(const nb::dict& arrays, const Grid<double>& numbers, const Grid<int32_t>& codes,
                      const Vector<int32_t>& position, int threads) {
    const HeldTree held(arrays);
    const size_t rows = std::max(numbers.shape(0), codes.shape(0));
    auto [leaf, owner] = allocate<int32_t>(rows);
    interruptible([&](Monitor& monitor) {
        route(held.view(), matrix(numbers), matrix(codes), span(position), leaf, threads, monitor);
        return true;
    });
    const size_t shape[] = {rows};
    return nb::cast(nb::ndarray<nb::numpy, int32_t>(leaf, 1, shape, owner));
}

nb::tuple branch_rows(const nb::dict& arrays, const Grid<double>& numbers, const Grid<int32_t>& codes,
                      const Vector<int32_t>& position, const Vector<int64_t>& rows, const Vector<int64_t>& nodes, int threads) {
    const HeldTree held(arrays);
    const size_t n = rows.shape(0);
    if (nodes.shape(0) != n) throw nb::value_error("rows and nodes must come in pairs");
    const auto row = below(rows, std::max(numbers.shape(0), codes.shape(0)), "no such row");
    const auto node = below(nodes, held.size(), "no such node");
    const ChildView children = held.view().children;
    for (int64_t inner : node)
        if (children.count(static_cast<size_t>(inner)) == 0) throw nb::value_error("a leaf has no branches");
    std::vector<int32_t> branch(n), by(n);
    interruptible([&](Monitor& monitor) {
        branches(held.view(), matrix(numbers), matrix(codes), span(position), row, node, branch.data(), by.data(), threads,
                 monitor);
        return true;
    });
    return nb::make_tuple(give(std::move(branch)), give(std::move(by)));
}

nb::object answer_rows(const nb::dict& arrays, size_t split, const Grid<double>& numbers, const Grid<int32_t>& codes,
                       const Vector<int32_t>& position, const Vector<int64_t>& rows) {
    const HeldSplits held(arrays);
    if (split >= held.kind.shape(0)) throw nb::index_error("no such split");
    const auto row = below(rows, std::max(numbers.shape(0), codes.shape(0)), "no such row");
    std::vector<int32_t> branch(row.size());
    answers(held.view(), split, matrix(numbers), matrix(codes), span(position), row, branch.data());
    return give(std::move(branch));
}

nb::object compare_rows(const nb::dict& arrays, size_t split, const Grid<double>& numbers, const Vector<int32_t>& position,
                        const Vector<int64_t>& rows) {
    const HeldSplits held(arrays);
    if (split >= held.kind.shape(0)) throw nb::index_error("no such split");
    if (static_cast<SplitKind>(held.kind.data()[split]) == SplitKind::table) throw nb::value_error("a table compares no numbers");
    const auto row = below(rows, numbers.shape(0), "no such row");
    std::vector<double> compared(row.size());
    compare(held.view(), split, matrix(numbers), span(position), row, compared.data());
    return give(std::move(compared));
}

/// Sum over the leaves of each row of the rows of `value`, by the share of the row that ends there.
nb::object spread_rows(const nb::dict& arrays, const Grid<double>& numbers, const Grid<int32_t>& codes,
                       const Vector<int32_t>& position,
                       const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& value, int threads) {
    const HeldTree held(arrays);
    const size_t rows = std::max(numbers.shape(0), codes.shape(0)), width = value.shape(1);
    if (value.shape(0) != held.size()) throw nb::value_error("value must have a row for every node");
    auto [sums, owner] = allocate<double>(rows * width);
    interruptible([&](Monitor& monitor) {
        spread(held.view(), matrix(numbers), matrix(codes), span(position), {value.data(), value.size()}, sums, threads, monitor);
        return true;
    });
    const size_t shape[] = {rows, width};
    return nb::cast(nb::ndarray<nb::numpy, double>(sums, 2, shape, owner));
}

/// What each player adds to the prediction of each row, or each pair of players.
nb::object shapley_rows(const nb::dict& arrays, const Grid<double>& numbers, const Grid<int32_t>& codes,
                        const Vector<int32_t>& position, const Vector<int64_t>& parent, const Vector<int64_t>& branch,
                        const Vector<int64_t>& player, const Vector<double>& share,
                        const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& value,
                        const Vector<double>& point, const Vector<double>& measure, size_t n_players, bool pairs, int threads) {
    const HeldTree held(arrays);
    const size_t n = parent.shape(0), rows = std::max(numbers.shape(0), codes.shape(0));
    if (n < held.view().size() || branch.shape(0) != n || player.shape(0) != n || share.shape(0) != n || value.shape(0) != n)
        throw nb::value_error("steps must have as many entries each");
    if (point.shape(0) != measure.shape(0)) throw nb::value_error("every point needs a measure");
    for (size_t i = 1; i < n; ++i) {
        if (parent.data()[i] < 0 || parent.data()[i] >= static_cast<int64_t>(held.view().size()))
            throw nb::value_error("no such node");
        if (player.data()[i] < 0 || player.data()[i] >= static_cast<int64_t>(n_players)) throw nb::value_error("no such player");
    }
    ShapleySteps steps{span(parent), span(branch), span(player), span(share), {value.data(), value.size()},
                       span(point),  span(measure)};
    steps.n_players = n_players;
    steps.width = value.shape(1);
    const size_t others = pairs ? n_players : 1;
    auto [sums, owner] = allocate<double>(rows * n_players * others * steps.width);
    interruptible([&](Monitor& monitor) {
        shapley(held.view(), {matrix(numbers), matrix(codes), span(position)}, rows, steps, pairs, sums, threads, monitor);
        return true;
    });
    const size_t shape[] = {rows, n_players, others, steps.width};
    return nb::cast(nb::ndarray<nb::numpy, double>(sums, 4, shape, owner));
}

}  // namespace

void add_routing(nb::module_& m) {
    m.def("children", &children_of, "parent"_a.noconvert());
    m.def("pack", &pack_tree, "arrays"_a, "position"_a.noconvert());
    const auto sparse = [&](auto number) {
        m.def("walk_sparse", &walk_sparse_rows<decltype(number)>, "packed"_a, "id"_a.noconvert(), "begin"_a.noconvert(),
              "column"_a.noconvert(), "value"_a.noconvert(), "n_columns"_a, "threads"_a = 1);
    };
    sparse(double{});
    sparse(float{});
    m.def("walk", &walk_rows, "packed"_a.noconvert(), "id"_a.noconvert(), "numbers"_a.noconvert(), "threads"_a = 1);
    m.def("route", &route_rows, "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "threads"_a = 1);
    m.def("branch", &branch_rows, "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "rows"_a.noconvert(), "nodes"_a.noconvert(), "threads"_a = 1);
    m.def("answer", &answer_rows, "arrays"_a, "split"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "rows"_a.noconvert());
    m.def("compare", &compare_rows, "arrays"_a, "split"_a, "numbers"_a.noconvert(), "position"_a.noconvert(),
          "rows"_a.noconvert());
    m.def("spread", &spread_rows, "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "value"_a.noconvert(), "threads"_a = 1);
    m.def("shapley", &shapley_rows, "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "parent"_a.noconvert(), "branch"_a.noconvert(), "player"_a.noconvert(), "share"_a.noconvert(), "value"_a.noconvert(),
          "point"_a.noconvert(), "measure"_a.noconvert(), "n_players"_a, "pairs"_a = false, "threads"_a = 1);
}

}  // namespace treewright::border
