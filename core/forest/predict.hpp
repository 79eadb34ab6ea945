// Predictions of many trees, summed.
#pragma once

#include <cstddef>
#include <span>

#include "stop.hpp"
#include "tree/predict.hpp"

namespace calibrant {

// A tree and its table of predictions, a row for each node; all tables of a forest have the same width.
struct Member {
    const Tree* tree;
    std::span<const double> table;
};

// Writes for each row the sum over the members of the table's row at its leaf, in the order of the members; missing
// values are handled as in `predict`. Rows go through all trees block by block.
void sum_predictions(std::span<const Member> members, const PredictRows& rows, std::span<double> out,
                     std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
