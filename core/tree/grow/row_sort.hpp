// Rows sorted by their keys: a radix sort, or by comparing where the rows are few.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "radix_sort.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

// A total order, so that sums over rows of one key are the same with any standard library.
inline bool by_key_and_row(const SortedRow& a, const SortedRow& b) {
    const auto both = [](const SortedRow& row) { return std::uint64_t{row.key} << 32 | row.row; };
    return both(a) < both(b);
}

// Stable in the order of the keys; rows must come in ascending order of their numbers. `spare` is scratch memory.
inline void sort_rows(std::vector<SortedRow>& rows, std::vector<SortedRow>& spare, std::uint32_t largest_key) {
    constexpr std::size_t few = 192;  // comparing sorts these faster than up to 2048 counts are cleared and summed
    constexpr int most_bits = 11;     // of a digit: its counts fit the first-level cache
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
        counts_to_positions(next);
        scatter<SortedRow>(rows, spare.data(), next.data(),
                           [=](const SortedRow& row) { return row.key >> shift & digit_mask; });
        rows.swap(spare);
    }
}

}  // namespace calibrant
