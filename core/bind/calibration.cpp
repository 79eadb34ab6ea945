// The door to what calibrators compute: arrays in, arrays out, the GIL released; nothing is computed here.
#include "bind/calibration.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/interruptible.hpp"
#include "calibrate/cubic_pieces.hpp"
#include "calibrate/log_odds.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/pav.hpp"
#include "calibrate/score_bins.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = std::optional<Numbers>;

void require_length(std::size_t n, std::size_t n_rows, const char* what) {
    if (n != n_rows) throw nb::value_error(what);
}

ScoreRows rows_of(const Numbers& scores, const Flags& positive, const Weights& weights) {
    if (scores.shape(0) == 0) throw nb::value_error("there must be a row");
    require_length(positive.shape(0), scores.shape(0), "positive must have one entry for each score");
    ScoreRows rows{{scores.data(), scores.shape(0)}, {positive.data(), positive.shape(0)}, {}};
    if (weights) {
        require_length(weights->shape(0), scores.shape(0), "weights must have one entry for each score");
        rows.weights = {weights->data(), weights->shape(0)};
    }
    return rows;
}

using Column = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

nb::capsule new_memory(std::size_t n) {
    return {new double[n], [](void* memory) noexcept { delete[] static_cast<double*>(memory); }};
}

Column new_column(std::size_t n) {
    const nb::capsule owner = new_memory(n);
    return {owner.data(), {n}, owner};
}

Matrix new_matrix(std::size_t n_rows, std::size_t n_columns) {
    const nb::capsule owner = new_memory(n_rows * n_columns);
    return {owner.data(), {n_rows, n_columns}, owner};
}

// Gives one field of many structs as an array.
template <class Struct, class Field>
Column column_of(const std::vector<Struct>& all, Field&& field) {
    Column column = new_column(all.size());
    std::transform(all.begin(), all.end(), column.data(), field);
    return column;
}

Column column_of(const std::vector<double>& all) {
    return column_of(all, [](double value) { return value; });
}

template <auto Field>
Column block_column(const IsotonicFit& fit) {
    return column_of(fit.blocks, [](const ScoreBlock& block) { return block.*Field; });
}

template <auto Field>
Column bin_column(const ScoreBins& bins) {
    return column_of(bins.*Field);
}

IsotonicFit isotonic(const Numbers& scores, const Flags& positive, const Weights& weights, bool smooth_ends,
                     bool centred, std::size_t n_threads) {
    const ScoreRows rows = rows_of(scores, positive, weights);
    return run_interruptibly(
        [&](const StopToken& stop) { return fit_isotonic(rows, {smooth_ends, centred}, n_threads, stop); });
}

std::tuple<Column, Column, Column> pooled_ties(const Numbers& scores, const Flags& positive, const Weights& weights,
                                               std::size_t n_threads) {
    const ScoreRows rows = rows_of(scores, positive, weights);
    const auto groups = run_interruptibly([&](const StopToken& stop) { return pool_ties(rows, n_threads, stop); });
    return {column_of(groups, [](const ScoreGroup& group) { return group.score; }),
            column_of(groups, [](const ScoreGroup& group) { return group.weight; }),
            column_of(groups, [](const ScoreGroup& group) { return group.positive; })};
}

ScoreBins bins_by_count(const Numbers& scores, const Flags& positive, const Weights& weights, std::size_t n_bins,
                        std::size_t n_threads) {
    const ScoreRows rows = rows_of(scores, positive, weights);
    return run_interruptibly([&](const StopToken& stop) { return count_bins(rows, n_bins, n_threads, stop); });
}

ScoreBins bins_by_width(const Numbers& scores, const Flags& positive, const Weights& weights, std::size_t n_bins,
                        double low, double high) {
    const ScoreRows rows = rows_of(scores, positive, weights);
    const nb::gil_scoped_release released;
    return width_bins(rows, n_bins, low, high);
}

std::tuple<double, Column, Matrix> sums_at(const std::vector<Numbers>& columns, const Numbers& scale,
                                           const Numbers& shift, const Flags& positive, const Weights& weights,
                                           double low, double high, const Numbers& coef, std::size_t n_threads) {
    const std::size_t n_coefs = columns.size() + 1;
    if (n_coefs > LogisticSums::most) throw nb::value_error("there must be fifteen columns or fewer");
    require_length(scale.shape(0), columns.size(), "scale must have one entry for each column");
    require_length(shift.shape(0), columns.size(), "shift must have one entry for each column");
    require_length(coef.shape(0), n_coefs, "coef must have one entry for each column, and the intercept");
    LogisticRows rows{{}, {positive.data(), positive.shape(0)}, {}, low, high};
    for (std::size_t j = 0; j < columns.size(); ++j) {
        rows_of(columns[j], positive, weights);
        rows.columns.push_back({columns[j].data(), scale.data()[j], shift.data()[j]});
    }
    if (weights) rows.weights = {weights->data(), weights->shape(0)};
    const LogisticSums sums = [&] {
        const nb::gil_scoped_release released;
        return logistic_sums(rows, {coef.data(), n_coefs}, n_threads, {});
    }();
    Column gradient = new_column(n_coefs);
    Matrix hessian = new_matrix(n_coefs, n_coefs);
    for (std::size_t a = 0; a < n_coefs; ++a) {
        gradient.data()[a] = sums.gradient[a];
        for (std::size_t b = 0; b < n_coefs; ++b) hessian.data()[a * n_coefs + b] = sums.hessian[a][b];
    }
    return {sums.loss, gradient, hessian};
}

using Whole = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Cubics = nb::ndarray<const double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

std::vector<std::size_t> bounds_of(const Whole& bounds, std::size_t n_pieces, std::size_t n_rows) {
    require_length(bounds.shape(0), n_pieces + 1, "bounds must have one entry for each piece, and the end");
    std::vector<std::size_t> found(bounds.data(), bounds.data() + bounds.shape(0));
    if (!std::is_sorted(found.begin(), found.end()) || found.back() > n_rows)
        throw nb::value_error("bounds must rise to the number of rows");
    return found;
}

std::tuple<double, Matrix, Matrix> pieces_at(const Numbers& away, const Numbers& weights, const Numbers& goals,
                                             const Whole& bounds, const Cubics& cubics, std::size_t n_threads) {
    const std::size_t n_rows = away.shape(0), n_pieces = cubics.shape(0);
    require_length(weights.shape(0), n_rows, "weights must have one entry for each row");
    require_length(goals.shape(0), n_rows, "goals must have one entry for each row");
    const auto whole = bounds_of(bounds, n_pieces, n_rows);
    std::vector<Cubic> curve(n_pieces);
    for (std::size_t k = 0; k < n_pieces; ++k) std::copy_n(cubics.data() + 4 * k, 4, curve[k].begin());
    const PieceRows rows{{away.data(), n_rows}, {weights.data(), n_rows}, {goals.data(), n_rows}, whole};
    const auto sums = [&] {
        const nb::gil_scoped_release released;
        return piece_sums(rows, curve, n_threads, {});
    }();
    double loss = 0;
    Matrix slopes = new_matrix(n_pieces, 4), curvature = new_matrix(n_pieces, 7);
    for (std::size_t k = 0; k < n_pieces; ++k) {
        loss += sums[k].loss;
        std::copy(sums[k].slopes.begin(), sums[k].slopes.end(), slopes.data() + 4 * k);
        std::copy(sums[k].curvature.begin(), sums[k].curvature.end(), curvature.data() + 7 * k);
    }
    return {loss, slopes, curvature};
}

template <auto Write>
Column written(const Numbers& proba, double least) {
    Column out = new_column(proba.shape(0));
    const nb::gil_scoped_release released;
    Write({proba.data(), proba.shape(0)}, least, {out.data(), proba.shape(0)});
    return out;
}

}  // namespace

void bind_calibration(nb::module_& module) {
    nb::class_<IsotonicFit>(module, "IsotonicFit",
                            "Blocks of neighbouring scores that share a probability, and how rows rank by either.")
        .def_prop_ro("first", &block_column<&ScoreBlock::first>, nb::rv_policy::move, "The least score of each block.")
        .def_prop_ro("last", &block_column<&ScoreBlock::last>, nb::rv_policy::move, "The greatest score of each block.")
        .def_prop_ro("centre", &block_column<&ScoreBlock::centre>, nb::rv_policy::move,
                     "The weighted mean score of each block.")
        .def_prop_ro(
            "probability",
            [](const IsotonicFit& fit) {
                return column_of(fit.blocks, [](const ScoreBlock& block) { return block.probability(); });
            },
            nb::rv_policy::move)
        .def_prop_ro("auc_before", [](const IsotonicFit& fit) { return fit.before.auc; })
        .def_prop_ro("auc_after", [](const IsotonicFit& fit) { return fit.after.auc; })
        .def_prop_ro(
            "pairs_before", [](const IsotonicFit& fit) { return fit.before.pairs_apart; },
            "Weight of the pairs of rows with different scores.")
        .def_prop_ro(
            "pairs_after", [](const IsotonicFit& fit) { return fit.after.pairs_apart; },
            "Weight of those with different probabilities.");

    module.def("fit_isotonic", &isotonic, "scores"_a.noconvert(), "positive"_a.noconvert(),
               "weights"_a.noconvert().none(), "smooth_ends"_a, "centred"_a, "n_threads"_a,
               "Pool scores that are equal, then neighbours whose share of positive rows falls.");
    module.def(
        "pool_ties", &pooled_ties, "scores"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(),
        "n_threads"_a,
        "Give the distinct scores, ascending, with the weight of their rows and of the positive ones among them.");

    nb::class_<ScoreBins>(module, "ScoreBins", "Scores in bins, with the weight of their rows.")
        .def_prop_ro("below", &bin_column<&ScoreBins::below>, nb::rv_policy::move,
                     "The last score of each bin but the last, or its upper edge.")
        .def_prop_ro("above", &bin_column<&ScoreBins::above>, nb::rv_policy::move,
                     "The first score of each bin but the first, or its lower edge.")
        .def_prop_ro("weight", &bin_column<&ScoreBins::weight>, nb::rv_policy::move)
        .def_prop_ro("positive", &bin_column<&ScoreBins::positive>, nb::rv_policy::move,
                     "The weight of the positive rows of each bin.");
    module.def("count_bins", &bins_by_count, "scores"_a.noconvert(), "positive"_a.noconvert(),
               "weights"_a.noconvert().none(), "n_bins"_a, "n_threads"_a,
               "Close a bin as soon as it holds its share of the weight and the score changes.");
    module.def("width_bins", &bins_by_width, "scores"_a.noconvert(), "positive"_a.noconvert(),
               "weights"_a.noconvert().none(), "n_bins"_a, "low"_a, "high"_a,
               "Count rows in bins of equal width from low to high.");

    module.def("logistic_sums", &sums_at, "columns"_a.noconvert(), "scale"_a.noconvert(), "shift"_a.noconvert(),
               "positive"_a.noconvert(), "weights"_a.noconvert().none(), "low"_a, "high"_a, "coef"_a.noconvert(),
               "n_threads"_a,
               "Give the cross-entropy at some coefficients of columns * scale - shift, the intercept last, with its "
               "gradient and its Hessian.");
    module.def("piece_sums", &pieces_at, "away"_a.noconvert(), "weights"_a.noconvert(), "goals"_a.noconvert(),
               "bounds"_a.noconvert(), "cubics"_a.noconvert(), "n_threads"_a,
               "Give the cross-entropy of log-odds that are cubic in each piece of the rows, and for each piece the "
               "moments of its derivatives.");
    module.def("logs", &written<&write_logs>, "proba"_a.noconvert(), "least"_a, "Give ln p, p kept at least or more.");
    module.def("logits", &written<&write_logits>, "proba"_a.noconvert(), "least"_a,
               "Give ln(p / (1 - p)), p kept that far from 0 and 1.");
}

}  // namespace calibrant
