// The area under the ROC curve with its variance (DeLong, DeLong & Clarke-Pearson 1988), from one sort.
#pragma once

#include <cstddef>

#include "calibrate/score_groups.hpp"
#include "stop.hpp"

namespace calibrant {

// The area; the variance of it that positive rows bring, and that negative rows bring; the weight of either class.
// Variances are NaN where a class weighs 1 or less, the area where one has no weight.
struct AreaVariance {
    double area, by_positive, by_negative, positive, negative;
};

AreaVariance area_variance(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
