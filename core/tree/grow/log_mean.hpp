// The logarithm of a weighted mean, of numbers whose logarithms are known: they may be too large or small for a double.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "compiler.hpp"

namespace calibrant {

// Exponentials are taken of many numbers at once, which is several times as fast as one by one.
class LogMean {
  public:
    CALIBRANT_INLINE void add(double log_value, double weight) {
        logs_[n_] = log_value;
        weights_[n_] = weight;
        if (++n_ == most_) add_block();
    }
    double log_mean();

  private:
    void add_block();

    static constexpr std::size_t most_ = 64;
    std::array<double, most_> logs_, weights_;  // not yet in the sum
    std::size_t n_ = 0;
    double greatest_ = -std::numeric_limits<double>::max(), sum_ = 0, weight_ = 0;
};

}  // namespace calibrant
