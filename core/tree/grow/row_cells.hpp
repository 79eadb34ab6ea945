// Numeric columns row by row, so that a row's cells share cache lines: keys of those that are sorted, bytes of those
// that are counted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

// The columns of few values, a byte per cell: their values are counted rather than sorted.
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

// The columns that are sorted: code and class of each cell in one key. Fetching a node's rows from here takes a few
// cache lines per row, where column by column it would take one per cell.
class RowKeys {
  public:
    // Of some columns; without cells where nodes sort the columns that they draw, each by itself. The code of a missing
    // value is the number of values.
    RowKeys(const CodedTable& table, std::span<const std::uint16_t> labels, std::vector<std::size_t> columns,
            const Keys& keys, std::span<const ValueGaps> gaps, std::size_t n_threads, const StopToken& stop,
            bool sorts_when_drawn = false);

    const Keys& keys() const { return keys_; }
    std::size_t n_columns() const { return columns_.size(); }
    std::size_t column(std::size_t index) const { return columns_[index]; }  // of the table
    // Where a column of the table that is sorted comes among these.
    std::size_t index(std::size_t column) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(columns_, column) - columns_.begin());
    }
    std::span<const std::size_t> columns() const { return columns_; }
    bool sorts_when_drawn() const { return sorts_when_drawn_; }
    const std::uint32_t* row(std::uint32_t row) const { return cells_.data() + std::size_t{row} * columns_.size(); }

    // A table of bytes has no cells here: keys are made of its own.
    bool has_rows() const { return bytes_ == nullptr; }
    const std::uint8_t* bytes(std::uint32_t row) const { return bytes_ + std::size_t{row} * width_; }
    // The key of a byte of a column, without the class.
    std::uint32_t key_of_byte(std::size_t index, std::uint8_t byte) const { return byte_keys_[index][byte]; }

  private:
    Keys keys_;
    std::vector<std::size_t> columns_;
    bool sorts_when_drawn_;
    std::vector<std::uint32_t> cells_;  // rows of the table x columns
    const std::uint8_t* bytes_ = nullptr;
    std::size_t width_ = 0;  // of a row of bytes_
    std::vector<std::array<std::uint32_t, 256>> byte_keys_{};
};

}  // namespace calibrant
