// Harmonic numbers, also between whole ones: a table for small whole numbers, the digamma function's series beyond it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "elementary.hpp"

namespace calibrant {

class Harmonic {
  public:
    explicit Harmonic(std::size_t largest) : table_(largest + 1) {
        for (std::size_t n = 1; n <= largest; ++n) table_[n] = table_[n - 1] + 1.0 / static_cast<double>(n);
    }

    double at(std::int64_t n) const {
        const auto place = static_cast<std::size_t>(n);
        return place < table_.size() ? table_[place] : between(static_cast<double>(n));
    }
    double at(double x) const { return between(x); }

    // The numbers from that of 0 on, if the table goes so far.
    const double* up_to(std::int64_t n) const {
        return static_cast<std::size_t>(n) < table_.size() ? table_.data() : nullptr;
    }
    const double* up_to(double) const { return nullptr; }

  private:
    static double between(double x) {
        constexpr double euler = 0.57721566490153286061;
        double below = 0;
        for (; x < 8.0; x += 1.0) below += 1.0 / (x + 1.0);
        const double square = 1.0 / (x * x);
        const double series =
            square *
            (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square / 132.0))));
        return log_at(x) + euler + 0.5 / x - series - below;
    }

    std::vector<double> table_;
};

}  // namespace calibrant
