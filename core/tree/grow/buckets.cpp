#include "tree/grow/buckets.hpp"

#include <algorithm>

#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t rows_per_task = 4096;

std::vector<std::uint32_t> rows_of_codes(const CodedColumn& column, std::span<const std::uint32_t> rows) {
    std::vector<std::uint32_t> counts(column.n_values);
    std::visit(
        [&]<class Code>(const std::vector<Code>& codes) {
            for (const std::uint32_t row : rows) {
                if (codes[row] != missing_code<Code>) ++counts[codes[row]];
            }
        },
        column.codes);
    return counts;
}

}  // namespace

Buckets::Bounds Buckets::bounds_of(const CodedColumn& column, std::span<const std::uint32_t> rows, const Gaps& gaps) {
    const auto counts = rows_of_codes(column, rows);
    Bounds bounds;
    std::size_t bucket = 0, n = 0, n_values = 0;
    const std::size_t enough = rows.size() / most + 1;
    for (std::uint32_t code = 0; code < column.n_values; ++code) {
        n += counts[code];
        n_values += counts[code] > 0;
        const bool is_last = code + 1 == column.n_values;
        if (!is_last && (n < enough || gaps.is_close_to_next(code))) continue;
        bounds.one_value[bucket] = n_values <= 1;
        bounds.begin[++bucket] = code + 1;
        n = n_values = 0;
    }
    std::fill(bounds.begin.begin() + static_cast<std::ptrdiff_t>(bucket) + 1, bounds.begin.end(), column.n_values);
    return bounds;
}

Buckets::Buckets(const CodedTable& table, std::span<const std::size_t> columns, std::span<const std::uint32_t> rows,
                 std::span<const Gaps> gaps, std::size_t n_threads, const StopToken& stop)
    : columns_(columns.begin(), columns.end()) {
    bounds_.resize(columns_.size());
    std::vector<std::vector<std::uint8_t>> bucket_of(columns_.size());
    parallel_for(columns_.size(), n_threads, stop, [&](std::size_t index, std::size_t) {
        const CodedColumn& coded = table.column(columns_[index]);
        bounds_[index] = bounds_of(coded, rows, gaps[columns_[index]]);
        for (std::size_t bucket = 0; bucket < most; ++bucket) {
            bucket_of[index].resize(bounds_[index].begin[bucket + 1], static_cast<std::uint8_t>(bucket));
        }
    });
    cells_.resize(table.n_rows() * columns_.size());
    const std::size_t n_tasks = (table.n_rows() + rows_per_task - 1) / rows_per_task;
    parallel_for(n_tasks, n_threads, stop, [&](std::size_t task, std::size_t) {
        const std::size_t begin = task * rows_per_task, end = std::min(table.n_rows(), begin + rows_per_task);
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            const std::uint8_t* const to = bucket_of[index].data();
            std::uint8_t* cell = cells_.data() + begin * columns_.size() + index;
            std::visit(
                [&]<class Code>(const std::vector<Code>& codes) {
                    for (std::size_t row = begin; row < end; ++row, cell += columns_.size()) {
                        *cell = codes[row] == missing_code<Code> ? static_cast<std::uint8_t>(missing) : to[codes[row]];
                    }
                },
                table.column(columns_[index]).codes);
        }
    });
}

}  // namespace calibrant
