// Scores, classes and weights drawn for tests, as the core takes them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "calibrate/score_groups.hpp"

struct ScoredSample {
    std::vector<double> scores, weights;
    std::unique_ptr<bool[]> positive;  // std::vector<bool> has no array to pass
    calibrant::ScoreRows rows(bool is_weighted) const {
        return {scores,
                {positive.get(), scores.size()},
                is_weighted ? std::span<const double>(weights) : std::span<const double>{}};
    }
};
