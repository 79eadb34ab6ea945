// Training rows in and out of the bag, counted at the leaves of a forest, and what is made of the counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/votes.hpp"
#include "stop.hpp"

namespace calibrant {

// The training rows of a forest: bags, classes, and how often each row counts, once where `weights` is empty.
struct BaggedRows {
    Draws draws;
    std::span<const std::int32_t> classes;
    std::span<const double> weights;
    std::size_t n_classes;
    bool drawn_by_weight = false;  // a drawn row counted as often as it was drawn, whatever its weight
    bool multiplicity = false;     // a row in the bag counts as often as it was drawn, not once

    double own_weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
    double counted(std::size_t tree, std::size_t row) const {
        const double drawn = draws.in_bag[tree * draws.n_rows + row];
        if (!multiplicity || drawn == 0) return own_weight(row);
        return drawn_by_weight ? drawn : drawn * own_weight(row);
    }
};

// How counts become probabilities: rows out of the bag count `alpha` times or alone, and `added` is added to each
// class. With `by_bin` each bin has an alpha of its own, shrunk towards the common one; no probability below `floor`
// takes part in its choice.
struct Pooling {
    bool only = false;
    double alpha = 1.0;
    bool by_bin = false;
    double floor = 0.005;
    std::vector<double> added;

    double alpha_of(std::span<const double> inside, std::span<const double> outside) const;
    // Writes the counts that answer, and gives their sum.
    double pool(std::span<const double> inside, std::span<const double> outside, std::span<double> counts) const;
    // Makes frequencies of counts after `added` is added to them; 0 where there is nothing.
    void rates(std::span<double> counts) const;
};

// The counts of a tree's bins: its leaves, or pairs of leaf and label. `place` is empty or as that of `Cells`.
struct TreePools {
    std::size_t n_classes = 0;
    std::vector<std::int32_t> place;
    std::vector<double> counts;  // bins x (classes in the bag, classes out of it)

    std::size_t n_bins() const { return counts.size() / (2 * n_classes); }
    std::span<const double> inside(std::size_t bin) const { return {counts.data() + bin * 2 * n_classes, n_classes}; }
    std::span<const double> outside(std::size_t bin) const {
        return {counts.data() + (bin * 2 + 1) * n_classes, n_classes};
    }
};

// Counts the rows of a tree by leaf; those out of the bag only where `left_out` (a mark for each row, or empty) is 0.
TreePools count_leaves(const ForestWays& ways, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                       std::span<const std::uint8_t> left_out, const StopToken& stop);

// Counts the rows of a tree by leaf and label; a row of label -1 has none and does not count.
TreePools count_cells(const ForestWays& ways, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                      std::span<const std::int32_t> labels, const StopToken& stop);

// Gives for each tree the counts that answer at every node, those of its leaves added up to the root; `parents` are in
// front of their children.
std::vector<std::vector<double>> pool_leaves(const ForestWays& ways,
                                             std::span<const std::span<const std::int32_t>> parents,
                                             const BaggedRows& rows, std::span<const std::uint8_t> left_out,
                                             const Pooling& pooling, std::size_t n_threads, const StopToken& stop);

// A tree's answers by leaf and label, as `Cells` has them.
struct CellTable {
    std::vector<std::int32_t> place;
    std::vector<double> table;
};

std::vector<CellTable> pool_cells(const ForestWays& ways, std::span<const std::size_t> n_nodes, const BaggedRows& rows,
                                  std::span<const std::int32_t> labels, const Pooling& pooling, std::size_t n_threads,
                                  const StopToken& stop);

}  // namespace calibrant
