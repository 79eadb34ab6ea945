#include "tree/grow/log_mean.hpp"

#include <algorithm>

#include "elementary.hpp"
#include "exp_log.hpp"

namespace calibrant {
namespace {

CALIBRANT_CLONES void exponentials_below(double greatest, double* logs, const double* weights, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) logs[i] = weights[i] * exp_minus(greatest - logs[i]);
}

}  // namespace

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
