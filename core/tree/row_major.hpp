// Cells of a coded table laid out row by row, so that one row's cells share cache lines.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"
#include "tree/row_blocks.hpp"

namespace calibrant {

// Fills rows of the table x some columns; cell_of_column(index) returns cell_of(row, code, is_missing) for a column.
template <class Cell, class CellOfColumn>
std::vector<Cell> row_major_cells(const CodedTable& table, std::span<const std::size_t> columns, std::size_t block_rows,
                                  std::size_t n_threads, const StopToken& stop, CellOfColumn&& cell_of_column) {
    std::vector<Cell> cells(table.n_rows() * columns.size());
    if (columns.empty()) return cells;
    in_blocks(table.n_rows(), block_rows, n_threads, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t index = 0; index < columns.size(); ++index) {
            const auto cell_of = cell_of_column(index);
            Cell* cell = cells.data() + begin * columns.size() + index;
            std::visit(
                [&]<class Column>(const Column& codes) {
                    using Code = CodeOf<Column>;
                    for (std::size_t row = begin; row < end; ++row, cell += columns.size())
                        *cell = static_cast<Cell>(cell_of(row, codes[row], codes[row] == missing_code<Code>));
                },
                table.column(columns[index]).codes);
        }
    });
    return cells;
}

}  // namespace calibrant
