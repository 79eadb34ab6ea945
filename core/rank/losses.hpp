// Sums of losses over rows: squared errors, logarithms, and observed frequencies by probability, in one pass each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/score_groups.hpp"
#include "rank/rank_measures.hpp"
#include "stop.hpp"

namespace calibrant {

// Rows of several classes: a row of probabilities for each, the column of its class, and its weight; without weights
// each counts once.
struct ClassRows {
    std::span<const double> table;
    std::span<const std::int32_t> labels;
    std::span<const double> weights;
    std::size_t n_classes;
    std::size_t size() const { return labels.size(); }
};

// Rows are summed in the same order for any number of threads.
struct Threads {
    std::size_t n;
    const StopToken& stop;
};

// The sum of squared errors: of the positive class alone, of all classes, and of each row's own class.
double squared_errors(const ScoreRows& rows, Threads threads);
double squared_errors(const ClassRows& rows, Threads threads);
double own_squared_errors(const ClassRows& rows, Threads threads);

// The log-loss of the probability of each row's actual class: the sum of -ln p where p is between 0 and 1, and the
// weight of the rows where it is 0 and where it is 1. Probabilities are clipped to [least, 1 - least] first.
struct LogLossSums {
    double sum = 0, at_zero = 0, at_one = 0;
};
LogLossSums log_loss_sums(const ScoreRows& rows, double least, Threads threads);
LogLossSums log_loss_sums(const ClassRows& rows, double least, Threads threads);

// The rows in bins of equal width from 0 to 1; one at an edge is of the upper bin.
std::vector<RankBin> width_sums(const ScoreRows& rows, std::size_t n_bins, Threads threads);

}  // namespace calibrant
