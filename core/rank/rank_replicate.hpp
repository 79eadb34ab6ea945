// What a ranking is worth, in one pass over its rows, for any weights of them: no weights change the order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rank/harmonic.hpp"

namespace calibrant {

inline constexpr std::uint8_t mark_positive = 1, mark_group_end = 2;

// Rows from the highest score to the lowest; `rows` empty: they lie in that order. A mark says whether the row at a
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

// What to work out: the area under the ROC curve alone, or all with the leading share and harmonic numbers.
struct RankWish {
    bool everything = false;
    double top_share = 0;
    const Harmonic* harmonic = nullptr;
};

template <class Weight>
RankMeasures measure_ranking(const RankedRows& ranking, std::span<const Weight> weights, const RankWish& wish);

extern template RankMeasures measure_ranking(const RankedRows&, std::span<const std::uint8_t>, const RankWish&);
extern template RankMeasures measure_ranking(const RankedRows&, std::span<const std::uint32_t>, const RankWish&);
extern template RankMeasures measure_ranking(const RankedRows&, std::span<const double>, const RankWish&);

}  // namespace calibrant
