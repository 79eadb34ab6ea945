#include "tree/grow/row_cells.hpp"

#include "tree/row_major.hpp"

namespace calibrant {

RowCells::RowCells(const CodedTable& table, std::size_t n_threads, const StopToken& stop)
    : offset_(table.n_columns(), absent) {
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < table.n_columns(); ++column) {
        if (!is_fit_for(table.column(column))) continue;
        offset_[column] = columns.size();
        columns.push_back(column);
    }
    n_columns_ = columns.size();
    cells_ = row_major_cells<std::uint8_t>(table, columns, rows_per_task, n_threads, stop, [&](std::size_t index) {
        return [n_values = table.column(columns[index]).n_values](std::size_t, std::uint32_t code, bool is_missing) {
            return is_missing ? n_values : code;
        };
    });
}

}  // namespace calibrant
