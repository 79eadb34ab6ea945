// The logarithms that the Bayesian criteria are made of: that of x!, and that of a mean of numbers too large for a
// double.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "compiler.hpp"
#include "elementary.hpp"

namespace calibrant {

// ln x!, the gamma function of x + 1 where x is no whole number. Looked up for whole numbers, which all counts of
// unweighted rows are.
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

    // Of eight numbers in [0, 1e30], which is as fast as of one.
    static void of_eight(const double* x, double* out);
    static bool is_whole(double x) { return static_cast<double>(static_cast<std::int64_t>(x)) == x; }

  private:
    static constexpr std::size_t most_kept = std::size_t{1} << 16;  // as many as XLogX keeps

    static double between(double x);  // of any x >= 0
    std::vector<double> table_;
};

// The logarithm of a weighted mean, of numbers whose logarithms are known. Exponentials are taken of many numbers at
// once, which is several times as fast as one by one.
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
