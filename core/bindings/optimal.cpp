// Provably optimal trees, with what is proven of them.
#include "bindings/numpy_arrays.hpp"
#include "optimal/optimal.hpp"

namespace treewright::border {

namespace {

/// Asks Python whether Ctrl-C was pressed, and tells it the best objective and the lower bound.
struct OptimalWatch {
    nb::object progress;
    bool keep;  // the best tree so far, if Ctrl-C is pressed
    bool failed = false;

    bool operator()(double best, double lower) {
        nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) {
            if (keep && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) PyErr_Clear();
            else failed = true;
            return false;
        }
        try {
            if (!progress.is_none()) progress(best, lower);
        } catch (nb::python_error& refused) {
            refused.restore();
            failed = true;
            return false;
        }
        return true;
    }
};

optimal::Options read_options(const nb::dict& o) {
    optimal::Options read;
    read.max_depth = option<int>(o, "max_depth");
    read.max_leaves = option<uint32_t>(o, "max_leaf_nodes");
    read.loss.alpha = option<double>(o, "alpha");
    read.loss.class_factor = numbers_of<double>(o, "class_factor");
    read.loss.costs = numbers_of<double>(o, "costs");
    read.time_limit = option<double>(o, "time_limit");
    read.work_limit = option<int64_t>(o, "work_limit");
    read.memory_limit = option<int64_t>(o, "memory_limit");
    read.threads = option<int>(o, "threads");
    return read;
}

/// Run work(table, target, options) without the interpreter lock, Ctrl-C being watched for.
template <class Work>
auto solve(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position, const Vector<int32_t>& n_categories,
           const TargetArray& target, int n_classes, const std::optional<Vector<double>>& weight, const nb::dict& options,
           Work&& work) {
    const Table table = read_table(numbers, codes, position, n_categories, target.shape(0), options);
    const Target y = read_target(target, n_classes, weight);
    const optimal::TargetView view{y.n_classes, y.label, y.number, y.weight};
    optimal::Options read = read_options(options);
    OptimalWatch watch{options["progress"], option<bool>(options, "keep")};
    read.check = [&](double best, double lower) { return watch(best, lower); };
    std::optional<decltype(work(table, view, read))> result;
    {
        nb::gil_scoped_release unlocked;
        result = work(table, view, read);
    }
    if (watch.failed) throw nb::python_error();
    return std::move(*result);
}

nb::dict grow_optimal(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                      const Vector<int32_t>& n_categories, const TargetArray& target, int n_classes,
                      const std::optional<Vector<double>>& weight, const nb::dict& options) {
    optimal::Outcome outcome = solve(numbers, codes, position, n_categories, target, n_classes, weight, options, optimal::grow);
    nb::dict out = to_dict(std::move(outcome.tree), width_of(n_classes));
    out["objective"] = outcome.objective;
    out["lower_bound"] = outcome.lower_bound;
    out["optimal"] = outcome.optimal;
    out["n_solved"] = outcome.n_solved;
    out["memory_limited"] = outcome.memory_limited;
    return out;
}

nb::object optimal_root_choices(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                                const Vector<int32_t>& n_categories, const TargetArray& target, int n_classes,
                                const std::optional<Vector<double>>& weight, const nb::dict& options) {
    return give(std::move(
        solve(numbers, codes, position, n_categories, target, n_classes, weight, options, optimal::root_choices).objective));
}

nb::object optimal_frontier(const Columns& numbers, const CodeColumns& codes, const Vector<int32_t>& position,
                            const Vector<int32_t>& n_categories, const TargetArray& target, int n_classes,
                            const std::optional<Vector<double>>& weight, const nb::dict& options) {
    return give(std::move(
        solve(numbers, codes, position, n_categories, target, n_classes, weight, options, optimal::frontier).objective));
}

}  // namespace

void add_optimal(nb::module_& m) {
    const auto add = [&](const char* name, auto function) {
        m.def(name, function, "numbers"_a.noconvert(), "codes"_a.noconvert(), "position"_a.noconvert(),
              "n_categories"_a.noconvert(), "target"_a.noconvert(), "n_classes"_a, "weight"_a.none(), "options"_a);
    };
    add("grow_optimal", &grow_optimal);
    add("optimal_root_choices", &optimal_root_choices);
    add("optimal_frontier", &optimal_frontier);
}

}  // namespace treewright::border
