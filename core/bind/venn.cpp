// The door between Python and Venn-Abers predictors: arrays in and out, the GIL released; nothing is computed here.
#include "bind/venn.hpp"

#include <nanobind/ndarray.h>

#include <stdexcept>

#include "calibrate/venn_abers.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void write_pairs(const Vector& weight, const Vector& positive, const Output& if_negative, const Output& if_positive) {
    const std::size_t n = weight.size();
    if (positive.size() != n || if_negative.size() != n + 1 || if_positive.size() != n + 1)
        throw std::invalid_argument("one place more than scores");
    const nb::gil_scoped_release released;
    venn_abers({{weight.data(), n}, {positive.data(), n}}, {{if_negative.data(), n + 1}, {if_positive.data(), n + 1}});
}

}  // namespace

void bind_venn_abers(nb::module_& module) {
    module.def("venn_abers", &write_pairs, "weight"_a.noconvert(), "positive"_a.noconvert(),
               "if_negative"_a.noconvert(), "if_positive"_a.noconvert(),
               "Write p0 and p1 at each place among distinct rising scores, from the weight at each and that of its "
               "positive rows.");
}

}  // namespace calibrant
