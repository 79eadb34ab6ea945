// Out-of-bag answers by leaf and label that are independent of the row's own class: the part of the forest that was
// grown without a row labels it and the rows beside it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "forest/honest.hpp"
#include "stop.hpp"

namespace calibrant {

// Lets the trees that a row is out of the bag of answer for it by the rows beside it at their leaves, its own not among
// them, which have its label. Labels, also those of the rows beside, are votes of trees grown without the row and
// without the one labelled. At a leaf with more rows than `most_beside` so many, drawn at random, stand for all of
// them.
std::vector<double> answer_strictly(const ForestWays& ways, std::span<const std::size_t> n_nodes,
                                    const BaggedRows& rows, const Ballots& ballots, const Question& question,
                                    std::size_t most_beside, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
