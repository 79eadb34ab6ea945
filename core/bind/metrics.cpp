// Metrics of predicted probabilities: losses, and measures of a ranking.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/bind.hpp"
#include "bind/interruptible.hpp"
#include "bind/score_rows.hpp"
#include "rank/losses.hpp"
#include "rank/rank_measures.hpp"
#include "rank/ranking.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

using Columns = std::tuple<NewVector, NewVector, NewVector>;

ClassRows class_rows_of(const Matrix<double>& proba, const Vector<std::int32_t>& labels, const MaybeWeights& weights) {
    const std::size_t n = proba.shape(0), n_classes = proba.shape(1);
    require(n > 0 && n_classes > 0, "there must be a row and a class");
    require(labels.shape(0) == n, "labels must have one entry for each row");
    const auto is_column = [&](std::int32_t label) {
        return label >= 0 && static_cast<std::size_t>(label) < n_classes;
    };
    require(std::all_of(labels.data(), labels.data() + n, is_column), "labels must be columns of proba");
    return {{proba.data(), n * n_classes}, {labels.data(), n}, weights_of(weights, n), n_classes};
}

Columns columns_of(const std::vector<RankBin>& bins) {
    Columns columns{new_vector(bins.size()), new_vector(bins.size()), new_vector(bins.size())};
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
    Columns columns{new_vector(n), new_vector(n), new_vector(n)};
    std::size_t i = 0;
    ranking.for_each_group([&](const ScoreGroup& group) {
        std::get<0>(columns).data()[i] = group.score;
        std::get<1>(columns).data()[i] = group.weight;
        std::get<2>(columns).data()[i++] = group.positive;
    });
    return columns;
}

// Runs work(Threads), interruptibly where there are many rows.
template <class Work>
auto with_threads(std::size_t n_rows, std::size_t n_threads, Work&& work) {
    return run_interruptibly(n_rows, [&](const StopToken& stop) { return work(Threads{n_threads, stop}); });
}

std::tuple<double, double, double> as_tuple(const LogLossSums& found) {
    return {found.sum, found.at_zero, found.at_one};
}

void bind_ranking(nb::module_& module) {
    const nb::call_guard<nb::gil_scoped_release> released;
    nb::class_<Ranking>(module, "Ranking", "Rows of two classes sorted by probability, the likeliest first.")
        .def(
            "__init__",
            [](Ranking* self, const Vector<double>& proba, const Vector<bool>& positive, const MaybeWeights& weights,
               std::size_t n_threads) {
                const ScoreRows rows = score_rows_of(proba, positive, weights);
                run_interruptibly(proba.shape(0),
                                  [&](const StopToken& stop) { return new (self) Ranking(rows, n_threads, stop); });
            },
            "proba"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "n_threads"_a)
        .def_prop_ro("weight", &Ranking::weight, "The weight of all rows.")
        .def_prop_ro("positive", &Ranking::positive, "The weight of the positive rows.")
        .def("groups", &groups_of,
             "Return the distinct probabilities, the highest first, with the weight of their rows and of the positive "
             "ones.")
        .def("auc", &area_under_roc, released, "Return the share of pairs in the right order, half of those tied.")
        .def("average_precision", &average_precision, released, "Return the mean precision at the positive rows.")
        .def("precision_area", &area_under_precision, "straight"_a, released,
             "Return the area under precision against recall.")
        .def("greatest_gap", &greatest_gap, released,
             "Return the greatest difference between the shares of both classes ranked as high.")
        .def("mean_lift", &mean_lift, "of_other"_a, released, "Return the mean lift over all ranks.")
        .def(
            "found_within",
            [](const Ranking& ranking, const Vector<double>& depths, bool of_other) {
                return to_vector(found_within(ranking, span_of(depths), of_other));
            },
            "depths"_a.noconvert(), "of_other"_a,
            "Return the positives expected among the first rows, for ascending weights of them.")
        .def(
            "precision_at",
            [](const Ranking& ranking, const Vector<double>& recalls) {
                return to_vector(precision_at(ranking, span_of(recalls)));
            },
            "recalls"_a.noconvert(), "Return the greatest precision at ascending recalls or beyond.")
        .def("window_calibration", &window_calibration, "width"_a, released,
             "Return the mean calibration error in windows of neighbouring ranks.")
        .def(
            "mass_bins",
            [](const Ranking& ranking, std::size_t n_bins) { return columns_of(mass_bins(ranking, n_bins)); },
            "n_bins"_a,
            "Return weight, weight of positives and sum of probabilities in bins of about equal weight, the lowest "
            "first.")
        .def("isotonic_gap", &isotonic_gap, released,
             "Return the mean difference, in absolute value, from the probabilities of isotonic regression.")
        .def(
            "hull", [](const Ranking& ranking) { return columns_of(hull_blocks(ranking)); },
            "Return weight, weight of positives and sum of probabilities in the blocks of isotonic regression, the "
            "highest first.");
}

}  // namespace

void bind_metrics(nb::module_& module) {
    bind_ranking(module);
    module.def(
        "squared_errors",
        [](const Vector<double>& proba, const Vector<bool>& positive, const MaybeWeights& weights,
           std::size_t n_threads) {
            const ScoreRows rows = score_rows_of(proba, positive, weights);
            return with_threads(proba.shape(0), n_threads,
                                [&](Threads threads) { return squared_errors(rows, threads); });
        },
        "proba"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "n_threads"_a,
        "Return the sum of the squared errors of the positive class.");
    module.def(
        "squared_errors_of_classes",
        [](const Matrix<double>& proba, const Vector<std::int32_t>& labels, const MaybeWeights& weights, bool own_only,
           std::size_t n_threads) {
            const ClassRows rows = class_rows_of(proba, labels, weights);
            return with_threads(labels.shape(0), n_threads, [&](Threads threads) {
                return own_only ? own_squared_errors(rows, threads) : squared_errors(rows, threads);
            });
        },
        "proba"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert().none(), "own_only"_a, "n_threads"_a,
        "Return the sum of the squared errors of all classes, or of each row's actual class.");
    module.def(
        "log_loss_sums",
        [](const Vector<double>& proba, const Vector<bool>& positive, const MaybeWeights& weights, double least,
           std::size_t n_threads) {
            const ScoreRows rows = score_rows_of(proba, positive, weights);
            return as_tuple(with_threads(proba.shape(0), n_threads,
                                         [&](Threads threads) { return log_loss_sums(rows, least, threads); }));
        },
        "proba"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "least"_a, "n_threads"_a,
        "Return the sum of -ln p of each row's actual class where p is between 0 and 1, and the weight of the rows "
        "where p "
        "is 0 and where it is 1.");
    module.def(
        "log_loss_sums_of_classes",
        [](const Matrix<double>& proba, const Vector<std::int32_t>& labels, const MaybeWeights& weights, double least,
           std::size_t n_threads) {
            const ClassRows rows = class_rows_of(proba, labels, weights);
            return as_tuple(with_threads(labels.shape(0), n_threads,
                                         [&](Threads threads) { return log_loss_sums(rows, least, threads); }));
        },
        "proba"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert().none(), "least"_a, "n_threads"_a,
        "Sum -ln p as log_loss_sums does, for several classes.");
    module.def(
        "width_sums",
        [](const Vector<double>& proba, const Vector<bool>& positive, const MaybeWeights& weights, std::size_t n_bins,
           std::size_t n_threads) {
            const ScoreRows rows = score_rows_of(proba, positive, weights);
            return columns_of(with_threads(proba.shape(0), n_threads,
                                           [&](Threads threads) { return width_sums(rows, n_bins, threads); }));
        },
        "proba"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "n_bins"_a, "n_threads"_a,
        "Return weight, weight of positives and sum of probabilities in bins of equal width from 0 to 1.");
}

}  // namespace calibrant
