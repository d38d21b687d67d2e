// The border to Python: free functions on arrays, the interpreter lock released while the core works.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>

#include "c45.hpp"
#include "cart.hpp"
#include "forest.hpp"
#include "grow.hpp"
#include "route.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace treewright;

namespace {

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
nb::object give_bytes(std::vector<PackedNode>&& from) {
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

void add_table(nb::dict& out, const std::string& prefix, SplitTable&& table) {
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
size_t width_of(int n_classes) { return n_classes > 0 ? static_cast<size_t>(n_classes) : 1; }

nb::dict to_dict(TreeArrays&& tree, size_t width) {
    nb::dict out;
    out["parent"] = give(std::move(tree.parent));
    out["first_child"] = give(std::move(tree.first_child));
    out["n_children"] = give(std::move(tree.n_children));
    out["default_branch"] = give(std::move(tree.default_branch));
    out["split_begin"] = give(std::move(tree.split_begin));
    out["competitor_begin"] = give(std::move(tree.competitor_begin));
    out["count"] = give(std::move(tree.count));
    out["weight"] = give(std::move(tree.weight));
    out["value"] = give(std::move(tree.value), width);
    out["impurity"] = give(std::move(tree.impurity));
    out["risk"] = give(std::move(tree.risk));
    out["merit"] = give(std::move(tree.merit));
    add_table(out, "split_", std::move(tree.splits));
    add_table(out, "competitor_", std::move(tree.competitors));
    return out;
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

Missing policy_of(const std::string& name) {
    static constexpr std::pair<const char*, Missing> known[] = {
        {"direction", Missing::direction},   {"available", Missing::available}, {"value", Missing::value},
        {"fractional", Missing::fractional}, {"surrogate", Missing::surrogate}, {"mean", Missing::mean},
        {"median", Missing::median},         {"mode", Missing::mode},           {"class_mode", Missing::class_mode}};
    for (const auto& [word, policy] : known)
        if (name == word) return policy;
    throw nb::value_error(("unknown missing policy '" + name + "'").c_str());
}

/// A criterion in Python (criteria.py): called with numbers only, it reads and writes arrays that both sides know.
MeritFunction read_function(const nb::dict& o) {
    using Shared = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
    MeritFunction f;
    f.parent = nb::cast<Shared>(o["parent"]).data();
    f.branches = nb::cast<Shared>(o["branches"]).data();
    f.merits = nb::cast<Shared>(o["merits"]).data();
    f.capacity = option<size_t>(o, "capacity");
    // A borrowed handle, for recipes are copied without the interpreter lock: the options keep the function alive.
    f.call = [ask = nb::handle(PyDict_GetItemString(o.ptr(), "ask"))](size_t n_candidates, size_t n_branches, size_t stride) {
        nb::gil_scoped_acquire locked;
        ask(n_candidates, n_branches, stride);
    };
    return f;
}

Recipe read_recipe(const nb::dict& o) {
    Recipe r;
    r.criterion = option<std::string>(o, "criterion");
    r.threshold = r.subset = false;
    for (const auto& split : option<std::vector<std::string>>(o, "splits")) {
        if (split == "threshold") r.threshold = true;
        else if (split == "subset") r.subset = true;
        else if (split == "multiway") r.multiway = true;
        else if (split == "one_vs_rest") r.one_vs_rest = true;
        else if (split == "interval") r.interval = true;
        else if (split == "hyperplane") r.hyperplane = true;
        else if (split == "sphere") r.sphere = true;
        else if (split == "median") r.median = true;
        else throw nb::value_error(("unknown split '" + split + "'").c_str());
    }
    r.random_cuts = choose<bool>(o, "splitter", {{"best", false}, {"random", true}});
    r.observed_cuts = choose<bool>(o, "cut", {{"midpoint", false}, {"observed", true}});
    r.missing = policy_of(option<std::string>(o, "missing"));
    for (const auto& policy : option<std::vector<std::string>>(o, "policies")) r.policies.push_back(policy_of(policy));
    r.max_surrogates = option<int>(o, "max_surrogates");
    r.use_surrogates = option<int>(o, "use_surrogates");
    r.order = choose<Order>(
        o, "order",
        {{"depth_first", Order::depth_first}, {"breadth_first", Order::breadth_first}, {"best_first", Order::best_first}});
    r.ties = choose<Ties>(o, "ties", {{"first", Ties::first}, {"last", Ties::last}, {"random", Ties::random}});
    r.category_order = choose<CategoryOrder>(
        o, "category_order", {{"auto", CategoryOrder::automatic}, {"node", CategoryOrder::node}, {"once", CategoryOrder::once}});
    r.max_depth = option<int64_t>(o, "max_depth");
    r.max_leaf_nodes = option<int64_t>(o, "max_leaf_nodes");
    r.max_nodes = option<int64_t>(o, "max_nodes");
    r.min_samples_split = option<int64_t>(o, "min_samples_split");
    r.min_samples_leaf = option<int64_t>(o, "min_samples_leaf");
    r.min_weight_leaf = option<double>(o, "min_weight_leaf");
    r.min_impurity_decrease = option<double>(o, "min_impurity_decrease");
    r.min_merit = option<double>(o, "min_merit");
    r.max_features = option<int64_t>(o, "max_features");
    r.max_bins = option<int>(o, "max_bins");
    r.max_competitors = option<int>(o, "max_competitors");
    if (const auto most = option<int64_t>(o, "max_terms"); most > 0) r.max_terms = static_cast<size_t>(most);
    r.random_state = option<uint64_t>(o, "random_state");
    r.class_factor = numbers_of<double>(o, "class_factor");
    r.search_factor = numbers_of<double>(o, "search_factor");
    r.costs = numbers_of<double>(o, "costs");
    r.monotonic = numbers_of<int8_t>(o, "monotonic");
    r.interaction = option<std::vector<std::vector<int32_t>>>(o, "interaction");
    r.feature_costs = numbers_of<double>(o, "feature_costs");
    r.significance = option<double>(o, "significance");
    r.complexity = option<double>(o, "complexity");
    r.enough_risk = option<double>(o, "enough_risk");
    if (!o["function"].is_none()) r.function = read_function(nb::cast<nb::dict>(o["function"]));
    r.threads = option<int>(o, "threads");
    if (o.contains("plain")) r.plain = option<bool>(o, "plain");
    return r;
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
        if (!progress.is_none()) progress(share);
        return true;
    }
};

using Columns = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using CodeColumns = nb::ndarray<const int32_t, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using TargetArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Table read_table(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                 const Vector<int32_t>& n_categories, size_t n_rows) {
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
    return table;
}

Target read_target(const TargetArray& target, int n_classes, const std::optional<Vector<double>>& weight) {
    Target y;
    y.n_classes = n_classes;
    if (n_classes > 0) {
        if (target.dtype() != nb::dtype<int32_t>()) throw nb::type_error("class codes must be int32");
        y.label = static_cast<const int32_t*>(target.data());
        for (size_t i = 0; i < target.shape(0); ++i)
            if (y.label[i] < 0 || y.label[i] >= n_classes) throw nb::value_error("a class code is out of range");
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

nb::dict grow_tree(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                   const Vector<int32_t>& n_categories, const TargetArray& target, int n_classes,
                   const std::optional<Vector<double>>& weight, const nb::dict& options) {
    const Recipe recipe = read_recipe(options);
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0));
    const Target y = read_target(target, n_classes, weight);
    return to_dict(watched(options, [&](Monitor& monitor) { return grow(table, y, recipe, monitor); }), width_of(n_classes));
}

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
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0));
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
    c.largest_improve = option<double>(o, "largest_improve");
    c.rpart = option<bool>(o, "rpart");
    c.stands_for_missing = numbers_of<double>(o, "stands_for_missing");
    c.threads = option<int>(o, "threads");
    return c;
}

nb::dict grow_cart(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                   const Vector<int32_t>& n_categories, const TargetArray& target, int n_classes,
                   const std::optional<Vector<double>>& weight, const nb::dict& options) {
    const cart::Options read = read_cart(options);
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0));
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
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0));
    const Target y = read_target(target, n_classes, weight);
    if (fold.shape(0) != table.n_rows) throw nb::value_error("fold must have a number for every row");
    cart::Validation sums = watched(options, [&](Monitor& monitor) {
        return cart::cross_validate(table, y, read, span(prices), alpha, span(fold), monitor);
    });
    return nb::make_tuple(give(std::move(sums.error)), give(std::move(sums.squared)));
}

/// The arrays of a tree as Python holds them, kept alive while the view is used.
struct HeldTree {
    Vector<int32_t> first_child, n_children, default_branch, feature, pool_index;
    Vector<int64_t> split_begin, pool_begin;
    Vector<double> weight, threshold, pool_value;
    Vector<uint8_t> kind;

    explicit HeldTree(const nb::dict& a)
        : first_child(get<int32_t>(a, "first_child")),
          n_children(get<int32_t>(a, "n_children")),
          default_branch(get<int32_t>(a, "default_branch")),
          feature(get<int32_t>(a, "split_feature")),
          pool_index(get<int32_t>(a, "split_pool_index")),
          split_begin(get<int64_t>(a, "split_begin")),
          pool_begin(get<int64_t>(a, "split_pool_begin")),
          weight(get<double>(a, "weight")),
          threshold(get<double>(a, "split_threshold")),
          pool_value(get<double>(a, "split_pool_value")),
          kind(get<uint8_t>(a, "split_kind")) {}

    template <class T>
    static Vector<T> get(const nb::dict& arrays, const char* name) {
        return nb::cast<Vector<T>>(arrays[name]);
    }
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

// ---- forests -----------------------------------------------------------------------------------------------------

nb::object give(Amounts&& from, size_t columns) {
    return from.narrow ? give(std::move(from.single), columns) : give(std::move(from.wide), columns);
}

nb::dict to_dict(Forest&& forest) {
    nb::dict out;
    out["tree_begin"] = give(std::move(forest.tree_begin));
    out["split_begin"] = give(std::move(forest.split_begin));
    out["tables_of"] = give(std::move(forest.tables_of));
    out["node"] = give_bytes(std::move(forest.node));
    out["value"] = give(std::move(forest.value), forest.width);
    out["count"] = give(std::move(forest.count));
    out["weight"] = give(std::move(forest.weight), 0);
    out["risk"] = give(std::move(forest.risk));
    out["merit"] = give(std::move(forest.merit));
    out["table_begin"] = give(std::move(forest.table_begin));
    out["table_entry"] = give(std::move(forest.table_entry));
    return out;
}

/// The arrays of a forest as Python holds them, kept alive while the view is used.
struct HeldForest {
    using Bytes = nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    using Any = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
    Vector<int64_t> tree_begin, split_begin, tables_of, table_begin;
    Bytes node;
    Any value, weight;
    Vector<uint32_t> count, table_entry;
    Vector<double> risk, merit;
    int n_classes;

    HeldForest(const nb::dict& a, int n_classes_)
        : tree_begin(HeldTree::get<int64_t>(a, "tree_begin")),
          split_begin(HeldTree::get<int64_t>(a, "split_begin")),
          tables_of(HeldTree::get<int64_t>(a, "tables_of")),
          table_begin(HeldTree::get<int64_t>(a, "table_begin")),
          node(nb::cast<Bytes>(a["node"])),
          value(nb::cast<Any>(a["value"])),
          weight(nb::cast<Any>(a["weight"])),
          count(HeldTree::get<uint32_t>(a, "count")),
          table_entry(HeldTree::get<uint32_t>(a, "table_entry")),
          risk(HeldTree::get<double>(a, "risk")),
          merit(HeldTree::get<double>(a, "merit")),
          n_classes(n_classes_) {}

    template <class T>
    static std::span<const T> as(const Any& array) {
        if (array.dtype() != nb::dtype<T>()) return {};
        return {static_cast<const T*>(array.data()), array.size()};
    }
    ForestView view() const {
        return {width_of(n_classes), n_classes,          span(tree_begin),
                span(split_begin),   span(tables_of),    {reinterpret_cast<const PackedNode*>(node.data()), node.shape(0)},
                as<float>(value),    as<double>(value),  span(count),
                as<float>(weight),   as<double>(weight), span(risk),
                span(merit),         span(table_begin),  span(table_entry)};
    }
};

/// `draws`: seeds, n_draws, chance (or None), balanced, min_weight_fraction.
Draws read_draws(const nb::dict& d, size_t n_rows) {
    Draws draws;
    const auto seeds = nb::cast<Vector<uint64_t>>(d["seeds"]);
    draws.seeds.assign(seeds.data(), seeds.data() + seeds.shape(0));
    draws.n_draws = option<size_t>(d, "n_draws");
    draws.balanced = option<bool>(d, "balanced");
    draws.min_weight_fraction = option<double>(d, "min_weight_fraction");
    if (!d["chance"].is_none()) {
        const auto chance = nb::cast<Vector<double>>(d["chance"]);
        if (chance.shape(0) != n_rows) throw nb::value_error("chance must have a number for every row");
        draws.chance = chance.data();
    }
    return draws;
}

nb::object grow_trees(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                      const Vector<int32_t>& n_categories, const TargetArray& target, int n_classes,
                      const std::optional<Vector<double>>& weight, const nb::dict& options, const nb::dict& draws) {
    const Recipe recipe = read_recipe(options);
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0));
    const Target y = read_target(target, n_classes, weight);
    const Draws drawn = read_draws(draws, table.n_rows);
    GrownForest grown = watched(options, [&](Monitor& monitor) {
        return grow_forest(table, y, recipe, drawn, span(position), span(n_categories), monitor);
    });
    if (grown.others.empty()) return to_dict(std::move(grown.forest));
    nb::list trees;
    for (TreeArrays& tree : grown.others) trees.append(to_dict(std::move(tree), width_of(n_classes)));
    return trees;
}

/// A tree as Python holds it, copied.
TreeArrays read_tree(const nb::dict& a) {
    TreeArrays tree;
    const auto copy = [&]<class T>(std::vector<T>& to, const char* name) {
        const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(a[name]);
        to.assign(array.data(), array.data() + array.size());
    };
    copy(tree.parent, "parent");
    copy(tree.first_child, "first_child");
    copy(tree.n_children, "n_children");
    copy(tree.default_branch, "default_branch");
    copy(tree.split_begin, "split_begin");
    copy(tree.competitor_begin, "competitor_begin");
    copy(tree.count, "count");
    copy(tree.weight, "weight");
    copy(tree.value, "value");
    copy(tree.risk, "risk");
    copy(tree.merit, "merit");
    copy(tree.splits.kind, "split_kind");
    copy(tree.splits.feature, "split_feature");
    copy(tree.splits.threshold, "split_threshold");
    copy(tree.splits.pool_begin, "split_pool_begin");
    copy(tree.splits.pool_index, "split_pool_index");
    copy(tree.splits.pool_value, "split_pool_value");
    return tree;
}

/// Trees made compact, or None if one of them cannot be.
nb::object pack_trees(const nb::list& trees, int n_classes, const Vector<int32_t>& position,
                      const Vector<int32_t>& n_categories) {
    const auto exact = [](const std::vector<double>& amounts) {
        return std::all_of(amounts.begin(), amounts.end(),
                           [](double x) { return static_cast<double>(static_cast<float>(x)) == x; });
    };
    std::vector<TreeArrays> read;
    bool narrow = true;
    for (const nb::handle tree : trees) {
        read.push_back(read_tree(nb::cast<nb::dict>(tree)));
        narrow = narrow && exact(n_classes ? read.back().value : read.back().weight);
    }
    Forest forest;
    forest.width = width_of(n_classes);
    forest.value.narrow = narrow && n_classes > 0;
    forest.weight.narrow = narrow;
    for (const TreeArrays& tree : read)
        if (!pack_into(tree, forest.width, n_classes > 0, span(position), span(n_categories), forest)) return nb::none();
    return to_dict(std::move(forest));
}

/// How often a tree draws each row.
nb::object draw_rows(size_t n_rows, const nb::dict& draws, size_t tree) {
    const Draws drawn = read_draws(draws, n_rows);
    std::vector<uint32_t> times;
    Sampler(n_rows, drawn.chance).draw(drawn.seeds.at(tree), drawn.n_draws, times);
    return give(std::move(times));
}

nb::dict unpack_tree(const nb::dict& arrays, int n_classes, size_t tree, const std::string& criterion,
                     const Vector<int32_t>& position, const Vector<int32_t>& n_categories) {
    const HeldForest held(arrays, n_classes);
    return to_dict(unpack(held.view(), tree, criterion, span(position), span(n_categories)), width_of(n_classes));
}

/// Sums over trees of what each row's leaf says, the number of trees that spoke (or None for all), and whether an infinity was
/// met.
nb::tuple vote_rows(const nb::dict& arrays, int n_classes, const Grid<double>& numbers, const Grid<int32_t>& codes, bool hard,
                    const nb::object& draws, int threads) {
    const HeldForest held(arrays, n_classes);
    const size_t rows = std::max(numbers.shape(0), codes.shape(0)), width = width_of(n_classes);
    auto [sums, owner] = allocate<double>(rows * width);
    std::optional<Draws> out_of_bag;
    if (!draws.is_none()) out_of_bag = read_draws(nb::cast<nb::dict>(draws), rows);
    std::vector<uint32_t> votes(out_of_bag ? rows : 0);
    const Vote how = n_classes == 0 ? Vote::sum : hard ? Vote::hard : Vote::soft;
    const bool infinite = interruptible([&](Monitor& monitor) {
        return vote(held.view(), matrix(numbers), matrix(codes), how, out_of_bag ? &*out_of_bag : nullptr, sums, votes.data(),
                    threads, monitor);
    });
    const size_t shape[] = {rows, width};
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, double>(sums, 2, shape, owner)), give(std::move(votes)), infinite);
}

nb::tuple leaf_table(const nb::dict& arrays, int n_classes, const Grid<double>& numbers, const Grid<int32_t>& codes,
                     int threads) {
    const HeldForest held(arrays, n_classes);
    const ForestView forest = held.view();
    const size_t rows = std::max(numbers.shape(0), codes.shape(0));
    auto [leaf, owner] = allocate<int32_t>(rows * forest.n_trees());
    const bool infinite =
        interruptible([&](Monitor& monitor) { return leaves(forest, matrix(numbers), matrix(codes), leaf, threads, monitor); });
    const size_t shape[] = {rows, forest.n_trees()};
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, int32_t>(leaf, 2, shape, owner)), infinite);
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
    return with_criterion(criterion, [&]<class C>() -> double {
        if constexpr (C::classification) return C::merit(node, pointers);
        else throw nb::value_error(("'" + criterion + "' is not a classification criterion").c_str());
    });
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The core of treewright: whatever loops over rows.";
    m.def("columns", &columns_of<double>, "table"_a.noconvert(), "threads"_a = 1);
    m.def("columns", &columns_of<float>, "table"_a.noconvert(), "threads"_a = 1);
    m.def("grow", &grow_tree, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a);
    m.def("grow_c45", &grow_c45, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a);
    m.def("grow_cart", &grow_cart, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a);
    m.def("validate_cart", &validate_cart, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a,
          "prices"_a.noconvert(), "alpha"_a, "fold"_a.noconvert());
    m.def("pack", &pack_tree, "arrays"_a, "position"_a.noconvert());
    m.def("walk", &walk_rows, "packed"_a.noconvert(), "numbers"_a.noconvert(), "threads"_a = 1);
    m.def("route", &route_rows, "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "threads"_a = 1);
    m.def("spread", &spread_rows, "arrays"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "value"_a.noconvert(), "threads"_a = 1);
    m.def("grow_forest", &grow_trees, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a, "draws"_a);
    m.def("pack_forest", &pack_trees, "trees"_a, "n_classes"_a, "position"_a.noconvert(), "n_categories"_a.noconvert());
    m.def("draw_rows", &draw_rows, "n_rows"_a, "draws"_a, "tree"_a);
    m.def("unpack_tree", &unpack_tree, "arrays"_a, "n_classes"_a, "tree"_a, "criterion"_a, "position"_a.noconvert(),
          "n_categories"_a.noconvert());
    m.def("vote", &vote_rows, "arrays"_a, "n_classes"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "hard"_a,
          "draws"_a.none(), "threads"_a = 1);
    m.def("leaves", &leaf_table, "arrays"_a, "n_classes"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "threads"_a = 1);
    m.def("merit", &merit_of, "criterion"_a, "table"_a.noconvert());
}
