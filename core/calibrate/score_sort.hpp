// Scores as keys, with or without a weight, and their sort.
#pragma once

#include <cstdint>
#include <span>

#include "buffer.hpp"
#include "radix_sort.hpp"

namespace calibrant {

inline std::uint64_t key_of(double score) { return order_key<std::uint64_t>(score); }

// The key of a row that counts once, and of a row with a weight.
struct PlainKey {
    std::uint64_t key;
    double weight() const { return 1.0; }
};
struct WeightedKey {
    std::uint64_t key;
    double weight_;
    double weight() const { return weight_; }
};

// Sorts by key, stably; `spare` is scratch memory of the same size.
void sort_scores(std::span<PlainKey> items, std::span<PlainKey> spare);
void sort_scores(std::span<WeightedKey> items, std::span<WeightedKey> spare);

}  // namespace calibrant
