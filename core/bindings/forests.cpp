// Forests: growing, packing and unpacking trees, votes and leaves.
#include "bindings/numpy_arrays.hpp"
#include "base/sparse.hpp"
#include "predict/forest/sparse_vote.hpp"

namespace treewright::border {

namespace {

using border::give, border::to_dict;  // beside those of forests

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
        : tree_begin(held<int64_t>(a, "tree_begin")),
          split_begin(held<int64_t>(a, "split_begin")),
          tables_of(held<int64_t>(a, "tables_of")),
          table_begin(held<int64_t>(a, "table_begin")),
          node(nb::cast<Bytes>(a["node"])),
          value(nb::cast<Any>(a["value"])),
          weight(nb::cast<Any>(a["weight"])),
          count(held<uint32_t>(a, "count")),
          table_entry(held<uint32_t>(a, "table_entry")),
          risk(held<double>(a, "risk")),
          merit(held<double>(a, "merit")),
          n_classes(n_classes_) {
        if (value.ndim() != 2 || value.shape(1) % width_of(n_classes) != 0)
            throw nb::value_error("value must have a column for each class, or number, of each target");
    }

    template <class T>
    static std::span<const T> as(const Any& array) {
        if (array.dtype() != nb::dtype<T>()) return {};
        return {static_cast<const T*>(array.data()), array.size()};
    }
    ForestView view() const {
        return {value.shape(1),    n_classes,          span(tree_begin),
                span(split_begin), span(tables_of),    {reinterpret_cast<const PackedNode*>(node.data()), node.shape(0)},
                as<float>(value),  as<double>(value),  span(count),
                as<float>(weight), as<double>(weight), span(risk),
                span(merit),       span(table_begin),  span(table_entry)};
    }
};

/// `draws`: seeds, n_draws, chance (or None), balanced, splitmix, min_weight_fraction.
Draws read_draws(const nb::dict& d, size_t n_rows) {
    Draws draws;
    const auto seeds = nb::cast<Vector<uint64_t>>(d["seeds"]);
    draws.seeds.assign(seeds.data(), seeds.data() + seeds.shape(0));
    draws.n_draws = option<size_t>(d, "n_draws");
    draws.balanced = option<bool>(d, "balanced");
    draws.splitmix = option<bool>(d, "splitmix");
    draws.min_weight_fraction = option<double>(d, "min_weight_fraction");
    draws.chance = numbers_of<double>(d, "chance");
    if (!d["chance"].is_none() && draws.chance.size() != n_rows) throw nb::value_error("chance must have a number for every row");
    return draws;
}

nb::object grow_trees(const nb::object& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                      const Vector<int32_t>& n_categories, const TargetArrays& target, int n_classes,
                      const std::optional<Vector<double>>& weight, const nb::dict& options, const nb::dict& draws) {
    Recipe recipe = read_recipe(options);
    const HeldTable held(numbers, codes, position, n_categories, target.shape(0), options);
    const Table& table = held.table;
    const Target y = read_target(target, n_classes, weight);
    recipe.n_outputs = static_cast<int>(y.n_outputs);
    const Draws drawn = read_draws(draws, table.n_rows);
    GrownForest grown = watched(options, [&](Monitor& monitor) {
        return grow_forest(table, y, recipe, drawn, span(position), span(n_categories), monitor);
    });
    if (grown.others.empty()) return to_dict(std::move(grown.forest));
    nb::list trees;
    for (TreeArrays& tree : grown.others) trees.append(to_dict(std::move(tree), width_of(n_classes, y.n_outputs)));
    return trees;
}

/// A tree as Python holds it, copied.
TreeArrays read_tree(const nb::dict& a) {
    TreeArrays tree;
    const auto copy = [&]<class T>(std::vector<T>& to, const char* name) {
        const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(a[name]);
        to.assign(array.data(), array.data() + array.size());
    };
    const auto parent = held<int32_t>(a, "parent");
    tree.parent.assign(parents(parent).begin(), parents(parent).end());
    copy(tree.default_branch, "default_branch");
    copy(tree.split_begin, "split_begin");
    copy(tree.competitor_begin, "competitor_begin");
    copy(tree.count, "count");
    copy(tree.weight, "weight");
    copy(tree.value, "node_value");
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
    forest.width = read.empty() ? width_of(n_classes) : read[0].value.size() / read[0].size();
    forest.value.narrow = narrow && n_classes > 0;
    forest.weight.narrow = narrow;
    for (const TreeArrays& tree : read)
        if (!pack_into(tree, forest.width, n_classes > 0, span(position), span(n_categories), forest)) return nb::none();
    return to_dict(std::move(forest));
}

/// The forest that the arrays of a model file describe.
nb::dict pack_columns(const nb::dict& a, int n_classes, const Vector<int32_t>& position, const Vector<int32_t>& n_categories) {
    Forest forest;
    forest.width = nb::cast<HeldForest::Any>(a["value"]).shape(1);
    const auto copy = [&]<class T>(std::vector<T>& to, const char* name) {
        const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(a[name]);
        to.assign(array.data(), array.data() + array.size());
    };
    const auto copy_amounts = [&](Amounts& to, const char* name) {
        to.narrow = nb::cast<HeldForest::Any>(a[name]).dtype() == nb::dtype<float>();
        if (to.narrow) copy(to.single, name);
        else copy(to.wide, name);
    };
    copy_amounts(forest.value, "value");
    copy(forest.count, "count");
    copy(forest.merit, "merit");
    forest.weight.narrow = forest.value.narrow;
    if (n_classes == 0) {
        copy_amounts(forest.weight, "weight");
        copy(forest.risk, "risk");
    }
    const auto tree_begin = held<int64_t>(a, "tree_begin"), table_begin = held<int64_t>(a, "table_begin");
    const auto first_child = held<int32_t>(a, "first_child"), feature = held<int32_t>(a, "feature");
    const auto threshold = held<double>(a, "threshold");
    const auto default_branch = held<uint8_t>(a, "default_branch");
    const auto table_entry = held<uint32_t>(a, "table_entry");
    take_columns({span(tree_begin), span(first_child), span(feature), span(threshold), span(default_branch), span(table_begin),
                  span(table_entry)},
                 span(position), span(n_categories), forest);
    return to_dict(std::move(forest));
}

/// How often a tree draws each row.
nb::object draw_rows(size_t n_rows, const nb::dict& draws, size_t tree, size_t begin, std::optional<size_t> end) {
    const Draws drawn = read_draws(draws, n_rows);
    if (begin > end.value_or(n_rows) || end.value_or(n_rows) > n_rows) throw nb::value_error("there are no such rows");
    const uint64_t seed = drawn.seeds.at(tree);
    return give(interruptible([&](Monitor& monitor) {
        std::vector<uint32_t> times;
        const Sampler sampler(n_rows, drawn.chance, drawn.splitmix);
        sampler.draw(seed, drawn.n_draws, begin, end.value_or(n_rows), times, [&] { monitor.poll(0); });
        return times;
    }));
}

nb::dict unpack_tree(const nb::dict& arrays, int n_classes, size_t tree, const std::string& criterion,
                     const Vector<int32_t>& position, const Vector<int32_t>& n_categories) {
    const HeldForest held(arrays, n_classes);
    const ForestView forest = held.view();
    return to_dict(unpack(forest, tree, criterion, span(position), span(n_categories)), forest.width);
}

/// Sums over trees of what each row's leaf says, the number of trees that spoke (or None for all), and whether an infinity was
/// met.
nb::tuple vote_rows(const nb::dict& arrays, int n_classes, const Grid<double>& numbers, const Grid<int32_t>& codes, bool hard,
                    const nb::object& draws, int threads) {
    const HeldForest held(arrays, n_classes);
    const size_t rows = std::max(numbers.shape(0), codes.shape(0)), width = held.view().width;
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

/// The same of sparse rows; flags tell what was met: 1 = missing, 2 = infinite.
template <class Number>
nb::tuple vote_sparse_rows(const nb::dict& arrays, int n_classes, const Vector<int64_t>& begin, const Vector<int32_t>& column,
                           const Vector<Number>& value, size_t n_columns, bool hard, const nb::object& draws, int threads) {
    const HeldForest held(arrays, n_classes);
    const SparseRows<Number> rows{span(begin), span(column), span(value), n_columns};
    check_begins(rows.begin, rows.column.size());
    const size_t width = held.view().width;
    auto [sums, owner] = allocate<double>(rows.size() * width);
    std::optional<Draws> out_of_bag;
    if (!draws.is_none()) out_of_bag = read_draws(nb::cast<nb::dict>(draws), rows.size());
    std::vector<uint32_t> votes(out_of_bag ? rows.size() : 0);
    const Vote how = n_classes == 0 ? Vote::sum : hard ? Vote::hard : Vote::soft;
    const int flags = interruptible([&](Monitor& monitor) {
        return vote_sparse(held.view(), rows, how, out_of_bag ? &*out_of_bag : nullptr, sums, votes.data(), threads, monitor);
    });
    const size_t shape[] = {rows.size(), width};
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, double>(sums, 2, shape, owner)), give(std::move(votes)), flags);
}

template <class Number>
nb::tuple leaf_table_of_sparse(const nb::dict& arrays, int n_classes, const Vector<int32_t>& id, const Vector<int64_t>& begin,
                               const Vector<int32_t>& column, const Vector<Number>& value, size_t n_columns, int threads) {
    const HeldForest held(arrays, n_classes);
    const ForestView forest = held.view();
    const SparseRows<Number> rows{span(begin), span(column), span(value), n_columns};
    check_begins(rows.begin, rows.column.size());
    auto [leaf, owner] = allocate<int32_t>(rows.size() * forest.n_trees());
    const int flags =
        interruptible([&](Monitor& monitor) { return leaves_sparse(forest, span(id), rows, leaf, threads, monitor); });
    const size_t shape[] = {rows.size(), forest.n_trees()};
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, int32_t>(leaf, 2, shape, owner)), flags);
}

/// The ids of all nodes, in preorder.
nb::object node_ids(const nb::dict& arrays, int n_classes) { return give(ids(HeldForest(arrays, n_classes).view())); }

nb::tuple leaf_table(const nb::dict& arrays, int n_classes, const Vector<int32_t>& id, const Grid<double>& numbers,
                     const Grid<int32_t>& codes, int threads) {
    const HeldForest held(arrays, n_classes);
    const ForestView forest = held.view();
    const size_t rows = std::max(numbers.shape(0), codes.shape(0));
    auto [leaf, owner] = allocate<int32_t>(rows * forest.n_trees());
    const bool infinite = interruptible(
        [&](Monitor& monitor) { return leaves(forest, span(id), matrix(numbers), matrix(codes), leaf, threads, monitor); });
    const size_t shape[] = {rows, forest.n_trees()};
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, int32_t>(leaf, 2, shape, owner)), infinite);
}

}  // namespace

void add_forests(nb::module_& m) {
    m.def("grow_forest", &grow_trees, "numbers"_a, "codes"_a.noconvert(), "position"_a.noconvert(), "n_categories"_a.noconvert(),
          "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a, "draws"_a);
    m.def("pack_forest", &pack_trees, "trees"_a, "n_classes"_a, "position"_a.noconvert(), "n_categories"_a.noconvert());
    m.def("pack_columns", &pack_columns, "arrays"_a, "n_classes"_a, "position"_a.noconvert(), "n_categories"_a.noconvert());
    m.def("draw_rows", &draw_rows, "n_rows"_a, "draws"_a, "tree"_a, "begin"_a = 0, "end"_a = nb::none());
    m.def("unpack_tree", &unpack_tree, "arrays"_a, "n_classes"_a, "tree"_a, "criterion"_a, "position"_a.noconvert(),
          "n_categories"_a.noconvert());
    m.def("vote", &vote_rows, "arrays"_a, "n_classes"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "hard"_a,
          "draws"_a.none(), "threads"_a = 1);
    const auto sparse = [&](auto number) {
        using Number = decltype(number);
        m.def("vote_sparse", &vote_sparse_rows<Number>, "arrays"_a, "n_classes"_a, "begin"_a.noconvert(), "column"_a.noconvert(),
              "value"_a.noconvert(), "n_columns"_a, "hard"_a, "draws"_a.none(), "threads"_a = 1);
        m.def("leaves_sparse", &leaf_table_of_sparse<Number>, "arrays"_a, "n_classes"_a, "id"_a.noconvert(),
              "begin"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(), "n_columns"_a, "threads"_a = 1);
    };
    sparse(double{});
    sparse(float{});
    m.def("node_ids", &node_ids, "arrays"_a, "n_classes"_a);
    m.def("leaves", &leaf_table, "arrays"_a, "n_classes"_a, "id"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(),
          "threads"_a = 1);
}

}  // namespace treewright::border
