// Grows many trees from one coded table, each from its own bag of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "tree/grow/grower.hpp"

namespace calibrant {

// The number of times each row is in the bag of each tree (trees x rows), and the seed of each tree.
struct BagMatrix {
    std::span<const std::uint16_t> in_bag;
    std::span<const std::uint64_t> seeds;
};

// Grows one tree for each seed, the same ones for any number of threads. The weight of a row is multiplied by the
// number of times it is in the bag.
std::vector<Tree> grow_forest(const Examples& examples, const BagMatrix& bags, const GrowOptions& options,
                              const StopToken& stop);

}  // namespace calibrant
