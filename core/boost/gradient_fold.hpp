// One model of gradient boosting: grown on the rows of some folds, stopped early by those of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boost/gradient_bins.hpp"
#include "boost/gradient_options.hpp"
#include "boost/gradient_trees.hpp"
#include "stop.hpp"

namespace calibrant {

// Rows in the order of their folds.
struct BoostingRows {
    const BinnedTable* table;
    std::span<const std::uint16_t> labels;
    std::span<const double> weights;      // empty for 1 each
    std::span<const std::uint32_t> keys;  // of each row in draws of rows: its number in the original order
    std::size_t n_classes;
};

struct RowRange {
    std::size_t begin = 0, end = 0;

    std::size_t size() const { return end - begin; }
};

// The rows that a model sees.
struct ModelRows {
    std::vector<RowRange> grow{};
    RowRange stop{};
};

struct GradientModel {
    GradientTrees trees{};
    std::vector<double> start{};  // the scores before the first tree
    std::size_t n_rounds = 0;     // kept
};

GradientModel fit_model(const BoostingRows& rows, const ModelRows& of_model, const GradientOptions& options,
                        std::uint64_t seed, const StopToken& stop);

// Writes the scores of rows by a model; score s of the first row is at scores[s * stride].
void score_rows(const GradientModel& model, const BinnedTable& table, RowRange rows, double* scores,
                std::size_t stride);

}  // namespace calibrant
