// Bootstrap and jackknife replicates in one pass each: sums of row values, counts of cells and measures of rankings,
// from the same draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rank/rank_replicate.hpp"
#include "rank/unit_draws.hpp"
#include "stop.hpp"

namespace calibrant {

// Rows and what is computed from them. A row is drawn with its unit; `row_unit` empty: each row is a unit. `row_weight`
// empty: 1 each.
struct ResampledRows {
    std::size_t n_rows = 0;
    std::span<const std::uint32_t> row_unit;
    std::span<const double> row_weight;
    std::vector<std::span<const double>> values;
    std::span<const std::uint32_t> cells;
    std::size_t n_cells = 0;
    std::vector<RankedRows> rankings;
};

// For each replicate: the weight of all rows and the sum of each value; the weight in each cell; the measures of each
// ranking.
struct ResampledSums {
    std::span<double> weight, values, cells, rankings;
};

// What is drawn (units, a seed), or left out (the block of each unit, one block per replicate), or known already (how
// often each unit is drawn, replicate after replicate).
struct Resampling {
    Units units;
    std::uint64_t seed = 0;
    std::span<const std::uint32_t> blocks, counts;
};

struct ResampleOptions {
    std::size_t n_replicates = 0, n_threads = 1;
    bool everything = false;
    double top_share = 0;
    std::size_t first = 0;  // the number of the first replicate, or of the first block left out
};

void resample(const ResampledRows& rows, const Resampling& how, const ResampleOptions& options,
              const ResampledSums& out, const StopToken& stop);

}  // namespace calibrant
