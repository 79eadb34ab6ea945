// The codes of a table row by row, all of one width: what the lanes take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "stop.hpp"
#include "tree/descent.hpp"
#include "tree/predict.hpp"

namespace calibrant {

class WideCodes {
  public:
    WideCodes(const CodedTable& table, std::size_t n_threads, const StopToken& stop)
        : cells_(table.n_rows() * table.n_columns()) {
        const std::size_t m = table.n_columns();
        in_blocks(table.n_rows(), n_threads, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t j = 0; j < m; ++j) {
                std::visit(
                    [&]<class Code>(const std::vector<Code>& codes) {
                        for (std::size_t row = begin; row < end; ++row) {
                            cells_[row * m + j] =
                                codes[row] == missing_code<Code> ? missing_code<std::uint32_t> : codes[row];
                        }
                    },
                    table.column(j).codes);
            }
        });
        rows_.n_rows = table.n_rows();
        for (std::size_t j = 0; j < m; ++j) {
            rows_.columns.push_back(
                StridedView<std::uint32_t>{cells_.data() + j, table.n_rows(), static_cast<std::ptrdiff_t>(m)});
        }
    }
    const PredictRows& rows() const { return rows_; }

  private:
    std::vector<std::uint32_t> cells_;
    PredictRows rows_;
};

}  // namespace calibrant
