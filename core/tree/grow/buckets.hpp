// Columns of many values, row by row, a byte per cell: the values in ascending order, divided among up to 127 buckets
// of about equally many rows. Large nodes are counted in these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "tree/grow/value_gaps.hpp"

namespace calibrant {

class Buckets {
  public:
    static constexpr std::size_t most =
        127;  // buckets of a column: with the one for missing values 128 x 2 counts of 4 bytes, 1 KB,
              // so that those of some thirty columns stay in the first-level cache
    static constexpr std::size_t missing = most;  // the slot of missing values
    static constexpr std::size_t slots = most + 1;

    // Of some columns; `rows` are those that count. A bucket ends where a cut may follow, unless the values are so
    // dense that it would hold far more than its share of the rows.
    Buckets(const CodedTable& table, std::span<const std::size_t> columns, std::span<const std::uint32_t> rows,
            std::span<const ValueGaps> gaps, std::size_t n_threads, const StopToken& stop);

    std::size_t n_columns() const { return columns_.size(); }
    std::size_t column(std::size_t index) const { return columns_[index]; }  // of the table
    const std::uint8_t* row(std::uint32_t row) const { return cells_.data() + std::size_t{row} * columns_.size(); }
    bool has_one_value(std::size_t index, std::size_t bucket) const { return bounds_[index].one_value[bucket]; }
    // Its least and its greatest value.
    double first_value(std::size_t index, std::size_t bucket) const { return bounds_[index].first[bucket]; }
    double last_value(std::size_t index, std::size_t bucket) const { return bounds_[index].last[bucket]; }
    // Whether a cut may follow the bucket in any node that has rows on both sides.
    bool can_cut_after(std::size_t index, std::size_t bucket) const { return bounds_[index].can_cut_after[bucket]; }
    // The codes of a bucket are those from begin_code(bucket) up to, not including, begin_code(bucket + 1).
    std::uint32_t begin_code(std::size_t index, std::size_t bucket) const { return bounds_[index].begin[bucket]; }

  private:
    struct Bounds {
        std::array<std::uint32_t, slots + 1> begin{};
        std::array<bool, slots> one_value{}, can_cut_after{};
        std::array<double, slots> first{}, last{};
    };
    static Bounds bounds_of(const CodedColumn& column, std::span<const std::uint32_t> rows, const ValueGaps& gaps);

    std::vector<std::size_t> columns_;
    std::vector<Bounds> bounds_;
    std::vector<std::uint8_t> cells_;  // rows of the table x columns
};

}  // namespace calibrant
