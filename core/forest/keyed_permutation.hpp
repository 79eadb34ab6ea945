// A permutation of [0, n) that follows from a key, each value computed without the others (Black & Rogaway 2002:
// generalised Feistel rounds and cycle walking). Below `few` a shuffle: Feistel rounds reach too few permutations
// there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calibrant {

class KeyedPermutation {
  public:
    static constexpr std::uint64_t few = 4096;

    KeyedPermutation(std::uint64_t key, std::uint64_t n);

    // Writes the values at some indices, which may be the same memory.
    void map(std::span<const std::uint32_t> indices, std::span<std::uint32_t> values) const;

  private:
    static constexpr std::size_t n_rounds = 6;
    static constexpr std::size_t at_once = 256;

    void map_some(const std::uint32_t* indices, std::size_t count, std::uint32_t* values) const;
    void permute(std::uint32_t* values, std::size_t count) const;

    std::uint32_t n_, n_high_, n_low_;  // an index is a pair of a high and a low number
    std::array<std::uint32_t, n_rounds> keys_{};
    std::vector<std::uint32_t> shuffled_;
};

}  // namespace calibrant
