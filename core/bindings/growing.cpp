// A table and a recipe become the arrays of a tree.
#include "base/sparse.hpp"
#include "bindings/numpy_arrays.hpp"
#include "grow/choose_finder.hpp"

namespace treewright::border {

namespace {

template <class T>
nb::tuple columns_of(const Grid<T>& table, int threads) {
    const size_t rows = table.shape(0), columns = table.shape(1);
    auto [data, owner] = allocate<double>(rows * columns);
    std::vector<uint8_t> flags(columns);
    {
        nb::gil_scoped_release unlocked;
        to_columns(matrix(table), data, flags.data(), threads);
    }
    const size_t shape[] = {rows, columns};
    const int64_t strides[] = {1, static_cast<int64_t>(rows)};
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, double>(data, 2, shape, owner, strides)), give(std::move(flags)));
}

/// Whether numbers are nothing but 0 and 1, apart from NaN, and not all of them NaN.
bool holds_zeros_and_ones(const double* numbers, size_t n) {
    bool some = false;
    for (size_t begin = 0; begin < n; begin += 512) {
        int others = 0, known = 0;
        for (size_t i = begin; i < std::min(n, begin + 512); ++i) {
            const double x = numbers[i];
            others |= static_cast<int>(x == x) & static_cast<int>(x != 0) & static_cast<int>(x != 1);
            known |= static_cast<int>(x == x);
        }
        if (others) return false;
        some = some || known;
    }
    return some;
}

/// Which columns hold nothing but 0 and 1, apart from NaN.
nb::object zeros_and_ones(const Columns& numbers) {
    const size_t rows = numbers.shape(0);
    std::vector<uint8_t> found(numbers.shape(1));
    for (size_t c = 0; c < found.size(); ++c) found[c] = holds_zeros_and_ones(numbers.data() + c * rows, rows);
    return give(std::move(found));
}

/// The columns of a sparse matrix as growers take them; `by_rows` tells that it is given by rows.
nb::tuple sparse_columns(const Vector<int64_t>& begin, const Vector<int32_t>& index, const Vector<double>& value, size_t n_rows,
                         size_t n_columns, bool by_rows, int threads) {
    const SparseMatrix matrix{n_rows, n_columns, by_rows, span(begin), span(index), span(value)};
    StoredColumns columns;
    {
        nb::gil_scoped_release unlocked;
        columns = sorted_columns(matrix, threads);
    }
    return nb::make_tuple(give(std::move(columns.begin)), give(std::move(columns.row)), give(std::move(columns.value)));
}

/// The choice by which a tree does not grow on sparse columns; empty if there is none.
std::string needs_dense(const nb::dict& options) { return dense_only(read_recipe(options)); }

nb::dict grow_tree(const nb::object& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                   const Vector<int32_t>& n_categories, const TargetArrays& target, int n_classes,
                   const std::optional<Vector<double>>& weight, const nb::dict& options) {
    Recipe recipe = read_recipe(options);
    const HeldTable held(numbers, codes, position, n_categories, target.shape(0), options);
    const Table& table = held.table;
    const Target y = read_target(target, n_classes, weight);
    recipe.n_outputs = static_cast<int>(y.n_outputs);
    auto grown = watched(options, [&](Monitor& monitor) {
        std::optional<TreeArrays> drawn = grow_drawn_cuts(table, y, recipe, monitor);
        return drawn ? std::move(*drawn) : grow(table, y, recipe, monitor);
    });
    return to_dict(std::move(grown), width_of(n_classes, y.n_outputs));
}

/// Merit of one split given as a table of class weights, a row for each branch.
double merit_of(const std::string& criterion,
                const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& table) {
    const size_t branches = table.shape(0), width = table.shape(1);
    std::vector<Totals> parts(branches, Totals(width));
    Totals node(width);
    std::vector<const Totals*> pointers;
    for (size_t b = 0; b < branches; ++b) {
        for (size_t k = 0; k < width; ++k) {
            parts[b].sums[k] = table.data()[b * width + k];
            parts[b].weight += parts[b].sums[k];
        }
        node.add(parts[b]);
        pointers.push_back(&parts[b]);
    }
    return Criteria::with(criterion, [&]<class C>() -> double {
        if constexpr (C::classification) return C::merit(node, pointers);
        else throw nb::value_error(("'" + criterion + "' is not a classification criterion").c_str());
    });
}

}  // namespace

void add_growing(nb::module_& m) {
    m.def("zeros_and_ones", &zeros_and_ones, "numbers"_a.noconvert());
    m.def("columns", &columns_of<double>, "table"_a.noconvert(), "threads"_a = 1);
    m.def("columns", &columns_of<float>, "table"_a.noconvert(), "threads"_a = 1);
    m.def("grow", &grow_tree, "numbers"_a, "codes"_a.noconvert(), "position"_a.noconvert(), "n_categories"_a.noconvert(),
          "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a);
    m.def("sparse_columns", &sparse_columns, "begin"_a.noconvert(), "index"_a.noconvert(), "value"_a.noconvert(), "n_rows"_a,
          "n_columns"_a, "by_rows"_a, "threads"_a = 1);
    m.def("dense_only", &needs_dense, "options"_a);
    m.def("merit", &merit_of, "criterion"_a, "table"_a.noconvert());
}

}  // namespace treewright::border
