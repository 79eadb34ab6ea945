// Scores in bins of about equal weight or of equal width, with the weight of either class in each.
#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/score_groups.hpp"
#include "stop.hpp"

namespace calibrant {

// Between bin i and the next lie the scores `below[i]` and `above[i]`: the last of the one and the first of the other,
// or twice the edge itself. A score at an edge belongs to the upper bin.
struct ScoreBins {
    std::vector<double> below, above, weight, positive;
};

// Bins in the order of the scores, each closed once it holds its share of the weight and the score changes; fewer than
// `n_bins` where many scores are equal.
ScoreBins count_bins(const ScoreRows& rows, std::size_t n_bins, std::size_t n_threads, const StopToken& stop);

// Bins of equal width from `low` to `high`, the first and the last unbounded.
ScoreBins width_bins(const ScoreRows& rows, std::size_t n_bins, double low, double high);

}  // namespace calibrant
