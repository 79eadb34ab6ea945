#include "tree/leaf_shares.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "tree/descent.hpp"

namespace calibrant {
namespace {

void append(LeafShares& all, const LeafShares& some) {
    all.row.insert(all.row.end(), some.row.begin(), some.row.end());
    all.leaf.insert(all.leaf.end(), some.leaf.begin(), some.leaf.end());
    all.share.insert(all.share.end(), some.share.begin(), some.share.end());
}

// Threads finish blocks in any order; joined in the order of the rows, they are the same for any number of threads.
LeafShares joined(std::vector<LeafShares>& blocks) {
    std::size_t n = 0;
    for (const LeafShares& block : blocks) n += block.row.size();
    LeafShares all;
    all.row.reserve(n);
    all.leaf.reserve(n);
    all.share.reserve(n);
    for (LeafShares& block : blocks) append(all, std::exchange(block, {}));
    return all;
}

}  // namespace

LeafShares leaf_shares(const Tree& tree, const PredictRows& rows, std::span<const std::uint8_t> wanted,
                       std::size_t n_threads, const StopToken& stop) {
    if (!wanted.empty() && wanted.size() != rows.n_rows)
        throw std::invalid_argument("wanted must have one entry per row");
    const TreeWalk walk(tree, rows);
    std::vector<LeafShares> blocks((rows.n_rows + rows_per_task - 1) / rows_per_task);
    in_blocks(rows.n_rows, n_threads, stop, [&](std::size_t begin, std::size_t end) {
        LeafShares& block = blocks[begin / rows_per_task];
        const auto add = [&](std::size_t row, std::size_t leaf, double share) {
            block.row.push_back(static_cast<std::int64_t>(row));
            block.leaf.push_back(static_cast<std::int32_t>(leaf));
            block.share.push_back(share);
        };
        const auto is_wanted = [&](std::size_t row) { return wanted.empty() || wanted[row] != 0; };
        const auto add_leaf = [&](std::size_t row, std::size_t leaf) {
            if (is_wanted(row)) add(row, leaf, 1.0);
        };
        walk.block(begin, end, add_leaf, [&](Descent& descent, std::size_t row) {
            if (is_wanted(row)) descent.descend(row, [&](std::size_t leaf, double share) { add(row, leaf, share); });
        });
    });
    return joined(blocks);
}

}  // namespace calibrant
