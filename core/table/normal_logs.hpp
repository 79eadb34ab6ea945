// Log-probabilities of numbers under a normal distribution of each class, added up in one pass over a column.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "stop.hpp"
#include "table/coding.hpp"

namespace calibrant {

// The grid that values are rounded to, and the logarithm of the probability of its unit: with z2 the squared distance
// from the mean in standard deviations, c0 + z2 (c1 + z2 c2), and at least `floor`.
struct NormalClass {
    double mean, sd;
    std::array<double, 3> coefficients;
};
struct NormalLogs {
    double step, origin, floor;
    std::span<const NormalClass> classes;
};

// Adds the logarithms of each class to its row of `out` (classes x values); 0 for missing and infinite values.
template <class T>
void add_normal_logs(StridedView<T> values, const NormalLogs& logs, std::span<double> out, const StopToken& stop);

}  // namespace calibrant
