// What governs gradient boosting.
#pragma once

#include <cstddef>
#include <cstdint>

namespace calibrant {

struct GradientOptions {
    double rate = 0.1;             // every leaf value is multiplied by it
    std::size_t max_rounds = 500;  // of each fold
    std::size_t patience = 30;     // rounds without a lower loss of the stopping rows
    std::size_t max_leaves = 16;   // of a tree, at most 64
    std::size_t max_depth = 64;
    double l2 = 1;                    // added to the hessian of a leaf
    double min_leaf = 10;             // the least weight of a leaf, estimated from its share of the node's hessian
    double min_hessian = 1e-3;        // the least hessian of a leaf
    double column_share = 1;          // of the columns, drawn for each tree
    double node_share = 1;            // of the columns of the tree, drawn for each node
    double row_share = 1;             // of the rows, drawn for each round
    double category_smoothing = 10;   // added to the hessian of a category when categories are ordered
    double category_l2 = 10;          // added to the hessian of a leaf of a nominal test, besides l2
    double category_support = 5;      // the least weight of a category that can be on the side of the set
    std::size_t max_categories = 32;  // on the side of the set
    std::size_t max_bins = 255;       // of a column
};

}  // namespace calibrant
