// The values of a column at a node in ascending order, where the column itself is not coded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "table/coding.hpp"

namespace calibrant {

// A value and its row of the table.
struct RowValue {
    double value;
    std::uint32_t row;
};

class ValueOrder {
  public:
    // The values of some rows in ascending order, those of equal values in the order of the rows; none is missing.
    // Valid until the next call.
    std::span<const RowValue> of(std::span<const double> column, std::span<const std::uint32_t> rows);

  private:
    void sort_few(std::span<const double> column, std::span<const std::uint32_t> rows);
    void sort_many(std::span<const double> column, std::span<const std::uint32_t> rows);

    std::vector<RowValue> sorted_;
    std::vector<double> values_;
    std::vector<std::int64_t> positions_;
    SortBuffers<std::uint64_t> buffers_;
};

}  // namespace calibrant
