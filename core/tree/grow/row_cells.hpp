// The numeric columns of few values, row by row, a byte per cell: their values are counted rather than sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"

namespace calibrant {

class RowCells {
  public:
    static constexpr std::size_t few_values = 64;  // a table of counts this long stays in the first-level cache
    static bool is_fit_for(const CodedColumn& column, std::size_t most_values) {
        return column.kind == Kind::numeric && column.n_values <= most_values;
    }

    // Of the columns of at most so many values. The code of a missing value is the number of values.
    RowCells(const CodedTable& table, std::size_t n_threads, const StopToken& stop,
             std::size_t most_values = few_values);

    std::size_t n_columns() const { return n_columns_; }
    bool has(std::size_t column) const { return offset_[column] != absent; }
    std::size_t offset(std::size_t column) const { return offset_[column]; }  // of a column of the table, within a row
    // Cells of the table's own bytes are read one by one, and only where a node is presorted.
    bool has_rows() const { return bytes_ == nullptr; }
    const std::uint8_t* data() const { return cells_.data(); }
    void copy_row(std::uint32_t row, std::uint8_t* to) const;

  private:
    static constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();
    std::size_t n_columns_ = 0;
    std::vector<std::size_t> offset_;
    std::vector<std::uint8_t> cells_;  // rows of the table x columns
    const std::uint8_t* bytes_ = nullptr;
    std::size_t width_ = 0;  // of a row of bytes_
    std::vector<std::size_t> columns_{};
    std::vector<std::uint8_t> n_values_{};
};

}  // namespace calibrant
