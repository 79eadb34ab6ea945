// Chooses among the tests found at a node: Quinlan's rule of at least average gain (Quinlan 1993), and ties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "table/coded_table.hpp"
#include "tree/grow/grower.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

class SplitChoice {
  public:
    // `n_cases` is the weight of all rows that the tree is grown from.
    SplitChoice(const CodedTable& table, const GrowOptions& options, double tolerance, double n_cases);

    // The column with the best test, the first of equals or, with random ties, the one that `random` selects; the
    // number of columns where no test is usable. There is one test for each column.
    std::size_t choose(std::span<const FoundTest> tests, std::uint64_t random) const;

  private:
    double average_gain(std::span<const FoundTest> tests) const;
    double score(const FoundTest& test, double average) const;

    const GrowOptions& options_;
    const double tolerance_;     // a later test must score more than this to win
    const double unusable_;      // the score of a test that cannot be chosen
    std::vector<bool> is_wide_;  // nominal columns of very many values, unless all columns are such
};

}  // namespace calibrant
