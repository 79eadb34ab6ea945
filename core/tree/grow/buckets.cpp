#include "tree/grow/buckets.hpp"

#include <algorithm>

#include "parallel.hpp"
#include "tree/row_major.hpp"

namespace calibrant {
namespace {

std::vector<std::uint32_t> rows_of_codes(const CodedColumn& column, std::span<const std::uint32_t> rows) {
    std::vector<std::uint32_t> counts(column.n_values);
    std::visit(
        [&]<class Column>(const Column& codes) {
            using Code = CodeOf<Column>;
            for (const std::uint32_t row : rows) {
                if (codes[row] != missing_code<Code>) ++counts[codes[row]];
            }
        },
        column.codes);
    return counts;
}

}  // namespace

// Closes a bucket once it holds its share of the rows and a cut may follow it, or a quarter more. At most `most` can
// fill up, since each takes more than 1 / most of the rows.
Buckets::Bounds Buckets::bounds_of(const CodedColumn& column, std::span<const std::uint32_t> rows,
                                   const ValueGaps& gaps) {
    const auto counts = rows_of_codes(column, rows);
    Bounds bounds;
    std::size_t bucket = 0, n = 0, n_values = 0;
    const std::size_t enough = rows.size() / most + 1, too_many = enough + enough / 4;
    for (std::uint32_t code = 0; code < column.n_values; ++code) {
        n += counts[code];
        n_values += counts[code] > 0;
        const bool is_last = code + 1 == column.n_values;
        const bool can_cut = !gaps.is_close_to_next(code);
        if (!is_last && (n < enough || (!can_cut && n < too_many))) continue;
        bounds.one_value[bucket] = n_values <= 1;
        bounds.can_cut_after[bucket] = can_cut;
        bounds.first[bucket] = gaps.value(bounds.begin[bucket]);
        bounds.last[bucket] = gaps.value(code);
        bounds.begin[++bucket] = code + 1;
        n = n_values = 0;
    }
    std::fill(bounds.begin.begin() + static_cast<std::ptrdiff_t>(bucket) + 1, bounds.begin.end(), column.n_values);
    return bounds;
}

Buckets::Buckets(const CodedTable& table, std::span<const std::size_t> columns, std::span<const std::uint32_t> rows,
                 std::span<const ValueGaps> gaps, std::size_t n_threads, const StopToken& stop)
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
    cells_ = row_major_cells<std::uint8_t>(table, columns_, rows_per_task, n_threads, stop, [&](std::size_t index) {
        return [bucket = bucket_of[index].data()](std::size_t, std::uint32_t code, bool is_missing) {
            return is_missing ? static_cast<std::uint8_t>(missing) : bucket[code];
        };
    });
}

}  // namespace calibrant
