// The threshold of a numeric cut: a value that occurs, as in C4.5, or half-way between two.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/grow/grower.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

class Thresholds {
  public:
    Thresholds(const Examples& examples, bool midpoint, bool has_absent_rows)
        : examples_(examples),
          midpoint_(midpoint),
          has_absent_rows_(examples.whole == nullptr ? has_absent_rows : !examples.whole->last_present.empty()),
          last_present_(examples.table->n_columns()) {
        if (examples.whole != nullptr && has_absent_rows_) last_present_ = examples.whole->last_present;
    }

    struct Threshold {
        double value;
        std::uint32_t code;  // the greatest that goes to the first branch
    };
    Threshold of(std::size_t column, const FoundTest& test);

  private:
    std::uint32_t last_present(std::size_t column, std::uint32_t code);

    const Examples& examples_;
    const bool midpoint_, has_absent_rows_;
    std::vector<std::vector<std::uint32_t>> last_present_;
};

}  // namespace calibrant
