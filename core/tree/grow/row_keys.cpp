#include "tree/grow/row_keys.hpp"

#include <algorithm>

#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t rows_per_task = 1024;  // so that the cells of a task stay in the cache

}  // namespace

RowKeys::RowKeys(const CodedTable& table, std::span<const std::uint16_t> labels, const std::vector<bool>& columns,
                 const Keys& keys, std::span<const Gaps> gaps, std::size_t n_threads, const StopToken& stop)
    : keys_(keys) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (columns[column]) columns_.push_back(column);
    }
    cells_.resize(table.n_rows() * columns_.size());
    const std::size_t n_tasks = columns_.empty() ? 0 : (table.n_rows() + rows_per_task - 1) / rows_per_task;
    parallel_for(n_tasks, n_threads, stop, [&](std::size_t task, std::size_t) {
        const std::size_t begin = task * rows_per_task, end = std::min(table.n_rows(), begin + rows_per_task);
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            const CodedColumn& coded = table.column(columns_[index]);
            const Gaps& close = gaps[columns_[index]];
            std::uint32_t* cell = cells_.data() + begin * columns_.size() + index;
            std::visit(
                [&]<class Code>(const std::vector<Code>& codes) {
                    for (std::size_t row = begin; row < end; ++row, cell += columns_.size()) {
                        const bool is_missing = codes[row] == missing_code<Code>;
                        *cell = is_missing ? keys_.key(coded.n_values, labels[row], false)
                                           : keys_.key(codes[row], labels[row], close);
                    }
                },
                coded.codes);
        }
    });
}

}  // namespace calibrant
