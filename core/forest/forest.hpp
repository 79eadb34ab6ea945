// Grows many trees from one coded table, each from its own bag of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/bags.hpp"
#include "stop.hpp"
#include "tree/grow/grower.hpp"

namespace calibrant {

// The bags of the trees from `first_tree` on, and the seed of each.
struct ForestDraws {
    const Bags& bags;
    std::size_t first_tree;
    std::span<const std::uint64_t> seeds;
};

// Grows one tree for each seed, the same ones for any number of threads. The weight of a row is multiplied by the
// number of times it is in the bag, which is drawn when the tree is grown.
std::vector<Tree> grow_forest(const Examples& examples, const ForestDraws& draws, const GrowOptions& options,
                              const StopToken& stop);

}  // namespace calibrant
