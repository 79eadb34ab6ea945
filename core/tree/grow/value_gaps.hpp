// Which values of a column are too close for a cut between them: C4.5 needs a difference of 1e-5.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "table/coded_table.hpp"

namespace calibrant {

// Of one column, for each code, in the order of the values: the steps to the first greater value that is far enough. A
// byte holds nearly all of them; longer ones are compared by value. Bins are compared by their greatest values: where
// rows are dense, the greatest value of a bin and the least of the next are always close.
class ValueGaps {
  public:
    ValueGaps(std::span<const double> values, double gap) : gap_(gap), values_(values) {
        std::size_t last_apart = 1;
        while (last_apart < values_.size() && reaches(last_apart - 1, last_apart)) ++last_apart;
        if (last_apart >= values_.size()) return;
        steps_.resize(values_.size(), 1);
        std::size_t apart = 1;
        for (std::size_t code = 0; code < values_.size(); ++code) {
            for (apart = std::max(apart, code + 1); apart < values_.size() && !reaches(code, apart);) ++apart;
            reach_ = std::max(reach_, apart - code);
            steps_[code] = static_cast<std::uint8_t>(std::min(apart - code, many));
        }
    }

    bool any() const { return !steps_.empty(); }
    // Returns whether a cut may lie between two codes.
    bool can_cut_between(std::size_t code, std::size_t greater) const {
        return greater - code >= reach_ || can_cut_near(code, greater);
    }
    bool is_close_to_next(std::size_t code) const { return any() && steps_[code] > 1; }
    // The value of a code, the greatest of a bin, and whether a cut may lie between two values.
    double value(std::size_t code) const { return values_[code]; }
    bool is_apart(double value, double next) const { return value < next - gap_; }

  private:
    static constexpr std::size_t many = 255;
    // Apart from the first comparison, which is all that most columns need and is inlined then.
    bool can_cut_near(std::size_t code, std::size_t greater) const {
        return steps_[code] < many ? greater - code >= steps_[code] : reaches(code, greater);
    }
    bool reaches(std::size_t code, std::size_t greater) const { return is_apart(values_[code], values_[greater]); }

    double gap_;
    std::span<const double> values_;
    std::size_t reach_ = 1;  // this many codes on, every value is far enough
    std::vector<std::uint8_t> steps_{};
};

// Those of columns that are not coded yet may be left out.
inline std::vector<ValueGaps> value_gaps_of(const CodedTable& table, double gap, bool of_uncoded = true) {
    std::vector<ValueGaps> gaps;
    gaps.reserve(table.n_columns());
    for (std::size_t column = 0; column < table.n_columns(); ++column) {
        const bool is_left_out = !of_uncoded && !table.uncoded(column).empty();
        gaps.emplace_back(is_left_out ? std::span<const double>() : table.column(column).values, gap);
    }
    return gaps;
}

}  // namespace calibrant
