// The numeric columns that are sorted, row by row: code and class of each cell in one key. Fetching a node's rows from
// here takes a few cache lines per row, where column by column it would take one per cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

class RowKeys {
  public:
    // Of the columns marked. The code of a missing value is the number of values.
    RowKeys(const CodedTable& table, std::span<const std::uint16_t> labels, const std::vector<bool>& columns,
            const Keys& keys, std::span<const ValueGaps> gaps, std::size_t n_threads, const StopToken& stop);

    const Keys& keys() const { return keys_; }
    std::size_t n_columns() const { return columns_.size(); }
    std::size_t column(std::size_t index) const { return columns_[index]; }  // of the table
    std::span<const std::size_t> columns() const { return columns_; }
    const std::uint32_t* row(std::uint32_t row) const { return cells_.data() + std::size_t{row} * columns_.size(); }

  private:
    Keys keys_;
    std::vector<std::size_t> columns_;
    std::vector<std::uint32_t> cells_;  // rows of the table x columns
};

}  // namespace calibrant
