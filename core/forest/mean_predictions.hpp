// The mean prediction of a forest: class probabilities looked up by leaf, or by leaf and the label that the trees vote
// for, averaged over the trees that have any (Nielsen 2004).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/votes.hpp"
#include "stop.hpp"

namespace calibrant {

// The predictions of a tree. `index` (nodes x labels) holds the row of `table` for a leaf and a label, below 0 where
// there is none; with one column it holds for all labels, and where it is empty the row is the number of the node.
struct LeafPredictions {
    std::span<const std::int32_t> index;
    std::span<const double> table;
    std::size_t n_labels;

    std::int64_t row_of(std::size_t leaf, std::int32_t label) const {
        if (index.empty()) return static_cast<std::int64_t>(leaf);
        if (n_labels == 1) return index[leaf];
        return label < 0 ? -1 : index[leaf * n_labels + static_cast<std::size_t>(label)];
    }
};

// Predictions of all trees, tried in turn: the second level where no tree has a prediction at the first, and so on.
using PredictionLevels = std::vector<std::vector<LeafPredictions>>;

// Writes for each row the mean prediction of the trees, summed in their order, NaN where no tree has one. Trees whose
// bag holds the row are left out; `voting` determines the label of a row, 0 where it has no trees. The predictions of a
// row with missing values are mixed by the shares of its leaves, leaves without a prediction left out.
void average_predictions(const LeafPaths& paths, const TreeVotes& voting, const PredictionLevels& levels,
                         const Bags* bags, std::span<double> out, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
