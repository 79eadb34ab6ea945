#include "tree/grow/row_cells.hpp"

#include <algorithm>
#include <utility>

#include "tree/row_major.hpp"

namespace calibrant {
namespace {

constexpr std::size_t block_rows = 1024;  // so that the cells of a block stay in the cache

}  // namespace

RowCells::RowCells(const CodedTable& table, std::size_t n_threads, const StopToken& stop, std::size_t most_values)
    : offset_(table.n_columns(), absent) {
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < table.n_columns(); ++column) {
        if (!table.uncoded(column).empty() || !is_fit_for(table.column(column), most_values)) continue;
        offset_[column] = columns.size();
        columns.push_back(column);
    }
    n_columns_ = columns.size();
    if (table.bytes() != nullptr) {  // a copy would double the memory of a table that barely fits
        bytes_ = table.bytes();
        width_ = table.n_columns();
        columns_ = std::move(columns);
        for (const std::size_t column : columns_)
            n_values_.push_back(static_cast<std::uint8_t>(table.column(column).n_values));
        return;
    }
    cells_ = row_major_cells<std::uint8_t>(table, columns, rows_per_task, n_threads, stop, [&](std::size_t index) {
        return [n_values = table.column(columns[index]).n_values](std::size_t, std::uint32_t code, bool is_missing) {
            return is_missing ? n_values : code;
        };
    });
}

void RowCells::copy_row(std::uint32_t row, std::uint8_t* to) const {
    if (has_rows()) {
        std::copy_n(cells_.data() + row * n_columns_, n_columns_, to);
        return;
    }
    const std::uint8_t* const cells = bytes_ + row * width_;
    for (std::size_t index = 0; index < n_columns_; ++index)
        to[index] = std::min(cells[columns_[index]], n_values_[index]);
}

RowKeys::RowKeys(const CodedTable& table, std::span<const std::uint16_t> labels, std::vector<std::size_t> columns,
                 const Keys& keys, std::span<const ValueGaps> gaps, std::size_t n_threads, const StopToken& stop,
                 bool sorts_when_drawn)
    : keys_(keys), columns_(std::move(columns)), sorts_when_drawn_(sorts_when_drawn) {
    if (sorts_when_drawn_) return;
    if (table.bytes() != nullptr) {
        bytes_ = table.bytes();
        width_ = table.n_columns();
        byte_keys_.resize(columns_.size());
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            const std::uint32_t n_values = table.column(columns_[index]).n_values;
            byte_keys_[index].fill(keys_.key(n_values, 0, false));
            for (std::uint32_t code = 0; code < n_values; ++code)
                byte_keys_[index][code] = keys_.key(code, 0, gaps[columns_[index]]);
        }
        return;
    }
    cells_ = row_major_cells<std::uint32_t>(table, columns_, block_rows, n_threads, stop, [&](std::size_t index) {
        return [this, labels, n_values = table.column(columns_[index]).n_values, &close = gaps[columns_[index]]](
                   std::size_t row, std::uint32_t code, bool is_missing) {
            return is_missing ? keys_.key(n_values, labels[row], false) : keys_.key(code, labels[row], close);
        };
    });
}

}  // namespace calibrant
