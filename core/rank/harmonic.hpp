// Harmonic numbers, whole and fractional: sums of 1 / r over ranks r.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "elementary.hpp"

namespace calibrant {

// psi(x + 1) - ln(x + 1/2) for x >= 0, psi the digamma function: small for large x, so differences keep their
// digits.
inline double digamma_rest(double x) {
    constexpr double large = 12;
    double shifted = 0;
    const double start = x;
    for (; x < large; ++x) shifted -= 1 / (x + 1);
    const double y = x + 0.5, t = 1 / (y * y);
    const double rest =
        t * (1.0 / 24 - t * (7.0 / 960 -
                             t * (31.0 / 8064 - t * (127.0 / 30720 - t * (511.0 / 67584 - t * 1414477.0 / 67092480)))));
    return shifted == 0 ? rest : rest + shifted + log_at((x + 0.5) / (start + 0.5));
}

// 1 / (a + 1) + 1 / (a + 2) + ... + 1 / b for whole a < b, interpolated by the digamma function for others.
inline double harmonic_between(double a, double b) {
    return log1p_of((b - a) / (a + 0.5)) + (digamma_rest(b) - digamma_rest(a));
}

// Harmonic numbers up to a largest one from a table, others from a series.
class Harmonic {
  public:
    explicit Harmonic(std::size_t largest) : table_(largest + 1) {
        for (std::size_t n = 1; n <= largest; ++n) table_[n] = table_[n - 1] + 1.0 / static_cast<double>(n);
    }

    double at(std::int64_t n) const {
        const auto index = static_cast<std::size_t>(n);
        return index < table_.size() ? table_[index] : series(static_cast<double>(n));
    }
    double at(double x) const { return series(x); }

    // The table from 0 on if it holds n, else null.
    const double* up_to(std::int64_t n) const {
        return static_cast<std::size_t>(n) < table_.size() ? table_.data() : nullptr;
    }
    const double* up_to(double) const { return nullptr; }

  private:
    // psi(x + 1) + Euler's constant.
    static double series(double x) {
        constexpr double euler = 0.57721566490153286061;
        return euler + log_at(x + 0.5) + digamma_rest(x);
    }

    std::vector<double> table_;
};

}  // namespace calibrant
