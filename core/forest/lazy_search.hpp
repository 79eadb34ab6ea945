// The tests with the greatest gain in the branch that a query itself falls into: lazy gain (Friedman, Kohavi & Yun
// 1996).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calibrant {

inline constexpr std::uint32_t lazy_missing = 0xffffffff;

// Coded rows. A numeric code is a rank, a nominal one a category, lazy_missing neither.
struct LazyExamples {
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    std::size_t n_classes = 0;
    std::span<const std::uint32_t> codes;  // columns x rows
    std::span<const std::uint32_t> order;  // columns x rows: the rows by ascending code
    std::span<const std::uint8_t> is_nominal;
    std::span<const std::uint16_t> labels;

    std::span<const std::uint32_t> column(std::size_t j) const { return codes.subspan(j * n_rows, n_rows); }
    std::span<const std::uint32_t> sorted(std::size_t j) const { return order.subspan(j * n_rows, n_rows); }
};

// Which codes fall into the query's branch: at most the code, above it, or equal to it.
enum class LazySide : std::uint8_t { at_most, above, equal };

struct LazyTest {
    std::size_t column = 0;
    std::uint32_t code = 0;
    LazySide side = LazySide::equal;
    std::int64_t gain = 0;   // in units of 2^-30 bits: gains that differ only by rounding are equal
    std::int64_t share = 0;  // of the node's weight in the query's branch, in units of 2^-40

    bool takes(std::uint32_t row_code) const {
        if (row_code == lazy_missing) return false;
        if (side == LazySide::equal) return row_code == code;
        return (row_code <= code) == (side == LazySide::at_most);
    }
    // More gain, then more weight left to search on.
    bool beats(const LazyTest& other) const { return gain != other.gain ? gain > other.gain : share > other.share; }
};

// Searches one node at a time; owns scratch memory, so each thread has its own.
class LazySearch {
  public:
    explicit LazySearch(const LazyExamples& examples);

    // The best test of each column for a query (the number of training values below its own, or its category), best
    // first; only tests that gain and leave a weight of min_leaf. `weight` has an entry for each row of the table.
    const std::vector<LazyTest>& tests(std::span<const std::uint32_t> rows, std::span<const double> weight,
                                       std::span<const std::uint32_t> query, double min_leaf);

    // The weight of each class among the rows of the last search.
    std::span<const double> counts() const { return counts_; }
    bool is_pure() const { return n_present_ < 2; }
    void count(std::span<const std::uint32_t> rows, std::span<const double> weight);

  private:
    struct Branch;

    void search_numeric(std::size_t column, std::span<const std::uint32_t> rows, std::span<const double> weight,
                        std::uint32_t rank);
    void search_nominal(std::size_t column, std::span<const std::uint32_t> rows, std::span<const double> weight,
                        std::uint32_t category);
    void sort_known(std::size_t column, std::span<const std::uint32_t> rows);
    void offer(const Branch& branch, LazyTest test, LazyTest& best);
    void normalize_parts(Branch& branch);

    // The share of a class that falls into the query's branch, and x log x of it.
    struct Part {
        double share = 0;
        double log = 0;
    };

    Branch summed(std::size_t n_known, std::span<const double> weight);

    LazyExamples examples_;
    std::vector<double> counts_, per_weight_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> mark_;
    std::vector<std::uint64_t> known_;  // code and row of the rows that have a value, ascending
    std::vector<LazyTest> found_;
    std::uint32_t stamp_ = 0;
    std::size_t n_present_ = 0;
    std::size_t first_present_ = 0;
    double best_certainty_ = 0;  // with two classes: the larger share in the best branch of the column so far
    double total_ = 0;
    double min_leaf_ = 0;
};

}  // namespace calibrant
