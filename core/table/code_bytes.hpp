// Raw columns coded into one row-major matrix of bytes: bins of numbers, category codes, 255 where missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"

namespace calibrant {

// `highs` are the greatest values of the bins of each numeric column, ascending; a value belongs to the first bin whose
// greatest value is not less, and beyond the last to the last. Throws std::invalid_argument for a category that does
// not fit a byte, and for columns of another length than the rows of `out`.
void code_bytes(const std::vector<ColumnSource>& sources, const std::vector<std::vector<double>>& highs,
                std::span<std::uint8_t> out, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
