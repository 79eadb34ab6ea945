#include "tree/grow/log_factorial.hpp"

#include "compiler.hpp"
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

}  // namespace

double LogFactorial::between(double x) {
    return x < 8 ? stirling(x + 9) - log_of(eight_steps(x + 1)) : stirling(x + 1);
}

void LogFactorial::of_eight(const double* x, double* out) { take_eight(x, out); }

}  // namespace calibrant
