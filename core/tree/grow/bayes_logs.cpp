#include "tree/grow/bayes_logs.hpp"

#include "exp_log.hpp"

namespace calibrant {
namespace {

constexpr double half_log_two_pi = 0.91893853320467274178;

// ln of the gamma function of z >= 8, by Stirling's series: within 1e-13 of the larger of 10 and the value.
CALIBRANT_INLINE double stirling(double z) {
    const double r = 1 / z, t = r * r;
    const double series = r * (1.0 / 12 - t * (1.0 / 360 - t * (1.0 / 1260 - t * (1.0 / 1680 - t * (1.0 / 1188)))));
    return (z - 0.5) * log_of(z) - z + half_log_two_pi + series;
}

CALIBRANT_INLINE double eight_steps(double z) {
    return z * (z + 1) * (z + 2) * (z + 3) * (z + 4) * (z + 5) * (z + 6) * (z + 7);
}

CALIBRANT_CLONES void take_eight(const double* x, double* out) {
    for (std::size_t i = 0; i < 8; ++i) out[i] = stirling(x[i] + 9) - log_of(eight_steps(x[i] + 1));
}

CALIBRANT_CLONES void exponentials_below(double greatest, double* logs, const double* weights, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) logs[i] = weights[i] * exp_minus(greatest - logs[i]);
}

}  // namespace

double LogFactorial::between(double x) {
    return x < 8 ? stirling(x + 9) - log_of(eight_steps(x + 1)) : stirling(x + 1);
}

void LogFactorial::of_eight(const double* x, double* out) { take_eight(x, out); }

void LogMean::add_block() {
    if (n_ == 0) return;
    const double greatest = std::max(greatest_, *std::max_element(logs_.begin(), logs_.begin() + n_));
    sum_ *= exp_minus(greatest - greatest_);
    greatest_ = greatest;
    exponentials_below(greatest, logs_.data(), weights_.data(), n_);
    for (std::size_t i = 0; i < n_; ++i) {
        sum_ += logs_[i];
        weight_ += weights_[i];
    }
    n_ = 0;
}

double LogMean::log_mean() {
    add_block();
    return greatest_ + log_at(sum_ / weight_);
}

}  // namespace calibrant
