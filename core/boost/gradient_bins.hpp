// Columns as bytes: numeric columns in bins of neighbouring values, nominal ones as their most frequent categories. The
// bins are made from the codes of the table, once for all folds; new rows are put into them by their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "table/cells.hpp"
#include "table/coded_table.hpp"
#include "tree/predict.hpp"

namespace calibrant {

inline constexpr std::size_t most_bins_of_a_byte = 255;  // and one code for missing values

// How values of each column become bins; the code of missing values, and of categories without a bin, is n_bins.
struct BinRules {
    std::vector<std::uint8_t> is_nominal{};
    std::vector<std::uint16_t> n_bins{};
    std::vector<std::uint32_t> first_cut{0};  // of each column, and their number; likewise below
    std::vector<double> cuts{};               // numeric: a value up to cut i is in bin i or below
    std::vector<std::uint32_t> first_category{0};
    std::vector<std::uint8_t> bin_of_category{};  // nominal

    std::size_t n_columns() const { return n_bins.size(); }
    // Columns with at least two codes among the rows can be tested; the others have no bin.
    bool is_usable(std::size_t column) const { return n_bins[column] > 0; }
};

// Columns of a few cells each, so that the sums of their bins stay in the cache; codes are row-major.
struct ColumnBlock {
    std::size_t first_column = 0, n_columns = 0;  // positions among the usable columns
    std::vector<std::uint8_t> codes{};

    const std::uint8_t* row(std::size_t row) const { return codes.data() + row * n_columns; }
};

class BinnedTable {
  public:
    // The rows in the order `rows`; weights, empty for 1 each, decide on quantiles and on frequent categories.
    BinnedTable(const CodedTable& table, std::span<const std::uint32_t> rows, std::span<const double> weights,
                std::size_t max_bins, std::size_t n_threads, const StopToken& stop);

    std::size_t n_rows() const { return n_rows_; }
    const BinRules& rules() const { return rules_; }
    std::span<const std::uint32_t> usable() const { return usable_; }
    std::span<const ColumnBlock> blocks() const { return blocks_; }
    std::size_t n_cells() const { return first_cell_.back(); }
    // Of a position among the usable columns.
    std::size_t first_cell(std::size_t position) const { return first_cell_[position]; }
    const std::uint8_t* codes(std::size_t position) const { return codes_.data() + position * n_rows_; }

  private:
    void make_blocks();

    std::size_t n_rows_;
    BinRules rules_;
    std::vector<std::uint32_t> usable_{};
    std::vector<std::size_t> first_cell_{0};
    std::vector<std::uint8_t> codes_{};  // column-major
    std::vector<ColumnBlock> blocks_{};
};

// Writes the bins of new values of a column; the rules must outlive it.
class BinWriter {
  public:
    BinWriter(const BinRules& rules, std::size_t column);

    void write(const PredictColumn& values, std::size_t begin, std::size_t end, std::uint8_t* out) const;

  private:
    std::uint8_t missing_;
    EdgeSearch cuts_;
    std::span<const std::uint8_t> bins_;  // of each category
};

}  // namespace calibrant
