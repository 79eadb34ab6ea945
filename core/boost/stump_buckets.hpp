// A numeric column of many values for boosted stumps: its rows sorted, and in buckets of neighbouring values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "table/coding.hpp"

namespace calibrant {

struct StumpBuckets {
    std::vector<std::uint16_t> of_row;       // one more than the last for missing values
    std::vector<std::uint32_t> first_value;  // of each bucket, and the end
    std::vector<std::uint32_t> order;        // the rows with a value, ascending
    std::vector<std::uint32_t> starts;       // where the rows of each value begin in `order`, and the end

    std::size_t n_buckets() const { return first_value.empty() ? 0 : first_value.size() - 1; }
    bool empty() const { return first_value.empty(); }
    std::size_t n_values() const { return starts.size() - 1; }
    std::span<const std::uint32_t> rows_of(std::size_t value) const {
        return std::span(order).subspan(starts[value], starts[value + 1] - starts[value]);
    }

    // Empty where counting the codes themselves is as fast.
    static StumpBuckets of(const CodedColumn& column);
};

}  // namespace calibrant
