#include "forest/predict.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <vector>

#include "tree/descent.hpp"

namespace calibrant {
namespace {

// Adds the prediction of `leaf` to `to`. A width known at compile time saves much of the time.
template <std::size_t fixed_width>
void add_prediction(const double* table, std::size_t width, std::size_t leaf, double share, double* to) {
    if constexpr (fixed_width > 0) width = fixed_width;
    for (std::size_t k = 0; k < width; ++k) to[k] += share * table[leaf * width + k];
}

template <std::size_t fixed_width>
void sum_block(std::span<const Member> members, const std::deque<TreeWalk>& walks, std::size_t width, std::size_t begin,
               std::size_t end, double* out, const StopToken& stop) {
    std::fill(out + begin * width, out + end * width, 0.0);
    std::vector<double> mixture(width);  // a tree's prediction where a value is missing
    for (std::size_t m = 0; m < members.size(); ++m) {
        check_stop(stop);
        const double* const table = members[m].table.data();
        const auto add = [&](std::size_t leaf, double share, double* to) {
            add_prediction<fixed_width>(table, width, leaf, share, to);
        };
        walks[m].block(
            begin, end, [&](std::size_t row, std::uint32_t leaf) { add(leaf, 1.0, out + row * width); },
            [&](Descent& descent, std::size_t row) {
                std::fill(mixture.begin(), mixture.end(), 0.0);
                double total = 0;
                descent.descend(row, [&](std::size_t leaf, double share) {
                    total += share;
                    add(leaf, share, mixture.data());
                });
                divide(mixture, total);
                for (std::size_t k = 0; k < width; ++k) out[row * width + k] += mixture[k];
            });
    }
}

}  // namespace

void sum_predictions(std::span<const Member> members, const PredictRows& rows, std::span<double> out,
                     std::size_t n_threads, const StopToken& stop) {
    if (rows.n_rows == 0) return;
    const std::size_t width = out.size() / rows.n_rows;
    std::deque<TreeWalk> walks;
    for (const Member& member : members) {
        walks.emplace_back(*member.tree, rows);
        if (member.table.size() != member.tree->n_nodes() * width)
            throw std::invalid_argument("each table must have one row per node, as wide as the output");
    }
    in_blocks(rows.n_rows, rows_at_once(rows.n_rows, n_threads), n_threads, stop,
              [&](std::size_t begin, std::size_t end) {
                  if (width == 2)
                      sum_block<2>(members, walks, width, begin, end, out.data(), stop);
                  else
                      sum_block<0>(members, walks, width, begin, end, out.data(), stop);
              });
}

}  // namespace calibrant
