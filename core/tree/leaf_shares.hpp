// The leaves that rows reach, with the share of the row that reached each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "tree/predict.hpp"
#include "tree/tree.hpp"

namespace calibrant {

// Row after row, one entry for each leaf reached; the shares of a row add up to 1.
struct LeafShares {
    std::vector<std::int64_t> row;
    std::vector<std::int32_t> leaf;
    std::vector<double> share;
};

// Descends with the rows for which `wanted` is not 0, all where it is empty; rows keep their numbers.
LeafShares leaf_shares(const Tree& tree, const PredictRows& rows, std::span<const std::uint8_t> wanted,
                       std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
