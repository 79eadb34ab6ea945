// Sums of 1 / r over ranks that need not be whole, by the digamma function.
#pragma once

#include <cmath>

#include "elementary.hpp"

namespace calibrant {

// psi(x + 1) less ln(x + 1/2), for x >= 0: small for large x, so that differences keep their digits.
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

// 1 / (a + 1) + 1 / (a + 2) + ... + 1 / b for whole a < b, and what lies between for others.
inline double harmonic_between(double a, double b) {
    return log1p_of((b - a) / (a + 0.5)) + (digamma_rest(b) - digamma_rest(a));
}

}  // namespace calibrant
