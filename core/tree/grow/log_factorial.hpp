// ln x!, the gamma function of x + 1 where x is no whole number: what the evidence of class counts is made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compiler.hpp"
#include "elementary.hpp"
#include "exp_log.hpp"

namespace calibrant {

// Looked up for whole numbers, which all counts of unweighted rows are.
class LogFactorial {
  public:
    explicit LogFactorial(std::size_t largest = 0) : table_(std::min(largest, most_kept) + 1) {
        for (std::size_t x = 2; x < table_.size(); ++x) table_[x] = log_gamma(static_cast<double>(x) + 1);
    }
    double operator()(std::size_t x) const { return x < table_.size() ? table_[x] : between(static_cast<double>(x)); }
    double operator()(double x) const {
        const auto whole = static_cast<std::size_t>(x);
        return whole < table_.size() && static_cast<double>(whole) == x ? table_[whole] : between(x);
    }

  private:
    static constexpr std::size_t most_kept = std::size_t{1} << 16;  // as many as XLogX keeps

    // Stirling's series from 9 on, below it eight steps up first: within 1e-13, in a third of the time of log_gamma.
    static CALIBRANT_INLINE double between(double x) {
        constexpr double half_log_two_pi = 0.91893853320467274178;
        double z = x + 1, steps = 1;
        if (z < 9) {
            steps = z * (z + 1) * (z + 2) * (z + 3) * (z + 4) * (z + 5) * (z + 6) * (z + 7);
            z += 8;
        }
        const double r = 1 / z, t = r * r;
        const double series = r * (1.0 / 12 - t * (1.0 / 360 - t * (1.0 / 1260 - t * (1.0 / 1680 - t * (1.0 / 1188)))));
        const double stirling = (z - 0.5) * log_of(z) - z + half_log_two_pi + series;
        return steps == 1 ? stirling : stirling - log_of(steps);
    }
    std::vector<double> table_;
};

}  // namespace calibrant
