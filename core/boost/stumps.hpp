// The best single test of a table whose rows are reweighted in every round of boosting. What does not change from round
// to round, the order of the rows in each column, is computed once; a round is then linear in the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "boost/stump_cuts.hpp"
#include "parallel.hpp"
#include "stop.hpp"
#include "table/coded_table.hpp"
#include "tree/grow/criteria.hpp"

namespace calibrant {

enum class StumpCriterion : std::uint8_t { entropy, gain_ratio, gini, dkm, twoing };

// A test with three branches: a number up to the threshold, or one category; the rest; and missing values.
struct Stump {
    static constexpr std::int32_t none = -1;  // no column can be tested: all rows are in the first branch

    std::int32_t column = none;
    std::uint32_t code = 0;  // numeric: the greatest code of the first branch; nominal: its category
    double threshold = 0;    // numeric: half-way to the next value
    double gain = 0;
    std::vector<double> counts{};  // branches x classes
};

class StumpSearch {
  public:
    // The table is not copied.
    StumpSearch(const CodedTable& table, std::vector<std::uint16_t> labels, std::size_t n_classes,
                StumpCriterion criterion, std::size_t n_threads, const StopToken& stop);

    // Of tests that score the same to 1e-9 the first one: of the first column, the least threshold or category.
    Stump best(std::span<const double> weights, const StopToken& stop);

    // Multiplies the weight of each row by the factor of its branch and class.
    void reweight(const Stump& stump, std::span<const double> factors, std::span<double> weights,
                  const StopToken& stop);

    std::size_t n_rows() const { return labels_.size(); }
    std::size_t n_classes() const { return n_classes_; }

  private:
    struct Found {
        bool usable = false;
        std::uint32_t code = 0;
        double gain = 0, info = 0;
    };
    struct Scratch {
        std::vector<double> cells, known, missing, left, right;
    };

    Found search_column(std::size_t column, std::span<const double> weights, const Known& all, Scratch& scratch) const;
    template <Criterion C>
    Found search(std::size_t column, std::span<const double> weights, const Known& all, Scratch& scratch) const;
    void count(std::size_t column, std::span<const double> weights, Scratch& scratch) const;
    std::size_t n_cells(std::size_t column) const;
    std::size_t choose(std::span<const Found> found) const;
    std::vector<double> class_weights(std::span<const double> weights, const StopToken& stop);
    void name(Stump& stump) const;
    template <class Visit>
    void with_branches(const Stump& stump, Visit&& visit) const;

    const CodedTable* table_;
    std::vector<std::uint16_t> labels_;
    std::size_t n_classes_;
    StumpCriterion criterion_;
    std::vector<std::vector<std::uint32_t>> rows_of_class_;  // ascending
    std::unique_ptr<ThreadTeam> threads_;
    std::vector<Scratch> scratch_;  // one for each thread
    XLogX xlogx_{0};
    std::vector<StumpBuckets> buckets_;  // of each column; empty where its codes are counted themselves
};

}  // namespace calibrant
