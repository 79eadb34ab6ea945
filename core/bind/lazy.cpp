// The door between Python and lazy trees: arrays in, the GIL released; nothing is computed here.
#include "bind/lazy.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/interruptible.hpp"
#include "forest/lazy_trees.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
    return std::span(array.data(), array.size());
}

void answer(const Matrix<std::uint32_t>& codes, const Matrix<std::uint32_t>& order, const Vector<bool>& is_nominal,
            const Vector<std::uint16_t>& labels, const Matrix<std::uint16_t>& in_bag,
            const std::optional<Vector<double>>& weights, const Matrix<std::uint32_t>& queries, const Output& output,
            std::size_t max_options, double option_fraction, double min_leaf, std::size_t max_leaves,
            std::size_t n_threads) {
    const std::vector<std::uint8_t> kinds(is_nominal.data(), is_nominal.data() + is_nominal.size());
    const LazyExamples examples{codes.shape(1), codes.shape(0), output.shape(1), span_of(codes),
                                span_of(order), kinds,          span_of(labels)};
    const LazyBags bags{span_of(in_bag), weights ? span_of(*weights) : std::span<const double>{}};
    const LazyOptions options{max_options, option_fraction, min_leaf, max_leaves, n_threads};
    run_interruptibly([&](const StopToken& stop) {
        answer_lazily(examples, bags, span_of(queries), options, span_of(output), stop);
    });
}

}  // namespace

void bind_lazy_trees(nb::module_& module) {
    module.def("answer_lazily", &answer, "codes"_a.noconvert(), "order"_a.noconvert(), "is_nominal"_a.noconvert(),
               "labels"_a.noconvert(), "in_bag"_a.noconvert(), "weights"_a.noconvert().none(), "queries"_a.noconvert(),
               "output"_a.noconvert(), nb::kw_only(), "max_options"_a, "option_fraction"_a, "min_leaf"_a,
               "max_leaves"_a, "n_threads"_a,
               "Write the probabilities of coded queries; codes and order are columns x rows, the rest rows first.");
}

}  // namespace calibrant
