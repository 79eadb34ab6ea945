#include "tree/grow/row_keys.hpp"

#include "tree/row_major.hpp"

namespace calibrant {
namespace {

constexpr std::size_t block_rows = 1024;  // so that the cells of a block stay in the cache

}  // namespace

RowKeys::RowKeys(const CodedTable& table, std::span<const std::uint16_t> labels, const std::vector<bool>& columns,
                 const Keys& keys, std::span<const ValueGaps> gaps, std::size_t n_threads, const StopToken& stop)
    : keys_(keys) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (columns[column]) columns_.push_back(column);
    }
    cells_ = row_major_cells<std::uint32_t>(table, columns_, block_rows, n_threads, stop, [&](std::size_t index) {
        return [this, labels, n_values = table.column(columns_[index]).n_values, &close = gaps[columns_[index]]](
                   std::size_t row, std::uint32_t code, bool is_missing) {
            return is_missing ? keys_.key(n_values, labels[row], false) : keys_.key(code, labels[row], close);
        };
    });
}

}  // namespace calibrant
