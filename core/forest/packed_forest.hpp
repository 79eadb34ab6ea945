// Numeric trees packed for predicting one row or a few: sixteen bytes per node, both branches of a test in one cache
// line, several trees descended at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "forest/predict.hpp"

namespace calibrant {

class PackedForest {
  public:
    // Returns whether every test of the members is numeric, and 32 bits can number their nodes.
    static bool can_pack(std::span<const Member> members);

    PackedForest(std::span<const Member> members, std::size_t n_columns, std::size_t width);

    std::size_t n_columns() const { return n_columns_; }
    std::size_t width() const { return width_; }

    // Writes the mean of the members' tables at the leaves of a row without missing values, summed in the order of the
    // members.
    void mean(std::span<const double> row, std::span<double> out) const;

  private:
    // A test sends a value <= cut to node `next` and others to the node after it. A leaf's cut is a NaN whose low bits
    // hold the row of its prediction, and its `next` is the node before it: no value is <= NaN, so every path
    // stays at the leaf and the loop needs no test for leaves.
    struct Node {
        std::uint64_t cut = 0;
        std::uint32_t column = 0;
        std::uint32_t next = 0;
    };
    struct alignas(2 * sizeof(Node)) Sides {
        std::array<Node, 2> nodes;
    };

    const Node& node(std::uint32_t number) const { return sides_[number / 2].nodes[number % 2]; }
    using PredictionIndex = std::unordered_map<std::string, std::uint64_t>;  // rows by the bytes of a prediction

    void pack(const Member& member, PredictionIndex& seen);
    Node leaf(std::uint32_t number, std::span<const double> prediction, PredictionIndex& seen);

    std::size_t n_columns_, width_;
    std::vector<Sides> sides_;
    std::vector<std::uint32_t> roots_;
    std::vector<double> predictions_;
};

}  // namespace calibrant
