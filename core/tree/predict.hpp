// Rows down a tree: which leaves answer, and the probabilities read from tables of one row for each node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"
#include "table/coding.hpp"
#include "tree/tree.hpp"

namespace calibrant {

// A column of rows to be predicted: numbers, NaN where unknown; category codes, negative where unknown or unseen; or
// the codes of the table that the tree was grown from, the greatest where unknown.
using PredictColumn = std::variant<StridedView<float>, StridedView<double>, StridedView<std::int32_t>,
                                   StridedView<std::uint16_t>, StridedView<std::uint32_t>>;

struct PredictRows {
    std::size_t n_rows = 0;
    std::vector<PredictColumn> columns;
};

// The rows of a table as they are coded.
PredictRows coded_rows(const CodedTable& table);

// A table with a row for each node, and where to write the answers, a row for each row predicted.
struct Reading {
    std::span<const double> table;
    std::span<double> out;
};

// Answers each row from every table in one descent: the row of the table at the leaf, or, where a tested value is
// unknown, the mean over the branches, weighted by their training weight; where they have none, the node itself
// answers.
void predict(const Tree& tree, const PredictRows& rows, std::span<const Reading> readings, std::size_t n_threads,
             const StopToken& stop);

// Writes the leaf of each row; with unknown values, the leaf that holds most of the row's weight, the first of equals.
void apply(const Tree& tree, const PredictRows& rows, std::span<std::int32_t> out, std::size_t n_threads,
           const StopToken& stop);

// The same tests, with the counts of these rows at every node; unknown values are shared out by the weights of the tree
// given. A node that no row reaches has its parent's majority class. A row of weight 0 is absent.
Tree count_rows(const Tree& tree, const PredictRows& rows, std::span<const std::uint16_t> labels,
                std::span<const double> weights, const StopToken& stop);

}  // namespace calibrant
