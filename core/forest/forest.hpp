// Grows many trees from one coded table, each from rows of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "tree/grow/grower.hpp"

namespace calibrant {

// How often each row is in the bag of each tree (trees x rows, 0: not at all), and the seed of each tree.
struct Bags {
    std::span<const std::uint16_t> in_bag;
    std::span<const std::uint64_t> seeds;
};

// One tree for each seed; threads take trees, and any number of them gives the same ones. A row weighs its weight as
// often as it is in the bag.
std::vector<Tree> grow_forest(const Examples& examples, const Bags& bags, const GrowOptions& options,
                              const StopToken& stop);

}  // namespace calibrant
