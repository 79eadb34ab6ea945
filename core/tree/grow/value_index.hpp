// The rows of a node by the values of its columns, all nominal, kept where a test splits one value off: the other
// branch takes the index over without the rows of that value, so that a split takes time for the rows that leave.
// Weights are whole, so that sums are the same in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tree/grow/grower.hpp"
#include "tree/grow/nominal_groups.hpp"
#include "tree/grow/partition.hpp"

namespace calibrant {

class ValueIndex {
  public:
    // Tables for which an index pays: of nominal columns only, one of which has many values, all of them searched.
    static bool is_fit_for(const Examples& examples, const GrowOptions& options, const Partition& partition);

    // `place_of` has an entry for each row of the table, shared by the nodes of a tree.
    ValueIndex(const Examples& examples, bool learns_missing, const Partition& partition, Segment segment,
               std::vector<std::uint32_t>& place_of);

    // The values of a column at the node; missing ones are the last where their branch is learned.
    ValueCounts counts(std::size_t column) const { return columns_[column].counts(); }
    // Finds the first of the values that have the same counts, before a column is searched.
    void find_distinct(std::size_t column) { columns_[column].find_distinct(); }

    // Whether a value has at most half of the rows.
    bool is_small(std::size_t column, std::uint32_t value, Segment segment) const {
        return 2 * std::size_t{columns_[column].rows[value]} <= segment.size;
    }
    // Moves the rows of a value to the end of the node's segment and out of the index; returns their number.
    std::size_t split_off(std::size_t column, std::uint32_t value, Segment segment, std::span<std::uint32_t> rows);

  private:
    struct IndexedColumn {
        std::vector<double> table, weights;  // values x classes, and their sums
        std::vector<std::uint32_t> rows;     // their number for each value
        std::vector<std::uint32_t> seen;     // the values that occur, ascending
        std::vector<std::uint32_t> first;    // where the rows of each value begin in `order`
        std::vector<std::uint32_t> order;    // the rows of the index at its start, by value

        // The values of the same counts, as a heap with the first on top, some of which have other counts by now.
        std::map<std::vector<double>, std::vector<std::uint32_t>> groups;
        std::vector<const std::vector<std::uint32_t>*> group_of;
        std::vector<std::uint32_t> distinct;
        std::vector<double> totals;  // class weights

        ValueCounts counts() const { return {seen, table, weights, rows, distinct, totals}; }
        void regroup(std::uint32_t value);
        void find_distinct();
    };
    std::uint32_t value_of(std::size_t column, std::uint32_t row) const;  // not_indexed: missing, and not learned
    double weight_of(std::uint32_t row) const { return examples_.weights.empty() ? 1.0 : examples_.weights[row]; }
    void remove(IndexedColumn& column, std::uint32_t value, std::uint32_t row) const;

    const Examples& examples_;
    const bool learns_missing_;
    std::vector<std::uint32_t>& place_of_;  // where each row lies among the rows of the partition
    std::vector<IndexedColumn> columns_;
};

}  // namespace calibrant
