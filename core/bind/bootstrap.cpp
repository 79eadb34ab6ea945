// Bootstrap replicates, and DeLong's variance of the area under the ROC curve.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/interruptible.hpp"
#include "rank/bootstrap.hpp"
#include "rank/delong.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

template <class T>
using MaybeVector = std::optional<Vector<T>>;
using RankingArgument = std::pair<MaybeVector<std::uint32_t>, Vector<std::uint8_t>>;
using OutputArgument = std::tuple<OutputVector, OutputVector, OutputVector, OutputVector>;

std::span<double> output_span(const OutputVector& array, std::size_t size) {
    if (array.size() != size) throw std::invalid_argument("output must have room for every replicate");
    return {array.data(), size};
}

// Rows as arrays; holding the handles keeps their memory alive.
struct RowsArgument {
    std::size_t n_rows;
    MaybeVector<std::uint32_t> row_unit;
    MaybeVector<double> row_weight;
    std::vector<Vector<double>> values;
    MaybeVector<std::uint32_t> cells;
    std::size_t n_cells;
    std::vector<RankingArgument> rankings;

    ResampledRows view() const {
        ResampledRows rows{n_rows, span_of(row_unit), span_of(row_weight), {}, span_of(cells), n_cells, {}};
        for (const auto& array : values) rows.values.push_back(span_of(array));
        for (const auto& [order, marks] : rankings) rows.rankings.push_back({span_of(order), span_of(marks)});
        return rows;
    }
};

void resample_rows(const RowsArgument& arrays, const Vector<std::uint64_t>& stratum_ends,
                   const MaybeVector<double>& unit_weights, std::uint64_t seed,
                   const MaybeVector<std::uint32_t>& blocks, const MaybeVector<std::uint32_t>& counts,
                   std::size_t first, std::size_t n_replicates, bool everything, double top_share,
                   std::size_t n_threads, const OutputArgument& out) {
    const ResampledRows rows = arrays.view();
    const std::size_t n_units = stratum_ends.size() ? stratum_ends.data()[stratum_ends.size() - 1] : 0;
    const Resampling how{
        {n_units, span_of(stratum_ends), span_of(unit_weights)}, seed, span_of(blocks), span_of(counts)};
    const auto& [weight, values, cells, rankings] = out;
    const ResampledSums sums{output_span(weight, n_replicates), output_span(values, n_replicates * rows.values.size()),
                             output_span(cells, n_replicates * rows.n_cells),
                             output_span(rankings, n_replicates * rows.rankings.size() * n_rank_measures)};
    run_interruptibly([&](const StopToken& stop) {
        resample(rows, how, {n_replicates, n_threads, everything, top_share, first}, sums, stop);
    });
}

std::tuple<double, double, double, double, double> variance_of_area(const Vector<double>& scores,
                                                                    const Vector<bool>& positive,
                                                                    const MaybeVector<double>& weights,
                                                                    std::size_t n_threads) {
    if (positive.size() != scores.size() || (weights && weights->size() != scores.size()))
        throw std::invalid_argument("positive and weights must have one entry per score");
    const ScoreRows rows{span_of(scores), span_of(positive), span_of(weights)};
    const AreaVariance found =
        run_interruptibly([&](const StopToken& stop) { return area_variance(rows, n_threads, stop); });
    return {found.area, found.by_positive, found.by_negative, found.positive, found.negative};
}

}  // namespace

void bind_bootstrap(nb::module_& module) {
    nb::class_<RowsArgument>(module, "ResampledRows", "Rows in memory of Python, and what replicates compute of them.")
        .def(
            "__init__",
            [](RowsArgument* self, std::size_t n_rows, MaybeVector<std::uint32_t> row_unit,
               MaybeVector<double> row_weight, std::vector<Vector<double>> values, MaybeVector<std::uint32_t> cells,
               std::size_t n_cells, std::vector<RankingArgument> rankings) {
                new (self) RowsArgument{
                    n_rows,  std::move(row_unit), std::move(row_weight), std::move(values), std::move(cells),
                    n_cells, std::move(rankings)};
            },
            nb::kw_only(), "n_rows"_a, "row_unit"_a.none(), "row_weight"_a.none(), "values"_a, "cells"_a.none(),
            "n_cells"_a, "rankings"_a);
    module.attr("N_RANK_MEASURES") = n_rank_measures;
    module.def("resample", &resample_rows, "rows"_a, nb::kw_only(), "stratum_ends"_a.noconvert(),
               "unit_weights"_a.noconvert().none(), "seed"_a, "blocks"_a.noconvert().none(),
               "counts"_a.noconvert().none(), "first"_a, "n_replicates"_a, "everything"_a, "top_share"_a, "n_threads"_a,
               "out"_a,
               "Write the weight, value sums, cells and rank measures of replicates from `first` on, drawn or with a "
               "block left out.");
    module.def("area_variance", &variance_of_area, "scores"_a.noconvert(), "positive"_a.noconvert(),
               "weights"_a.noconvert().none(), "n_threads"_a,
               "Return the area under the ROC curve, its variance due to positive and to negative rows, and the weight "
               "of either class.");
}

}  // namespace calibrant
