// The leaves that rows reach in the trees of a forest: passed in, or found by descending the trees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stop.hpp"
#include "tree/predict.hpp"
#include "tree/row_blocks.hpp"

namespace calibrant {

class TreeWalk;
class WideCodes;

struct IndexRange {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
};

// A leaf and the share of a row that reaches it.
struct LeafShare {
    std::int32_t leaf;
    double share;
};

// The leaves that some rows reach in some trees, tree after tree.
class ReachedLeaves {
  public:
    static constexpr std::int32_t none = -1;  // the tree is not to be used for the row

    // Allocates memory for the trees and rows; the caller must write every leaf.
    void clear(std::size_t n_trees, std::size_t n_rows);

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_trees() const { return n_rows_ == 0 ? 0 : leaves_.size() / n_rows_; }

    // The leaf of each row in a tree; below `none` where the row reaches several, since a value is missing.
    std::span<const std::int32_t> leaves(std::size_t tree) const { return {leaves_.data() + tree * n_rows_, n_rows_}; }
    std::span<std::int32_t> leaves(std::size_t tree) { return {leaves_.data() + tree * n_rows_, n_rows_}; }

    void set_shares(std::size_t tree, std::size_t row, std::span<const LeafShare> shares);
    // Copies some rows of some trees to the other, from its row `other_row` on.
    void copy_to(ReachedLeaves& other, IndexRange trees, IndexRange rows, std::size_t other_row) const;

    std::size_t n_bytes() const {
        return leaves_.size() * sizeof(std::int32_t) + runs_.size() * sizeof(std::size_t) +
               shares_.size() * sizeof(LeafShare);
    }

    // The leaves of a row that reaches several, by its entry of leaves().
    std::span<const LeafShare> shares(std::int32_t leaf) const {
        const auto run = static_cast<std::size_t>(first_run - leaf);
        return {shares_.data() + runs_[run], runs_[run + 1] - runs_[run]};
    }

    // Calls visit(leaf, share) for each leaf that a row reaches in a tree.
    template <class Visit>
    void each(std::size_t tree, std::size_t row, Visit&& visit) const {
        const std::int32_t leaf = leaves(tree)[row];
        if (leaf >= 0) return visit(static_cast<std::size_t>(leaf), 1.0);
        if (leaf == none) return;
        for (const LeafShare& reached : shares(leaf)) visit(static_cast<std::size_t>(reached.leaf), reached.share);
    }

  private:
    static constexpr std::int32_t first_run = none - 1;

    std::size_t n_rows_ = 0;
    std::vector<std::int32_t> leaves_;
    std::vector<std::size_t> runs_;
    std::vector<LeafShare> shares_;
};

class LeafPaths {
  public:
    // From the leaf of every row in every tree, trees x rows; `ReachedLeaves::none` where a tree is not to be used.
    LeafPaths(std::span<const std::int32_t> leaves, std::size_t n_trees);
    // Of new rows, found whenever they are requested.
    LeafPaths(std::span<const Tree* const> trees, PredictRows rows);
    // Of the rows of the table that the trees were grown from, stored as far as they fit into `most_bytes`.
    LeafPaths(std::span<const Tree* const> trees, const CodedTable& table, std::size_t most_bytes,
              std::size_t n_threads, const StopToken& stop);
    ~LeafPaths();

    LeafPaths(const LeafPaths&) = delete;  // walks refer to the rows
    LeafPaths& operator=(const LeafPaths&) = delete;

    std::size_t n_trees() const { return n_trees_; }
    std::size_t n_rows() const { return n_rows_; }
    // Throws std::invalid_argument unless a table beside a tree has so many lines as the tree has nodes; of leaves that
    // were passed the nodes are not known.
    void check_lines(std::size_t tree, std::size_t n_lines) const;

    // Writes the leaves of some rows in some trees.
    void fill(IndexRange trees, IndexRange rows, ReachedLeaves& reached) const;

    // Calls visit(row, leaf, share) for each leaf that a row reaches in a tree, row after row.
    template <class Visit>
    void each(std::size_t tree, const StopToken& stop, Visit&& visit) const {
        ReachedLeaves reached;
        for (std::size_t begin = 0; begin < n_rows_; begin += rows_per_task) {
            check_stop(stop);
            fill({tree, tree + 1}, {begin, std::min(n_rows_, begin + rows_per_task)}, reached);
            for (std::size_t i = 0; i < reached.n_rows(); ++i) {
                reached.each(0, i, [&](std::size_t leaf, double share) { visit(begin + i, leaf, share); });
            }
        }
    }

    // Calls body(rows, reached) for blocks of rows with their leaves in some trees, shared among threads.
    template <class Body>
    void in_blocks(IndexRange trees, std::size_t n_threads, const StopToken& stop, Body&& body) const {
        const std::size_t size = block_size(trees.size(), n_threads);
        std::vector<ReachedLeaves> reached(std::max<std::size_t>(n_threads, 1));
        parallel_for((n_rows_ + size - 1) / size, n_threads, stop, [&](std::size_t block, std::size_t worker) {
            const IndexRange rows{block * size, std::min(n_rows_, (block + 1) * size)};
            fill(trees, rows, reached[worker]);
            body(rows, reached[worker]);
        });
    }

  private:
    std::size_t block_size(std::size_t n_trees, std::size_t n_threads) const;
    void store(std::size_t most_bytes, std::size_t n_threads, const StopToken& stop);
    // Writes the leaves of rows of one stored block, from row `first` of `reached` on.
    void fill_piece(IndexRange trees, IndexRange rows, std::size_t first, ReachedLeaves& reached) const;
    void walk(std::size_t tree, std::size_t index, IndexRange rows, std::size_t first, ReachedLeaves& reached) const;

    std::size_t n_trees_, n_rows_;
    std::span<const std::int32_t> leaves_;
    std::unique_ptr<const WideCodes> codes_;
    PredictRows rows_;
    std::vector<std::unique_ptr<const TreeWalk>> walks_;
    std::vector<std::size_t> n_nodes_;   // of each tree, empty where the leaves were passed
    std::size_t stored_rows_ = 0;        // in a stored block
    std::vector<ReachedLeaves> stored_;  // of each block, without trees where it did not fit
};

}  // namespace calibrant
