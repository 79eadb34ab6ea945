// The histograms of a large node of a binned table in memory: the class weights of every bin of every column.
// Cells are whole numbers, or multiples of one power of two: neither the order of the rows nor subtracting a child from
// its parent changes a bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "stop.hpp"
#include "tree/grow/partition.hpp"
#include "tree/grow/table_search.hpp"

namespace calibrant {

// Columns x 256 codes x classes; missing values come after the last value of a column. Whole weights are in `counts`,
// others in `weights`; `rows` (columns x 256) is filled where the number of rows matters.
struct Histogram {
    std::vector<std::uint32_t> counts{}, rows{};
    std::vector<double> weights{};

    void subtract(const Histogram& part);
};

class LocalHistograms {
  public:
    static constexpr std::size_t slots = 256;
    // Whether the nodes of a table can be searched so: it is one of bytes, and J48 need not count weighted cases.
    static bool is_fit_for(const Examples& examples, const CutRules& rules, const Partition& partition);

    LocalHistograms(const Examples& examples, const GrowOptions& options, const Partition& partition);

    // Counts some columns of a node.
    Histogram count(Segment segment, std::span<const std::size_t> columns, ThreadTeam& threads,
                    const StopToken& stop) const;
    NodeHistogram view(const Histogram& histogram) const {
        return {histogram.counts, histogram.weights, histogram.rows, first_};
    }

    // Whether a node's histogram is its parent's less its sibling's: rows have whole places, not shares.
    bool can_subtract() const { return partition_.are_weights_fixed(); }

  private:
    template <class Amount, class AmountOf>
    void add(std::span<const std::uint32_t> rows, std::span<const std::size_t> columns, Amount* table,
             AmountOf&& amount_of) const;
    void add(std::span<const std::uint32_t> rows, std::span<const std::size_t> columns, Histogram& histogram) const;
    Histogram empty() const;
    void move_missing(std::span<const std::size_t> columns, Histogram& histogram) const;

    const Examples& examples_;
    const Partition& partition_;
    const std::uint8_t* const bytes_;
    const std::size_t n_columns_, n_classes_;
    const bool is_whole_, counts_rows_;
    std::vector<std::size_t> first_;  // of each column, in slots
};

}  // namespace calibrant
