// What trees answer, averaged over those that have an answer: probabilities by leaf, or by leaf and the label that the
// trees vote for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/votes.hpp"
#include "stop.hpp"

namespace calibrant {

// The answers of a tree. `place` (nodes x labels) has the row of `table` for a leaf and a label, below 0 where there is
// none; with one column it is for all labels, and where it is empty a node has the row of its number.
struct Cells {
    std::span<const std::int32_t> place;
    std::span<const double> table;
    std::size_t n_labels;

    std::int64_t at(std::size_t leaf, std::int32_t label) const {
        if (place.empty()) return static_cast<std::int64_t>(leaf);
        if (n_labels == 1) return place[leaf];
        return label < 0 ? -1 : place[leaf * n_labels + static_cast<std::size_t>(label)];
    }
};

// Answers of all trees that are tried in turn: the second where no tree answers by the first, and so on.
using Levels = std::vector<std::vector<Cells>>;

// Writes for each row the mean answer of the trees, in their order, NaN where none answers. Trees that a row was drawn
// for have no say; `voters` give a row its label, 0 without them. A row that is in parts has the answers of its leaves
// mixed by share, those without one left out.
void answer(const ForestWays& ways, const Ballots& voters, const Levels& levels, const Draws& draws,
            std::span<double> out, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
