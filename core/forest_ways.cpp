#include "forest_ways.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace calibrant {

void Ends::clear(std::size_t n_trees, std::size_t n_rows) {
    n_rows_ = n_rows;
    leaves_.assign(n_trees * n_rows, nowhere);
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

ForestWays::ForestWays(std::span<const std::int32_t> leaves, std::size_t n_trees)
    : n_trees_(n_trees), n_rows_(n_trees == 0 ? 0 : leaves.size() / n_trees), leaves_(leaves) {
    if (leaves.size() != n_trees_ * n_rows_) throw std::invalid_argument("a leaf for each row and tree");
}

ForestWays::ForestWays(std::span<const Tree* const> trees, PredictRows rows) : n_trees_(trees.size()), n_rows_(rows.n_rows), rows_(std::move(rows)) {
    for (const Tree* tree : trees) walks_.emplace_back(*tree, rows_);
}

ForestWays::ForestWays(std::span<const Tree* const> trees, const CodedTable& table, std::size_t n_threads)
    : n_trees_(trees.size()), n_rows_(table.n_rows()), codes_(std::make_unique<WideCodes>(table, n_threads, std::stop_token{})) {
    for (const Tree* tree : trees) walks_.emplace_back(*tree, codes_->rows());
}

void ForestWays::fill(Range trees, Range rows, Ends& ends) const {
    ends.clear(trees.size(), rows.size());
    for (std::size_t tree = trees.begin; tree < trees.end; ++tree) {
        const std::size_t place = tree - trees.begin;
        if (!walks_.empty()) walk(tree, place, rows, ends);
        else std::copy_n(leaves_.data() + tree * n_rows_ + rows.begin, rows.size(), ends.leaves(place).begin());
    }
}

void ForestWays::walk(std::size_t tree, std::size_t place, Range rows, Ends& ends) const {
    const std::span<std::int32_t> leaves = ends.leaves(place);
    std::vector<End> parts;
    walks_[tree].block(
        rows.begin, rows.end, [&](std::size_t row, std::uint32_t leaf) { leaves[row - rows.begin] = static_cast<std::int32_t>(leaf); },
        [&](Descent& descent, std::size_t row) {
            parts.clear();
            descent.descend(row, [&](std::size_t leaf, double share) { parts.push_back({static_cast<std::int32_t>(leaf), share}); });
            ends.set_parts(place, row - rows.begin, parts);
        });
}

}  // namespace calibrant
