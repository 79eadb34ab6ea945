#include "tree/predict.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "parallel.hpp"
#include "tree/descent.hpp"

namespace calibrant {
namespace {

constexpr std::uint32_t predicted = std::numeric_limits<std::uint32_t>::max();

#if defined(__SSE2__)
// Copies the predictions of two classes with stores that bypass the cache, which several outputs would evict from.
void stream_pairs(const TableLookup& lookup, double* to, std::span<const std::uint32_t> leaves) {
    const double* const table = lookup.table.data();
    for (std::size_t i = 0; i < leaves.size(); ++i)
        _mm_stream_pd(to + 2 * i, _mm_loadu_pd(table + 2 * std::size_t{leaves[i]}));
    _mm_sfence();
}

bool can_stream(const double* to) { return reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128d) == 0; }
#else
void stream_pairs(const TableLookup&, double*, std::span<const std::uint32_t>) {}
bool can_stream(const double*) { return false; }
#endif

// Copies the predictions of `leaves` to the rows from `begin` on. A width known at compile time halves the time.
template <std::size_t fixed_width>
void copy_rows(const TableLookup& lookup, std::size_t width, std::size_t begin, std::span<const std::uint32_t> leaves) {
    if constexpr (fixed_width > 0) width = fixed_width;
    double* to = lookup.out.data() + begin * width;
    for (const std::uint32_t leaf : leaves) {
        if (leaf != predicted) std::copy_n(lookup.table.data() + leaf * width, width, to);
        to += width;
    }
}

void copy_predictions(const TableLookup& lookup, std::size_t width, std::size_t begin,
                      std::span<const std::uint32_t> leaves, bool is_complete) {
    double* const to = lookup.out.data() + begin * width;
    if (width == 2 && is_complete && can_stream(to)) return stream_pairs(lookup, to, leaves);
    switch (width) {
        case 2:
            return copy_rows<2>(lookup, width, begin, leaves);
        case 3:
            return copy_rows<3>(lookup, width, begin, leaves);
        default:
            return copy_rows<0>(lookup, width, begin, leaves);
    }
}

void add_share(const TableLookup& lookup, std::size_t width, std::size_t row, std::size_t leaf, double share) {
    double* const to = lookup.out.data() + row * width;
    for (std::size_t k = 0; k < width; ++k) to[k] += share * lookup.table[leaf * width + k];
}

// Sets the counts, weight and majority class of every node from the counts of the leaves.
void sum_up(Tree& tree) {
    add_to_parents(tree.parent, tree.n_classes, tree.counts);
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        const auto counts = tree.counts_of(node);
        tree.weight[node] = std::accumulate(counts.begin(), counts.end(), 0.0);
        if (tree.weight[node] > 0)
            tree.label[node] =
                static_cast<std::int32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
        else if (node > 0)
            tree.label[node] = tree.label[static_cast<std::size_t>(tree.parent[node])];
    }
}

}  // namespace

PredictRows coded_rows(const CodedTable& table) {
    PredictRows rows{table.n_rows(), {}};
    rows.columns.reserve(table.n_columns());
    for (std::size_t j = 0; j < table.n_columns(); ++j) {
        std::visit(
            [&]<class Column>(const Column& codes) {
                std::ptrdiff_t stride = 1;
                if constexpr (std::is_same_v<Column, ByteCodes>) stride = static_cast<std::ptrdiff_t>(codes.stride());
                rows.columns.push_back(StridedView<CodeOf<Column>>{codes.data(), codes.size(), stride});
            },
            table.column(j).codes);
    }
    return rows;
}

void predict(const Tree& tree, const PredictRows& rows, std::span<const TableLookup> lookups, std::size_t n_threads,
             const StopToken& stop) {
    const TreeWalk walk(tree, rows);
    const auto width_of = [&](const TableLookup& lookup) { return lookup.table.size() / tree.n_nodes(); };
    for (const TableLookup& lookup : lookups) {
        if (lookup.table.size() % tree.n_nodes() != 0)
            throw std::invalid_argument("each table must have one row per node");
        if (lookup.out.size() != rows.n_rows * width_of(lookup))
            throw std::invalid_argument("each output must have one row per row predicted");
    }
    in_blocks(rows.n_rows, n_threads, stop, [&](std::size_t begin, std::size_t end) {
        std::array<std::uint32_t, rows_per_task> leaves;
        bool is_complete = true;
        const auto keep = [&](std::size_t row, std::uint32_t leaf) { leaves[row - begin] = leaf; };
        walk.block(begin, end, keep, [&](Descent& descent, std::size_t row) {
            keep(row, predicted);
            is_complete = false;
            for (const TableLookup& lookup : lookups)
                std::fill_n(lookup.out.data() + row * width_of(lookup), width_of(lookup), 0.0);
            double total = 0;
            descent.descend(row, [&](std::size_t leaf, double share) {
                total += share;
                for (const TableLookup& lookup : lookups) add_share(lookup, width_of(lookup), row, leaf, share);
            });
            for (const TableLookup& lookup : lookups)
                divide(lookup.out.subspan(row * width_of(lookup), width_of(lookup)), total);
        });
        for (const TableLookup& lookup : lookups)
            copy_predictions(lookup, width_of(lookup), begin, {leaves.data(), end - begin}, is_complete);
    });
}

void apply(const Tree& tree, const PredictRows& rows, std::span<std::int32_t> out, std::size_t n_threads,
           const StopToken& stop) {
    const TreeWalk walk(tree, rows);
    const auto write = [&](std::size_t row, std::size_t leaf) { out[row] = static_cast<std::int32_t>(leaf); };
    const auto write_heaviest = [&](Descent& descent, std::size_t row) {
        double most = -1;
        descent.descend(row, [&](std::size_t leaf, double share) {
            if (share > most + 1e-12) {
                most = share;
                write(row, leaf);
            }
        });
    };
    in_blocks(rows.n_rows, n_threads, stop,
              [&](std::size_t begin, std::size_t end) { walk.block(begin, end, write, write_heaviest); });
}

Tree count_rows(const Tree& tree, const PredictRows& rows, std::span<const std::uint16_t> labels,
                std::span<const double> weights, const StopToken& stop) {
    if (labels.size() != rows.n_rows || weights.size() != rows.n_rows)
        throw std::invalid_argument("labels and weights must have one entry per row");
    if (std::any_of(labels.begin(), labels.end(), [&](auto label) { return label >= tree.n_classes; }))
        throw std::invalid_argument("labels must be classes of the tree");
    Tree counted = tree;
    std::fill(counted.counts.begin(), counted.counts.end(), 0.0);
    Descent descent(tree, rows);
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        if (row % rows_per_task == 0) check_stop(stop);
        if (weights[row] == 0) continue;
        descent.descend(row, [&](std::size_t leaf, double share) {
            counted.counts[leaf * tree.n_classes + labels[row]] += share * weights[row];
        });
    }
    sum_up(counted);
    return counted;
}

}  // namespace calibrant
