// Sums of numbers and of their squares without any rounding, which no order and no partition of the rows changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calibrant {

// Integers of words of 64 bits, the lowest first: the sums of the positive numbers and of the negative ones without
// their sign in units of 2 to the exponent, and that of the squares in squared units.
struct PowerSums {
    int exponent;
    std::vector<std::uint64_t> positive, negative, squares;
};

// Of the values of each class, those left out that are not finite. `labels` are below `n_classes`; `counts` are whole
// numbers below 2^53 for every row that add up to at most 2^53, or empty: each row once.
template <class T>
std::vector<PowerSums> power_sums(std::span<const T> values, std::span<const std::uint32_t> labels,
                                  std::size_t n_classes, std::span<const double> counts);

}  // namespace calibrant
