// Sums of gradients by column and bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boost/gradient_bins.hpp"
#include "boost/gradient_sums.hpp"

namespace calibrant {

// The columns of one tree, block by block.
class HistogramColumns {
  public:
    // The chosen columns are positions among the usable ones, ascending.
    void choose(const BinnedTable& table, std::span<const std::uint32_t> chosen);

    // Sums over rows; cells of columns that were not chosen are left as they are.
    void sum(const BinnedTable& table, std::span<const std::uint32_t> rows, const GradientSum* of_row,
             GradientSum* cells) const;
    // Takes the sums of one child from those of the node, which become the other child's.
    void subtract(const GradientSum* child, GradientSum* node) const;

  private:
    struct Column {
        std::uint32_t offset, first_cell;  // in the row of the block
    };
    struct Block {
        const ColumnBlock* block;
        std::size_t begin, end;  // in columns_
    };
    struct Cells {
        std::size_t begin, end;
    };
    std::vector<Column> columns_{};
    std::vector<Block> blocks_{};
    std::vector<Cells> cells_{};  // merged where columns are neighbours
};

}  // namespace calibrant
