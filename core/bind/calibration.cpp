// What calibrators compute: isotonic regression, binning, logistic regression, splines, Venn-Abers predictors.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "bind/bind.hpp"
#include "bind/interruptible.hpp"
#include "bind/score_rows.hpp"
#include "calibrate/cubic_pieces.hpp"
#include "calibrate/log_odds.hpp"
#include "calibrate/logistic.hpp"
#include "calibrate/pav.hpp"
#include "calibrate/score_bins.hpp"
#include "calibrate/venn_abers.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

void require_length(std::size_t n, std::size_t n_rows, const char* what) { require(n == n_rows, what); }

template <auto Field>
NewVector block_field(const IsotonicFit& fit) {
    return to_vector(fit.blocks, [](const ScoreBlock& block) { return block.*Field; });
}

template <auto Field>
NewVector bin_field(const ScoreBins& bins) {
    return to_vector(bins.*Field);
}

IsotonicFit isotonic(const Vector<double>& scores, const Vector<bool>& positive, const MaybeWeights& weights,
                     bool smooth_ends, bool centred, std::size_t n_threads) {
    const ScoreRows rows = score_rows_of(scores, positive, weights);
    return run_interruptibly(
        [&](const StopToken& stop) { return fit_isotonic(rows, {smooth_ends, centred}, n_threads, stop); });
}

std::tuple<NewVector, NewVector, NewVector> pooled_ties(const Vector<double>& scores, const Vector<bool>& positive,
                                                        const MaybeWeights& weights, std::size_t n_threads) {
    const ScoreRows rows = score_rows_of(scores, positive, weights);
    const auto groups = run_interruptibly([&](const StopToken& stop) { return pool_ties(rows, n_threads, stop); });
    return {to_vector(groups, [](const ScoreGroup& group) { return group.score; }),
            to_vector(groups, [](const ScoreGroup& group) { return group.weight; }),
            to_vector(groups, [](const ScoreGroup& group) { return group.positive; })};
}

ScoreBins bins_by_count(const Vector<double>& scores, const Vector<bool>& positive, const MaybeWeights& weights,
                        std::size_t n_bins, std::size_t n_threads) {
    const ScoreRows rows = score_rows_of(scores, positive, weights);
    return run_interruptibly([&](const StopToken& stop) { return count_bins(rows, n_bins, n_threads, stop); });
}

ScoreBins bins_by_width(const Vector<double>& scores, const Vector<bool>& positive, const MaybeWeights& weights,
                        std::size_t n_bins, double low, double high) {
    const ScoreRows rows = score_rows_of(scores, positive, weights);
    const nb::gil_scoped_release released;
    return width_bins(rows, n_bins, low, high);
}

std::tuple<double, NewVector, NewMatrix> sums_at(const std::vector<Vector<double>>& columns,
                                                 const Vector<double>& scale, const Vector<double>& shift,
                                                 const Vector<bool>& positive, const MaybeWeights& weights, double low,
                                                 double high, const Vector<double>& coef, std::size_t n_threads) {
    const std::size_t n_coefs = columns.size() + 1;
    if (n_coefs > LogisticSums::most) throw nb::value_error("there must be fifteen columns or fewer");
    require_length(scale.shape(0), columns.size(), "scale must have one entry for each column");
    require_length(shift.shape(0), columns.size(), "shift must have one entry for each column");
    require_length(coef.shape(0), n_coefs, "coef must have one entry for each column, and the intercept");
    LogisticRows rows{{}, {positive.data(), positive.shape(0)}, {}, low, high};
    for (std::size_t j = 0; j < columns.size(); ++j) {
        score_rows_of(columns[j], positive, weights);
        rows.columns.push_back({columns[j].data(), scale.data()[j], shift.data()[j]});
    }
    if (weights) rows.weights = {weights->data(), weights->shape(0)};
    const LogisticSums sums = [&] {
        const nb::gil_scoped_release released;
        return logistic_sums(rows, {coef.data(), n_coefs}, n_threads, {});
    }();
    NewVector gradient = new_vector(n_coefs);
    NewMatrix hessian = new_matrix(n_coefs, n_coefs);
    for (std::size_t a = 0; a < n_coefs; ++a) {
        gradient.data()[a] = sums.gradient[a];
        for (std::size_t b = 0; b < n_coefs; ++b) hessian.data()[a * n_coefs + b] = sums.hessian[a][b];
    }
    return {sums.loss, gradient, hessian};
}

using Cubics = nb::ndarray<const double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

std::vector<std::size_t> bounds_of(const Vector<std::int64_t>& bounds, std::size_t n_pieces, std::size_t n_rows) {
    require_length(bounds.shape(0), n_pieces + 1, "bounds must have one entry for each piece, and the end");
    std::vector<std::size_t> found(bounds.data(), bounds.data() + bounds.shape(0));
    if (!std::is_sorted(found.begin(), found.end()) || found.back() > n_rows)
        throw nb::value_error("bounds must rise to the number of rows");
    return found;
}

std::tuple<double, NewMatrix, NewMatrix> pieces_at(const Vector<double>& offsets, const Vector<double>& weights,
                                                   const Vector<double>& targets, const Vector<std::int64_t>& bounds,
                                                   const Cubics& cubics, std::size_t n_threads) {
    const std::size_t n_rows = offsets.shape(0), n_pieces = cubics.shape(0);
    require_length(weights.shape(0), n_rows, "weights must have one entry for each row");
    require_length(targets.shape(0), n_rows, "targets must have one entry for each row");
    const auto whole = bounds_of(bounds, n_pieces, n_rows);
    std::vector<Cubic> curve(n_pieces);
    for (std::size_t k = 0; k < n_pieces; ++k) std::copy_n(cubics.data() + 4 * k, 4, curve[k].begin());
    const PieceRows rows{{offsets.data(), n_rows}, {weights.data(), n_rows}, {targets.data(), n_rows}, whole};
    const auto sums = [&] {
        const nb::gil_scoped_release released;
        return piece_sums(rows, curve, n_threads, {});
    }();
    double loss = 0;
    NewMatrix slopes = new_matrix(n_pieces, 4), curvature = new_matrix(n_pieces, 7);
    for (std::size_t k = 0; k < n_pieces; ++k) {
        loss += sums[k].loss;
        std::copy(sums[k].slopes.begin(), sums[k].slopes.end(), slopes.data() + 4 * k);
        std::copy(sums[k].curvature.begin(), sums[k].curvature.end(), curvature.data() + 7 * k);
    }
    return {loss, slopes, curvature};
}

template <auto Write>
NewVector written(const Vector<double>& proba, double least) {
    NewVector out = new_vector(proba.shape(0));
    const nb::gil_scoped_release released;
    Write({proba.data(), proba.shape(0)}, least, {out.data(), proba.shape(0)});
    return out;
}

void write_venn_abers(const Vector<double>& weight, const Vector<double>& positive, const OutputVector& if_negative,
                      const OutputVector& if_positive) {
    const std::size_t n = weight.size();
    if (positive.size() != n || if_negative.size() != n + 1 || if_positive.size() != n + 1)
        throw std::invalid_argument("the outputs must have one entry more than there are scores");
    const nb::gil_scoped_release released;
    venn_abers({{weight.data(), n}, {positive.data(), n}}, {{if_negative.data(), n + 1}, {if_positive.data(), n + 1}});
}

}  // namespace

void bind_calibration(nb::module_& module) {
    nb::class_<IsotonicFit>(
        module, "IsotonicFit",
        "Blocks of neighbouring scores that share a probability, and the ranking by scores and by probabilities.")
        .def_prop_ro("first", &block_field<&ScoreBlock::first>, nb::rv_policy::move, "The least score of each block.")
        .def_prop_ro("last", &block_field<&ScoreBlock::last>, nb::rv_policy::move, "The greatest score of each block.")
        .def_prop_ro("centre", &block_field<&ScoreBlock::centre>, nb::rv_policy::move,
                     "The weighted mean score of each block.")
        .def_prop_ro(
            "probability",
            [](const IsotonicFit& fit) {
                return to_vector(fit.blocks, [](const ScoreBlock& block) { return block.probability(); });
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
               "Fit isotonic regression: pool equal scores, then adjacent violators.");
    module.def(
        "pool_ties", &pooled_ties, "scores"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(),
        "n_threads"_a,
        "Return the distinct scores, ascending, with the weight of their rows and of the positive ones among them.");

    nb::class_<ScoreBins>(module, "ScoreBins", "Scores in bins, with the weight of their rows.")
        .def_prop_ro("below", &bin_field<&ScoreBins::below>, nb::rv_policy::move,
                     "The last score of each bin but the last, or its upper edge.")
        .def_prop_ro("above", &bin_field<&ScoreBins::above>, nb::rv_policy::move,
                     "The first score of each bin but the first, or its lower edge.")
        .def_prop_ro("weight", &bin_field<&ScoreBins::weight>, nb::rv_policy::move)
        .def_prop_ro("positive", &bin_field<&ScoreBins::positive>, nb::rv_policy::move,
                     "The weight of the positive rows of each bin.");
    module.def("count_bins", &bins_by_count, "scores"_a.noconvert(), "positive"_a.noconvert(),
               "weights"_a.noconvert().none(), "n_bins"_a, "n_threads"_a,
               "Return bins of about equal weight: each is closed once it holds its share and the score changes.");
    module.def("width_bins", &bins_by_width, "scores"_a.noconvert(), "positive"_a.noconvert(),
               "weights"_a.noconvert().none(), "n_bins"_a, "low"_a, "high"_a,
               "Return bins of equal width from low to high.");

    module.def("logistic_sums", &sums_at, "columns"_a.noconvert(), "scale"_a.noconvert(), "shift"_a.noconvert(),
               "positive"_a.noconvert(), "weights"_a.noconvert().none(), "low"_a, "high"_a, "coef"_a.noconvert(),
               "n_threads"_a,
               "Return the cross-entropy at some coefficients of columns * scale - shift, the intercept last, with its "
               "gradient and its Hessian.");
    module.def("piece_sums", &pieces_at, "offsets"_a.noconvert(), "weights"_a.noconvert(), "targets"_a.noconvert(),
               "bounds"_a.noconvert(), "cubics"_a.noconvert(), "n_threads"_a,
               "Return the cross-entropy of log-odds that are cubic in each piece of the rows, and for each piece the "
               "moments of its derivatives.");
    module.def("logs", &written<&write_logs>, "proba"_a.noconvert(), "least"_a,
               "Return ln p, p clipped to least or more.");
    module.def("logits", &written<&write_logits>, "proba"_a.noconvert(), "least"_a,
               "Return ln(p / (1 - p)), p clipped to [least, 1 - least].");
    module.def("venn_abers", &write_venn_abers, "weight"_a.noconvert(), "positive"_a.noconvert(),
               "if_negative"_a.noconvert(), "if_positive"_a.noconvert(),
               "Write p0 and p1 at each position among distinct ascending scores, from the weight at each and that of "
               "its positive rows.");
}

}  // namespace calibrant
