#include "tree/grow/row_cells.hpp"

#include <algorithm>

#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t rows_per_task = 4096;

}  // namespace

RowCells::RowCells(const CodedTable& table, std::size_t n_threads, const StopToken& stop)
    : place_(table.n_columns(), nowhere) {
    for (std::size_t column = 0; column < table.n_columns(); ++column) {
        if (is_fit_for(table.column(column))) place_[column] = n_columns_++;
    }
    cells_.resize(table.n_rows() * n_columns_);
    const std::size_t n_tasks = n_columns_ == 0 ? 0 : (table.n_rows() + rows_per_task - 1) / rows_per_task;
    parallel_for(n_tasks, n_threads, stop, [&](std::size_t task, std::size_t) {
        const std::size_t begin = task * rows_per_task, end = std::min(table.n_rows(), begin + rows_per_task);
        for (std::size_t column = 0; column < table.n_columns(); ++column) {
            if (!has(column)) continue;
            const CodedColumn& coded = table.column(column);
            std::uint8_t* cell = cells_.data() + begin * n_columns_ + place_[column];
            std::visit(
                [&]<class Code>(const std::vector<Code>& codes) {
                    for (std::size_t row = begin; row < end; ++row, cell += n_columns_) {
                        *cell =
                            static_cast<std::uint8_t>(codes[row] == missing_code<Code> ? coded.n_values : codes[row]);
                    }
                },
                coded.codes);
        }
    });
}

}  // namespace calibrant
