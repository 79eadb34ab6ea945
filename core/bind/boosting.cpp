// Boosting: stumps, and trees by gradients.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/interruptible.hpp"
#include "bind/rows.hpp"
#include "boost/gradient_boosting.hpp"
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

Stump best_stump(StumpSearch& search, const Vector<double>& weights) {
    return run_interruptibly(search.n_rows(),
                             [&](const StopToken& stop) { return search.best(span_of(weights), stop); });
}

void reweight(StumpSearch& search, const Stump& stump, const Matrix<double>& factors, const OutputVector& weights) {
    const nb::gil_scoped_release released;
    search.reweight(stump, span_of(factors), span_of(weights), heeded_stop);
}

nb::object counts_of(const Stump& stump) {
    const std::size_t n_classes = stump.counts.size() / 3;
    return nb::ndarray<nb::numpy, const double>(stump.counts.data(), {3, n_classes}).cast(nb::rv_policy::copy);
}

GradientFolds fit_folds(const CodedTable& table, const Vector<std::uint16_t>& labels,
                        const std::optional<Vector<double>>& weights, const Vector<std::uint16_t>& folds,
                        std::size_t n_classes, const GradientOptions& options, const Vector<std::uint64_t>& seeds,
                        const OutputMatrix& held_out, std::size_t n_threads) {
    const GradientProblem problem{&table, span_of(labels), span_of(weights), span_of(folds), n_classes, seeds.size()};
    return run_interruptibly([&](const StopToken& stop) {
        return fit_gradient_folds(problem, options, span_of(seeds), span_of(held_out), n_threads, stop);
    });
}

void predict_folds(const GradientFolds& folds, std::size_t n_rows, const PredictArgument& columns, bool by_scores,
                   const OutputMatrix& out, std::size_t n_threads) {
    const PredictRows rows = rows_to_predict(n_rows, columns);
    const auto work = [&](const StopToken& stop) {
        predict_gradient_folds(folds, rows, by_scores, span_of(out), n_threads, stop);
    };
    if (n_rows * folds.trees.n_trees() > small_job) return run_interruptibly(work);
    const nb::gil_scoped_release released;
    work(StopToken{});
}

template <class T>
nb::object copy_of(const std::vector<T>& values) {
    return to_numpy(std::vector<T>(values), {values.size()});
}

// The sets as rows of four words.
nb::object copy_of(const std::vector<CategorySet>& sets) {
    std::vector<std::uint64_t> words;
    for (const CategorySet& set : sets) words.insert(words.end(), set.begin(), set.end());
    return to_numpy(std::move(words), {sets.size(), std::size_t{4}});
}

template <class T>
std::vector<T> vector_of(const Vector<T>& array) {
    return {array.data(), array.data() + array.size()};
}

std::vector<CategorySet> sets_of(const Matrix<std::uint64_t>& words) {
    std::vector<CategorySet> sets(words.shape(0));
    if (words.shape(1) != 4) throw std::invalid_argument("a set of categories must have four words");
    if (!sets.empty()) std::memcpy(sets.data(), words.data(), words.size() * sizeof(std::uint64_t));
    return sets;
}

using RulesState = std::tuple<Vector<std::uint8_t>, Vector<std::uint16_t>, Vector<std::uint32_t>, Vector<double>,
                              Vector<std::uint32_t>, Vector<std::uint8_t>>;
using TreesState = std::tuple<Vector<std::uint32_t>, Vector<std::uint32_t>, Vector<std::uint16_t>,
                              Vector<std::uint32_t>, Vector<std::uint8_t>, Vector<std::uint8_t>, Vector<std::int32_t>,
                              Vector<std::uint64_t>, Vector<double>, Matrix<std::uint64_t>>;
using FoldsState =
    std::tuple<std::size_t, RulesState, TreesState, Vector<std::uint32_t>, Vector<double>, Vector<std::uint32_t>>;

nb::tuple state_of(const GradientFolds& folds) {
    const auto& [n_classes, rules, trees, first_tree, start, n_rounds] = folds;
    return nb::make_tuple(
        n_classes,
        nb::make_tuple(copy_of(rules.is_nominal), copy_of(rules.n_bins), copy_of(rules.first_cut), copy_of(rules.cuts),
                       copy_of(rules.first_category), copy_of(rules.bin_of_category)),
        nb::make_tuple(copy_of(trees.first_node), copy_of(trees.first_leaf), copy_of(trees.score),
                       copy_of(trees.column), copy_of(trees.cut), copy_of(trees.also), copy_of(trees.set_index),
                       copy_of(trees.kept_leaves), copy_of(trees.values), copy_of(trees.sets)),
        copy_of(first_tree), copy_of(start), copy_of(n_rounds));
}

void restore(GradientFolds& folds, const FoldsState& state) {
    const auto vectors = [](const auto&... arrays) { return std::make_tuple(vector_of(arrays)...); };
    GradientFolds made;
    const auto& [n_classes, rules, trees, first_tree, start, n_rounds] = state;
    made.n_classes = n_classes;
    std::tie(made.rules.is_nominal, made.rules.n_bins, made.rules.first_cut, made.rules.cuts, made.rules.first_category,
             made.rules.bin_of_category) = std::apply(vectors, rules);
    const auto& [first_node, first_leaf, score, column, cut, also, set_index, kept, values, sets] = trees;
    std::tie(made.trees.first_node, made.trees.first_leaf, made.trees.score, made.trees.column, made.trees.cut,
             made.trees.also, made.trees.set_index, made.trees.kept_leaves, made.trees.values) =
        vectors(first_node, first_leaf, score, column, cut, also, set_index, kept, values);
    made.trees.sets = sets_of(sets);
    std::tie(made.first_tree, made.start, made.n_rounds) = vectors(first_tree, start, n_rounds);
    made.check();
    new (&folds) GradientFolds(std::move(made));
}

void bind_options(nb::module_& module) {
    nb::class_<GradientOptions>(module, "GradientOptions", "Options of gradient boosting.")
        .def(nb::init<>())
        .def_rw("rate", &GradientOptions::rate)
        .def_rw("max_rounds", &GradientOptions::max_rounds)
        .def_rw("patience", &GradientOptions::patience)
        .def_rw("max_leaves", &GradientOptions::max_leaves)
        .def_rw("max_depth", &GradientOptions::max_depth)
        .def_rw("l2", &GradientOptions::l2)
        .def_rw("min_leaf", &GradientOptions::min_leaf)
        .def_rw("min_hessian", &GradientOptions::min_hessian)
        .def_rw("column_share", &GradientOptions::column_share)
        .def_rw("node_share", &GradientOptions::node_share)
        .def_rw("row_share", &GradientOptions::row_share)
        .def_rw("category_smoothing", &GradientOptions::category_smoothing)
        .def_rw("category_l2", &GradientOptions::category_l2)
        .def_rw("category_support", &GradientOptions::category_support)
        .def_rw("max_categories", &GradientOptions::max_categories)
        .def_rw("max_bins", &GradientOptions::max_bins);
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

void bind_gradient_boosting(nb::module_& module) {
    bind_options(module);
    nb::class_<GradientFolds>(module, "GradientFolds", "The gradient-boosted models of all folds.")
        .def_prop_ro("n_rounds", [](const GradientFolds& folds) { return copy_of(folds.n_rounds); })
        .def("predict_proba", &predict_folds, "n_rows"_a, "columns"_a.noconvert(), "by_scores"_a, "out"_a.noconvert(),
             "n_threads"_a, "Write the class probabilities of rows, in the order of the labels.")
        .def("__getstate__", &state_of)
        .def("__setstate__", &restore);
    module.def("fit_gradient_folds", &fit_folds, "table"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none(),
               "folds"_a.noconvert(), "n_classes"_a, "options"_a, "seeds"_a.noconvert(), "held_out"_a.noconvert(),
               "n_threads"_a,
               "Fit a model for each fold, stopped early by the next one; write the probabilities of held-out rows.");
}

}  // namespace calibrant
