#include "forest/leaf_paths.hpp"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "tree/descent.hpp"
#include "tree/row_major.hpp"

namespace calibrant {

// The codes of a table row by row, all of one width: what lanes can descend with. Bytes are so already, and viewed.
class WideCodes {
  public:
    WideCodes(const CodedTable& table, std::size_t n_threads, const StopToken& stop) {
        if (table.bytes() != nullptr) {
            rows_ = coded_rows(table);
            return;
        }
        std::vector<std::size_t> columns(table.n_columns());
        std::iota(columns.begin(), columns.end(), std::size_t{0});
        cells_ = row_major_cells<std::uint32_t>(table, columns, rows_per_task, n_threads, stop, [](std::size_t) {
            return [](std::size_t, std::uint32_t code, bool is_missing) {
                return is_missing ? missing_code<std::uint32_t> : code;
            };
        });
        rows_.n_rows = table.n_rows();
        for (const std::size_t j : columns) {
            rows_.columns.push_back(StridedView<std::uint32_t>{cells_.data() + j, table.n_rows(),
                                                               static_cast<std::ptrdiff_t>(columns.size())});
        }
    }
    const PredictRows& rows() const { return rows_; }

  private:
    std::vector<std::uint32_t> cells_;
    PredictRows rows_;
};

void ReachedLeaves::clear(std::size_t n_trees, std::size_t n_rows) {
    n_rows_ = n_rows;
    leaves_.resize(n_trees * n_rows);
    runs_.assign(1, 0);
    shares_.clear();
}

void ReachedLeaves::set_shares(std::size_t tree, std::size_t row, std::span<const LeafShare> shares) {
    if (shares.size() == 1) {
        leaves(tree)[row] = shares.front().leaf;
        return;
    }
    leaves(tree)[row] = first_run - static_cast<std::int32_t>(runs_.size() - 1);
    shares_.insert(shares_.end(), shares.begin(), shares.end());
    runs_.push_back(shares_.size());
}

void ReachedLeaves::copy_to(ReachedLeaves& other, IndexRange trees, IndexRange rows, std::size_t other_row) const {
    for (std::size_t tree = trees.begin; tree < trees.end; ++tree) {
        const std::int32_t* const from = leaves(tree).data() + rows.begin;
        std::int32_t* const to = other.leaves(tree - trees.begin).data() + other_row;
        std::copy_n(from, rows.size(), to);
        for (std::size_t i = 0; i < rows.size() && !shares_.empty(); ++i) {
            if (from[i] < none) other.set_shares(tree - trees.begin, other_row + i, shares(from[i]));
        }
    }
}

LeafPaths::LeafPaths(std::span<const std::int32_t> leaves, std::size_t n_trees)
    : n_trees_(n_trees), n_rows_(n_trees == 0 ? 0 : leaves.size() / n_trees), leaves_(leaves) {
    if (leaves.size() != n_trees_ * n_rows_) throw std::invalid_argument("leaves must have one entry per row and tree");
}

LeafPaths::LeafPaths(std::span<const Tree* const> trees, PredictRows rows)
    : n_trees_(trees.size()), n_rows_(rows.n_rows), rows_(std::move(rows)) {
    for (const Tree* tree : trees) {
        walks_.push_back(std::make_unique<const TreeWalk>(*tree, rows_));
        n_nodes_.push_back(tree->n_nodes());
    }
}

LeafPaths::LeafPaths(std::span<const Tree* const> trees, const CodedTable& table, std::size_t most_bytes,
                     std::size_t n_threads, const StopToken& stop)
    : n_trees_(trees.size()), n_rows_(table.n_rows()), codes_(std::make_unique<WideCodes>(table, n_threads, stop)) {
    for (const Tree* tree : trees) {
        walks_.push_back(std::make_unique<const TreeWalk>(*tree, codes_->rows()));
        n_nodes_.push_back(tree->n_nodes());
    }
    store(most_bytes, n_threads, stop);
}

LeafPaths::~LeafPaths() = default;

void LeafPaths::check_lines(std::size_t tree, std::size_t n_lines) const {
    if (tree >= n_trees_ || (!n_nodes_.empty() && n_lines != n_nodes_[tree]))
        throw std::invalid_argument("each table must have one row per node of its tree");
}

// At most four million leaves at a time (16 MB), so that the leaves of a block in all trees take little memory.
std::size_t LeafPaths::block_size(std::size_t n_trees, std::size_t n_threads) const {
    constexpr std::size_t most_leaves = std::size_t{1} << 22, fewest_rows = 256;
    return std::min(rows_at_once(n_rows_, n_threads),
                    std::max(fewest_rows, most_leaves / std::max<std::size_t>(n_trees, 1)));
}

void LeafPaths::store(std::size_t most_bytes, std::size_t n_threads, const StopToken& stop) {
    stored_rows_ = block_size(n_trees_, n_threads);
    std::vector<ReachedLeaves> stored((n_rows_ + stored_rows_ - 1) / stored_rows_);
    std::atomic<std::size_t> n_bytes = 0;
    parallel_for(stored.size(), n_threads, stop, [&](std::size_t block, std::size_t) {
        if (n_bytes >= most_bytes) return;
        fill({0, n_trees_}, {block * stored_rows_, std::min(n_rows_, (block + 1) * stored_rows_)}, stored[block]);
        n_bytes += stored[block].n_bytes();
    });
    stored_ = std::move(stored);
    if (std::any_of(stored_.begin(), stored_.end(), [](const ReachedLeaves& block) { return block.n_trees() == 0; }))
        return;
    walks_.clear();
    codes_.reset();
}

void LeafPaths::fill(IndexRange trees, IndexRange rows, ReachedLeaves& reached) const {
    reached.clear(trees.size(), rows.size());
    for (std::size_t begin = rows.begin; begin < rows.end;) {
        const std::size_t end =
            stored_.empty() ? rows.end : std::min(rows.end, (begin / stored_rows_ + 1) * stored_rows_);
        fill_piece(trees, {begin, end}, begin - rows.begin, reached);
        begin = end;
    }
}

void LeafPaths::fill_piece(IndexRange trees, IndexRange rows, std::size_t first, ReachedLeaves& reached) const {
    if (!stored_.empty()) {
        const std::size_t block = rows.begin / stored_rows_, before = block * stored_rows_;
        if (stored_[block].n_trees() > 0)
            return stored_[block].copy_to(reached, trees, {rows.begin - before, rows.end - before}, first);
    }
    for (std::size_t tree = trees.begin; tree < trees.end; ++tree) {
        const std::size_t index = tree - trees.begin;
        if (leaves_.empty())
            walk(tree, index, rows, first, reached);
        else
            std::copy_n(leaves_.data() + tree * n_rows_ + rows.begin, rows.size(),
                        reached.leaves(index).begin() + static_cast<std::ptrdiff_t>(first));
    }
}

void LeafPaths::walk(std::size_t tree, std::size_t index, IndexRange rows, std::size_t first,
                     ReachedLeaves& reached) const {
    std::int32_t* const leaves = reached.leaves(index).data() + first;
    std::vector<LeafShare> shares;
    walks_[tree]->block(
        rows.begin, rows.end,
        [&](std::size_t row, std::uint32_t leaf) { leaves[row - rows.begin] = static_cast<std::int32_t>(leaf); },
        [&](Descent& descent, std::size_t row) {
            shares.clear();
            descent.descend(row, [&](std::size_t leaf, double share) {
                shares.push_back({static_cast<std::int32_t>(leaf), share});
            });
            reached.set_shares(index, first + row - rows.begin, shares);
        });
}

}  // namespace calibrant
