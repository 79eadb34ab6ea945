// Numeric trees packed for one row or a few: sixteen bytes a node, the sides of a test in one cache line, several trees
// walked at once.
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
    // Whether every test of the members is of a number, and their nodes can be counted.
    static bool can_pack(std::span<const Member> members);

    PackedForest(std::span<const Member> members, std::size_t n_columns, std::size_t width);

    std::size_t n_columns() const { return n_columns_; }
    std::size_t width() const { return width_; }

    // Writes the mean of the members' tables at the leaves of a row without unknown values; summed in the order of the
    // members.
    void mean(std::span<const double> row, std::span<double> out) const;

  private:
    // A test sends a value <= cut to `next` and others behind it. A leaf has no cut but NaN, with the row of its answer
    // in the low bits, and `next` stands one before it: whatever the value, the way stays there.
    struct Node {
        std::uint64_t cut = 0;
        std::uint32_t column = 0;
        std::uint32_t next = 0;
    };
    struct alignas(2 * sizeof(Node)) Sides {
        std::array<Node, 2> nodes;
    };

    const Node& node(std::uint32_t number) const { return sides_[number / 2].nodes[number % 2]; }
    using Answers = std::unordered_map<std::string, std::uint64_t>;  // their bytes and their rows

    void pack(const Member& member, Answers& seen);
    Node leaf(std::uint32_t number, std::span<const double> answer, Answers& seen);

    std::size_t n_columns_, width_;
    std::vector<Sides> sides_;
    std::vector<std::uint32_t> roots_;
    std::vector<double> answers_;
};

}  // namespace calibrant
