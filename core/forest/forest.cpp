#include "forest/forest.hpp"

#include <algorithm>
#include <stdexcept>

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

std::vector<Tree> grow_forest(const Examples& examples, const BagMatrix& bags, const GrowOptions& options,
                              const StopToken& stop) {
    check(examples);
    const std::size_t n_rows = examples.table->n_rows(), n_trees = bags.seeds.size();
    if (bags.in_bag.size() != n_rows * n_trees)
        throw std::invalid_argument("in_bag must have one entry per tree and row");
    const GrowContext context(examples, options, stop);
    std::vector<Tree> trees(n_trees);
    parallel_for(n_trees, options.n_threads, stop, [&](std::size_t number, std::size_t) {
        GrowOptions own = options;
        own.seed = bags.seeds[number];
        own.n_threads = n_trees < options.n_threads ? options.n_threads / n_trees : 1;
        const auto in_bag = bags.in_bag.subspan(number * n_rows, n_rows);
        const auto weights = is_every_row_once(in_bag)
                                 ? std::vector<double>(examples.weights.begin(), examples.weights.end())
                                 : weights_in_bag(examples.weights, in_bag);
        trees[number] = grow({examples.table, examples.labels, weights, examples.n_classes}, own, context, stop);
    });
    return trees;
}

}  // namespace calibrant
