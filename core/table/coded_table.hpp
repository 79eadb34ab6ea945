// A table of coded columns: immutable, shared by trees, folds and bootstrap replicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "stop.hpp"
#include "table/coding.hpp"

namespace calibrant {

// A nominal column before coding: codes into its declared categories, negative where missing.
struct NominalSource {
    StridedView<std::int32_t> codes;
    std::size_t n_categories = 0;
};

using ColumnSource = std::variant<StridedView<float>, StridedView<double>, NominalSource>;

inline std::size_t size_of(const ColumnSource& source) {
    const auto* const nominal = std::get_if<NominalSource>(&source);
    if (nominal != nullptr) return nominal->codes.size;
    const auto* const single = std::get_if<StridedView<float>>(&source);
    return single != nullptr ? single->size : std::get<StridedView<double>>(source).size;
}

class CodedTable {
  public:
    // From coded columns; throws std::invalid_argument unless they have n_rows rows each and codes in range.
    CodedTable(std::size_t n_rows, std::vector<CodedColumn> columns);

    // Codes the columns on n_threads threads; the result is the same for any number of them.
    static CodedTable code(std::size_t n_rows, const std::vector<ColumnSource>& sources, std::size_t n_threads,
                           const StopToken& stop);

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_columns() const { return columns_.size(); }
    const CodedColumn& column(std::size_t index) const;  // throws std::out_of_range
    std::size_t n_bytes() const;
    // The codes row by row, one byte each, where all columns are views of one matrix; null otherwise.
    const std::uint8_t* bytes() const { return bytes_; }

    // A view of a row-major matrix of bytes, which must outlive the table. `columns` lack their codes; throws
    // std::invalid_argument unless codes are in range.
    static CodedTable of_bytes(std::size_t n_rows, const std::uint8_t* matrix, std::vector<CodedColumn> columns,
                               std::size_t n_threads, const StopToken& stop);

    // From columns that are known to be whole, unchecked.
    struct Checked {};
    CodedTable(std::size_t n_rows, std::vector<CodedColumn> columns, Checked)
        : n_rows_(n_rows), columns_(std::move(columns)) {}

  private:
    std::size_t n_rows_;
    std::vector<CodedColumn> columns_;
    const std::uint8_t* bytes_ = nullptr;
};

}  // namespace calibrant
