// The test of a node that lowers the second-order expansion of the loss most (Chen & Guestrin 2016).
#pragma once

#include <cstddef>
#include <span>

#include "boost/gradient_options.hpp"
#include "boost/gradient_sums.hpp"
#include "boost/gradient_trees.hpp"

namespace calibrant {

// What the rows of a node add up to.
struct NodeSums {
    GradientSum sum = 0;
    double weight = 0;
};

struct GradientSplit {
    double gain = 0;  // in units of the tree; 0 where no test is allowed
    BinTest test{};

    bool is_found() const { return gain > 0; }
};

class SplitSearch {
  public:
    SplitSearch(const GradientOptions& options, GradientUnits units);

    // Sets what depends on the node alone.
    void start(const NodeSums& node);
    // Replaces `best` by a better test of the column; of equal ones that of the lower column stays.
    void search_numeric(std::uint32_t column, const GradientSum* cells, std::size_t n_bins, GradientSplit& best) const;
    void search_nominal(std::uint32_t column, const GradientSum* cells, std::size_t n_bins, GradientSplit& best) const;

    // The value of a leaf, times the rate.
    double leaf_value(GradientSum sum) const;

  private:
    struct Category {
        double order = 0;
        std::size_t code = 0;
    };

    void try_cuts(std::uint32_t column, std::span<GradientSum> left, std::size_t n_cuts, std::size_t n_bins,
                  bool missing_first, bool has_missing, GradientSplit& best) const;
    void try_sets(std::uint32_t column, const GradientSum* cells, std::span<const Category> order, std::size_t n_most,
                  std::size_t n_bins, GradientSplit& best) const;
    bool is_better(double score, std::uint32_t column, const GradientSplit& best) const;

    GradientUnits units_;
    double rate_, l2_, category_l2_, smoothing_, support_, min_leaf_, min_hessian_;
    std::size_t max_categories_;
    NodeSums node_{};
    double gradient_ = 0, hessian_ = 0, least_ = 0, least_category_ = 0, score_ = 0;
};

}  // namespace calibrant
