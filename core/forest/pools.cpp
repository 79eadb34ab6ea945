#include "forest/pools.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "elementary.hpp"
#include "exp_log.hpp"

namespace calibrant {
namespace {

// The alphas tried for a bin, as powers of two, and the rows out of the bag that a bin must have to be half believed.
constexpr int least_power = -3, n_powers = 10;
constexpr double strength = 10.0;

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// The log-likelihood of a bin's rows out of the bag, each without itself.
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

// Adds the counts of the leaves up to the root.
void climb(std::span<const std::int32_t> parent, std::size_t n_classes, std::span<double> counts) {
    for (std::size_t node = parent.size(); node-- > 1;) {
        const auto above = static_cast<std::size_t>(parent[node]);
        for (std::size_t k = 0; k < n_classes; ++k) counts[above * n_classes + k] += counts[node * n_classes + k];
    }
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

TreePools count_leaves(const ForestWays& ways, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                       std::span<const std::uint8_t> left_out, const StopToken& stop) {
    const std::size_t n_classes = rows.n_classes;
    TreePools pools{n_classes, {}, std::vector<double>(n_nodes * 2 * n_classes)};
    ways.each(tree, stop, [&](std::size_t row, std::size_t leaf, double share) {
        const bool is_out = rows.draws.is_out(tree, row);
        if (is_out && !left_out.empty() && left_out[row] != 0) return;
        pools.counts[(leaf * 2 + is_out) * n_classes + static_cast<std::size_t>(rows.classes[row])] +=
            rows.counted(tree, row) * share;
    });
    return pools;
}

TreePools count_cells(const ForestWays& ways, std::size_t tree, std::size_t n_nodes, const BaggedRows& rows,
                      std::span<const std::int32_t> labels, const StopToken& stop) {
    const std::size_t n_classes = rows.n_classes;
    TreePools pools{n_classes, std::vector<std::int32_t>(n_nodes * n_classes, -1), {}};
    ways.each(tree, stop, [&](std::size_t row, std::size_t leaf, double share) {
        if (labels[row] < 0) return;
        std::int32_t& at = pools.place[leaf * n_classes + static_cast<std::size_t>(labels[row])];
        if (at < 0) {
            at = static_cast<std::int32_t>(pools.n_bins());
            pools.counts.resize(pools.counts.size() + 2 * n_classes);
        }
        const std::size_t side = static_cast<std::size_t>(at) * 2 + rows.draws.is_out(tree, row);
        pools.counts[side * n_classes + static_cast<std::size_t>(rows.classes[row])] += rows.counted(tree, row) * share;
    });
    return pools;
}

std::vector<std::vector<double>> pool_leaves(const ForestWays& ways,
                                             std::span<const std::span<const std::int32_t>> parents,
                                             const BaggedRows& rows, std::span<const std::uint8_t> left_out,
                                             const Pooling& pooling, std::size_t n_threads, const StopToken& stop) {
    std::vector<std::vector<double>> found(ways.n_trees());
    parallel_for(ways.n_trees(), n_threads, stop, [&](std::size_t tree, std::size_t) {
        const TreePools pools = count_leaves(ways, tree, parents[tree].size(), rows, left_out, stop);
        auto& counts = found[tree] = std::vector<double>(pools.n_bins() * rows.n_classes);
        for (std::size_t bin = 0; bin < pools.n_bins(); ++bin) {
            pooling.pool(pools.inside(bin), pools.outside(bin),
                         std::span(counts).subspan(bin * rows.n_classes, rows.n_classes));
        }
        climb(parents[tree], rows.n_classes, counts);
    });
    return found;
}

std::vector<CellTable> pool_cells(const ForestWays& ways, std::span<const std::size_t> n_nodes, const BaggedRows& rows,
                                  std::span<const std::int32_t> labels, const Pooling& pooling, std::size_t n_threads,
                                  const StopToken& stop) {
    std::vector<CellTable> found(ways.n_trees());
    parallel_for(ways.n_trees(), n_threads, stop, [&](std::size_t tree, std::size_t) {
        TreePools pools = count_cells(ways, tree, n_nodes[tree], rows, labels, stop);
        std::vector<double> table(pools.n_bins() * rows.n_classes);
        std::vector<bool> is_empty(pools.n_bins());
        for (std::size_t bin = 0; bin < pools.n_bins(); ++bin) {
            const auto counts = std::span(table).subspan(bin * rows.n_classes, rows.n_classes);
            is_empty[bin] = !(pooling.pool(pools.inside(bin), pools.outside(bin), counts) > 0);
            pooling.rates(counts);
        }
        for (std::int32_t& at : pools.place) {
            if (at >= 0 && is_empty[static_cast<std::size_t>(at)]) at = -1;
        }
        found[tree] = {std::move(pools.place), std::move(table)};
    });
    return found;
}

}  // namespace calibrant
