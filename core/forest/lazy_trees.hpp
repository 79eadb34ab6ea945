// Bagged lazy option trees (B-LOTs, Margineantu & Dietterich 2002): a small tree for each query and bag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "forest/bags.hpp"
#include "forest/lazy_search.hpp"
#include "stop.hpp"

namespace calibrant {

struct LazyOptions {
    std::size_t max_options = 3;
    double option_fraction = 0.8;  // of the best gain that another test must reach
    double min_leaf = 2;
    std::size_t max_leaves = 32;  // of one query in one bag
    std::size_t n_threads = 1;
};

// The bags of the first trees, and the weight of each row (empty: 1).
struct LazyBags {
    const Bags& bags;
    std::size_t n_bags;
    std::span<const double> weights;
};

// Writes the probabilities (queries x classes) of coded queries (queries x columns); the same bits for any number of
// threads. Throws std::invalid_argument where sizes do not fit together or codes are out of range.
void predict_lazy_trees(const LazyExamples& examples, const LazyBags& bags, std::span<const std::uint32_t> queries,
                        const LazyOptions& options, std::span<double> output, const StopToken& stop);

}  // namespace calibrant
