// The door to packed forests: trees, tables and rows in, probabilities out, the GIL released; nothing is computed here.
#include "bind/packed.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "forest/packed_forest.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

std::optional<PackedForest> pack_forest(const std::vector<const Tree*>& trees, const std::vector<Table>& tables,
                                        std::size_t n_columns) {
    if (trees.empty() || tables.size() != trees.size()) throw std::invalid_argument("a table for each tree");
    std::vector<Member> members;
    for (std::size_t i = 0; i < trees.size(); ++i) members.push_back({trees[i], {tables[i].data(), tables[i].size()}});
    if (!PackedForest::can_pack(members)) return std::nullopt;
    return PackedForest(members, n_columns, tables.front().shape(1));
}

// Gives whether all rows are answered: no value of theirs is unknown.
template <class T>
bool mean(const PackedForest& forest, const Rows<T>& rows, const Output& output) {
    if (rows.shape(1) != forest.n_columns()) throw std::invalid_argument("rows of as many columns as the forest has");
    if (output.shape(0) != rows.shape(0) || output.shape(1) != forest.width())
        throw std::invalid_argument("an output for each row");
    const nb::gil_scoped_release released;
    std::vector<double> row(forest.n_columns());
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
        const T* const first = rows.data() + static_cast<std::int64_t>(i) * rows.stride(0);
        for (std::size_t j = 0; j < row.size(); ++j) {
            row[j] = static_cast<double>(first[static_cast<std::int64_t>(j) * rows.stride(1)]);
            if (row[j] != row[j]) return false;
        }
        forest.mean(row, {output.data() + i * forest.width(), forest.width()});
    }
    return true;
}

}  // namespace

void bind_packed_forests(nb::module_& module) {
    nb::class_<PackedForest>(module, "PackedForest", "Numeric trees with their tables, packed for few rows.")
        .def("mean", &mean<float>, "rows"_a.noconvert(), "output"_a.noconvert(),
             "Write the mean of the tables at the leaves of the rows; False where a value is unknown, then not all are "
             "written.")
        .def("mean", &mean<double>, "rows"_a.noconvert(), "output"_a.noconvert());
    module.def("pack_forest", &pack_forest, "trees"_a, "tables"_a.noconvert(), "n_columns"_a,
               "Pack trees with their tables; None where a test is of categories.");
}

}  // namespace calibrant
