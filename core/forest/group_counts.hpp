// Class counts of a group's out-of-bag rows at each leaf that they reach, to be subtracted where one of them is
// predicted: rows of a group resemble one another, so the others would give a row's class away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/leaf_counts.hpp"
#include "stop.hpp"

namespace calibrant {

class GroupCounts {
  public:
    GroupCounts() = default;
    GroupCounts(const LeafPaths& paths, std::size_t tree, const BaggedRows& rows, const StopToken& stop);

    // The weight of each class among the group's out-of-bag rows at a leaf; the group must have one there.
    std::span<const double> at(std::size_t group, std::size_t leaf) const;

  private:
    std::size_t n_classes_ = 0;
    std::vector<std::uint64_t> keys_;  // group and leaf, ascending
    std::vector<double> counts_;       // keys x classes
};

}  // namespace calibrant
