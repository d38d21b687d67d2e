// Trees of tables in partitions: what is asked of the rows of one, and the tree that grows from their answers.
#include <nanobind/stl/unique_ptr.h>

#include "bindings/numpy_arrays.hpp"
#include "grow/column_transforms.hpp"
#include "partitions/growth.hpp"
#include "splits/category_order.hpp"

namespace treewright::border {

namespace {

template <class T>
using Written = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Block = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using SuspectTable = nb::ndarray<const int32_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

template <class T>
void require_rows(const Vector<T>& column, size_t n_rows) {
    if (column.shape(0) != n_rows) throw nb::value_error("a column has another number of rows");
}

/// Sums that rows are added to.
void require_size(const Written<double>& sums, size_t size) {
    if (sums.shape(0) != size) throw nb::value_error("sums have the wrong size");
}

/// Whole numbers of the arrays of a partition are checked where they are made; here only that arrays are as long as they must be.
PartitionColumns columns_of(size_t n_rows, const std::vector<Vector<uint16_t>>& codes,
                            const std::vector<std::optional<Vector<double>>>& numbers,
                            const std::vector<Vector<int32_t>>& categories) {
    PartitionColumns columns;
    columns.n_rows = n_rows;
    for (const auto& column : codes) {
        require_rows(column, n_rows);
        columns.codes.push_back(column.data());
    }
    for (const auto& column : numbers) {
        if (column) require_rows(*column, n_rows);
        columns.numbers.push_back(column ? column->data() : nullptr);
    }
    for (const auto& column : categories) {
        require_rows(column, n_rows);
        columns.categories.push_back(column.data());
    }
    return columns;
}

using Centres = std::optional<Vector<double>>;

/// Target and weights of a partition, and how bins hold them. Numbers are taken less the centre of their node, where one is
/// given.
struct HeldTarget {
    PartitionTarget target;
    BinLayout layout;

    HeldTarget(const TargetArrays& y, const std::optional<Vector<double>>& weight, size_t n_classes, size_t n_rows,
               const Centres& centres = {})
        : layout{n_classes > 0, !weight, std::max<size_t>(n_classes, 1)} {
        if (y.ndim() != 1 || y.shape(0) != n_rows) throw nb::value_error("the target has another number of rows");
        if (y.dtype() != (n_classes ? nb::dtype<int32_t>() : nb::dtype<double>()))
            throw nb::type_error("the target must be int32 codes of classes, or float64 numbers");
        if (n_classes) target.label = static_cast<const int32_t*>(y.data());
        else target.number = static_cast<const double*>(y.data());
        if (weight) require_rows(*weight, n_rows);
        target.weight = weight ? weight->data() : nullptr;
        if (centres) target.centre = span(*centres);
    }
};

std::vector<SumRequest> requests_of(const nb::dict& sums) {
    const auto node = held<int32_t>(sums, "node"), power = held<int32_t>(sums, "power");
    const auto n = held<int64_t>(sums, "n");
    const auto bound = held<double>(sums, "bound"), centre = held<double>(sums, "centre");
    std::vector<SumRequest> requests;
    for (size_t r = 0; r < node.shape(0); ++r)
        requests.push_back(
            {node.data()[r], power.data()[r], static_cast<size_t>(n.data()[r]), bound.data()[r], centre.data()[r]});
    return requests;
}
nb::dict dict_of(const std::vector<SumRequest>& requests) {
    std::vector<int32_t> node, power;
    std::vector<int64_t> n;
    std::vector<double> bound, centre;
    for (const SumRequest& one : requests) {
        node.push_back(one.node);
        power.push_back(one.power);
        n.push_back(static_cast<int64_t>(one.n));
        bound.push_back(one.bound);
        centre.push_back(one.centre);
    }
    nb::dict out;
    out["node"] = give(std::move(node));
    out["power"] = give(std::move(power));
    out["n"] = give(std::move(n));
    out["bound"] = give(std::move(bound));
    out["centre"] = give(std::move(centre));
    return out;
}

nb::object ranges_of(const Vector<int32_t>& node, const Vector<int32_t>& counted, const TargetArrays& y,
                     const std::optional<Vector<double>>& weight, size_t n_classes, size_t n_counted) {
    const HeldTarget held(y, weight, n_classes, node.shape(0));
    std::vector<double> out;
    for (size_t i = 0; i < n_counted; ++i) out.insert(out.end(), {infinity, -infinity, 0.0});
    {
        nb::gil_scoped_release unlocked;
        find_ranges(held.target, span(node), span(counted), out.data());
    }
    return give(std::move(out), 3);
}

nb::object sums_of(const Vector<int32_t>& node, const nb::dict& sums, size_t n_nodes, const TargetArrays& y,
                   const std::optional<Vector<double>>& weight, size_t n_classes) {
    const HeldTarget held(y, weight, n_classes, node.shape(0));
    const std::vector<SumRequest> requests = requests_of(sums);
    std::vector<uint64_t> out(requests.size() * held.layout.width * 3);
    {
        nb::gil_scoped_release unlocked;
        add_sums(held.target, span(node), requests, n_nodes, held.layout.width, out.data());
    }
    return give(std::move(out), 3);
}

std::vector<Suspect> suspects_of(const SuspectTable& table) {
    std::vector<Suspect> suspects(table.shape(0));
    for (size_t s = 0; s < suspects.size(); ++s) {
        const int32_t* row = table.data() + 4 * s;
        suspects[s] = {row[0], row[1], row[2], row[3] != 0};
    }
    return suspects;
}
nb::object table_of(const std::vector<Suspect>& suspects) {
    std::vector<int32_t> table;
    for (const Suspect& one : suspects) table.insert(table.end(), {one.node, one.column, one.code, one.one_code});
    return give(std::move(table), 4);
}

/// Code numbers; what was met of each code is raised in `met`.
void encode_numbers(const TwoByteCoder& coder, const Vector<double>& numbers, Written<uint16_t> codes, Written<uint8_t> met) {
    if (codes.shape(0) != numbers.shape(0) || met.shape(0) != 65536)
        throw nb::value_error("codes or what was met have the wrong size");
    nb::gil_scoped_release unlocked;
    coder.encode(numbers.data(), numbers.shape(0), codes.data(), reinterpret_cast<Values*>(met.data()));
}

std::unique_ptr<TwoByteCoder> coder_of(const Vector<double>& values) {
    if (!values.shape(0) || values.shape(0) > most_codes) throw nb::value_error("there must be 1 to 65280 values");
    return std::make_unique<TwoByteCoder>(span(values));
}

void route(Written<int32_t> node, const std::vector<Vector<uint16_t>>& codes,
           const std::vector<std::optional<Vector<double>>>& numbers, const std::vector<Vector<int32_t>>& categories,
           const nb::dict& splits, Written<double> low, Written<double> high) {
    const PartitionColumns columns = columns_of(node.shape(0), codes, numbers, categories);
    const auto column = held<int32_t>(splits, "column"), first_child = held<int32_t>(splits, "first_child"),
               cut = held<int32_t>(splits, "cut"), default_branch = held<int32_t>(splits, "default_branch"),
               lookup = held<int32_t>(splits, "lookup");
    const auto value = held<double>(splits, "value");
    const auto lookup_begin = held<int64_t>(splits, "lookup_begin");
    if (low.shape(0) != column.shape(0) || high.shape(0) != column.shape(0))
        throw nb::value_error("low and high have the wrong size");
    nb::gil_scoped_release unlocked;
    route_rows(columns,
               {span(column), span(first_child), span(cut), span(value), span(default_branch), span(lookup_begin), span(lookup)},
               {node.data(), node.shape(0)}, low.data(), high.data());
}

void bins_of(const Vector<int32_t>& node, const Vector<int32_t>& counted, const std::vector<Vector<uint16_t>>& codes,
             const TargetArrays& y, const std::optional<Vector<double>>& weight, const Centres& centres, size_t n_classes,
             size_t n_counted, Written<double> out) {
    const PartitionColumns columns = columns_of(node.shape(0), codes, {}, {});
    const HeldTarget held(y, weight, n_classes, node.shape(0), centres);
    require_size(out, n_counted * codes.size() * 256 * held.layout.stride());
    if (!out.size()) return;
    nb::gil_scoped_release unlocked;
    count_bins(columns, held.target, held.layout, span(node), span(counted), out.data());
}

nb::object categories_of(const Vector<int32_t>& node, const Vector<int32_t>& counted, const Vector<int32_t>& codes,
                         size_t n_categories, const TargetArrays& y, const std::optional<Vector<double>>& weight,
                         const Centres& centres, size_t n_classes, size_t n_counted) {
    require_rows(codes, node.shape(0));
    const HeldTarget held(y, weight, n_classes, node.shape(0), centres);
    std::vector<double> out(n_counted * (n_categories + 1) * held.layout.stride());
    {
        nb::gil_scoped_release unlocked;
        count_categories(codes.data(), n_categories, held.target, held.layout, span(node), span(counted), out.data());
    }
    return give(std::move(out), held.layout.stride());
}

void codes_of(const Vector<int32_t>& node, const Vector<uint16_t>& codes, const SuspectTable& suspects, size_t n_nodes,
              const TargetArrays& y, const std::optional<Vector<double>>& weight, const Centres& centres, size_t n_classes,
              Written<double> out) {
    require_rows(codes, node.shape(0));
    const HeldTarget held(y, weight, n_classes, node.shape(0), centres);
    const std::vector<Suspect> asked = suspects_of(suspects);
    require_size(out, asked.size() * 256 * held.layout.stride());
    nb::gil_scoped_release unlocked;
    count_codes(codes.data(), held.target, held.layout, span(node), asked, n_nodes, out.data());
}

nb::tuple rows_behind(const Vector<int32_t>& node, const Vector<uint16_t>& codes, const SuspectTable& suspects, size_t n_nodes,
                      const TargetArrays& y, const std::optional<Vector<double>>& weight, const Centres& centres,
                      size_t n_classes) {
    require_rows(codes, node.shape(0));
    const HeldTarget held(y, weight, n_classes, node.shape(0), centres);
    const std::vector<Suspect> asked = suspects_of(suspects);
    std::vector<int32_t> suspect;
    std::vector<uint32_t> row;
    std::vector<double> bins;
    {
        nb::gil_scoped_release unlocked;
        rows_of_codes(codes.data(), span(node), asked, n_nodes, suspect, row);
        bins.resize(row.size() * held.layout.stride());
        bins_of_rows(held.target, held.layout, span(node), row, bins.data());
    }
    return nb::make_tuple(give(std::move(suspect)), give(std::move(row)), give(std::move(bins), held.layout.stride()));
}

/// What `node_sums` of all partitions together come to.
nb::object totals_of(const nb::dict& sums, const nb::ndarray<const uint64_t, nb::c_contig, nb::device::cpu>& added,
                     size_t width) {
    const std::vector<SumRequest> requests = requests_of(sums);
    if (added.size() != requests.size() * width * 3) throw nb::value_error("there must be three numbers of each sum");
    std::vector<double> out;
    for (size_t i = 0; i < requests.size() * width; ++i) {
        const uint64_t* one = added.data() + i * 3;
        out.push_back(requests[i / width].grid().total(one[2], {one[0], one[1]}));
    }
    return give(std::move(out));
}

/// The weights of rows, summed in no order, by class.
nb::object class_weights(const Vector<int32_t>& label, const Vector<double>& weight, size_t n_classes) {
    require_rows(weight, label.shape(0));
    std::vector<double> sums(n_classes);
    orderless_class_weights(
        label.shape(0), [&](size_t i) { return weight.data()[i]; },
        [&](size_t i) {
            const int32_t k = label.data()[i];
            if (k < 0 || static_cast<size_t>(k) >= n_classes) throw nb::value_error("a class code is out of range");
            return k;
        },
        sums);
    return give(std::move(sums));
}

/// Whether each feature with categories is grown on as ranks.
std::vector<bool> ranked(const nb::dict& options, const Vector<int32_t>& n_categories) {
    const Recipe recipe = read_recipe(options);
    std::vector<bool> out;
    const int32_t nothing = 0;
    for (size_t f = 0; f < n_categories.shape(0); ++f)
        out.push_back(n_categories.data()[f] > 0 && is_ranked({nullptr, &nothing, n_categories.data()[f]}, recipe));
    return out;
}

nb::object ranks(const Block& sums, const Vector<double>& weight, bool in_order, bool classes) {
    const std::vector<double> by_level(sums.data(), sums.data() + sums.size());
    const size_t width = sums.shape(1);
    return give(order_levels(by_level, {weight.data(), weight.data() + weight.shape(0)}, width, in_order, classes ? width : 0));
}

using Orders = std::vector<std::optional<Vector<int32_t>>>;

std::vector<int32_t> order_of(const std::optional<Vector<int32_t>>& order) {
    if (!order) return {};
    return {order->data(), order->data() + order->shape(0)};
}

std::unique_ptr<PartitionedGrowth> growth_of(const nb::dict& options, const Vector<int32_t>& column,
                                             const Vector<int32_t>& n_categories, size_t n_rows, const Vector<double>& class_rows,
                                             bool unit, const std::optional<Vector<double>>& class_weights, const Orders& orders,
                                             const nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& met,
                                             const std::vector<Vector<double>>& values) {
    PartitionedTable table;
    table.n_rows = n_rows;
    table.n_classes = static_cast<int>(class_rows.shape(0));
    table.unit = unit;
    table.whole = class_weights.has_value();
    if (class_weights) table.class_weights.assign(class_weights->data(), class_weights->data() + class_weights->shape(0));
    table.class_rows.assign(class_rows.data(), class_rows.data() + class_rows.shape(0));
    for (size_t f = 0; f < column.shape(0); ++f) {
        table.column.push_back(column.data()[f]);
        table.features.push_back({nullptr, nullptr, n_categories.data()[f]});
        table.rankings.push_back(orders[f] ? std::make_unique<Ranking>(Ranking{order_of(orders[f])}) : nullptr);
    }
    if (options.contains("truth_values"))
        for (const int32_t feature : option<std::vector<int32_t>>(options, "truth_values"))
            table.features.at(static_cast<size_t>(feature)).truth = true;
    const auto* known = reinterpret_cast<const Values*>(met.data());
    table.met.assign(known, known + met.size());
    for (const auto& of_column : values) table.values.emplace_back(of_column.data(), of_column.data() + of_column.shape(0));
    return std::make_unique<PartitionedGrowth>(std::move(table), read_recipe(options));
}

nb::list waiting_of(PartitionedGrowth& growth) {
    nb::list out;
    for (const PartitionedGrowth::Waiting& one : growth.grow())
        out.append(nb::make_tuple(one.node, one.depth, one.seed, one.count, one.parent, one.place));
    return out;
}

nb::object search(PartitionedGrowth& growth, int32_t node, const Block& bins, const std::vector<Block>& categories) {
    std::vector<const double*> sums;
    for (const Block& column : categories) sums.push_back(column.data());
    return table_of(growth.search(node, bins.data(), sums));
}

nb::object refine(PartitionedGrowth& growth, int32_t node, const SuspectTable& suspects,
                  const std::vector<Vector<double>>& values, const std::vector<Block>& bins) {
    const std::vector<Suspect> asked = suspects_of(suspects);
    std::vector<PartitionedGrowth::Refined> refined;
    for (size_t s = 0; s < asked.size(); ++s) refined.push_back({asked[s], span(values.at(s)), bins.at(s).data()});
    return table_of(growth.refine(node, refined));
}

nb::tuple unknown_of(PartitionedGrowth& growth) {
    const PartitionedGrowth::Unknown& unknown = growth.unknown();
    return nb::make_tuple(give(std::vector<int32_t>(unknown.ranges)), dict_of(unknown.sums));
}

nb::dict splits_of(const PartitionedGrowth& growth) {
    PartitionedGrowth::Splits splits = growth.splits();
    nb::dict out;
    out["column"] = give(std::move(splits.column));
    out["first_child"] = give(std::move(splits.first_child));
    out["cut"] = give(std::move(splits.cut));
    out["value"] = give(std::move(splits.value));
    out["default_branch"] = give(std::move(splits.default_branch));
    out["lookup_begin"] = give(std::move(splits.lookup_begin));
    out["lookup"] = give(std::move(splits.lookup));
    return out;
}

nb::dict grow_subtree(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                      const Vector<int32_t>& n_categories, const TargetArrays& target, int n_classes,
                      const std::optional<Vector<double>>& weight, const nb::dict& options, uint64_t seed, double total_weight,
                      const Orders& orders) {
    const Recipe recipe = read_recipe(options);
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0), options);
    const Target y = read_target(target, n_classes, weight);
    SubtreeRoot root{seed, total_weight, {}};
    for (const auto& order : orders) root.rankings.push_back(order_of(order));
    return to_dict(watched(options, [&](Monitor& monitor) { return grow(table, y, recipe, monitor, &root); }),
                   width_of(n_classes));
}

}  // namespace

void add_partitions(nb::module_& m) {
    nb::class_<TwoByteCoder>(m, "TwoByteCoder")
        .def(nb::new_(&coder_of), "values"_a.noconvert())
        .def("encode", &encode_numbers, "numbers"_a.noconvert(), "codes"_a.noconvert(), "met"_a.noconvert());
    m.def("route_rows", &route, "node"_a.noconvert(), "codes"_a, "numbers"_a, "categories"_a, "splits"_a, "low"_a.noconvert(),
          "high"_a.noconvert());
    m.def("node_ranges", &ranges_of, "node"_a.noconvert(), "counted"_a.noconvert(), "target"_a.noconvert(), "weight"_a.none(),
          "n_classes"_a, "n_counted"_a);
    m.def("node_sums", &sums_of, "node"_a.noconvert(), "sums"_a, "n_nodes"_a, "target"_a.noconvert(), "weight"_a.none(),
          "n_classes"_a);
    m.def("sum_totals", &totals_of, "sums"_a, "added"_a.noconvert(), "width"_a);
    m.def("class_weights", &class_weights, "label"_a.noconvert(), "weight"_a.noconvert(), "n_classes"_a);
    m.def(
        "total_weight",
        [](const Vector<double>& weight) {
            return orderless_weight(std::vector<double>(weight.data(), weight.data() + weight.shape(0)));
        },
        "weight"_a.noconvert());
    m.def("count_bins", &bins_of, "node"_a.noconvert(), "counted"_a.noconvert(), "codes"_a, "target"_a.noconvert(),
          "weight"_a.none(), "centres"_a.none(), "n_classes"_a, "n_counted"_a, "out"_a.noconvert());
    m.def("count_categories", &categories_of, "node"_a.noconvert(), "counted"_a.noconvert(), "codes"_a.noconvert(),
          "n_categories"_a, "target"_a.noconvert(), "weight"_a.none(), "centres"_a.none(), "n_classes"_a, "n_counted"_a);
    m.def("count_codes", &codes_of, "node"_a.noconvert(), "codes"_a.noconvert(), "suspects"_a.noconvert(), "n_nodes"_a,
          "target"_a.noconvert(), "weight"_a.none(), "centres"_a.none(), "n_classes"_a, "out"_a.noconvert());
    m.def("rows_of_codes", &rows_behind, "node"_a.noconvert(), "codes"_a.noconvert(), "suspects"_a.noconvert(), "n_nodes"_a,
          "target"_a.noconvert(), "weight"_a.none(), "centres"_a.none(), "n_classes"_a);
    m.def("ranked_features", &ranked, "options"_a, "n_categories"_a.noconvert());
    m.def("category_ranks", &ranks, "sums"_a.noconvert(), "weight"_a.noconvert(), "in_order"_a, "classes"_a);
    m.def("memory_only", [](const nb::dict& options) { return memory_only(read_recipe(options)); }, "options"_a);
    m.def("grow_subtree", &grow_subtree, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
          "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a, "seed"_a,
          "total_weight"_a, "orders"_a);
    nb::class_<PartitionedGrowth>(m, "PartitionedGrowth")
        .def(nb::new_(&growth_of), "options"_a, "column"_a.noconvert(), "n_categories"_a.noconvert(), "n_rows"_a,
             "class_rows"_a.noconvert(), "unit"_a, "class_weights"_a.none(), "orders"_a, "met"_a.noconvert(), "values"_a)
        .def("grow", &waiting_of)
        .def("unknown", &unknown_of)
        .def(
            "answer",
            [](PartitionedGrowth& growth, const Block& ranges,
               const nb::ndarray<const uint64_t, nb::c_contig, nb::device::cpu>& sums) {
                growth.answer(ranges.data(), sums.data());
            },
            "ranges"_a.noconvert(), "sums"_a.noconvert())
        .def("centres", [](const PartitionedGrowth& growth) { return give(growth.centres()); })
        .def_prop_ro("total_weight", &PartitionedGrowth::total_weight)
        .def("search", &search, "node"_a, "bins"_a.noconvert(), "categories"_a)
        .def("refine", &refine, "node"_a, "suspects"_a.noconvert(), "values"_a, "bins"_a)
        .def("splits", &splits_of)
        .def(
            "set_neighbours",
            [](PartitionedGrowth& growth, const Vector<double>& low, const Vector<double>& high) {
                growth.set_neighbours(span(low), span(high));
            },
            "low"_a.noconvert(), "high"_a.noconvert())
        .def("tree", [](const PartitionedGrowth& growth) { return to_dict(growth.tree(), growth.layout().width); })
        .def_prop_ro("n_nodes", &PartitionedGrowth::n_nodes);
}

}  // namespace treewright::border
