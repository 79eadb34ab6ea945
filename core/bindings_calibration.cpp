// The door to what calibrators compute: arrays in, arrays out, the GIL released; nothing is computed here.
#include "bindings_calibration.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <vector>

#include "interruptible.hpp"
#include "pav.hpp"

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
    require_length(positive.shape(0), scores.shape(0), "positive must have one entry for each score");
    ScoreRows rows{{scores.data(), scores.shape(0)}, {positive.data(), positive.shape(0)}, {}};
    if (weights) {
        require_length(weights->shape(0), scores.shape(0), "weights must have one entry for each score");
        rows.weights = {weights->data(), weights->shape(0)};
    }
    return rows;
}

// Gives one field of many structs as an array.
template <class Struct, class Field>
nb::object column_of(const std::vector<Struct>& all, Field&& field) {
    auto* const values = new double[all.size()];
    const nb::capsule owner(values, [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
    for (std::size_t i = 0; i < all.size(); ++i) values[i] = field(all[i]);
    return nb::ndarray<nb::numpy, double>(values, {all.size()}, owner).cast();
}

template <auto Field>
nb::object block_column(const IsotonicFit& fit) {
    return column_of(fit.blocks, [](const ScoreBlock& block) { return block.*Field; });
}

IsotonicFit isotonic(const Numbers& scores, const Flags& positive, const Weights& weights, bool smooth_ends, bool centred, std::size_t n_threads) {
    const ScoreRows rows = rows_of(scores, positive, weights);
    return run_interruptibly([&](const std::stop_token& stop) { return fit_isotonic(rows, {smooth_ends, centred}, n_threads, stop); });
}

nb::tuple pooled_ties(const Numbers& scores, const Flags& positive, const Weights& weights, std::size_t n_threads) {
    const ScoreRows rows = rows_of(scores, positive, weights);
    const auto groups = run_interruptibly([&](const std::stop_token& stop) { return pool_ties(rows, n_threads, stop); });
    return nb::make_tuple(column_of(groups, [](const ScoreGroup& group) { return group.score; }),
                          column_of(groups, [](const ScoreGroup& group) { return group.weight; }),
                          column_of(groups, [](const ScoreGroup& group) { return group.positive; }));
}

}  // namespace

void bind_calibration(nb::module_& module) {
    nb::class_<IsotonicFit>(module, "IsotonicFit", "Blocks of neighbouring scores that share a probability, and how rows rank by either.")
        .def_prop_ro("first", &block_column<&ScoreBlock::first>, "The least score of each block.")
        .def_prop_ro("last", &block_column<&ScoreBlock::last>, "The greatest score of each block.")
        .def_prop_ro("centre", &block_column<&ScoreBlock::centre>, "The weighted mean score of each block.")
        .def_prop_ro("probability", [](const IsotonicFit& fit) { return column_of(fit.blocks, [](const ScoreBlock& block) { return block.probability(); }); })
        .def_prop_ro("auc_before", [](const IsotonicFit& fit) { return fit.before.auc; })
        .def_prop_ro("auc_after", [](const IsotonicFit& fit) { return fit.after.auc; })
        .def_prop_ro("pairs_before", [](const IsotonicFit& fit) { return fit.before.pairs_apart; }, "Weight of the pairs of rows with different scores.")
        .def_prop_ro("pairs_after", [](const IsotonicFit& fit) { return fit.after.pairs_apart; }, "Weight of those with different probabilities.");

    module.def("fit_isotonic", &isotonic, "scores"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "smooth_ends"_a, "centred"_a,
               "n_threads"_a, "Pool scores that are equal, then neighbours whose share of positive rows falls.");
    module.def("pool_ties", &pooled_ties, "scores"_a.noconvert(), "positive"_a.noconvert(), "weights"_a.noconvert().none(), "n_threads"_a,
               "Give the distinct scores, ascending, with the weight of their rows and of the positive ones among them.");
}

}  // namespace calibrant
