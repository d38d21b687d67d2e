// The border to Python: free functions on arrays, the interpreter lock released while the core works; and a tree that grows from
// partitions, which is asked and told by turns.
#include "bindings/numpy_arrays.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The core of treewright: whatever loops over rows.";
    treewright::border::add_arithmetic(m);
    treewright::border::add_growing(m);
    treewright::border::add_presets(m);
    treewright::border::add_routing(m);
    treewright::border::add_equations(m);
    treewright::border::add_forests(m);
    treewright::border::add_optimal(m);
    treewright::border::add_partitions(m);
}
