// Predictions of one tree: the leaves that rows reach, and the rows of tables looked up there.
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

// A column of rows to predict: numbers, NaN where missing; category codes, negative where missing or unseen; or the
// codes of the table that the tree was grown from, the greatest where missing.
using PredictColumn = std::variant<StridedView<float>, StridedView<double>, StridedView<std::int32_t>,
                                   StridedView<std::uint8_t>, StridedView<std::uint16_t>, StridedView<std::uint32_t>>;

struct PredictRows {
    std::size_t n_rows = 0;
    std::vector<PredictColumn> columns;
};

// The rows of a coded table.
PredictRows coded_rows(const CodedTable& table);

// A table with a row for each node, and the output, a row for each row predicted.
struct TableLookup {
    std::span<const double> table;
    std::span<double> out;
};

// Writes for each row and every table, in one descent, the table's row at the leaf or, where a tested value is missing,
// the mean over the branches, weighted by their training weight; where they have none, the table's row at the node.
void predict(const Tree& tree, const PredictRows& rows, std::span<const TableLookup> lookups, std::size_t n_threads,
             const StopToken& stop);

// Writes the leaf of each row; with missing values, the leaf with the largest share of the row, the first of equals.
void apply(const Tree& tree, const PredictRows& rows, std::span<std::int32_t> out, std::size_t n_threads,
           const StopToken& stop);

// Returns the same tests with the counts of these rows at every node; rows with missing values are split by the weights
// of `tree`. A node that no row reaches has its parent's majority class. A row of weight 0 is absent.
Tree count_rows(const Tree& tree, const PredictRows& rows, std::span<const std::uint16_t> labels,
                std::span<const double> weights, const StopToken& stop);

}  // namespace calibrant
