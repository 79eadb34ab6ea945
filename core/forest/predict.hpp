// Rows down many trees: the sum of what they answer.
#pragma once

#include <cstddef>
#include <span>

#include "stop.hpp"
#include "tree/predict.hpp"

namespace calibrant {

// A tree and its table, a row for each node; all tables of a forest are equally wide.
struct Member {
    const Tree* tree;
    std::span<const double> table;
};

// Writes for each row the sum over the members of the row of the table at the leaf, in the order of the members;
// unknown values as in `predict`. Rows go block by block through all trees.
void sum_answers(std::span<const Member> members, const PredictRows& rows, std::span<double> out, std::size_t n_threads,
                 const StopToken& stop);

}  // namespace calibrant
