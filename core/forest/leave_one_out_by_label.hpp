// Out-of-bag predictions by leaf and label that are independent of the row's own class: the trees grown without a row
// label it and its neighbors at the leaf. Subtracting the row's own count alone would leave its class a path into the
// neighbors' labels, which made the out-of-bag loss of pure noise too low by up to 0.05 bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "forest/leave_one_out.hpp"
#include "stop.hpp"

namespace calibrant {

// Predicts each row by its neighbors at the leaves of the trees whose bag does not hold it: the rows of other groups at
// the leaf that have its label. Labels, also those of neighbors, are votes of trees grown without the row and without
// the one labelled. A leaf with more than `max_neighbors` rows is represented by that many, drawn at random.
std::vector<double> predict_leave_one_out_by_label(const LeafPaths& paths, std::span<const std::size_t> n_nodes,
                                                   const BaggedRows& rows, const TreeVotes& tree_votes,
                                                   const CountEstimate& estimate, std::size_t max_neighbors,
                                                   std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
