// Functions of numbers whose bits are the same on every machine, for what Python decides or stores.
#include "base/distributions.hpp"
#include "base/logarithm.hpp"
#include "bindings/numpy_arrays.hpp"

namespace treewright::border {

namespace {

using NumberArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// A function of one number, of each number of an array too.
void add(nb::module_& m, const char* name, double (*function)(double)) {
    m.def(
        name,
        [function](const NumberArray& x) -> nb::object {
            if (x.ndim() == 0) return nb::float_(function(*x.data()));
            auto [data, owner] = allocate<double>(x.size());
            std::transform(x.data(), x.data() + x.size(), data, function);
            std::vector<size_t> shape;
            for (size_t i = 0; i < x.ndim(); ++i) shape.push_back(x.shape(i));
            return nb::cast(nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner));
        },
        "x"_a);
    m.def(name, function, "x"_a);
}

}  // namespace

void add_arithmetic(nb::module_& m) {
    add(m, "log", log);
    add(m, "log2", log2);
    add(m, "log10", log10);
    add(m, "log1p", log1p);
    add(m, "exp", exp);
    add(m, "expm1", expm1);
    add(m, "exp2", exp2);
    add(m, "log_gamma", log_gamma);
    m.def(
        "all_finite",
        [](const nb::args& arrays) {
            bool finite = true;
            for (const nb::handle array : arrays) {
                const auto x = nb::cast<NumberArray>(array);
                for (size_t i = 0; i < x.size(); ++i) finite &= std::fabs(x.data()[i]) <= std::numeric_limits<double>::max();
            }
            return finite;
        },
        "arrays"_a);
    m.def("pow", pow, "base"_a, "exponent"_a);
    m.def("gamma_tail", gamma_tail, "a"_a, "x"_a);
    m.def("normal_quantile", normal_quantile, "chance"_a);
    m.def("beta_quantile", beta_quantile, "a"_a, "b"_a, "chance"_a);
}

}  // namespace treewright::border
