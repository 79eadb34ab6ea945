#include "forest/answers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace calibrant {
namespace {

// The rows of a block on their way to an answer.
struct Asking {
    const Ends& ends;
    std::span<const std::int32_t> labels;
    std::span<double> sums;
    std::vector<std::uint32_t> pending;
    std::vector<std::uint32_t> n_answers;
    std::size_t width;
};

void add_parts(const Cells& cells, std::size_t row, std::span<const End> parts, Asking& asking) {
    std::vector<double> mixed(asking.width);
    double mass = 0;
    for (const End& end : parts) {
        const std::int64_t at = cells.at(static_cast<std::size_t>(end.leaf), asking.labels[row]);
        if (at < 0) continue;
        for (std::size_t k = 0; k < asking.width; ++k)
            mixed[k] += end.share * cells.table[static_cast<std::size_t>(at) * asking.width + k];
        mass += end.share;
    }
    if (!(mass > 0)) return;
    for (std::size_t k = 0; k < asking.width; ++k) asking.sums[row * asking.width + k] += mixed[k] / mass;
    ++asking.n_answers[row];
}

// Adds what a tree answers for the pending rows; a width known when compiled saves much of the time.
template <std::size_t fixed_width>
void add_tree(const Cells& cells, std::span<const std::int32_t> leaves, Asking& asking) {
    const std::size_t width = fixed_width > 0 ? fixed_width : asking.width;
    for (const std::uint32_t row : asking.pending) {
        if (leaves[row] < 0) {
            if (leaves[row] != Ends::nowhere) add_parts(cells, row, asking.ends.parts(leaves[row]), asking);
            continue;
        }
        const std::int64_t at = cells.at(static_cast<std::size_t>(leaves[row]), asking.labels[row]);
        if (at < 0) continue;
        const double* const from = cells.table.data() + static_cast<std::size_t>(at) * width;
        for (std::size_t k = 0; k < width; ++k) asking.sums[row * width + k] += from[k];
        ++asking.n_answers[row];
    }
}

void answer_block(const Levels& levels, Asking& asking) {
    for (const auto& level : levels) {
        for (std::size_t tree = 0; tree < level.size(); ++tree) {
            if (asking.width == 2)
                add_tree<2>(level[tree], asking.ends.leaves(tree), asking);
            else
                add_tree<0>(level[tree], asking.ends.leaves(tree), asking);
        }
        std::erase_if(asking.pending, [&](std::uint32_t row) { return asking.n_answers[row] > 0; });
        if (asking.pending.empty()) break;
    }
    for (std::size_t row = 0; row < asking.n_answers.size(); ++row) {
        const double n = asking.n_answers[row] > 0 ? asking.n_answers[row] : std::numeric_limits<double>::quiet_NaN();
        for (std::size_t k = 0; k < asking.width; ++k) asking.sums[row * asking.width + k] /= n;
    }
}

}  // namespace

void answer(const ForestWays& ways, const Ballots& voters, const Levels& levels, const Draws& draws,
            std::span<double> out, std::size_t n_threads, const StopToken& stop) {
    if (ways.n_rows() == 0) return;
    const std::size_t width = out.size() / ways.n_rows();
    const Range trees{0, ways.n_trees()};
    for (const auto& level : levels) {
        if (level.size() != ways.n_trees()) throw std::invalid_argument("answers of every tree");
    }
    ways.in_blocks(trees, n_threads, stop, [&](Range rows, Ends& ends) {
        draws.keep_outside(trees, rows, ends);
        std::vector<std::int32_t> labels(rows.size());
        std::vector<std::uint32_t> votes(voters.n_trees() > 0 ? rows.size() * voters.n_classes() : 0), all(rows.size());
        if (voters.n_trees() > 0) voters.settle(ends, votes, labels);
        std::iota(all.begin(), all.end(), 0U);
        const auto sums = out.subspan(rows.begin * width, rows.size() * width);
        std::fill(sums.begin(), sums.end(), 0.0);
        Asking asking{ends, labels, sums, std::move(all), std::vector<std::uint32_t>(rows.size()), width};
        answer_block(levels, asking);
    });
}

}  // namespace calibrant
