#include "boost/gradient_loss.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler.hpp"
#include "exp_log.hpp"

namespace calibrant {
namespace {

constexpr double most_sum =
    0x1p30;  // of a table, in units: half of what 32 bits with a sign hold, for what rounding adds

// 1 / (1 + e^-x) without a branch, so that the loops below run several numbers at a time; e^-|x| does not overflow.
CALIBRANT_INLINE double sigmoid(double x) {
    const double small = exp_minus(std::abs(x));
    const double larger = 1.0 / (1.0 + small), smaller = small * larger;
    const double is_up = is_not_negative(x);
    return is_up * larger + (1.0 - is_up) * smaller;
}

CALIBRANT_INLINE double rounded(double x) { return (x + round_magic) - round_magic; }

// A power of two, so that dividing by it is exact.
double unit_of(double sum) {
    if (!(sum > 0)) return 1;
    int exponent = 0;
    std::frexp(sum / most_sum, &exponent);
    return std::ldexp(1.0, exponent);
}

CALIBRANT_CLONES void raise_to(const double* scores, std::size_t n, double* most) {
    for (std::size_t i = 0; i < n; ++i) most[i] = scores[i] > most[i] ? scores[i] : most[i];
}

CALIBRANT_CLONES void add_exponentials(const double* scores, const double* most, std::size_t n, double* sums) {
    for (std::size_t i = 0; i < n; ++i) sums[i] += exp_minus(most[i] - scores[i]);
}

CALIBRANT_CLONES void add_logarithms(const double* sums, std::size_t n, double* most) {
    for (std::size_t i = 0; i < n; ++i) most[i] += log_of(sums[i]);
}

}  // namespace

CALIBRANT_CLONES void logistic_gradients(const double* scores, const std::uint16_t* labels, std::size_t n,
                                         double* gradients, double* hessians) {
    for (std::size_t i = 0; i < n; ++i) {
        const double p = sigmoid(scores[i]);
        gradients[i] = p - static_cast<double>(labels[i]);
        hessians[i] = p * (1.0 - p);
    }
}

void log_sums(const double* scores, std::size_t stride, std::size_t n_classes, std::size_t n, double* out) {
    std::copy_n(scores, n, out);
    for (std::size_t k = 1; k < n_classes; ++k) raise_to(scores + k * stride, n, out);
    std::vector<double> sums(n);
    for (std::size_t k = 0; k < n_classes; ++k) add_exponentials(scores + k * stride, out, n, sums.data());
    add_logarithms(sums.data(), n, out);
}

CALIBRANT_CLONES void softmax_gradients(const double* scores, const double* log_sums, const std::uint16_t* labels,
                                        std::size_t label, std::size_t n_classes, std::size_t n, double* gradients,
                                        double* hessians) {
    // leaf values have the factor (K - 1) / K of multiclass logistic boosting (Friedman 2001)
    const double factor = static_cast<double>(n_classes) / static_cast<double>(n_classes - 1);
    for (std::size_t i = 0; i < n; ++i) {
        const double below = log_sums[i] - scores[i];
        const double p = exp_minus(below > 0.0 ? below : 0.0);
        gradients[i] = p - (labels[i] == label ? 1.0 : 0.0);
        hessians[i] = factor * p * (1.0 - p);
    }
}

GradientUnits units_of(double sum_of_gradients, double sum_of_hessians) {
    return {unit_of(sum_of_gradients), unit_of(sum_of_hessians)};
}

CALIBRANT_CLONES void pack_gradients(const double* gradients, const double* hessians, const double* weights,
                                     GradientUnits units, std::size_t n, GradientSum* out) {
    const double per_gradient = 1.0 / units.gradient, per_hessian = 1.0 / units.hessian;  // exact: powers of two
    if (weights == nullptr) {
        for (std::size_t i = 0; i < n; ++i)
            out[i] = pack(static_cast<std::int32_t>(rounded(gradients[i] * per_gradient)),
                          static_cast<std::int32_t>(rounded(hessians[i] * per_hessian)));
        return;
    }
    // rounded before it is weighted: a weight of 2 is then the row twice, to the bit
    for (std::size_t i = 0; i < n; ++i)
        out[i] = pack(static_cast<std::int32_t>(rounded(weights[i] * rounded(gradients[i] * per_gradient))),
                      static_cast<std::int32_t>(rounded(weights[i] * rounded(hessians[i] * per_hessian))));
}

double sum_of_losses(const double* scores, std::size_t stride, std::size_t n_classes, const std::uint16_t* labels,
                     const double* weights, std::size_t n) {
    std::vector<double> sums(n_classes > 2 ? n : 0);
    if (n_classes > 2) log_sums(scores, stride, n_classes, n, sums.data());
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double loss = 0;
        if (n_classes > 2) {
            loss = sums[i] - scores[labels[i] * stride + i];
        } else {
            const double wrong = labels[i] == 1 ? -scores[i] : scores[i];  // the log-odds of the other class
            loss = std::max(wrong, 0.0) + log_one_plus(exp_minus(std::abs(wrong)));
        }
        total += weights == nullptr ? loss : weights[i] * loss;
    }
    return total;
}

void probabilities_of(const double* scores, std::size_t stride, std::size_t n_classes, std::size_t n, double* out) {
    if (n_classes == 2) {
        for (std::size_t i = 0; i < n; ++i) {
            out[2 * i] = sigmoid(-scores[i]);
            out[2 * i + 1] = sigmoid(scores[i]);
        }
        return;
    }
    std::vector<double> sums(n);
    log_sums(scores, stride, n_classes, n, sums.data());
    for (std::size_t k = 0; k < n_classes; ++k)
        for (std::size_t i = 0; i < n; ++i)
            out[i * n_classes + k] = exp_minus(std::max(0.0, sums[i] - scores[k * stride + i]));
}

}  // namespace calibrant
