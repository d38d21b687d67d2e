// The choices of the grower, read by the names that recipe.py gives them.
#include "bindings/numpy_arrays.hpp"

namespace treewright::border {

namespace {

Missing policy_of(const std::string& name) {
    static constexpr std::pair<const char*, Missing> known[] = {
        {"direction", Missing::direction},
        {"available", Missing::available},
        {"value", Missing::value},
        {"fractional", Missing::fractional},
        {"fractional_counts", Missing::fractional_counts},
        {"surrogate", Missing::surrogate},
        {"mean", Missing::mean},
        {"median", Missing::median},
        {"mode", Missing::mode},
        {"class_mode", Missing::class_mode}};
    for (const auto& [word, policy] : known)
        if (name == word) return policy;
    throw nb::value_error(("unknown missing policy '" + name + "'").c_str());
}

/// A criterion in Python (criteria.py): called with numbers only, it reads and writes arrays that both sides know.
MeritFunction read_function(const nb::dict& o) {
    using Shared = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
    // The very arrays that the options keep alive: converted, they would be copies that nobody reads and nobody keeps.
    const auto memory = [&](const char* name) { return nb::cast<Shared>(o[name], false).data(); };
    MeritFunction f;
    f.parent = memory("parent");
    f.branches = memory("branches");
    f.merits = memory("merits");
    f.capacity = option<size_t>(o, "capacity");
    // A borrowed handle, for recipes are copied without the interpreter lock: the options keep the function alive.
    f.call = [ask = nb::handle(PyDict_GetItemString(o.ptr(), "ask"))](size_t n_candidates, size_t n_branches, size_t stride) {
        nb::gil_scoped_acquire locked;
        ask(n_candidates, n_branches, stride);
    };
    return f;
}

}  // namespace

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
    r.min_gain = option<double>(o, "min_gain");
    r.stop_on_constant = option<bool>(o, "stop_on_constant");
    r.max_intervals = option<int>(o, "max_intervals");
    r.descent = choose<bool>(o, "category_search", {{"exchange", false}, {"descent", true}});
    r.max_groups = option<int>(o, "max_groups");
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

}  // namespace treewright::border
