// What one part of the rows contributes to a tree that is grown level by level: histograms of its open nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"
#include "tree/tree.hpp"

namespace calibrant {

// The rows of a part: a table of bytes, the class of each row and its weight in the tree; no weights: 1 each.
struct PartRows {
    const CodedTable* table = nullptr;
    std::span<const std::uint16_t> labels;
    std::span<const double> weights;
    std::size_t n_classes = 0;
};

// What the rows of a part that have weight add to the root.
struct PartTotals {
    std::vector<double> counts{};  // class weights
    std::size_t n_rows = 0;
    double heaviest = 0;
    bool is_whole = true;                 // every weight is a whole number
    std::vector<std::uint8_t> present{};  // columns x 256: whether a row has the code
};
PartTotals totals_of(const PartRows& rows);

// Of each column and code, the greatest code up to it that is present (columns x 256), as WholeTree has it.
std::vector<std::vector<std::uint32_t>> last_present_of(const CodedTable& columns,
                                                        std::span<const std::uint8_t> present);

inline constexpr std::int32_t absent_row = -1;  // the node of a row of weight 0

// Moves each row from its node on to the leaf below it; missing values go where the tests send them. A row that a test
// sends to every branch, which no row in the tree is, becomes absent.
void route(const Tree& tree, const CodedTable& table, std::span<std::int32_t> node_of_row, const StopToken& stop);

// The nodes whose histograms are wanted, and the columns of each: columns[first[i]] up to columns[first[i + 1]].
struct HistogramRequest {
    std::vector<std::int32_t> nodes{};
    std::vector<std::uint32_t> columns{};
    std::vector<std::size_t> first{0};
    bool counts_rows = false;  // also the number of rows of each value

    // The number of values of all columns requested, one more for missing ones each.
    std::size_t n_values(const CodedTable& table) const;
};

// For each node and each of its columns, in this order: (values + 1) x classes, the missing value last; and the rows
// of each value, where requested.
template <class Cell>
struct LevelHistograms {
    std::vector<Cell> cells{};
    std::vector<std::uint32_t> rows{};
};

// Cells are whole numbers, for whole weights, or doubles.
template <class Cell>
LevelHistograms<Cell> count_level(const PartRows& rows, std::span<const std::int32_t> node_of_row,
                                  const HistogramRequest& request, const StopToken& stop);

}  // namespace calibrant
