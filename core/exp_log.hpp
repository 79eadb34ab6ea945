// Exponentials and logarithms without branches or tables, so that a compiler takes several at a time; within two units
// in the last place of the exact values. elementary.hpp has more of them, for one number at a time.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "compiler.hpp"

namespace calibrant {

inline constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
inline constexpr std::uint64_t near_root_half = 0x3fe6a09e667f3bcdULL;  // the bits of the root of 1/2
inline constexpr double round_magic = 0x1.8p52;  // added and taken away again, it rounds to a whole number

// 1 where x >= 0 and 0 below, without a branch that would keep the compiler from taking several.
CALIBRANT_INLINE double is_not_negative(double x) { return 0.5 + std::copysign(0.5, x); }

// e^-x for finite x >= 0; as good as 0 from 708 on.
CALIBRANT_INLINE double exp_minus(double x) {
    const double is_small = is_not_negative(708.0 - x);
    const double capped = is_small * x + (1.0 - is_small) * 708.0;
    const double shifted = round_magic - capped * 0x1.71547652b82fep0;
    const double k = shifted - round_magic;
    const double r = (-capped - k * ln2_high) - k * ln2_low;
    double series = 1.0 / 6227020800.0;
    series = series * r + 1.0 / 479001600.0;
    series = series * r + 1.0 / 39916800.0;
    series = series * r + 1.0 / 3628800.0;
    series = series * r + 1.0 / 362880.0;
    series = series * r + 1.0 / 40320.0;
    series = series * r + 1.0 / 5040.0;
    series = series * r + 1.0 / 720.0;
    series = series * r + 1.0 / 120.0;
    series = series * r + 1.0 / 24.0;
    series = series * r + 1.0 / 6.0;
    series = series * r + 0.5;
    series = series * r + 1.0;
    series = series * r + 1.0;
    const auto power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return series * std::bit_cast<double>(power);
}

// artanh(s) / s - 1 over s^2, from s^2.
CALIBRANT_INLINE double artanh_series(double t) {
    double series = 1.0 / 21.0;
    series = series * t + 1.0 / 19.0;
    series = series * t + 1.0 / 17.0;
    series = series * t + 1.0 / 15.0;
    series = series * t + 1.0 / 13.0;
    series = series * t + 1.0 / 11.0;
    series = series * t + 1.0 / 9.0;
    series = series * t + 1.0 / 7.0;
    series = series * t + 1.0 / 5.0;
    return series * t + 1.0 / 3.0;
}

// ln(x) of a normal number.
CALIBRANT_INLINE double log_of(double x) {
    const auto from_root_half = std::bit_cast<std::uint64_t>(x) - near_root_half;
    const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(from_root_half) >> 52);
    const double m = std::bit_cast<double>((from_root_half & 0x000fffffffffffffULL) + near_root_half);
    const double k = std::bit_cast<double>(exponent + std::bit_cast<std::uint64_t>(round_magic)) - round_magic;
    const double f = m - 1.0;  // exact, unlike s
    const double s = f / (2.0 + f), t = s * s;
    return k * ln2_high + (f - (s * (f - 2.0 * t * artanh_series(t)) - k * ln2_low));
}

// ln(1 + x) for x in [0, 1]: 1 + x is halved where it is over the root of two.
CALIBRANT_INLINE double log_one_plus(double x) {
    const double k = is_not_negative(x - 0.41421356237309503);
    const double y = k * (0.5 * x - 0.5) + (1.0 - k) * x;
    const double s = y / (2.0 + y), t = s * s;
    return k * ln2_high + (2.0 * s + (2.0 * s * t * artanh_series(t) + k * ln2_low));
}

}  // namespace calibrant
