// Boosted stumps.
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/interruptible.hpp"
#include "boost/stumps.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

StumpSearch stump_search(const CodedTable& table, const Vector<std::uint16_t>& labels, std::size_t n_classes,
                         StumpCriterion criterion, std::size_t n_threads) {
    std::vector<std::uint16_t> kept(labels.data(), labels.data() + labels.shape(0));
    return run_interruptibly([&](const StopToken& stop) {
        return StumpSearch(table, std::move(kept), n_classes, criterion, n_threads, stop);
    });
}

Stump best_stump(const StumpSearch& search, const Vector<double>& weights) {
    return run_interruptibly([&](const StopToken& stop) { return search.best(span_of(weights), stop); });
}

void reweight(const StumpSearch& search, const Stump& stump, const Matrix<double>& factors,
              const OutputVector& weights) {
    const nb::gil_scoped_release released;
    search.reweight(stump, span_of(factors), span_of(weights));
}

nb::object counts_of(const Stump& stump) {
    const std::size_t n_classes = stump.counts.size() / 3;
    return nb::ndarray<nb::numpy, const double>(stump.counts.data(), {3, n_classes}).cast(nb::rv_policy::copy);
}

}  // namespace

void bind_stumps(nb::module_& module) {
    nb::enum_<StumpCriterion>(module, "StumpCriterion")
        .value("entropy", StumpCriterion::entropy)
        .value("gain_ratio", StumpCriterion::gain_ratio)
        .value("gini", StumpCriterion::gini)
        .value("dkm", StumpCriterion::dkm)
        .value("twoing", StumpCriterion::twoing);

    nb::class_<Stump>(module, "Stump",
                      "A test with three branches: up to a threshold or of a category, the rest, missing values.")
        .def_ro("column", &Stump::column, "The column tested, -1 for none.")
        .def_ro("code", &Stump::code, "The greatest code of the first branch, or its category.")
        .def_ro("threshold", &Stump::threshold)
        .def_ro("gain", &Stump::gain)
        .def_prop_ro("counts", &counts_of, "Class weights of the branches.");

    nb::class_<StumpSearch>(module, "StumpSearch",
                            "A search for the best test of a table under any weights of its rows.")
        .def("best", &best_stump, "weights"_a.noconvert(), "Return the best test, the first of equals.")
        .def("reweight", &reweight, "stump"_a, "factors"_a.noconvert(), "weights"_a.noconvert(),
             "Multiply the weights, in place, by the factors of branches and classes.");
    module.def("stump_search", &stump_search, "table"_a, "labels"_a.noconvert(), "n_classes"_a, "criterion"_a,
               "n_threads"_a, nb::keep_alive<0, 1>(),
               "Return a search with the rows of every column sorted, once for all rounds.");
}

}  // namespace calibrant
