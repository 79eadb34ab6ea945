// Some rows of a sorted column put in its order again, by their ranks in it: where a node draws few of the columns,
// this takes less time than partitioning all of them at every split.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/grow/split_search.hpp"

namespace calibrant {

// The ranks of one column, row by row among those of others.
struct RowRanks {
    const std::uint16_t* ranks;
    std::size_t width;

    std::uint32_t of(std::uint32_t row) const { return ranks[row * width]; }
};

class RankSort {
  public:
    static constexpr std::size_t most = 4096;  // rows of a column: the bits of all of them are read for each node

    // Returns `rows` in the order of `column`, until the next call.
    std::span<const SortedRow> sort(std::span<const std::uint32_t> rows, const RowRanks& ranks,
                                    std::span<const SortedRow> column);

  private:
    std::array<std::uint64_t, most / 64> bits_{};  // of the ranks that occur; none between calls
    std::vector<SortedRow> sorted_;
};

}  // namespace calibrant
