// The best test of a column from a table of the class weights of its values; how these were counted does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/grow/criteria.hpp"
#include "tree/grow/evidence.hpp"
#include "tree/grow/grower.hpp"
#include "tree/grow/nominal_groups.hpp"
#include "tree/grow/split_search.hpp"
#include "tree/grow/two_class_search.hpp"
#include "tree/grow/twoing.hpp"

namespace calibrant {

// The class weights of a node, and their sum.
struct NodeCounts {
    std::span<const double> counts;
    double weight;
};

// The least weight on each side of a numeric cut.
double least_side(const GrowOptions& options, double known_weight);

// Calls `search`, a lambda with a template parameter, for the criterion of that name.
template <class Search>
FoundTest search_by(CriterionName name, double node_weight, Search&& search) {
    switch (name) {
        case CriterionName::entropy:
            return search.template operator()<Entropy>();
        case CriterionName::gini:
            return search.template operator()<Gini>();
        case CriterionName::dkm:
            return search.template operator()<Dkm>();
        case CriterionName::hellinger:
            return search.template operator()<Hellinger>();
        case CriterionName::twoing:
            return search.template operator()<Twoing>();
        case CriterionName::bayes:
            return search.template operator()<Evidence>();
        case CriterionName::mml: {
            FoundTest found = search.template operator()<Evidence>();
            found.gain += log_prior_of_leaves(found.n_branches) / node_weight;
            return found;
        }
    }
    return {};
}

// Tables have a row for each value of the column and one more, the last, for missing values: (values + 1) x classes.
// `n_known` is the number of known cases for J48's rule, those included whose branch is learned; otherwise unused.
class TableSearch {
  public:
    // Only the columns of `table` are looked at, not its rows. `least_rows`: see the function of that name.
    TableSearch(const CodedTable& table, std::size_t n_classes, const GrowOptions& options, const CutRules& cut_rules,
                const XLogX& xlogx, std::span<const ValueGaps> gaps, double least_rows);

    // From any weights; `value_rows` are the rows of each value, needed where least_rows > 0.
    FoundTest best_test(std::size_t column, std::span<const double> table, const NodeCounts& node, double n_known,
                        std::span<const std::uint32_t> value_rows = {});

    // From the values that occur, in any order; missing ones are among them only where their branch is learned.
    FoundTest best_test(std::size_t column, const ValueCounts& values, const NodeCounts& node, double n_known);

    // A numeric column, two classes, least_rows 0: whole weights; or any, where cases are not counted.
    FoundTest best_cut(std::size_t column, std::span<const std::uint32_t> table, const NodeCounts& node,
                       double n_known);
    FoundTest best_cut(std::size_t column, std::span<const std::uint64_t> table, const NodeCounts& node,
                       double n_known);
    FoundTest best_cut(std::size_t column, std::span<const double> table, const NodeCounts& node);
    // From the values seen; none is missing.
    FoundTest best_cut(std::size_t column, std::span<const std::uint32_t> table, const SeenValues& seen,
                       const NodeCounts& node);

  private:
    template <class Count>
    FoundTest best_cut_of(std::size_t column, std::span<const Count> table, const NodeCounts& node, double n_known);
    template <Criterion C, class Count>
    FoundTest search_known(std::size_t column, std::span<const Count> known_table, const NodeCounts& node,
                           const Known& known, double n_known);
    template <Criterion C, class Count>
    FoundTest search_learned(std::size_t column, std::span<const Count> known_table, const NodeCounts& node,
                             double n_known);
    template <Criterion C>
    FoundTest search_values(std::size_t column, const ValueCounts& values, const NodeCounts& node, double n_known);
    template <Criterion C>
    FoundTest search_nominal(std::size_t n_values, const ValueCounts& values, const NodeFacts& facts,
                             const Known& known);
    std::size_t rows_of(const ValueCounts& values) const;
    Known known_of(const NodeCounts& node);
    NodeFacts facts_of(const NodeCounts& node, double known_weight, double n_known, std::size_t known_rows = 0);

    const CodedTable& table_;
    const GrowOptions& options_;
    const CutRules& cut_rules_;
    const XLogX& xlogx_;
    const std::span<const ValueGaps> gaps_;
    const double least_rows_;
    const std::size_t n_classes_;
    const bool learns_missing_;
    std::vector<double> scratch_, known_counts_, missing_counts_, weights_;
    std::vector<std::uint32_t> seen_;
};

}  // namespace calibrant
