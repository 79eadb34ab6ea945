// Class counts at the leaves of a forest, of training rows in and out of the bag, and their pooling into probabilities
// (Nielsen 2004).
#pragma once

#include <cmath>
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
    double step =
        0;  // shares of a row count as multiples of it, so that sums are the same in any order; 0: as they are

    std::size_t group(std::size_t row) const { return groups.empty() ? row : static_cast<std::size_t>(groups[row]); }
    double own_weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
    // The weight with which a row counts that is so many times in the bag.
    double counted(std::size_t row, double drawn) const {
        if (!multiplicity || drawn == 0) return own_weight(row);
        return drawn_by_weight ? drawn : drawn * own_weight(row);
    }
    // The same at a leaf that a share of the row reaches.
    double counted(std::size_t row, double drawn, double share) const {
        const double found = counted(row, drawn) * share;
        return step == 0 || share == 1.0 ? found : std::rint(found / step) * step;
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

// The class counts of bins, whoever holds them: bins x (classes in bag, classes out of bag).
struct BinView {
    std::size_t n_classes;
    std::span<const double> counts;

    std::size_t n_bins() const { return counts.size() / (2 * n_classes); }
    std::span<const double> of(std::size_t bin) const { return counts.subspan(bin * 2 * n_classes, 2 * n_classes); }
    std::span<const double> inside(std::size_t bin) const { return of(bin).first(n_classes); }
    std::span<const double> outside(std::size_t bin) const { return of(bin).last(n_classes); }
};

// The counts of a tree's bins: its leaves, or pairs of leaf and label. `index` is empty or as in `LeafPredictions`.
struct BinCounts {
    std::size_t n_classes = 0;
    std::vector<std::int32_t> index;
    std::vector<double> counts;  // as in `BinView`

    BinView view() const { return {n_classes, counts}; }
    std::size_t n_bins() const { return view().n_bins(); }
    std::span<const double> inside(std::size_t bin) const { return view().inside(bin); }
    std::span<const double> outside(std::size_t bin) const { return view().outside(bin); }
};

// Counts the rows of a tree by leaf; out-of-bag rows only where `left_out` (a mark for each row, or empty) is 0.
BinCounts count_leaves(const LeafPaths& paths, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                       std::span<const std::uint8_t> left_out, const StopToken& stop);

// Counts the rows of a tree by leaf and label; a row of label -1 has no label and is not counted.
BinCounts count_cells(const LeafPaths& paths, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                      std::span<const std::int32_t> labels, const StopToken& stop);

// Returns the pooled counts of every node of a tree from those of its leaves, summed up to the root; `parents` come
// before their children.
std::vector<double> pool_nodes(BinView leaves, std::span<const std::int32_t> parents, const Pooling& pooling);

// The same for each tree, with the leaves counted.
std::vector<std::vector<double>> pool_leaves(const LeafPaths& paths,
                                             std::span<const std::span<const std::int32_t>> parents,
                                             const BaggedRows& rows, std::span<const std::uint8_t> left_out,
                                             const Pooling& pooling, std::size_t n_threads, const StopToken& stop);

// The predictions of a tree by leaf and label, as `LeafPredictions` reads them.
struct CellPredictions {
    std::vector<std::int32_t> index;
    std::vector<double> table;
};

// From the counts of cells; an index of one without any becomes -1.
CellPredictions pool_bins(std::vector<std::int32_t> index, BinView cells, const Pooling& pooling);

std::vector<CellPredictions> pool_cells(const LeafPaths& paths, std::span<const std::size_t> n_nodes,
                                        const BaggedRows& rows, std::span<const std::int32_t> labels,
                                        const Pooling& pooling, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
