// The door to what metrics compute: arrays in, numbers and arrays out, the GIL released; nothing is computed here.
#include "bind/metrics.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/interruptible.hpp"
#include "rank/losses.hpp"
#include "rank/rank_measures.hpp"
#include "rank/ranking.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = std::optional<Numbers>;
using Column = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Columns = std::tuple<Column, Column, Column>;

void require(bool is_kept, const char* what) {
    if (!is_kept) throw nb::value_error(what);
}

std::span<const double> weights_of(const Weights& weights, std::size_t n_rows) {
    if (!weights) return {};
    require(weights->shape(0) == n_rows, "weights must have one entry for each row");
    return {weights->data(), n_rows};
}

ScoreRows rows_of(const Numbers& proba, const Flags& positive, const Weights& weights) {
    const std::size_t n = proba.shape(0);
    require(n > 0, "there must be a row");
    require(positive.shape(0) == n, "positive must have one entry for each row");
    return {{proba.data(), n}, {positive.data(), n}, weights_of(weights, n)};
}

ClassRows class_rows_of(const Table& proba, const Codes& labels, const Weights& weights) {
    const std::size_t n = proba.shape(0), n_classes = proba.shape(1);
    require(n > 0 && n_classes > 0, "there must be a row and a class");
    require(labels.shape(0) == n, "labels must have one entry for each row");
    const auto is_column = [&](std::int32_t label) {
        return label >= 0 && static_cast<std::size_t>(label) < n_classes;
    };
    require(std::all_of(labels.data(), labels.data() + n, is_column), "labels must be columns");
    return {{proba.data(), n * n_classes}, {labels.data(), n}, weights_of(weights, n), n_classes};
}

Column new_column(std::size_t n) {
    const nb::capsule owner(new double[n], [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
    return {owner.data(), {n}, owner};
}

Column column_of(const std::vector<double>& all) {
    Column column = new_column(all.size());
    std::copy(all.begin(), all.end(), column.data());
    return column;
}

Columns columns_of(const std::vector<RankBin>& bins) {
    Columns columns{new_column(bins.size()), new_column(bins.size()), new_column(bins.size())};
    for (std::size_t i = 0; i < bins.size(); ++i) {
        std::get<0>(columns).data()[i] = bins[i].weight;
        std::get<1>(columns).data()[i] = bins[i].positive;
        std::get<2>(columns).data()[i] = bins[i].probability;
    }
    return columns;
}

Columns groups_of(const Ranking& ranking) {
    std::size_t n = 0;
    ranking.for_each_group([&](const ScoreGroup&) { ++n; });
    Columns columns{new_column(n), new_column(n), new_column(n)};
    std::size_t i = 0;
    ranking.for_each_group([&](const ScoreGroup& group) {
        std::get<0>(columns).data()[i] = group.score;
        std::get<1>(columns).data()[i] = group.weight;
        std::get<2>(columns).data()[i++] = group.positive;
    });
    return columns;
}

std::span<const double> span_of(const Numbers& numbers) { return {numbers.data(), numbers.shape(0)}; }

// Calls work(Threads) where Ctrl-C can stop it, if there are so many rows that it might be asked for.
template <class Work>
auto with_threads(std::size_t n_rows, std::size_t n_threads, Work&& work) {
    return run_interruptibly(n_rows, [&](const StopToken& stop) { return work(Threads{n_threads, stop}); });
}

std::tuple<double, double, double> as_tuple(const Surprise& found) { return {found.sum, found.at_zero, found.at_one}; }

void bind_ranking(nb::module_& module) {
    const nb::call_guard<nb::gil_scoped_release> released;
    nb::class_<Ranking>(module, "Ranking", "Rows of two classes sorted by probability, the likeliest first.")
        .def(
            "__init__",
            [](Ranking* self, const Numbers& proba, const Flags& positive, const Weights& weights,
               std::size_t n_threads) {
                const ScoreRows rows = rows_of(proba, positive, weights);
                run_interruptibly(proba.shape(0),
                                  [&](const StopToken& stop) { return new (self) Ranking(rows, n_threads, stop); });
            },
            "proba"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "n_threads"_a)
        .def_prop_ro("weight", &Ranking::weight, "The weight of all rows.")
        .def_prop_ro("positive", &Ranking::positive, "The weight of the positive rows.")
        .def("groups", &groups_of,
             "Give the distinct probabilities, the highest first, with the weight of their rows and of the positive "
             "ones.")
        .def("auc", &area_under_roc, released, "Give the share of pairs in the right order, half of those tied.")
        .def("average_precision", &average_precision, released, "Give the mean precision at the positive rows.")
        .def("precision_area", &area_under_precision, "straight"_a, released,
             "Give the area under precision against recall.")
        .def("greatest_gap", &greatest_gap, released,
             "Give the greatest difference between the shares of both classes ranked as high.")
        .def("mean_lift", &mean_lift, "of_other"_a, released, "Give the mean lift over all ranks.")
        .def(
            "found_within",
            [](const Ranking& ranking, const Numbers& depths, bool of_other) {
                return column_of(found_within(ranking, span_of(depths), of_other));
            },
            "depths"_a.noconvert(), "of_other"_a,
            "Give the positives expected among the first rows, for ascending weights of them.")
        .def(
            "precision_at",
            [](const Ranking& ranking, const Numbers& recalls) {
                return column_of(precision_at(ranking, span_of(recalls)));
            },
            "recalls"_a.noconvert(), "Give the greatest precision at ascending recalls or beyond.")
        .def("window_calibration", &window_calibration, "width"_a, released,
             "Give the mean calibration error in windows of neighbouring ranks.")
        .def(
            "mass_bins",
            [](const Ranking& ranking, std::size_t n_bins) { return columns_of(mass_bins(ranking, n_bins)); },
            "n_bins"_a,
            "Give weight, weight of positives and sum of probabilities in bins of about equal weight, the lowest "
            "first.")
        .def("isotonic_gap", &isotonic_gap, released,
             "Give the mean difference, without sign, from the probabilities of isotonic regression.")
        .def(
            "hull", [](const Ranking& ranking) { return columns_of(hull_blocks(ranking)); },
            "Give weight, weight of positives and sum of probabilities in the blocks of isotonic regression, the "
            "highest first.");
}

}  // namespace

void bind_metrics(nb::module_& module) {
    bind_ranking(module);
    module.def(
        "squared_errors",
        [](const Numbers& proba, const Flags& positive, const Weights& weights, std::size_t n_threads) {
            const ScoreRows rows = rows_of(proba, positive, weights);
            return with_threads(proba.shape(0), n_threads,
                                [&](Threads threads) { return squared_errors(rows, threads); });
        },
        "proba"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "n_threads"_a,
        "Sum the squared errors of the positive class.");
    module.def(
        "squared_errors_of_classes",
        [](const Table& proba, const Codes& labels, const Weights& weights, bool own_only, std::size_t n_threads) {
            const ClassRows rows = class_rows_of(proba, labels, weights);
            return with_threads(labels.shape(0), n_threads, [&](Threads threads) {
                return own_only ? own_squared_errors(rows, threads) : squared_errors(rows, threads);
            });
        },
        "proba"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert().none(), "own_only"_a, "n_threads"_a,
        "Sum the squared errors of all classes, or of each row's own.");
    module.def(
        "surprise",
        [](const Numbers& proba, const Flags& positive, const Weights& weights, double least, std::size_t n_threads) {
            const ScoreRows rows = rows_of(proba, positive, weights);
            return as_tuple(with_threads(proba.shape(0), n_threads,
                                         [&](Threads threads) { return surprise(rows, least, threads); }));
        },
        "proba"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "least"_a, "n_threads"_a,
        "Sum -ln p of each row's own class where it is between 0 and 1; give the weight of the rows where it is 0 and "
        "where it is 1.");
    module.def(
        "surprise_of_classes",
        [](const Table& proba, const Codes& labels, const Weights& weights, double least, std::size_t n_threads) {
            const ClassRows rows = class_rows_of(proba, labels, weights);
            return as_tuple(with_threads(labels.shape(0), n_threads,
                                         [&](Threads threads) { return surprise(rows, least, threads); }));
        },
        "proba"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert().none(), "least"_a, "n_threads"_a,
        "The same for several classes.");
    module.def(
        "width_sums",
        [](const Numbers& proba, const Flags& positive, const Weights& weights, std::size_t n_bins,
           std::size_t n_threads) {
            const ScoreRows rows = rows_of(proba, positive, weights);
            return columns_of(with_threads(proba.shape(0), n_threads,
                                           [&](Threads threads) { return width_sums(rows, n_bins, threads); }));
        },
        "proba"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "n_bins"_a, "n_threads"_a,
        "Give weight, weight of positives and sum of probabilities in bins of equal width from 0 to 1.");
}

}  // namespace calibrant
