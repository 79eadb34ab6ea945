// Sums of gradients and hessians, both in one 64-bit integer: the gradient in the upper half, the hessian in the lower.
// Integers add up to the same bits in any order, so that a weight of 2 is the row twice, and a node's sums less one
// child's are exactly the other's.
#pragma once

#include <cstdint>

namespace calibrant {

using GradientSum = std::int64_t;

inline GradientSum pack(std::int64_t gradient, std::int64_t hessian) {
    return gradient * (std::int64_t{1} << 32) + hessian;
}
inline std::int32_t gradient_of(GradientSum sum) { return static_cast<std::int32_t>(sum >> 32); }
inline std::int32_t hessian_of(GradientSum sum) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)); }

// Units of the integers: powers of two.
struct GradientUnits {
    double gradient = 1, hessian = 1;
};

}  // namespace calibrant
