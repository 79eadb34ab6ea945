// The coded table of some rows of another, derived from its codes by counting: no value is sorted again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"

namespace calibrant {

struct TakenRows {
    CodedTable table;
    // For each nominal column whose categories were collected, the codes that its categories had; else empty.
    std::vector<std::vector<std::uint32_t>> categories;
};

// The rows in their order, repeats allowed, as coding them alone gives them; `collected` is whether each column, if
// nominal, keeps only the categories that occur. Throws std::out_of_range for a row beyond the table and
// std::invalid_argument unless `collected` has a value for each column.
TakenRows take_rows(const CodedTable& table, StridedView<std::int64_t> rows, const std::vector<bool>& collected,
                    std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
