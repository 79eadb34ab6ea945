// NumPy arrays as the core sees them, and new arrays that Python owns.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace calibrant {

template <class T>
using Vector = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Matrix = nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using OutputVector = nanobind::ndarray<double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using OutputMatrix = nanobind::ndarray<double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
    return std::span(array.data(), array.size());
}

// Empty where there is no array.
template <class Array>
auto span_of(const std::optional<Array>& array) {
    return array ? span_of(*array) : decltype(span_of(*array)){};
}

using NewVector = nanobind::ndarray<nanobind::numpy, double, nanobind::ndim<1>>;
using NewMatrix = nanobind::ndarray<nanobind::numpy, double, nanobind::ndim<2>>;

inline nanobind::capsule new_memory(std::size_t n) {
    return {new double[n], [](void* memory) noexcept { delete[] static_cast<double*>(memory); }};
}

inline NewVector new_vector(std::size_t n) {
    const nanobind::capsule owner = new_memory(n);
    return {owner.data(), {n}, owner};
}

inline NewMatrix new_matrix(std::size_t n_rows, std::size_t n_columns) {
    const nanobind::capsule owner = new_memory(n_rows * n_columns);
    return {owner.data(), {n_rows, n_columns}, owner};
}

// One field of many structs as an array.
template <class Struct, class Field>
NewVector to_vector(const std::vector<Struct>& all, Field&& field) {
    NewVector vector = new_vector(all.size());
    std::transform(all.begin(), all.end(), vector.data(), field);
    return vector;
}

inline NewVector to_vector(const std::vector<double>& all) {
    return to_vector(all, [](double value) { return value; });
}

// An array that takes over the memory of a vector.
template <class T>
nanobind::object to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* const data = kept->data();
    const nanobind::capsule owner(kept.release(), [](void* pointer) noexcept {
        std::unique_ptr<std::vector<T>>(static_cast<std::vector<T>*>(pointer));
    });
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(data, shape, owner));
}

// A read-only view of memory that `owner` keeps alive.
template <class T>
nanobind::object view_array(const std::vector<T>& values, nanobind::handle owner) {
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, const T, nanobind::ndim<1>>(values.data(), {values.size()}, owner));
}

}  // namespace calibrant
