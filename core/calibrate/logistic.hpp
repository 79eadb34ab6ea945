// Logistic regression on a few columns: the cross-entropy at some coefficients with its first two derivatives, in one
// pass.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "stop.hpp"

namespace calibrant {

// A column and the units that it is measured in: values * scale - shift.
struct LogisticColumn {
    const double* values;
    double scale, shift;
};

// Rows with target `high` or `low` by their class; weight 1 without weights.
struct LogisticRows {
    std::vector<LogisticColumn> columns;
    std::span<const bool> positive;
    std::span<const double> weights;
    double low, high;
};

struct LogisticSums {
    static constexpr std::size_t most = 16;  // coefficients, the intercept among them
    double loss = 0;
    std::array<double, most> gradient{};
    std::array<std::array<double, most>, most> hessian{};
};

// The intercept comes last. Blocks of rows are summed in their order, so that any number of threads gives the same.
LogisticSums logistic_sums(const LogisticRows& rows, std::span<const double> coef, std::size_t n_threads,
                           const StopToken& stop);

}  // namespace calibrant
