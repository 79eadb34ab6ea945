// The area under the ROC curve with its variance (DeLong, DeLong & Clarke-Pearson 1988), from one sort.
#pragma once

#include <cstddef>

#include "calibrate/score_groups.hpp"
#include "stop.hpp"

namespace calibrant {

// The area; its variance due to positive rows and due to negative rows; the weight of either class. A variance is NaN
// where its class has a weight of 1 or less, the area where a class has no weight.
struct AreaVariance {
    double area, by_positive, by_negative, positive, negative;
};

AreaVariance area_variance(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
