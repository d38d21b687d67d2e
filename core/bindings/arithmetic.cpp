// Functions of numbers whose bits are the same on every machine, for what Python decides or stores.
#include "../logarithm.hpp"
#include "border.hpp"

namespace treewright::border {

namespace {

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// A function of one number, of each number of an array too.
void add(nb::module_& m, const char* name, double (*function)(double)) {
    m.def(name, function, "x"_a);
    m.def(
        name,
        [function](const Numbers& x) {
            auto [data, owner] = allocate<double>(x.size());
            std::transform(x.data(), x.data() + x.size(), data, function);
            std::vector<size_t> shape;
            for (size_t i = 0; i < x.ndim(); ++i) shape.push_back(x.shape(i));
            return nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner);
        },
        "x"_a);
}

}  // namespace

void add_arithmetic(nb::module_& m) {
    add(m, "log", log);
    add(m, "log2", log2);
    add(m, "log10", log10);
    add(m, "log1p", log1p);
    add(m, "exp", exp);
    add(m, "exp2", exp2);
    add(m, "log_gamma", log_gamma);
    m.def("pow", pow, "base"_a, "exponent"_a);
}

}  // namespace treewright::border
