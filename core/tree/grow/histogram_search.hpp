// The best tests of a large node of a binned table, from histograms: the class weights of every bin of every column.
// Cells are whole numbers, or multiples of one power of two: neither the order of the rows nor subtracting a child from
// its parent changes a bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stop.hpp"
#include "tree/grow/column_search.hpp"
#include "tree/grow/table_search.hpp"

namespace calibrant {

// Columns x 256 codes x classes; missing values come after the last value of a column. Whole weights are in `counts`,
// others in `weights`; `rows` (columns x 256) is filled where the number of rows matters.
struct Histogram {
    std::vector<std::uint32_t> counts{}, rows{};
    std::vector<double> weights{};

    void subtract(const Histogram& part);
};

class HistogramSearch {
  public:
    static constexpr std::size_t slots = 256;
    // Whether the nodes of a table can be searched so: it is one of bytes, and J48 need not count weighted cases.
    static bool is_fit_for(const Examples& examples, const CutRules& rules, const Partition& partition);

    HistogramSearch(const Examples& examples, const GrowOptions& options, const CutRules& rules,
                    const Partition& partition, const XLogX& xlogx, std::span<const ValueGaps> gaps,
                    std::size_t n_threads);

    // The histogram of some columns of a node.
    Histogram count(Segment segment, std::span<const std::size_t> columns, std::size_t n_threads,
                    const StopToken& stop) const;

    // Writes the best test of each column that is not used.
    void search(const NodeRows& node, const Histogram& histogram, std::span<const std::size_t> columns,
                const std::vector<bool>& used, std::span<FoundTest> found, std::size_t n_threads,
                const StopToken& stop);

    // Whether a node's histogram is its parent's less its sibling's: rows have whole places, not shares.
    bool can_subtract() const { return partition_.are_weights_fixed(); }

  private:
    template <class Amount, class AmountOf>
    void add(std::span<const std::uint32_t> rows, std::span<const std::size_t> columns, Amount* table,
             AmountOf&& amount_of) const;
    void add(std::span<const std::uint32_t> rows, std::span<const std::size_t> columns, Histogram& histogram) const;
    Histogram empty() const;
    void move_missing(std::span<const std::size_t> columns, Histogram& histogram) const;
    FoundTest best_test(std::size_t column, const NodeRows& node, const Histogram& histogram, std::size_t worker);
    double known_cases(std::size_t column, const NodeRows& node, const Histogram& histogram) const;

    const Examples& examples_;
    const CutRules& rules_;
    const Partition& partition_;
    const std::uint8_t* const bytes_;
    const std::size_t n_columns_, n_classes_;
    const bool is_whole_, counts_rows_, learns_missing_;
    std::vector<std::unique_ptr<TableSearch>> searches_;  // one for each thread
    std::vector<std::vector<double>> tables_;             // of one column, one for each thread
};

}  // namespace calibrant
