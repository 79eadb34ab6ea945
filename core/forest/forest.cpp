#include "forest/forest.hpp"

#include <algorithm>

#include "parallel.hpp"
#include "tree/grow/buckets.hpp"

namespace calibrant {
namespace {

bool is_every_row_once(std::span<const std::uint16_t> in_bag) {
    return std::all_of(in_bag.begin(), in_bag.end(), [](std::uint16_t n) { return n == 1; });
}

std::vector<double> weights_in_bag(std::span<const double> weights, std::span<const std::uint16_t> in_bag) {
    if (weights.empty()) return {in_bag.begin(), in_bag.end()};
    std::vector<double> result(in_bag.size());
    for (std::size_t row = 0; row < result.size(); ++row) result[row] = weights[row] * in_bag[row];
    return result;
}

}  // namespace

std::vector<Tree> grow_forest(const Examples& examples, const ForestDraws& draws, const GrowOptions& options,
                              const StopToken& stop) {
    check(examples);
    const std::size_t n_trees = draws.seeds.size();
    draws.bags.check(draws.first_tree + n_trees, examples.table->n_rows());
    const GrowContext context(examples, options, stop);
    std::vector<Tree> trees(n_trees);
    parallel_for(n_trees, options.n_threads, stop, [&](std::size_t number, std::size_t) {
        GrowOptions own = options;
        own.seed = draws.seeds[number];
        own.n_threads = n_trees < options.n_threads ? options.n_threads / n_trees : 1;
        const auto in_bag = draws.bags.of(draws.first_tree + number);
        const auto weights = is_every_row_once(in_bag)
                                 ? std::vector<double>(examples.weights.begin(), examples.weights.end())
                                 : weights_in_bag(examples.weights, in_bag);
        trees[number] = grow({examples.table, examples.labels, weights, examples.n_classes}, own, context, stop);
    });
    return trees;
}

}  // namespace calibrant
