// The best test of a column from the class weights of its values; how these were counted does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/grow/criteria.hpp"
#include "tree/grow/cut_search.hpp"
#include "tree/grow/grower.hpp"
#include "tree/grow/learned_cuts.hpp"
#include "tree/grow/nominal_groups.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

// The node whose columns are searched: its class weights, their sum and, where it matters, its rows.
struct NodeCounts {
    std::span<const double> counts;
    double weight;
    std::size_t n_rows = 0;
};

// The histograms of some columns of a node, whoever counted them: of each column (values + 1) x classes, missing values
// last. Whole weights are in `counts`, others in `weights`; `rows` has the rows of each value where their number
// matters. `first` is the first value of each column, `absent` where it was not counted.
struct NodeHistogram {
    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    std::span<const std::uint32_t> counts{};
    std::span<const double> weights{};
    std::span<const std::uint32_t> rows{};
    std::span<const std::size_t> first{};
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

    // From the histogram of a node.
    FoundTest best_test(std::size_t column, const NodeHistogram& histogram, const NodeCounts& node);

    // From any weights; `value_rows` are the rows of each value, needed where least_rows > 0.
    FoundTest best_test(std::size_t column, std::span<const double> table, const NodeCounts& node, double n_known,
                        std::span<const std::uint32_t> value_rows = {});

    // From the values that occur, in any order; missing ones are among them only where their branch is learned.
    FoundTest best_test(std::size_t column, const ValueCounts& values, const NodeCounts& node, double n_known);

    // A numeric column, two classes, least_rows 0: whole weights (uint32), of the values seen only (SeenValues); or any
    // weights (double), where cases are not counted.
    template <class Cell, class Values = EveryValue>
    FoundTest best_cut(std::size_t column, std::span<const Cell> table, const NodeCounts& node, double n_known,
                       const Values& values = {});

    NodeFacts facts_of(const NodeCounts& node, double known_weight, double n_known, std::size_t known_rows = 0);
    // The counts of a node without the missing ones.
    Known known_of(const NodeCounts& node, std::span<const double> missing_counts);

  private:
    double known_cases(std::size_t missing, const NodeHistogram& histogram, const NodeCounts& node) const;
    template <Criterion C>
    FoundTest search_values(std::size_t column, const ValueCounts& values, const NodeCounts& node, double n_known);
    template <Criterion C>
    FoundTest search_nominal(std::size_t n_values, const ValueCounts& values, const NodeFacts& facts,
                             const Known& known);
    std::size_t rows_of(const ValueCounts& values) const;

    const CodedTable& table_;
    const GrowOptions& options_;
    const CutRules& cut_rules_;
    const XLogX& xlogx_;
    const std::span<const ValueGaps> gaps_;
    const double least_rows_;
    const std::size_t n_classes_;
    const bool learns_missing_;
    std::vector<double> scratch_, known_counts_, weights_, cells_;
    std::vector<std::uint32_t> seen_;
};

}  // namespace calibrant
