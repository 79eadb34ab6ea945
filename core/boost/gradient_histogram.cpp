#include "boost/gradient_histogram.hpp"

#include <algorithm>

#include "compiler.hpp"

namespace calibrant {
namespace {

constexpr std::size_t rows_ahead = 16;  // whose codes are requested before they are needed

}  // namespace

void HistogramColumns::choose(const BinnedTable& table, std::span<const std::uint32_t> chosen) {
    columns_.clear();
    blocks_.clear();
    cells_.clear();
    auto at = chosen.begin();
    for (const ColumnBlock& block : table.blocks()) {
        const std::size_t begin = columns_.size();
        for (; at != chosen.end() && *at < block.first_column + block.n_columns; ++at) {
            const std::size_t first = table.first_cell(*at), last = table.first_cell(*at + 1);
            columns_.push_back(
                {static_cast<std::uint32_t>(*at - block.first_column), static_cast<std::uint32_t>(first)});
            if (!cells_.empty() && cells_.back().end == first)
                cells_.back().end = last;
            else
                cells_.push_back({first, last});
        }
        if (columns_.size() > begin) blocks_.push_back({&block, begin, columns_.size()});
    }
}

void HistogramColumns::sum(const BinnedTable&, std::span<const std::uint32_t> rows, const GradientSum* of_row,
                           GradientSum* cells) const {
    for (const Cells& range : cells_) std::fill(cells + range.begin, cells + range.end, GradientSum{0});
    for (const Block& each : blocks_) {
        const Column* const begin = columns_.data() + each.begin;
        const Column* const end = columns_.data() + each.end;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i + rows_ahead < rows.size()) {
                prefetch(each.block->row(rows[i + rows_ahead]));
                prefetch(of_row + rows[i + rows_ahead]);
            }
            const std::uint8_t* const codes = each.block->row(rows[i]);
            const GradientSum value = of_row[rows[i]];
            for (const Column* column = begin; column < end; ++column)
                cells[column->first_cell + codes[column->offset]] += value;
        }
    }
}

void HistogramColumns::subtract(const GradientSum* child, GradientSum* node) const {
    for (const Cells& range : cells_)
        for (std::size_t cell = range.begin; cell < range.end; ++cell) node[cell] -= child[cell];
}

}  // namespace calibrant
