#include "forest/mean_predictions.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace calibrant {
namespace {

// The rows of a block: sums so far, the number of trees in each, and the rows that no tree has predicted yet.
struct BlockSums {
    const ReachedLeaves& reached;
    std::span<const std::int32_t> labels;
    std::span<double> sums;
    std::vector<std::uint32_t> pending;
    std::vector<std::uint32_t> n_trees;
    std::size_t width;
};

void add_mixture(const LeafPredictions& predictions, std::size_t row, std::span<const LeafShare> leaves,
                 BlockSums& block) {
    std::vector<double> mixed(block.width);
    double mass = 0;
    for (const auto& [leaf, share] : leaves) {
        const std::int64_t at = predictions.row_of(static_cast<std::size_t>(leaf), block.labels[row]);
        if (at < 0) continue;
        for (std::size_t k = 0; k < block.width; ++k)
            mixed[k] += share * predictions.table[static_cast<std::size_t>(at) * block.width + k];
        mass += share;
    }
    if (!(mass > 0)) return;
    for (std::size_t k = 0; k < block.width; ++k) block.sums[row * block.width + k] += mixed[k] / mass;
    ++block.n_trees[row];
}

// Adds the predictions of a tree for the pending rows. A width known at compile time saves much of the time.
template <std::size_t fixed_width>
void add_tree(const LeafPredictions& predictions, std::span<const std::int32_t> leaves, BlockSums& block) {
    const std::size_t width = fixed_width > 0 ? fixed_width : block.width;
    for (const std::uint32_t row : block.pending) {
        if (leaves[row] < 0) {
            if (leaves[row] != ReachedLeaves::none)
                add_mixture(predictions, row, block.reached.shares(leaves[row]), block);
            continue;
        }
        const std::int64_t at = predictions.row_of(static_cast<std::size_t>(leaves[row]), block.labels[row]);
        if (at < 0) continue;
        const double* const from = predictions.table.data() + static_cast<std::size_t>(at) * width;
        for (std::size_t k = 0; k < width; ++k) block.sums[row * width + k] += from[k];
        ++block.n_trees[row];
    }
}

void average_block(const PredictionLevels& levels, BlockSums& block) {
    for (const auto& level : levels) {
        for (std::size_t tree = 0; tree < level.size(); ++tree) {
            if (block.width == 2)
                add_tree<2>(level[tree], block.reached.leaves(tree), block);
            else
                add_tree<0>(level[tree], block.reached.leaves(tree), block);
        }
        std::erase_if(block.pending, [&](std::uint32_t row) { return block.n_trees[row] > 0; });
        if (block.pending.empty()) break;
    }
    for (std::size_t row = 0; row < block.n_trees.size(); ++row) {
        const double n = block.n_trees[row] > 0 ? block.n_trees[row] : std::numeric_limits<double>::quiet_NaN();
        for (std::size_t k = 0; k < block.width; ++k) block.sums[row * block.width + k] /= n;
    }
}

// Throws std::invalid_argument unless every node and label has a row of the table, or none.
void check(const LeafPredictions& predictions, const LeafPaths& paths, std::size_t tree, std::size_t width,
           const TreeVotes& voting) {
    const auto& [index, table, n_labels] = predictions;
    const std::size_t n_rows = width == 0 ? 0 : table.size() / width;
    paths.check_lines(tree, index.empty() ? n_rows : index.size() / n_labels);
    const bool has_labels = n_labels == 1 || voting.n_trees() == 0 || n_labels >= voting.n_classes();
    const auto exists = [&](std::int32_t row) { return row < static_cast<std::int64_t>(n_rows); };
    if (!has_labels || !std::all_of(index.begin(), index.end(), exists))
        throw std::invalid_argument("each prediction must be a row of the table");
}

}  // namespace

void average_predictions(const LeafPaths& paths, const TreeVotes& voting, const PredictionLevels& levels,
                         const Bags* bags, std::span<double> out, std::size_t n_threads, const StopToken& stop) {
    if (paths.n_rows() == 0) return;
    const std::size_t width = out.size() / paths.n_rows();
    const IndexRange trees{0, paths.n_trees()};
    voting.check(paths);
    if (bags != nullptr) bags->check(paths.n_trees(), paths.n_rows());
    for (const auto& level : levels) {
        if (level.size() != paths.n_trees())
            throw std::invalid_argument("each level must have predictions for every tree");
        for (std::size_t tree = 0; tree < level.size(); ++tree) check(level[tree], paths, tree, width, voting);
    }
    paths.in_blocks(trees, n_threads, stop, [&](IndexRange rows, ReachedLeaves& reached) {
        mask_in_bag(bags, trees, rows, reached);
        std::vector<std::int32_t> labels(rows.size());
        std::vector<std::uint32_t> votes(voting.n_trees() > 0 ? rows.size() * voting.n_classes() : 0), all(rows.size());
        if (voting.n_trees() > 0) voting.elect(reached, votes, labels);
        std::iota(all.begin(), all.end(), 0U);
        const auto sums = out.subspan(rows.begin * width, rows.size() * width);
        std::fill(sums.begin(), sums.end(), 0.0);
        BlockSums block{reached, labels, sums, std::move(all), std::vector<std::uint32_t>(rows.size()), width};
        average_block(levels, block);
    });
}

}  // namespace calibrant
