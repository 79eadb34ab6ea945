// Gradient boosting with a model for each fold: it predicts the rows of its fold, whose classes it has not seen, and
// all models together predict new rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boost/gradient_bins.hpp"
#include "boost/gradient_options.hpp"
#include "boost/gradient_trees.hpp"
#include "stop.hpp"
#include "table/coded_table.hpp"
#include "tree/predict.hpp"

namespace calibrant {

// The models of all folds.
struct GradientFolds {
    std::size_t n_classes = 0;
    BinRules rules{};
    GradientTrees trees{};                     // those of the first model, then of the second, ...
    std::vector<std::uint32_t> first_tree{0};  // of each model, and their number
    std::vector<double> start{};               // models x scores
    std::vector<std::uint32_t> n_rounds{};     // of each model

    std::size_t n_models() const { return n_rounds.size(); }
    // Throws std::invalid_argument where arrays do not fit together.
    void check() const;
};

struct GradientProblem {
    const CodedTable* table;
    std::span<const std::uint16_t> labels;
    std::span<const double> weights;       // empty for 1 each
    std::span<const std::uint16_t> folds;  // of each row
    std::size_t n_classes, n_folds;
};

// Model k grows on all folds but k and k + 1, stops early by fold k + 1, and writes the probabilities of the rows of
// fold k to `held_out`, row-major. Folds are shared among threads; the result is the same for any number of them.
GradientFolds fit_gradient_folds(const GradientProblem& problem, const GradientOptions& options,
                                 std::span<const std::uint64_t> seeds, std::span<double> held_out,
                                 std::size_t n_threads, const StopToken& stop);

// Writes the probabilities of rows, row-major: the softmax of the mean scores of the models, or their mean
// probabilities.
void predict_gradient_folds(const GradientFolds& folds, const PredictRows& rows, bool by_scores, std::span<double> out,
                            std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
