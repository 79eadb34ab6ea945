// The log-loss of scores, its gradients and hessians. Two classes have one score, the log-odds of the second; more have
// a score each, whose softmax are the probabilities. Score s of row i is at scores[s * stride + i].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "boost/gradient_sums.hpp"

namespace calibrant {

inline std::size_t n_scores(std::size_t n_classes) { return n_classes == 2 ? 1 : n_classes; }

// Writes gradient and hessian of the log-odds; a row's label is 1 for the second class.
void logistic_gradients(const double* scores, const std::uint16_t* labels, std::size_t n, double* gradients,
                        double* hessians);

// Writes the logarithm of the sum of the exponentials of the scores of each row.
void log_sums(const double* scores, std::size_t stride, std::size_t n_classes, std::size_t n, double* out);

// Writes gradient and hessian of the score of one class; the hessian times K / (K - 1), as Friedman's multiclass step.
void softmax_gradients(const double* scores, const double* log_sums, const std::uint16_t* labels, std::size_t label,
                       std::size_t n_classes, std::size_t n, double* gradients, double* hessians);

// Units in which the sums of the absolute gradients and of the hessians, weighted, are at most 2^30.
GradientUnits units_of(double sum_of_gradients, double sum_of_hessians);

// Writes gradients and hessians in units; a weight multiplies the rounded numbers, so that 2 is the row twice.
void pack_gradients(const double* gradients, const double* hessians, const double* weights, GradientUnits units,
                    std::size_t n, GradientSum* out);

// The log-loss of each row added up, times its weight, null for 1 each.
double sum_of_losses(const double* scores, std::size_t stride, std::size_t n_classes, const std::uint16_t* labels,
                     const double* weights, std::size_t n);

// Writes the probabilities of rows, row-major.
void probabilities_of(const double* scores, std::size_t stride, std::size_t n_classes, std::size_t n, double* out);

}  // namespace calibrant
