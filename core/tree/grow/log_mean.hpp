// The logarithm of a weighted mean, of numbers whose logarithms are known: they may be too large or small for a double.
#pragma once

#include <cmath>
#include <limits>

#include "compiler.hpp"
#include "elementary.hpp"
#include "exp_log.hpp"

namespace calibrant {

class LogMean {
  public:
    CALIBRANT_INLINE void add(double log_value, double weight) {
        weight_ += weight;
        const double below = greatest_ - log_value;
        if (below < 0) {
            sum_ = sum_ * exp_minus(-below) + weight;
            greatest_ = log_value;
        } else if (below < negligible) {
            sum_ += weight * exp_minus(below);
        }
    }
    double greatest() const { return greatest_; }
    double log_mean() const { return greatest_ + log_at(sum_ / weight_); }

  private:
    static constexpr double negligible = 45;  // e^-45 is 3e-20: 100,000 such numbers do not change a double
    double greatest_ = -std::numeric_limits<double>::max(), sum_ = 0, weight_ = 0;
};

}  // namespace calibrant
