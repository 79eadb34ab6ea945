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

constexpr std::uint32_t answered = std::numeric_limits<std::uint32_t>::max();

#if defined(__SSE2__)
// Copies the answers of two classes past the cache, where many outputs would push one another out.
void stream_pairs(const Reading& reading, double* to, std::span<const std::uint32_t> leaves) {
    const double* const table = reading.table.data();
    for (std::size_t i = 0; i < leaves.size(); ++i)
        _mm_stream_pd(to + 2 * i, _mm_loadu_pd(table + 2 * std::size_t{leaves[i]}));
    _mm_sfence();
}

bool can_stream(const double* to) { return reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128d) == 0; }
#else
void stream_pairs(const Reading&, double*, std::span<const std::uint32_t>) {}
bool can_stream(const double*) { return false; }
#endif

// Copies the answers of the leaves in `leaves` to the rows from `begin` on; a width known when compiled saves half of
// the time.
template <std::size_t fixed_width>
void copy_rows(const Reading& reading, std::size_t width, std::size_t begin, std::span<const std::uint32_t> leaves) {
    if constexpr (fixed_width > 0) width = fixed_width;
    double* to = reading.out.data() + begin * width;
    for (const std::uint32_t leaf : leaves) {
        if (leaf != answered) std::copy_n(reading.table.data() + leaf * width, width, to);
        to += width;
    }
}

void copy_answers(const Reading& reading, std::size_t width, std::size_t begin, std::span<const std::uint32_t> leaves,
                  bool are_all_there) {
    double* const to = reading.out.data() + begin * width;
    if (width == 2 && are_all_there && can_stream(to)) return stream_pairs(reading, to, leaves);
    switch (width) {
        case 2:
            return copy_rows<2>(reading, width, begin, leaves);
        case 3:
            return copy_rows<3>(reading, width, begin, leaves);
        default:
            return copy_rows<0>(reading, width, begin, leaves);
    }
}

void add_answer(const Reading& reading, std::size_t width, std::size_t row, std::size_t leaf, double share) {
    double* const to = reading.out.data() + row * width;
    for (std::size_t k = 0; k < width; ++k) to[k] += share * reading.table[leaf * width + k];
}

// Gives every node the counts of those below it, its weight and its majority class; the counts of the leaves are there.
void add_up(Tree& tree) {
    for (std::size_t node = tree.n_nodes(); node-- > 1;) {
        const auto above = static_cast<std::size_t>(tree.parent[node]);
        for (std::size_t k = 0; k < tree.n_classes; ++k)
            tree.counts[above * tree.n_classes + k] += tree.counts[node * tree.n_classes + k];
    }
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
            [&]<class Code>(const std::vector<Code>& codes) {
                rows.columns.push_back(StridedView<Code>{codes.data(), codes.size(), 1});
            },
            table.column(j).codes);
    }
    return rows;
}

void predict(const Tree& tree, const PredictRows& rows, std::span<const Reading> readings, std::size_t n_threads,
             const StopToken& stop) {
    const Walk walk(tree, rows);
    const auto width_of = [&](const Reading& reading) { return reading.table.size() / tree.n_nodes(); };
    for (const Reading& reading : readings) {
        if (reading.table.size() % tree.n_nodes() != 0) throw std::invalid_argument("a table has a row for each node");
        if (reading.out.size() != rows.n_rows * width_of(reading))
            throw std::invalid_argument("the output has a row for each row");
    }
    in_blocks(rows.n_rows, n_threads, stop, [&](std::size_t begin, std::size_t end) {
        std::array<std::uint32_t, rows_per_task> leaves;
        bool are_all_there = true;
        const auto note = [&](std::size_t row, std::uint32_t leaf) { leaves[row - begin] = leaf; };
        walk.block(begin, end, note, [&](Descent& descent, std::size_t row) {
            note(row, answered);
            are_all_there = false;
            for (const Reading& reading : readings)
                std::fill_n(reading.out.data() + row * width_of(reading), width_of(reading), 0.0);
            descent.descend(row, [&](std::size_t leaf, double share) {
                for (const Reading& reading : readings) add_answer(reading, width_of(reading), row, leaf, share);
            });
        });
        for (const Reading& reading : readings)
            copy_answers(reading, width_of(reading), begin, {leaves.data(), end - begin}, are_all_there);
    });
}

void apply(const Tree& tree, const PredictRows& rows, std::span<std::int32_t> out, std::size_t n_threads,
           const StopToken& stop) {
    const Walk walk(tree, rows);
    const auto note = [&](std::size_t row, std::size_t leaf) { out[row] = static_cast<std::int32_t>(leaf); };
    const auto note_heaviest = [&](Descent& descent, std::size_t row) {
        double most = -1;
        descent.descend(row, [&](std::size_t leaf, double share) {
            if (share > most + 1e-12) {
                most = share;
                note(row, leaf);
            }
        });
    };
    in_blocks(rows.n_rows, n_threads, stop,
              [&](std::size_t begin, std::size_t end) { walk.block(begin, end, note, note_heaviest); });
}

Tree count_rows(const Tree& tree, const PredictRows& rows, std::span<const std::uint16_t> labels,
                std::span<const double> weights, const StopToken& stop) {
    if (labels.size() != rows.n_rows || weights.size() != rows.n_rows)
        throw std::invalid_argument("one label and one weight for each row");
    if (std::any_of(labels.begin(), labels.end(), [&](auto label) { return label >= tree.n_classes; }))
        throw std::invalid_argument("no such class");
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
    add_up(counted);
    return counted;
}

}  // namespace calibrant
