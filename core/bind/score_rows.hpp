// Scores of two classes as the core sees them, their lengths checked.
#pragma once

#include <optional>

#include "bind/arrays.hpp"
#include "calibrate/score_groups.hpp"

namespace calibrant {

using MaybeWeights = std::optional<Vector<double>>;

inline void require(bool holds, const char* what) {
    if (!holds) throw nanobind::value_error(what);
}

inline std::span<const double> weights_of(const MaybeWeights& weights, std::size_t n_rows) {
    require(!weights || weights->size() == n_rows, "weights must have one entry for each row");
    return span_of(weights);
}

inline ScoreRows score_rows_of(const Vector<double>& scores, const Vector<bool>& positive,
                               const MaybeWeights& weights) {
    require(scores.size() > 0, "there must be a row");
    require(positive.size() == scores.size(), "positive must have one entry for each row");
    return {span_of(scores), span_of(positive), weights_of(weights, scores.size())};
}

}  // namespace calibrant
