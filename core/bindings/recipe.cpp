// The choices of the grower, each read by its name in the list of recipe.hpp: what Python does not give has its default.
#include "bindings/numpy_arrays.hpp"

namespace treewright::border {

namespace {

/// The names that recipe.py has for the values of a choice.
template <class Choice>
inline constexpr std::initializer_list<std::pair<const char*, Choice>> names_of;
template <>
inline constexpr std::initializer_list<std::pair<const char*, Missing>> names_of<Missing> = {
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
template <>
inline constexpr std::initializer_list<std::pair<const char*, Order>> names_of<Order> = {
    {"depth_first", Order::depth_first}, {"breadth_first", Order::breadth_first}, {"best_first", Order::best_first}};
template <>
inline constexpr std::initializer_list<std::pair<const char*, Ties>> names_of<Ties> = {
    {"first", Ties::first}, {"last", Ties::last}, {"random", Ties::random}};
template <>
inline constexpr std::initializer_list<std::pair<const char*, CategoryOrder>> names_of<CategoryOrder> = {
    {"auto", CategoryOrder::automatic}, {"node", CategoryOrder::node}, {"once", CategoryOrder::once}};
template <>
inline constexpr std::initializer_list<std::pair<const char*, GroupsBy>> names_of<GroupsBy> = {{"exchange", GroupsBy::exchange},
                                                                                               {"descent", GroupsBy::descent}};

/// A criterion in Python (growing/user_criteria.py): called with numbers only, it reads and writes arrays that both sides know.
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

template <class T>
concept Array = std::same_as<T, Numbers> || std::same_as<T, std::vector<int8_t>>;

template <class T>
T read(nb::handle given) {
    if constexpr (std::is_enum_v<T>) {
        const auto word = nb::cast<std::string>(given);
        for (const auto& [name, choice] : names_of<T>)
            if (word == name) return choice;
        throw nb::value_error(("unknown choice '" + word + "'").c_str());
    } else if constexpr (std::same_as<T, std::vector<Missing>>) {
        T policies;
        for (nb::handle policy : given) policies.push_back(read<Missing>(policy));
        return policies;
    } else if constexpr (Array<T>) {
        const auto array = nb::cast<nb::ndarray<const typename T::value_type, nb::c_contig, nb::device::cpu>>(given);
        return {array.data(), array.data() + array.size()};
    } else if constexpr (std::same_as<T, MeritFunction>) {
        return read_function(nb::cast<nb::dict>(given));
    } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
        // A limit beyond what can be counted is as good as that: the core may then add and double it.
        using Counted = std::conditional_t<std::signed_integral<T>, int32_t, T>;
        constexpr T most = std::numeric_limits<Counted>::max();
        int beyond = 0;
        const long long number = PyLong_AsLongLongAndOverflow(given.ptr(), &beyond);
        if (number == -1 && PyErr_Occurred()) throw nb::python_error();
        return beyond > 0 || std::cmp_greater(number, most) ? most : static_cast<T>(number);
    } else {
        return nb::cast<T>(given);
    }
}

}  // namespace

Recipe read_recipe(const nb::dict& options) {
    Recipe recipe;
    const auto given = [&](nb::handle name) { return nb::handle(PyDict_GetItemWithError(options.ptr(), name.ptr())); };
    size_t n_known =
        given(interned<"progress">()).is_valid() + given(interned<"truth_values">()).is_valid();  // not for the recipe
#define TREEWRIGHT_READ(type, name, standard)                         \
    if (const nb::handle choice = given(interned<#name>()); choice) { \
        recipe.name = read<type>(choice);                             \
        ++n_known;                                                    \
    }
    TREEWRIGHT_CHOICES(TREEWRIGHT_READ)
#undef TREEWRIGHT_READ
    if (n_known != options.size()) throw nb::value_error("the core is given a choice that core/base/recipe.hpp does not have");
    return recipe;
}

}  // namespace treewright::border
