// Columns of Python, strided or not, as the core sees them, and rows to predict.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/interruptible.hpp"
#include "table/coded_table.hpp"
#include "tree/predict.hpp"
#include "tree/tree.hpp"

namespace calibrant {

template <class T>
using Column = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::device::cpu>;

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

template <class T>
std::span<const T> contiguous(const Column<T>& column) {
    if (column.stride(0) != 1 && column.shape(0) > 1) throw std::invalid_argument("arrays of rows must be contiguous");
    return {column.data(), column.shape(0)};
}

template <class T>
std::span<const T> contiguous(const std::optional<Column<T>>& column) {
    return column ? contiguous(*column) : std::span<const T>{};
}

using PredictColumnArgument = std::variant<Column<float>, Column<double>, Column<std::int32_t>>;
template <class T>
using StridedMatrix = nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::device::cpu>;
using PredictArgument =
    std::variant<const CodedTable*, StridedMatrix<float>, StridedMatrix<double>, std::vector<PredictColumnArgument>>;

struct ToPredictColumns {
    std::vector<PredictColumn> operator()(const CodedTable* table) const { return coded_rows(*table).columns; }
    template <class T>
    std::vector<PredictColumn> operator()(const StridedMatrix<T>& matrix) const {
        std::vector<PredictColumn> columns;
        columns.reserve(matrix.shape(1));
        for (std::size_t j = 0; j < matrix.shape(1); ++j) {
            const T* const first = matrix.data() + static_cast<std::int64_t>(j) * matrix.stride(1);
            columns.push_back(StridedView<T>{first, matrix.shape(0), matrix.stride(0)});
        }
        return columns;
    }
    std::vector<PredictColumn> operator()(const std::vector<PredictColumnArgument>& arrays) const {
        std::vector<PredictColumn> columns;
        columns.reserve(arrays.size());
        for (const auto& column : arrays)
            columns.push_back(std::visit([](const auto& array) { return PredictColumn{view(array)}; }, column));
        return columns;
    }
};

inline PredictRows rows_to_predict(std::size_t n_rows, const PredictArgument& columns) {
    return {n_rows, std::visit(ToPredictColumns{}, columns)};
}

// Few rows are predicted in less time than a thread takes to start: rows x nodes of at most about a millisecond.
inline constexpr std::size_t small_job = std::size_t{1} << 20;

// Runs work(StopToken) that sends rows down a tree, interruptibly where it may take long.
template <class Work>
void run_predict(const Tree& tree, std::size_t n_rows, Work&& work) {
    if (n_rows * tree.n_nodes() > small_job && n_rows > 1) return run_interruptibly(work);
    const nanobind::gil_scoped_release released;
    work(StopToken{});
}

}  // namespace calibrant
