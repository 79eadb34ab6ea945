#include "elementary.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "exp_log.hpp"

namespace calibrant {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_normal = std::numeric_limits<double>::min();

// An unevaluated sum of two numbers, the second far smaller than the first: twice the digits.
struct Pair {
    double high, low;
};

double without_low_half(double x) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000ULL);
}

// a + b with its rounding error, for |a| >= |b| or a = 0.
Pair quick_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

// a b with its rounding error (Dekker 1971).
Pair product(double a, double b) {
    constexpr double splitter = 0x1p27 + 1;
    const double a_scaled = a * splitter, a_high = a_scaled - (a_scaled - a), a_low = a - a_high;
    const double b_scaled = b * splitter, b_high = b_scaled - (b_scaled - b), b_low = b - b_high;
    const double whole = a * b;
    return {whole, ((a_high * b_high - whole) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// ln(1 + f) for the f of `split_power`: f - f^2 / 2 as the high part, half of its bits cut off so that products with
// constants of 32 bits are exact, and the rest.
Pair log_of_one_plus(double f) {
    const double half_square = 0.5 * f * f, s = f / (2.0 + f), t = s * s;
    const double rest = s * (half_square + 2.0 * t * artanh_series(t));
    const double high = without_low_half(f - half_square);
    return {high, ((f - high) - half_square) + rest};
}

// x = 2^k m with m in [root 1/2, root 2), for x > 0 and finite.
struct Power {
    double k, m;
};

Power split_power(double x) {
    const double scale = x < least_normal ? 54.0 : 0.0;
    if (scale > 0) x *= 0x1p54;
    const auto from_root_half = std::bit_cast<std::uint64_t>(x) - near_root_half;
    const auto k = static_cast<double>(static_cast<std::int64_t>(from_root_half) >> 52);
    return {k - scale, std::bit_cast<double>((from_root_half & 0x000fffffffffffffULL) + near_root_half)};
}

bool has_plain_log(double x) { return x > 0 && x < infinity; }

// Logarithms at the ends of their range and outside it.
double log_outside(double x) {
    return x == 0 ? -infinity : x > 0 ? infinity : std::numeric_limits<double>::quiet_NaN();
}

// ln(x) to some 56 bits.
Pair log_pair(double x) {
    const auto [k, m] = split_power(x);
    const auto [high, low] = log_of_one_plus(m - 1.0);
    const Pair whole = k == 0 ? quick_sum(high, low) : quick_sum(k * ln2_high, high);
    return quick_sum(whole.high, k == 0 ? whole.low : whole.low + (low + k * ln2_low));
}

// e^(x + rest) for a rest that is far smaller than x.
double exp_of_sum(double x, double rest) {
    if (x > 709.782712893384) return infinity;
    if (x < -708.0) return 0.0;
    const double k = (x * 0x1.71547652b82fep0 + round_magic) - round_magic;
    const double high = x - k * ln2_high, low = k * ln2_low - rest, r = high - low;
    double series = 1.0 / 87178291200.0;
    for (const double factorial :
         {6227020800.0, 479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0}) {
        series = series * r + 1.0 / factorial;
    }
    return std::ldexp(1.0 + (high - (low - r * r * series)), static_cast<int>(k));
}

constexpr std::array<double, 23> factorials = [] {
    std::array<double, 23> found{1.0};
    for (std::size_t n = 1; n < found.size(); ++n) found[n] = found[n - 1] * static_cast<double>(n);
    return found;  // 22! is the last that a double holds exactly
}();

}  // namespace

double log_at(double x) {
    if (!has_plain_log(x)) return log_outside(x);
    if (x >= least_normal) return log_of(x);
    return log_of(x * 0x1p54) - 54.0 * (ln2_high + ln2_low);
}

double log2_of(double x) {
    if (!has_plain_log(x)) return log_outside(x);
    // 1 / ln(2), the first part of 32 bits: what is multiplied with it has as few, so that the product is exact.
    constexpr double per_ln2_high = 0x1.7154765200000p+0, per_ln2_low = 0x1.705fc2eefa200p-33;
    const auto [k, m] = split_power(x);
    const auto [high, low] = log_of_one_plus(m - 1.0);
    const double main = high * per_ln2_high, small = (low + high) * per_ln2_low + low * per_ln2_high;
    const auto [sum, lost] = quick_sum(k, main);
    return k == 0 ? main + small : sum + (lost + small);
}

double log1p_of(double x) {
    const double u = 1.0 + x;
    if (!(u < infinity)) return log_outside(u);
    if (u == 1.0) return x;
    const double lost = (x >= 1.0 ? 1.0 - (u - x) : x - (u - 1.0)) / u;
    const auto [k, m] = split_power(u);
    const double f = m - 1.0, s = f / (2.0 + f), t = s * s;
    return k * ln2_high + (f - (s * (f - 2.0 * t * artanh_series(t)) - (k * ln2_low + lost)));
}

double exp_of(double x) { return exp_of_sum(x, 0.0); }

double power_of_share(double x, double y) {
    const auto [high, low] = log_pair(x);
    const auto [main, lost] = product(high, y);
    return exp_of_sum(main, lost + low * y);
}

double log_gamma(double x) {
    constexpr double half_log_two_pi = 0.91893853320467274178;
    if (x < 24.0 && x == std::floor(x)) return log_at(factorials[static_cast<std::size_t>(x) - 1]);
    double below = 1.0;
    for (; x < 14.0; x += 1.0) below *= x;
    const double t = 1.0 / (x * x);  // Stirling's series
    const double series =
        1.0 / 12 -
        t * (1.0 / 360 - t * (1.0 / 1260 - t * (1.0 / 1680 - t * (1.0 / 1188 - t * (691.0 / 360360 - t / 156)))));
    return (x - 0.5) * log_at(x) - x + half_log_two_pi + series / x - log_at(below);
}

}  // namespace calibrant
