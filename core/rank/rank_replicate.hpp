// Measures of a ranking in one pass over its rows, under any weights: weights do not change the order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rank/harmonic.hpp"

namespace calibrant {

inline constexpr std::uint8_t mark_positive = 1, mark_group_end = 2;

// Rows from the highest score to the lowest; `rows` empty: they lie in that order. A mark holds whether the row at a
// rank is of the positive class and whether it is the last of those that share a score.
struct RankedRows {
    std::span<const std::uint32_t> rows;
    std::span<const std::uint8_t> marks;
    std::size_t size() const { return marks.size(); }
};

// NaN where a class that is needed has no weight. The lift areas are those of either class, each ranked by its own
// probability; `top_positive` is the positive weight expected in the leading share of the rows.
struct RankMeasures {
    double positive = 0, negative = 0, auc = 0, average_precision = 0, ks = 0, top_positive = 0, lift_area = 0,
           lift_area_negative = 0;
};
inline constexpr std::size_t n_rank_measures = sizeof(RankMeasures) / sizeof(double);

// What to compute: only the area under the ROC curve, or all measures, for a leading share and with harmonic numbers.
struct RankRequest {
    bool everything = false;
    double top_share = 0;
    const Harmonic* harmonic = nullptr;
};

template <class Weight>
RankMeasures measure_ranking(const RankedRows& ranking, std::span<const Weight> weights, const RankRequest& request);

extern template RankMeasures measure_ranking(const RankedRows&, std::span<const std::uint8_t>, const RankRequest&);
extern template RankMeasures measure_ranking(const RankedRows&, std::span<const std::uint32_t>, const RankRequest&);
extern template RankMeasures measure_ranking(const RankedRows&, std::span<const double>, const RankRequest&);

}  // namespace calibrant
