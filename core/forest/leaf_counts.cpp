#include "forest/leaf_counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "elementary.hpp"
#include "exp_log.hpp"

namespace calibrant {
namespace {

// The alphas tried for a bin: 2^-3 to 2^6.
constexpr int least_power = -3, n_powers = 10;
// A bin with this many out-of-bag rows shrinks its alpha half-way to the common one: fewer would follow the noise of a
// single bin, many more would leave no bin an alpha of its own.
constexpr double strength = 10.0;

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// The leave-one-out log-likelihood of a bin's out-of-bag rows.
double likelihood(std::span<const double> inside, std::span<const double> outside, double alpha, double floor) {
    const double n_inside = sum_of(inside), n_outside = sum_of(outside);
    double found = 0;
    for (std::size_t k = 0; k < inside.size(); ++k) {
        if (outside[k] == 0) continue;
        const double others = std::max(outside[k] - 1.0, 0.0);
        const double total = n_inside + alpha * (n_outside - outside[k] + others);
        const double rate = total > 0 ? (inside[k] + alpha * others) / total : 0.0;
        found += outside[k] * log_at(std::max(rate, floor));
    }
    return found;
}

}  // namespace

double Pooling::alpha_of(std::span<const double> inside, std::span<const double> outside) const {
    if (!by_bin) return alpha;
    int best = 0;
    double most = 0;
    for (int power = 0; power < n_powers; ++power) {
        const double found = likelihood(inside, outside, std::ldexp(1.0, least_power + power), floor);
        if (power == 0 || found > most) {
            best = power;
            most = found;
        }
    }
    const double n = sum_of(outside);
    return exp_of((n * (least_power + best) * ln2 + strength * log_at(alpha)) / (n + strength));
}

double Pooling::pool(std::span<const double> inside, std::span<const double> outside, std::span<double> counts) const {
    const double weight = only ? 1.0 : alpha_of(inside, outside);
    double total = 0;
    for (std::size_t k = 0; k < counts.size(); ++k)
        total += counts[k] = only ? outside[k] : inside[k] + weight * outside[k];
    return total;
}

void Pooling::rates(std::span<double> counts) const {
    double total = sum_of(counts) + sum_of(added);
    if (total <= 0) total = 1.0;
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] = (counts[k] + added[k]) / total;
}

BinCounts count_leaves(const LeafPaths& paths, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                       std::span<const std::uint8_t> left_out, const StopToken& stop) {
    const std::size_t n_classes = rows.n_classes;
    BinCounts bins{n_classes, {}, std::vector<double>(n_nodes * 2 * n_classes)};
    const std::vector<std::uint16_t> in_bag = rows.bags->of(tree);
    paths.each(tree, stop, [&](std::size_t row, std::size_t leaf, double share) {
        const bool is_out_of_bag = in_bag[row] == 0;
        if (is_out_of_bag && !left_out.empty() && left_out[row] != 0) return;
        bins.counts[(leaf * 2 + is_out_of_bag) * n_classes + static_cast<std::size_t>(rows.classes[row])] +=
            rows.counted(row, in_bag[row], share);
    });
    return bins;
}

BinCounts count_cells(const LeafPaths& paths, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                      std::span<const std::int32_t> labels, const StopToken& stop) {
    const std::size_t n_classes = rows.n_classes;
    BinCounts bins{n_classes, std::vector<std::int32_t>(n_nodes * n_classes, -1), {}};
    const std::vector<std::uint16_t> in_bag = rows.bags->of(tree);
    paths.each(tree, stop, [&](std::size_t row, std::size_t leaf, double share) {
        if (labels[row] < 0) return;
        std::int32_t& at = bins.index[leaf * n_classes + static_cast<std::size_t>(labels[row])];
        if (at < 0) {
            at = static_cast<std::int32_t>(bins.n_bins());
            bins.counts.resize(bins.counts.size() + 2 * n_classes);
        }
        const std::size_t side = static_cast<std::size_t>(at) * 2 + (in_bag[row] == 0);
        bins.counts[side * n_classes + static_cast<std::size_t>(rows.classes[row])] +=
            rows.counted(row, in_bag[row], share);
    });
    return bins;
}

std::vector<double> pool_nodes(BinView leaves, std::span<const std::int32_t> parents, const Pooling& pooling) {
    std::vector<double> counts(leaves.n_bins() * leaves.n_classes);
    for (std::size_t leaf = 0; leaf < leaves.n_bins(); ++leaf) {
        pooling.pool(leaves.inside(leaf), leaves.outside(leaf),
                     std::span(counts).subspan(leaf * leaves.n_classes, leaves.n_classes));
    }
    add_to_parents(parents, leaves.n_classes, counts);
    return counts;
}

std::vector<std::vector<double>> pool_leaves(const LeafPaths& paths,
                                             std::span<const std::span<const std::int32_t>> parents,
                                             const BaggedRows& rows, std::span<const std::uint8_t> left_out,
                                             const Pooling& pooling, std::size_t n_threads, const StopToken& stop) {
    rows.bags->check(paths.n_trees(), paths.n_rows());
    std::vector<std::vector<double>> found(paths.n_trees());
    parallel_for(paths.n_trees(), n_threads, stop, [&](std::size_t tree, std::size_t) {
        const BinCounts leaves = count_leaves(paths, tree, parents[tree].size(), rows, left_out, stop);
        found[tree] = pool_nodes(leaves.view(), parents[tree], pooling);
    });
    return found;
}

CellPredictions pool_bins(std::vector<std::int32_t> index, BinView cells, const Pooling& pooling) {
    std::vector<double> table(cells.n_bins() * cells.n_classes);
    std::vector<bool> is_empty(cells.n_bins());
    for (std::size_t bin = 0; bin < cells.n_bins(); ++bin) {
        const auto counts = std::span(table).subspan(bin * cells.n_classes, cells.n_classes);
        is_empty[bin] = !(pooling.pool(cells.inside(bin), cells.outside(bin), counts) > 0);
        pooling.rates(counts);
    }
    for (std::int32_t& at : index) {
        if (at >= 0 && is_empty[static_cast<std::size_t>(at)]) at = -1;
    }
    return {std::move(index), std::move(table)};
}

std::vector<CellPredictions> pool_cells(const LeafPaths& paths, std::span<const std::size_t> n_nodes,
                                        const BaggedRows& rows, std::span<const std::int32_t> labels,
                                        const Pooling& pooling, std::size_t n_threads, const StopToken& stop) {
    rows.bags->check(paths.n_trees(), paths.n_rows());
    std::vector<CellPredictions> found(paths.n_trees());
    parallel_for(paths.n_trees(), n_threads, stop, [&](std::size_t tree, std::size_t) {
        BinCounts cells = count_cells(paths, tree, n_nodes[tree], rows, labels, stop);
        found[tree] = pool_bins(std::move(cells.index), cells.view(), pooling);
    });
    return found;
}

}  // namespace calibrant
