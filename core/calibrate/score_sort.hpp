// Scores in order: their bits as whole numbers that sort as they do, and a radix sort of those.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fresh_memory.hpp"

namespace calibrant {

// Finite numbers sort as their keys do; -0.0 is 0.0.
inline std::uint64_t key_of(double score) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);
    return bits ^ ((std::uint64_t{0} - (bits >> 63)) | sign);
}

inline double score_of(std::uint64_t key) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    return std::bit_cast<double>(key & sign ? key ^ sign : ~key);
}

// A score of a row that counts once, and of a row with a weight.
struct PlainScore {
    std::uint64_t key;
    double weight() const { return 1.0; }
};
struct WeightedScore {
    std::uint64_t key;
    double weight_;
    double weight() const { return weight_; }
};

// Sorts by key; `spare` is scratch memory of the same size.
void sort_scores(std::span<PlainScore> items, std::span<PlainScore> spare);
void sort_scores(std::span<WeightedScore> items, std::span<WeightedScore> spare);

}  // namespace calibrant
