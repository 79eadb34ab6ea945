// Trees in the arrays of a model file.
#include <nanobind/stl/array.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "tree/packed_tree.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

using NarrowArgument =
    std::variant<Vector<std::uint8_t>, Vector<std::uint16_t>, Vector<std::uint32_t>, Vector<float>, Vector<double>>;

// The arrays in the order of TreeArrays.
PackedTrees packed_trees(std::size_t n_classes, std::vector<std::uint32_t> n_categories,
                         const std::vector<NarrowArgument>& arrays) {
    if (arrays.size() != 13) throw std::invalid_argument("packed trees have thirteen arrays");
    const auto narrow = [&](std::size_t i) {
        return std::visit([](const auto& array) { return NarrowArray(span_of(array)); }, arrays[i]);
    };
    const nb::gil_scoped_release released;
    return {n_classes,
            std::move(n_categories),
            {narrow(0), narrow(1), narrow(2), narrow(3), narrow(4), narrow(5), narrow(6), narrow(7), narrow(8),
             narrow(9), narrow(10), narrow(11), narrow(12)}};
}

template <class T>
nb::object take(std::vector<T>&& values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

nb::object pack(const std::vector<const Tree*>& trees, std::size_t n_classes,
                const std::vector<std::uint32_t>& n_categories) {
    WideTreeArrays wide;
    {
        const nb::gil_scoped_release released;
        wide = pack_trees(trees, n_classes, n_categories);
    }
    auto& integers = wide.integers;
    return nb::make_tuple(take(std::move(integers.n_nodes)), take(std::move(integers.test)), take(std::move(wide.cut)),
                          take(std::move(integers.first_cut)), take(std::move(integers.cut_rank)),
                          take(std::move(integers.n_branches)), take(std::move(integers.branch_of_category)),
                          take(std::move(integers.missing_branch)), take(std::move(wide.counts)),
                          take(std::move(wide.weight)), take(std::move(integers.label_node)),
                          take(std::move(integers.label)), take(std::move(wide.log_prior)));
}

}  // namespace

void bind_packed_trees(nb::module_& module) {
    const nb::call_guard<nb::gil_scoped_release> released;
    nb::class_<PackedTrees>(module, "PackedTrees", "Trees in few narrow arrays, as model files keep them.")
        .def_prop_ro("n_trees", &PackedTrees::n_trees)
        .def("n_nodes", &PackedTrees::n_nodes, "tree"_a, "Return the number of nodes of a tree.")
        .def("unpack", &PackedTrees::unpack, "tree"_a, "table"_a.none(),
             "Return a tree; with the table that it was grown from, it can predict its codes.", released);
    module.def("packed_trees", &packed_trees, "n_classes"_a, "n_categories"_a, "arrays"_a.noconvert(),
               nb::keep_alive<0, 3>(), "Return packed trees after checking their arrays.");
    module.def("pack_trees", &pack, "trees"_a, "n_classes"_a, "n_categories"_a,
               "Return the arrays of trees, not yet narrow; n_categories is 0 for a numeric column.");
}

}  // namespace calibrant
