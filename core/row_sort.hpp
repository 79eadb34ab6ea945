// Sorting rows by their keys: a radix sort, or a plain one where the rows are few.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "split_search.hpp"

namespace calibrant {

// Stable in the order of the keys; rows must come in ascending order of their numbers. `spare` is scratch memory.
inline void sort_rows(std::vector<SortedRow>& rows, std::vector<SortedRow>& spare, std::uint32_t largest_key) {
    constexpr std::size_t few = 192;
    constexpr int digit_bits = 11;
    constexpr std::uint32_t digit_mask = (1U << digit_bits) - 1;
    if (rows.size() < few) {
        std::sort(rows.begin(), rows.end(), [](const SortedRow& a, const SortedRow& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
        return;
    }
    spare.resize(rows.size());
    for (int shift = 0; shift < static_cast<int>(std::bit_width(largest_key)); shift += digit_bits) {
        std::array<std::uint32_t, digit_mask + 1> next{};
        for (const SortedRow& row : rows) ++next[row.key >> shift & digit_mask];
        std::uint32_t place = 0;
        for (std::uint32_t& n : next) place += std::exchange(n, place);
        for (const SortedRow& row : rows) spare[next[row.key >> shift & digit_mask]++] = row;
        rows.swap(spare);
    }
}

}  // namespace calibrant
