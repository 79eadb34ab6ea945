// Class counts at the leaves of a forest, of training rows in and out of the bag, and their pooling into probabilities
// (Nielsen 2004).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/votes.hpp"
#include "stop.hpp"

namespace calibrant {

// The training rows of a forest: bags, classes and weights, 1 each where `weights` is empty. Rows of a group were drawn
// together; where `groups` is empty each row is its own group.
struct BaggedRows {
    const Bags* bags;
    std::span<const std::int32_t> classes;
    std::span<const double> weights;
    std::size_t n_classes;
    bool drawn_by_weight =
        false;                  // weights set the chance of a draw: a drawn row counts once a draw, whatever its weight
    bool multiplicity = false;  // a row in the bag counts once a draw, not once in all
    std::span<const std::int32_t> groups = {};

    std::size_t group(std::size_t row) const { return groups.empty() ? row : static_cast<std::size_t>(groups[row]); }
    double own_weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
    // The weight with which a row counts that is so many times in the bag.
    double counted(std::size_t row, double drawn) const {
        if (!multiplicity || drawn == 0) return own_weight(row);
        return drawn_by_weight ? drawn : drawn * own_weight(row);
    }
};

// How counts become probabilities: rows out of the bag have weight `alpha`, or are the only ones counted, and `added`
// is added to the counts. With `by_bin` each bin has its own alpha, shrunk towards the common one; probabilities are
// raised to `floor` while it is chosen.
struct Pooling {
    bool only = false;
    double alpha = 1.0;
    bool by_bin = false;
    double floor = 0.005;
    std::vector<double> added;

    double alpha_of(std::span<const double> inside, std::span<const double> outside) const;
    // Writes the pooled counts and returns their sum.
    double pool(std::span<const double> inside, std::span<const double> outside, std::span<double> counts) const;
    // Turns counts into frequencies, `added` included; 0 where there is nothing.
    void rates(std::span<double> counts) const;
};

// The counts of a tree's bins: its leaves, or pairs of leaf and label. `index` is empty or as in `LeafPredictions`.
struct BinCounts {
    std::size_t n_classes = 0;
    std::vector<std::int32_t> index;
    std::vector<double> counts;  // bins x (classes in bag, classes out of bag)

    std::size_t n_bins() const { return counts.size() / (2 * n_classes); }
    std::span<const double> inside(std::size_t bin) const { return {counts.data() + bin * 2 * n_classes, n_classes}; }
    std::span<const double> outside(std::size_t bin) const {
        return {counts.data() + (bin * 2 + 1) * n_classes, n_classes};
    }
};

// Counts the rows of a tree by leaf; out-of-bag rows only where `left_out` (a mark for each row, or empty) is 0.
BinCounts count_leaves(const LeafPaths& paths, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                       std::span<const std::uint8_t> left_out, const StopToken& stop);

// Counts the rows of a tree by leaf and label; a row of label -1 has no label and is not counted.
BinCounts count_cells(const LeafPaths& paths, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                      std::span<const std::int32_t> labels, const StopToken& stop);

// Returns for each tree the pooled counts of every node, those of the leaves summed up to the root; `parents` come
// before their children.
std::vector<std::vector<double>> pool_leaves(const LeafPaths& paths,
                                             std::span<const std::span<const std::int32_t>> parents,
                                             const BaggedRows& rows, std::span<const std::uint8_t> left_out,
                                             const Pooling& pooling, std::size_t n_threads, const StopToken& stop);

// The predictions of a tree by leaf and label, as `LeafPredictions` reads them.
struct CellPredictions {
    std::vector<std::int32_t> index;
    std::vector<double> table;
};

std::vector<CellPredictions> pool_cells(const LeafPaths& paths, std::span<const std::size_t> n_nodes,
                                        const BaggedRows& rows, std::span<const std::int32_t> labels,
                                        const Pooling& pooling, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
