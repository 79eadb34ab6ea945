#include "forest/leaf_paths.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <utility>

namespace calibrant {

void Ends::clear(std::size_t n_trees, std::size_t n_rows) {
    n_rows_ = n_rows;
    leaves_.resize(n_trees * n_rows);
    runs_.assign(1, 0);
    parts_.clear();
}

void Ends::set_parts(std::size_t tree, std::size_t row, std::span<const End> parts) {
    if (parts.size() == 1) {
        leaves(tree)[row] = parts.front().leaf;
        return;
    }
    leaves(tree)[row] = first_run - static_cast<std::int32_t>(runs_.size() - 1);
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    runs_.push_back(parts_.size());
}

void Ends::copy_to(Ends& other, Range trees, Range rows, std::size_t other_row) const {
    for (std::size_t tree = trees.begin; tree < trees.end; ++tree) {
        const std::int32_t* const from = leaves(tree).data() + rows.begin;
        std::int32_t* const to = other.leaves(tree - trees.begin).data() + other_row;
        std::copy_n(from, rows.size(), to);
        for (std::size_t i = 0; i < rows.size() && !parts_.empty(); ++i) {
            if (from[i] < nowhere) other.set_parts(tree - trees.begin, other_row + i, parts(from[i]));
        }
    }
}

ForestWays::ForestWays(std::span<const std::int32_t> leaves, std::size_t n_trees)
    : n_trees_(n_trees), n_rows_(n_trees == 0 ? 0 : leaves.size() / n_trees), leaves_(leaves) {
    if (leaves.size() != n_trees_ * n_rows_) throw std::invalid_argument("a leaf for each row and tree");
}

ForestWays::ForestWays(std::span<const Tree* const> trees, PredictRows rows)
    : n_trees_(trees.size()), n_rows_(rows.n_rows), rows_(std::move(rows)) {
    for (const Tree* tree : trees) walks_.emplace_back(*tree, rows_);
}

ForestWays::ForestWays(std::span<const Tree* const> trees, const CodedTable& table, std::size_t most_bytes,
                       std::size_t n_threads, const StopToken& stop)
    : n_trees_(trees.size()), n_rows_(table.n_rows()), codes_(std::make_unique<WideCodes>(table, n_threads, stop)) {
    for (const Tree* tree : trees) walks_.emplace_back(*tree, codes_->rows());
    keep(most_bytes, n_threads, stop);
}

void ForestWays::keep(std::size_t most_bytes, std::size_t n_threads, const StopToken& stop) {
    kept_rows_ = block_size(n_trees_, n_threads);
    std::vector<Ends> kept((n_rows_ + kept_rows_ - 1) / kept_rows_);
    std::atomic<std::size_t> n_bytes = 0;
    parallel_for(kept.size(), n_threads, stop, [&](std::size_t block, std::size_t) {
        if (n_bytes >= most_bytes) return;
        fill({0, n_trees_}, {block * kept_rows_, std::min(n_rows_, (block + 1) * kept_rows_)}, kept[block]);
        n_bytes += kept[block].n_bytes();
    });
    kept_ = std::move(kept);
    if (std::any_of(kept_.begin(), kept_.end(), [](const Ends& ends) { return ends.n_trees() == 0; })) return;
    walks_.clear();
    codes_.reset();
}

void ForestWays::fill(Range trees, Range rows, Ends& ends) const {
    ends.clear(trees.size(), rows.size());
    for (std::size_t begin = rows.begin; begin < rows.end;) {
        const std::size_t end = kept_.empty() ? rows.end : std::min(rows.end, (begin / kept_rows_ + 1) * kept_rows_);
        fill_piece(trees, {begin, end}, begin - rows.begin, ends);
        begin = end;
    }
}

void ForestWays::fill_piece(Range trees, Range rows, std::size_t first, Ends& ends) const {
    if (!kept_.empty()) {
        const std::size_t block = rows.begin / kept_rows_, before = block * kept_rows_;
        if (kept_[block].n_trees() > 0)
            return kept_[block].copy_to(ends, trees, {rows.begin - before, rows.end - before}, first);
    }
    for (std::size_t tree = trees.begin; tree < trees.end; ++tree) {
        const std::size_t place = tree - trees.begin;
        if (leaves_.empty())
            walk(tree, place, rows, first, ends);
        else
            std::copy_n(leaves_.data() + tree * n_rows_ + rows.begin, rows.size(),
                        ends.leaves(place).begin() + static_cast<std::ptrdiff_t>(first));
    }
}

void ForestWays::walk(std::size_t tree, std::size_t place, Range rows, std::size_t first, Ends& ends) const {
    std::int32_t* const leaves = ends.leaves(place).data() + first;
    std::vector<End> parts;
    walks_[tree].block(
        rows.begin, rows.end,
        [&](std::size_t row, std::uint32_t leaf) { leaves[row - rows.begin] = static_cast<std::int32_t>(leaf); },
        [&](Descent& descent, std::size_t row) {
            parts.clear();
            descent.descend(row, [&](std::size_t leaf, double share) {
                parts.push_back({static_cast<std::int32_t>(leaf), share});
            });
            ends.set_parts(place, first + row - rows.begin, parts);
        });
}

}  // namespace calibrant
