// What the functions at the border share: arrays in and out of NumPy, options by name, and Ctrl-C.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>

#include "forest/forest.hpp"
#include "grow/grow.hpp"
#include "predict/route.hpp"

namespace treewright::border {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Grid = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
std::span<const T> span(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

template <class T>
Matrix<T> matrix(const Grid<T>& array) {
    return {array.data(), static_cast<int64_t>(array.shape(0)), static_cast<int64_t>(array.shape(1)), array.stride(0),
            array.stride(1)};
}

/// A name that is known when compiling.
template <size_t N>
struct Name {
    char text[N];
    consteval Name(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT(google-explicit-constructor)
};

/// A name as Python keeps it, made once: dictionaries find it by its address, and a small fit asks for seventy.
template <Name name>
nb::handle interned() {
    static PyObject* const kept = PyUnicode_InternFromString(name.text);
    return kept;
}

/// Keep a vector for as long as NumPy looks at it.
template <class T>
std::pair<std::vector<T>*, nb::capsule> keep(std::vector<T>&& from) {
    auto* kept = new std::vector<T>(std::move(from));
    return {kept, nb::capsule(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); })};
}

/// Hand a vector over to NumPy without a copy.
template <class T>
nb::object give(std::vector<T>&& from, size_t columns = 0) {
    const auto [kept, owner] = keep(std::move(from));
    if (columns == 0) {
        const size_t shape[] = {kept->size()};
        return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), 1, shape, owner));
    }
    const size_t shape[] = {kept->size() / columns, columns};
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), 2, shape, owner));
}

/// The same for nodes, as rows of bytes.
inline nb::object give_bytes(std::vector<PackedNode>&& from) {
    const auto [kept, owner] = keep(std::move(from));
    const size_t shape[] = {kept->size(), sizeof(PackedNode)};
    return nb::cast(nb::ndarray<nb::numpy, uint8_t>(reinterpret_cast<uint8_t*>(kept->data()), 2, shape, owner));
}

/// Uninitialised memory owned by NumPy.
template <class T>
std::pair<T*, nb::capsule> allocate(size_t n) {
    T* data = new T[std::max<size_t>(n, 1)];
    return {data, nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); })};
}

/// Nothing is said of an empty table: small trees, most of which keep no competitors, are handed over in half the time.
inline void add_table(nb::dict& out, const std::string& prefix, SplitTable&& table) {
    if (table.kind.empty()) return;
    const auto put = [&](const char* name, nb::object array) { out[nb::str((prefix + name).c_str())] = std::move(array); };
    const size_t n_splits = table.kind.size();
    put("kind", give(std::move(table.kind)));
    put("feature", give(std::move(table.feature)));
    put("threshold", give(std::move(table.threshold)));
    put("score", give(std::move(table.score)));
    if (!table.adjusted.empty()) {
        table.adjusted.resize(n_splits, 0.0);
        put("adjusted", give(std::move(table.adjusted)));
    }
    put("pool_begin", give(std::move(table.pool_begin)));
    put("pool_index", give(std::move(table.pool_index)));
    put("pool_value", give(std::move(table.pool_value)));
}

/// Columns of `value`.
inline size_t width_of(int n_classes, size_t n_outputs = 1) { return n_outputs * static_cast<size_t>(std::max(n_classes, 1)); }

inline nb::dict to_dict(TreeArrays&& tree, size_t width) {
    nb::dict out;
    out[interned<"parent">()] = give(std::move(tree.parent));
    out[interned<"default_branch">()] = give(std::move(tree.default_branch));
    out[interned<"split_begin">()] = give(std::move(tree.split_begin));
    out[interned<"competitor_begin">()] = give(std::move(tree.competitor_begin));
    out[interned<"count">()] = give(std::move(tree.count));
    out[interned<"weight">()] = give(std::move(tree.weight));
    out[interned<"node_value">()] = give(std::move(tree.value), width);
    out[interned<"impurity">()] = give(std::move(tree.impurity));
    out[interned<"risk">()] = give(std::move(tree.risk));
    out[interned<"merit">()] = give(std::move(tree.merit));
    add_table(out, "split_", std::move(tree.splits));
    add_table(out, "competitor_", std::move(tree.competitors));
    return out;
}

/// An array that Python holds.
template <class T>
Vector<T> held(const nb::dict& arrays, const char* name) {
    return nb::cast<Vector<T>>(arrays[name]);
}

/// The parents of nodes in preorder: each is the node before it, or above that.
inline std::span<const int32_t> parents(const Vector<int32_t>& array) {
    const auto parent = span(array);
    if (parent.empty() || parent[0] != -1) throw nb::value_error("the first node must be the root, whose parent is -1");
    for (size_t node = 1; node < parent.size(); ++node) {
        auto above = static_cast<int32_t>(node) - 1;
        while (above >= 0 && above != parent[node]) above = parent[static_cast<size_t>(above)];
        if (above < 0)
            throw nb::value_error(("node " + std::to_string(node) + " does not come after its parent in preorder").c_str());
    }
    return parent;
}

template <class T>
T option(const nb::dict& options, const char* name) {
    if (!options.contains(name)) throw nb::key_error(name);
    return nb::cast<T>(options[name]);
}

template <class Choice>
Choice choose(const nb::dict& options, const char* name, std::initializer_list<std::pair<const char*, Choice>> known) {
    const auto given = option<std::string>(options, name);
    for (const auto& [word, choice] : known)
        if (given == word) return choice;
    throw nb::value_error((std::string("unknown ") + name + " '" + given + "'").c_str());
}

template <class T>
std::vector<T> numbers_of(const nb::dict& options, const char* name) {
    if (options[name].is_none()) return {};
    const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(options[name]);
    return {array.data(), array.data() + array.size()};
}

/// Asks Python, at most ten times a second, whether Ctrl-C was pressed, and tells it how far growing is.
struct Watch {
    nb::object progress;
    std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();

    bool operator()(double share) {
        const auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::milliseconds(100)) return true;
        last = now;
        nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) return false;
        try {
            if (!progress.is_none()) progress(share);
        } catch (nb::python_error& refused) {  // whoever is told may ask to stop; all threads do then
            refused.restore();
            return false;
        }
        return true;
    }
};

using Columns = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using CodeColumns = nb::ndarray<const int32_t, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using TargetArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TargetArrays = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;  // of one target or several

inline Table read_table(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                        const Vector<int32_t>& n_categories, size_t n_rows, const nb::dict& options) {
    Table table;
    table.n_rows = n_rows;
    if (n_rows == 0) throw nb::value_error("no rows to grow a tree on");
    if (n_rows >= std::numeric_limits<uint32_t>::max())
        throw nb::value_error("more than 4294967294 rows: grow on a part of them");
    for (size_t f = 0; f < position.shape(0); ++f) {
        const auto column = static_cast<size_t>(position.data()[f]);
        Feature feature;
        feature.n_categories = n_categories.data()[f];
        if (feature.n_categories > 0) feature.codes = codes.data() + column * n_rows;
        else feature.numbers = numbers.data() + column * n_rows;
        table.features.push_back(feature);
    }
    if (options.contains("truth_values"))
        for (const int32_t feature : option<std::vector<int32_t>>(options, "truth_values"))
            table.features.at(static_cast<size_t>(feature)).truth = true;
    return table;
}

/// A table of numbers stored by column (`sorted_columns`), kept alive while it is looked at.
struct HeldSparse {
    Vector<int64_t> begin;
    Vector<uint32_t> row;
    Vector<double> value;
    SparseColumns columns;

    explicit HeldSparse(const nb::tuple& parts)
        : begin(nb::cast<Vector<int64_t>>(parts[0])),
          row(nb::cast<Vector<uint32_t>>(parts[1])),
          value(nb::cast<Vector<double>>(parts[2])),
          columns{span(begin), span(row), span(value)} {}
    HeldSparse(const HeldSparse&) = delete;
};

/// The columns to grow on: `numbers` is a matrix, or a tuple of the arrays of a sparse one.
struct HeldTable {
    std::optional<HeldSparse> sparse;
    Columns numbers;
    Table table;

    HeldTable(const nb::object& given, const CodeColumns& codes, const Vector<int32_t>& position,
              const Vector<int32_t>& n_categories, size_t n_rows, const nb::dict& options) {
        if (!nb::isinstance<nb::tuple>(given)) {
            numbers = nb::cast<Columns>(given, false);
            table = read_table(numbers, codes, position, n_categories, n_rows, options);
            return;
        }
        sparse.emplace(nb::cast<nb::tuple>(given));
        if (sparse->row.shape(0) >= std::numeric_limits<uint32_t>::max())
            throw nb::value_error("more than 4294967294 stored values: grow on a part of the rows");
        table.n_rows = n_rows;
        table.features.resize(position.shape(0));
        table.sparse = &sparse->columns;
    }
    HeldTable(const HeldTable&) = delete;
};

inline Target read_target(const auto& target, int n_classes, const std::optional<Vector<double>>& weight) {
    Target y;
    y.n_classes = n_classes;
    if (target.ndim() == 2) y.n_outputs = target.shape(1);
    if (target.ndim() < 1 || target.ndim() > 2 || y.n_outputs < 1)
        throw nb::value_error("a target must have one or two dimensions");
    if (n_classes > 0) {
        if (target.dtype() != nb::dtype<int32_t>()) throw nb::type_error("class codes must be int32");
        y.label = static_cast<const int32_t*>(target.data());
        for (size_t i = 0; i < target.size(); ++i) {
            const int64_t code = y.label[i] - static_cast<int64_t>(i % y.n_outputs) * n_classes;
            if (code < 0 || code >= n_classes) throw nb::value_error("a class code is out of range");
        }
    } else {
        if (target.dtype() != nb::dtype<double>()) throw nb::type_error("a regression target must be float64");
        y.number = static_cast<const double*>(target.data());
    }
    if (weight) y.weight = weight->data();
    return y;
}

/// Run work(monitor) without the interpreter lock; Ctrl-C becomes Python's own exception.
template <class Work>
auto interruptible(Work&& work, const nb::object& progress = nb::none()) {
    Monitor monitor;
    monitor.check = Watch{progress};
    std::optional<decltype(work(monitor))> result;
    {
        nb::gil_scoped_release unlocked;
        try {
            result = work(monitor);
        } catch (const Interrupted&) {
        }
    }
    if (!result) throw nb::python_error();
    return std::move(*result);
}

/// The same, telling options["progress"] how far it is.
template <class Work>
auto watched(const nb::dict& options, Work&& work) {
    return interruptible(work, options["progress"]);
}

/// The choices of the grower, by the names of recipe.py.
Recipe read_recipe(const nb::dict& options);

// Each file here adds its functions to the module.
void add_arithmetic(nb::module_& m);
void add_growing(nb::module_& m);
void add_presets(nb::module_& m);
void add_routing(nb::module_& m);
void add_equations(nb::module_& m);
void add_forests(nb::module_& m);
void add_optimal(nb::module_& m);
void add_partitions(nb::module_& m);

}  // namespace treewright::border
