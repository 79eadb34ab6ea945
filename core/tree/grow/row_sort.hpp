// Sorting rows by their keys: a radix sort, or a plain one where the rows are few.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tree/grow/split_search.hpp"

namespace calibrant {

// A total order: what rows of one key add up to must not hang on the standard library's way of sorting.
inline bool by_key_and_row(const SortedRow& a, const SortedRow& b) {
    return a.key != b.key ? a.key < b.key : a.row < b.row;
}

// Stable in the order of the keys; rows must come in ascending order of their numbers. `spare` is scratch memory.
inline void sort_rows(std::vector<SortedRow>& rows, std::vector<SortedRow>& spare, std::uint32_t largest_key) {
    constexpr std::size_t few = 192;
    constexpr int most_bits = 11;
    if (rows.size() < few) {
        std::sort(rows.begin(), rows.end(), by_key_and_row);
        return;
    }
    spare.resize(rows.size());
    const int bits = static_cast<int>(std::bit_width(largest_key)), n_passes = (bits + most_bits - 1) / most_bits;
    const int digit_bits = n_passes == 0 ? 0 : (bits + n_passes - 1) / n_passes;
    const std::uint32_t digit_mask = (1U << digit_bits) - 1;
    for (int shift = 0; shift < bits; shift += digit_bits) {
        std::array<std::uint32_t, 1U << most_bits> counts;
        const std::span<std::uint32_t> next(counts.data(), digit_mask + 1);
        std::fill(next.begin(), next.end(), 0U);
        for (const SortedRow& row : rows) ++next[row.key >> shift & digit_mask];
        std::uint32_t place = 0;
        for (std::uint32_t& n : next) place += std::exchange(n, place);
        for (const SortedRow& row : rows) spare[next[row.key >> shift & digit_mask]++] = row;
        rows.swap(spare);
    }
}

}  // namespace calibrant
