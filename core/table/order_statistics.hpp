// Values at positions of the sorted column, without sorting it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "table/coding.hpp"

namespace calibrant {

struct OrderStatistic {
    double value;
    double next;  // the least greater value; NaN where there is none
};

// The values at ascending positions, from 0, among those that are not missing. Throws std::out_of_range for a position
// beyond them.
template <class T>
std::vector<OrderStatistic> order_statistics(StridedView<T> column, std::span<const std::int64_t> positions,
                                             const StopToken& stop);

}  // namespace calibrant
