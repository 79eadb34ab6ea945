// A node on the grower's stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "counter_random.hpp"
#include "tree/grow/partition.hpp"
#include "tree/tree.hpp"

namespace calibrant {

struct Histogram;

struct PendingNode {
    std::int32_t parent = Tree::no_node;
    std::size_t branch = 0;
    Segment segment{};
    bool is_leaf = false;
    bool is_presorted = false;    // its rows are renumbered and its columns sorted
    bool should_presort = false;  // and should be, however large
    std::size_t depth = 0;
    std::int32_t multiway_above = Tree::no_node;  // the nearest node above with a branch per value
    std::uint64_t key = 0;                        // identifies the path from the root
    double weight = 0;
    std::int32_t label = 0;
    std::vector<double> counts{};
    std::shared_ptr<Histogram> histogram{};  // where it was found by subtraction
};

}  // namespace calibrant
