// A node on the grower's stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/grow/partition.hpp"
#include "tree/tree.hpp"

namespace calibrant {

// A node that waits to be grown.
struct Pending {
    std::int32_t parent = Tree::no_node;
    std::size_t branch = 0;
    Segment segment{};
    bool is_leaf = false;
    bool is_settled = false;      // its columns are sorted
    bool asks_to_settle = false;  // and should be, large as it may be
    std::size_t depth = 0;
    std::int32_t multiway_above = Tree::no_node;  // the nearest node above that gives each nominal value its branch
    std::uint64_t key = 0;                        // names the path from the root
    double weight = 0;
    std::int32_t label = 0;
    std::vector<double> counts{};
};

inline std::uint64_t mix(std::uint64_t x) {  // the finaliser of SplitMix64
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

}  // namespace calibrant
