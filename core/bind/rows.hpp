// Arrays of Python as the core sees them: columns, rows to be predicted, and results that Python keeps.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "bind/interruptible.hpp"
#include "table/coded_table.hpp"
#include "tree/predict.hpp"
#include "tree/tree.hpp"

namespace calibrant {

template <class T>
using Column = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::device::cpu>;
using Matrix = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using Writable = nanobind::ndarray<double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
StridedView<T> view(const Column<T>& column) {
    return {column.data(), column.shape(0), column.stride(0)};
}

template <class T>
std::vector<T> copied(const Column<T>& column) {
    std::vector<T> values(column.shape(0));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = view(column)[i];
    return values;
}

using PredictColumnArgument = std::variant<Column<float>, Column<double>, Column<std::int32_t>>;
template <class T>
using Grid = nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::device::cpu>;
using PredictArgument = std::variant<const CodedTable*, Grid<float>, Grid<double>, std::vector<PredictColumnArgument>>;

struct ToPredictColumns {
    std::vector<PredictColumn> operator()(const CodedTable* table) const { return coded_rows(*table).columns; }
    template <class T>
    std::vector<PredictColumn> operator()(const Grid<T>& grid) const {
        std::vector<PredictColumn> columns;
        columns.reserve(grid.shape(1));
        for (std::size_t j = 0; j < grid.shape(1); ++j) {
            const T* const first = grid.data() + static_cast<std::int64_t>(j) * grid.stride(1);
            columns.push_back(StridedView<T>{first, grid.shape(0), grid.stride(0)});
        }
        return columns;
    }
    std::vector<PredictColumn> operator()(const std::vector<PredictColumnArgument>& given) const {
        std::vector<PredictColumn> columns;
        columns.reserve(given.size());
        for (const auto& column : given)
            columns.push_back(std::visit([](const auto& array) { return PredictColumn{view(array)}; }, column));
        return columns;
    }
};

inline PredictRows rows_to_predict(std::size_t n_rows, const PredictArgument& columns) {
    return {n_rows, std::visit(ToPredictColumns{}, columns)};
}

// Few rows are done before a thread would have started.
inline constexpr std::size_t small_job = std::size_t{1} << 20;

template <class Work>
void run_down(const Tree& tree, std::size_t n_rows, Work&& work) {
    if (n_rows * tree.n_nodes() > small_job && n_rows > 1) return run_interruptibly(work);
    const nanobind::gil_scoped_release released;
    work(StopToken{});
}

// An array of its own for what the core computes.
template <class T>
nanobind::object given_away(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* const data = kept->data();
    const nanobind::capsule owner(kept.release(), [](void* pointer) noexcept {
        std::unique_ptr<std::vector<T>>(static_cast<std::vector<T>*>(pointer));
    });
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(data, shape, owner));
}

}  // namespace calibrant
