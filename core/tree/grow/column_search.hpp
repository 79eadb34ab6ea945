// Searches one column at one node, by the method that fits the column, the weights and the number of classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/grow/grower.hpp"
#include "tree/grow/partition.hpp"
#include "tree/grow/table_search.hpp"
#include "tree/grow/value_order.hpp"

namespace calibrant {

// The node whose columns are searched, and where its rows lie.
struct NodeRows {
    Segment segment;
    std::span<const double> counts;  // class weights
    double weight;

    NodeCounts totals() const { return {counts, weight, segment.size}; }
};

// Weights of the values of one column at a node, values x classes, and their rows; only values that occurred are
// cleared.
struct ValueTable {
    std::vector<double> table, weights;
    std::vector<std::uint32_t> rows, seen;

    void reserve(std::size_t n_values, std::size_t n_classes);
    void clear(std::size_t n_classes);
};

class ColumnSearch {
  public:
    // Up to so many values of a column are counted rather than sorted: few; or all of a table of bytes where whole
    // numbers of two classes are counted (1.2 times as fast on benchmarks/trees.py's C), or where a node looks at few
    // of the columns, because sorted ones are partitioned at every split, drawn or not (1.7 times as fast).
    static std::size_t most_counted_values(const Examples& examples, const GrowOptions& options);
    // The columns that are sorted rather than counted: numeric ones of more values.
    static std::vector<std::size_t> columns_to_sort(const Examples& examples, const GrowOptions& options);

    ColumnSearch(const Examples& examples, const GrowOptions& options, const CutRules& cut_rules,
                 const Partition& partition, const XLogX& xlogx, std::span<const ValueGaps> gaps);

    // The cut of a column that is not coded lies between the values of two rows, `below` and `above`.
    FoundTest best_test(std::size_t column, const NodeRows& node);
    FoundTest best_test(std::size_t column, const NodeHistogram& histogram, const NodeRows& node) {
        return tables_.best_test(column, histogram, node.totals());
    }
    // A nominal column whose values have been counted.
    FoundTest best_test(std::size_t column, const ValueCounts& values, const NodeRows& node) {
        return tables_.best_test(column, values, node.totals(), 0.0);
    }

  private:
    template <Criterion C>
    FoundTest search_presorted(std::size_t column, const NodeRows& node);
    template <Criterion C>
    FoundTest search_rows(const ValueGaps& gaps, std::span<const SortedRow> rows, const NodeRows& node,
                          const Known& known);
    template <Criterion C>
    FoundTest search_learned_rows(std::size_t column, std::span<const SortedRow> rows, const NodeRows& node);
    template <Criterion C>
    FoundTest search_few_rows(std::size_t column, const NodeRows& node);
    template <Criterion C>
    FoundTest search_drawn(std::size_t column, const NodeRows& node);
    template <Criterion C>
    FoundTest search_uncoded(std::span<const double> column, const NodeRows& node);
    template <Criterion C>
    FoundTest search_gathered(std::size_t column, const NodeRows& node);
    template <class CodeOf, class LabelOf>
    void gather(std::size_t column, const NodeRows& node, std::uint32_t missing, CodeOf&& code_of, LabelOf&& label_of);
    FoundTest search_two_class_counts(std::size_t column, const NodeRows& node);
    FoundTest search_seen_counts(std::size_t column, const NodeRows& node);
    FoundTest search_two_class_weights(std::size_t column, const NodeRows& node);
    FoundTest search_values(std::size_t column, const NodeRows& node);
    template <class Count, class CountOf>
    void count_two_classes(std::size_t column, const NodeRows& node, std::vector<Count>& table,
                           CountOf&& count_of) const;
    void count_values(std::size_t column, const NodeRows& node);
    double count_cases(std::size_t column, const NodeRows& node) const;
    double weight_of(std::uint32_t row) const { return partition_.is_weighted() ? partition_.weights()[row] : 1.0; }

    const Examples& examples_;
    const GrowOptions& options_;
    const CutRules& cut_rules_;
    const Partition& partition_;
    const double least_rows_;
    const std::span<const double> cases_;  // the number of cases of each row for J48; empty: one
    const std::size_t n_classes_;
    const Keys keys_;
    const bool is_plain_two_class_;  // two classes, no weights, no shares of rows: whole numbers suffice
    const bool learns_missing_;
    std::span<const ValueGaps> gaps_;
    TableSearch tables_;
    std::vector<double> missing_counts_;
    ValueTable values_;
    RankSort rank_sort_;
    std::vector<SortedRow> gathered_, spare_;  // rows sorted on the spot
    ValueOrder order_;
    const ValueGaps no_gaps_;
    std::vector<double> ordered_;  // the values of a node, where some are close
    std::vector<std::uint32_t> two_class_counts_, seen_counts_;
    SeenValues seen_;
    std::vector<double> two_class_weights_;
};

}  // namespace calibrant
