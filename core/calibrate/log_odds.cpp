// Plain loops that run several numbers at a time.
#include "calibrate/log_odds.hpp"

#include <algorithm>
#include <limits>

#include "exp_log.hpp"

namespace calibrant {
namespace {

constexpr std::size_t chunk = 256;

CALIBRANT_CLONES void take_logs(const double* values, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = log_of(values[i]);
}

// Clipped to the least number and to the greatest; calls then(values, n, out) for a chunk at a time.
template <class Then>
void in_chunks(std::span<const double> proba, double least, double most, std::span<double> out, Then&& then) {
    double values[chunk];
    for (std::size_t begin = 0; begin < proba.size(); begin += chunk) {
        const std::size_t n = std::min(chunk, proba.size() - begin);
        for (std::size_t i = 0; i < n; ++i) values[i] = std::clamp(proba[begin + i], least, most);
        then(values, n, out.data() + begin);
    }
}

}  // namespace

void write_logs(std::span<const double> proba, double least, std::span<double> out) {
    in_chunks(proba, least, std::numeric_limits<double>::max(), out,
              [](double* values, std::size_t n, double* to) { take_logs(values, to, n); });
}

void write_logits(std::span<const double> proba, double least, std::span<double> out) {
    in_chunks(proba, least, 1.0 - least, out, [](double* values, std::size_t n, double* to) {
        for (std::size_t i = 0; i < n; ++i) values[i] /= 1.0 - values[i];
        take_logs(values, to, n);
    });
}

}  // namespace calibrant
