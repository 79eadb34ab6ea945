// Rows drawn with replacement by their weights, as counts. They follow from a seed and from where the rows lie on the
// axis of cumulative weights, so that whoever holds some of the rows draws theirs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace calibrant {

// The number of `n_draws` random points of [0, total) that lie in each interval between successive edges, which ascend.
// Throws std::invalid_argument without an edge, or for more than 2^53 draws.
std::vector<double> draw_by_weight(std::uint64_t seed, std::uint64_t n_draws, double total,
                                   std::span<const double> edges);

}  // namespace calibrant
