#include "table/coded_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "parallel.hpp"

namespace calibrant {
namespace {

std::size_t size_of(const ColumnSource& source) {
    struct {
        std::size_t operator()(const NominalSource& column) const { return column.codes.size; }
        std::size_t operator()(const StridedView<float>& column) const { return column.size; }
        std::size_t operator()(const StridedView<double>& column) const { return column.size; }
    } measure;
    return std::visit(measure, source);
}

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

void check_codes(std::size_t index, const CodedColumn& column) {
    const bool in_range = std::visit(
        [&]<class Code>(const std::vector<Code>& codes) {
            return std::all_of(codes.begin(), codes.end(),
                               [&](Code code) { return code == missing_code<Code> || code < column.n_values; });
        },
        column.codes);
    if (!in_range)
        throw std::invalid_argument("column " + std::to_string(index) + " has codes beyond its number of values");
    if (column.kind == Kind::nominal) return;
    if (column.values.size() != column.n_values)
        throw std::invalid_argument("column " + std::to_string(index) + " has the wrong number of values");
    const auto not_below = [](double a, double b) { return !(a < b); };
    if (std::adjacent_find(column.values.begin(), column.values.end(), not_below) != column.values.end())
        throw std::invalid_argument("column " + std::to_string(index) + " has values that are not in ascending order");
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

const CodedColumn& CodedTable::column(std::size_t index) const {
    if (index < columns_.size()) return columns_[index];
    throw std::out_of_range("column " + std::to_string(index) + " of a table of " + std::to_string(columns_.size()) +
                            " columns");
}

std::size_t CodedTable::n_bytes() const {
    std::size_t bytes = 0;
    for (const auto& column : columns_) {
        bytes += column.values.size() * sizeof(double);
        bytes += std::visit([]<class Code>(const std::vector<Code>& codes) { return codes.size() * sizeof(Code); },
                            column.codes);
    }
    return bytes;
}

}  // namespace calibrant
