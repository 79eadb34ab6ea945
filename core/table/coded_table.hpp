// A table of coded columns: immutable, shared by trees, folds and bootstrap replicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
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

    // Views a matrix of the values of each column, which must outlive the table: a column without missing values that
    // shows more than `few_values` distinct ones is coded when column() is first asked for it, the others at once.
    static CodedTable code_when_asked(std::size_t n_rows, std::span<const double> matrix, std::size_t few_values,
                                      std::size_t n_threads, const StopToken& stop);

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_columns() const { return columns_.size(); }
    const CodedColumn& column(std::size_t index) const;  // throws std::out_of_range
    // The values of a column that is coded when it is first asked for; empty for all others.
    std::span<const double> uncoded(std::size_t index) const {
        if (!later_ || !later_->has[index]) return {};
        return later_->matrix.subspan(index * n_rows_, n_rows_);
    }
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
    // The columns that are coded when they are first asked for, by any thread.
    struct Later {
        std::span<const double> matrix;
        std::vector<std::uint8_t> has;  // not bits: threads write them side by side
        std::unique_ptr<std::once_flag[]> once;
    };

    std::size_t n_rows_;
    mutable std::vector<CodedColumn> columns_;  // what is asked for later_ is added once
    std::unique_ptr<Later> later_;
    const std::uint8_t* bytes_ = nullptr;
};

}  // namespace calibrant
