// Growing one regression tree of a gradient booster: the leaf with the most gain is split first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boost/gradient_bins.hpp"
#include "boost/gradient_histogram.hpp"
#include "boost/gradient_options.hpp"
#include "boost/gradient_split.hpp"
#include "boost/gradient_sums.hpp"
#include "boost/gradient_trees.hpp"

namespace calibrant {

// The gradients of all rows in integers, and the weights of the rows, empty for 1 each.
struct TreeTargets {
    std::span<const GradientSum> of_row;
    GradientUnits units;
    std::span<const double> weights;
};

// Keeps its memory from tree to tree.
class GradientGrower {
  public:
    GradientGrower(const BinnedTable& table, const GradientOptions& options);

    // Reorders the rows; nothing but the seed decides on the columns that are drawn.
    const GrowingTree& grow(std::span<std::uint32_t> rows, const TreeTargets& targets, std::uint64_t seed);

  private:
    struct Leaf {
        std::size_t begin = 0, end = 0, depth = 0, slot = 0;
        NodeSums sums{};
        GradientSplit split{};
        std::int32_t parent = -1;
        bool is_first = false;
    };

    void draw_columns(std::uint64_t seed);
    void start(std::span<std::uint32_t> rows);
    std::size_t best_leaf() const;
    void split(std::size_t at);
    Leaf child(const Leaf& leaf, std::int32_t parent, bool is_first, std::size_t begin, std::size_t end) const;
    std::size_t partition(const Leaf& leaf);
    void find_sums(Leaf& smaller, Leaf& larger);
    void search(Leaf& leaf);
    bool is_splittable(const Leaf& leaf) const;
    double weight_of(std::size_t begin, std::size_t end) const;
    GradientSum* cells(std::size_t slot) { return cells_.data() + slot * table_->n_cells(); }

    const BinnedTable* table_;
    GradientOptions options_;
    HistogramColumns histogram_{};
    std::vector<std::uint32_t> columns_{}, node_columns_{};  // drawn for the tree and for a node
    std::vector<GradientSum> cells_;
    std::vector<std::uint32_t> second_rows_{};
    std::vector<Leaf> leaves_{};
    GrowingTree tree_{};
    std::span<std::uint32_t> rows_{};
    TreeTargets targets_{};
    SplitSearch search_;
    std::uint64_t seed_ = 0;
};

}  // namespace calibrant
