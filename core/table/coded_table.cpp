#include "table/coded_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "parallel.hpp"

namespace calibrant {
namespace {

CodedColumn code_column(const ColumnSource& source, Scratch& scratch, const StopToken& stop) {
    if (const auto* nominal = std::get_if<NominalSource>(&source))
        return code_nominal(nominal->codes, nominal->n_categories, stop);
    if (const auto* single = std::get_if<StridedView<float>>(&source)) return code_numeric(*single, scratch, stop);
    return code_numeric(std::get<StridedView<double>>(source), scratch, stop);
}

void check_size(std::size_t index, std::size_t size, std::size_t n_rows) {
    if (size == n_rows) return;
    throw std::invalid_argument("column " + std::to_string(index) + " has " + std::to_string(size) +
                                " rows; expected " + std::to_string(n_rows));
}

void check_values(std::size_t index, const CodedColumn& column) {
    const std::string name = "column " + std::to_string(index);
    if (column.kind == Kind::nominal) return;
    if (column.values.size() != column.n_values) throw std::invalid_argument(name + " has the wrong number of values");
    const auto not_below = [](double a, double b) { return !(a < b); };
    if (std::adjacent_find(column.values.begin(), column.values.end(), not_below) != column.values.end())
        throw std::invalid_argument(name + " has values that are not in ascending order");
    if (!column.is_binned()) return;
    if (column.lows.size() != column.n_values) throw std::invalid_argument(name + " has the wrong number of bins");
    for (std::size_t bin = 0; bin < column.lows.size(); ++bin) {
        const bool is_above = bin == 0 || column.values[bin - 1] < column.lows[bin];
        if (!is_above || !(column.lows[bin] <= column.values[bin]))
            throw std::invalid_argument(name + " has bins that overlap");
    }
}

void check_codes(std::size_t index, const CodedColumn& column) {
    const bool in_range = std::visit(
        [&]<class Column>(const Column& codes) {
            using Code = CodeOf<Column>;
            for (std::size_t row = 0; row < codes.size(); ++row) {
                if (codes[row] != missing_code<Code> && codes[row] >= column.n_values) return false;
            }
            return true;
        },
        column.codes);
    if (!in_range)
        throw std::invalid_argument("column " + std::to_string(index) + " has codes beyond its number of values");
    check_values(index, column);
}

// Returns whether no value is missing and some of the first ones show more than `few_values` distinct ones: that many
// of the bits that they hash to.
bool has_many_values(std::span<const double> values, std::size_t few_values) {
    constexpr std::size_t first = 128, hash_bits = 9;
    std::array<std::uint64_t, (1 << hash_bits) / 64> seen{};
    for (const double value : values.first(std::min(first, values.size()))) {
        const std::uint64_t hash = std::bit_cast<std::uint64_t>(value + 0.0) * 0x9e3779b97f4a7c15 >> (64 - hash_bits);
        seen[hash / 64] |= std::uint64_t{1} << hash % 64;
    }
    std::size_t n_seen = 0;
    for (const std::uint64_t word : seen) n_seen += static_cast<std::size_t>(std::popcount(word));
    if (n_seen <= few_values) return false;
    std::uint64_t n_missing = 0;
    for (const double value : values) n_missing += value != value;
    return n_missing == 0;
}

// Counts the missing codes of each column of rows of bytes; throws if a code is beyond the values of its column.
// Several rows at a time are one long line of bytes, which the compiler turns into vectors.
std::vector<std::uint64_t> checked_missing(std::span<const std::uint8_t> bytes, std::span<const CodedColumn> columns) {
    constexpr std::size_t rows_at_once = 16, most_lines = 255;  // that a byte counts
    const std::size_t n = columns.size(), width = n * rows_at_once;
    std::vector<std::uint64_t> missing(n);
    std::vector<std::uint8_t> n_values(width), counts(width), is_bad(width);
    for (std::size_t i = 0; i < width; ++i) n_values[i] = static_cast<std::uint8_t>(columns[i % n].n_values);
    std::size_t n_lines = 0;
    const auto add_up = [&] {
        for (std::size_t i = 0; i < width; ++i) missing[i % n] += std::exchange(counts[i], std::uint8_t{0});
        n_lines = 0;
    };
    for (std::size_t at = 0; at < bytes.size(); at += width) {
        const std::uint8_t* const line = bytes.data() + at;
        const std::size_t size = std::min(width, bytes.size() - at);
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint8_t is_missing = line[i] == missing_code<std::uint8_t>;
            counts[i] = static_cast<std::uint8_t>(counts[i] + is_missing);
            is_bad[i] |= static_cast<std::uint8_t>((line[i] >= n_values[i]) & (is_missing ^ 1));
        }
        if (++n_lines == most_lines) add_up();
    }
    add_up();
    for (std::size_t i = 0; i < width; ++i) {
        if (is_bad[i] != 0)
            throw std::invalid_argument("column " + std::to_string(i % n) + " has codes beyond its number of values");
    }
    return missing;
}

}  // namespace

CodedTable::CodedTable(std::size_t n_rows, std::vector<CodedColumn> columns)
    : n_rows_(n_rows), columns_(std::move(columns)) {
    for (std::size_t index = 0; index < columns_.size(); ++index) {
        check_size(index, columns_[index].size(), n_rows);
        check_codes(index, columns_[index]);
    }
}

CodedTable CodedTable::code(std::size_t n_rows, const std::vector<ColumnSource>& sources, std::size_t n_threads,
                            const StopToken& stop) {
    for (std::size_t index = 0; index < sources.size(); ++index) check_size(index, size_of(sources[index]), n_rows);
    std::vector<CodedColumn> columns(sources.size());
    std::vector<Scratch> scratch(std::max<std::size_t>(1, std::min(n_threads, sources.size())));
    parallel_for(sources.size(), n_threads, stop, [&](std::size_t index, std::size_t worker) {
        columns[index] = code_column(sources[index], scratch[worker], stop);
    });
    return CodedTable(n_rows, std::move(columns), Checked{});
}

CodedTable CodedTable::code_when_asked(std::size_t n_rows, std::span<const double> matrix, std::size_t few_values,
                                       std::size_t n_threads, const StopToken& stop) {
    constexpr std::size_t columns_at_once = 64;
    const std::size_t n_columns = matrix.size() / std::max<std::size_t>(1, n_rows);
    CodedTable table(n_rows, std::vector<CodedColumn>(n_columns), Checked{});
    table.later_ = std::make_unique<Later>(
        Later{matrix, std::vector<std::uint8_t>(n_columns), std::make_unique<std::once_flag[]>(n_columns)});
    const std::size_t n_blocks = (n_columns + columns_at_once - 1) / columns_at_once;
    parallel_for(n_blocks, n_threads, stop, [&](std::size_t block, std::size_t) {
        Scratch scratch;
        const std::size_t begin = block * columns_at_once, end = std::min(n_columns, begin + columns_at_once);
        for (std::size_t index = begin; index < end; ++index) {
            const auto values = matrix.subspan(index * n_rows, n_rows);
            table.later_->has[index] = has_many_values(values, few_values);
            if (table.later_->has[index] == 0)
                table.columns_[index] = code_numeric(StridedView<double>{values.data(), n_rows, 1}, scratch, stop);
        }
    });
    return table;
}

CodedTable CodedTable::of_bytes(std::size_t n_rows, const std::uint8_t* matrix, std::vector<CodedColumn> columns,
                                std::size_t n_threads, const StopToken& stop) {
    const std::size_t n = columns.size();
    for (std::size_t j = 0; j < n; ++j) {
        if (columns[j].n_values > max_byte_values)
            throw std::invalid_argument("column " + std::to_string(j) + " has more values than a byte holds");
        columns[j].codes = ByteCodes(matrix + j, n_rows, n);
        check_values(j, columns[j]);
    }
    const std::size_t n_blocks = (n_rows + rows_between_checks - 1) / rows_between_checks;
    std::vector<std::vector<std::uint64_t>> missing(n_blocks);
    parallel_for(n_blocks, n_threads, stop, [&](std::size_t block, std::size_t) {
        const std::size_t begin = block * rows_between_checks, end = std::min(n_rows, begin + rows_between_checks);
        missing[block] = checked_missing({matrix + begin * n, (end - begin) * n}, columns);
    });
    for (std::size_t j = 0; j < n; ++j) {
        for (const auto& counts : missing) columns[j].n_missing += counts[j];
    }
    CodedTable table(n_rows, std::move(columns), Checked{});
    table.bytes_ = matrix;
    return table;
}

const CodedColumn& CodedTable::column(std::size_t index) const {
    if (index >= columns_.size())
        throw std::out_of_range("column " + std::to_string(index) + " of a table of " +
                                std::to_string(columns_.size()) + " columns");
    if (const auto values = uncoded(index); !values.empty()) {
        std::call_once(later_->once[index], [&] {
            Scratch scratch;
            columns_[index] = code_numeric(StridedView<double>{values.data(), n_rows_, 1}, scratch, {});
        });
    }
    return columns_[index];
}

std::size_t CodedTable::n_bytes() const {
    std::size_t bytes = 0;
    for (std::size_t index = 0; index < columns_.size(); ++index) {
        bytes += uncoded(index).size_bytes();
        if (!uncoded(index).empty()) continue;  // another thread may be coding it
        const CodedColumn& column = columns_[index];
        bytes += column.values.size() * sizeof(double);
        bytes += column.lows.size() * sizeof(double);
        bytes += std::visit([]<class Column>(const Column& codes) { return codes.size() * sizeof(CodeOf<Column>); },
                            column.codes);
    }
    return bytes;
}

}  // namespace calibrant
