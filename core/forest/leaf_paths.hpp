// Where rows end in the trees of a forest: told beforehand, or found by walking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "stop.hpp"
#include "table/wide_codes.hpp"
#include "tree/descent.hpp"

namespace calibrant {

struct Range {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
};

// A part of a row at a leaf.
struct End {
    std::int32_t leaf;
    double share;
};

// Where some rows end in some trees, tree after tree.
class Ends {
  public:
    static constexpr std::int32_t nowhere = -1;  // the tree has nothing to say of the row

    // Makes room for so many trees and rows; every leaf is to be written.
    void clear(std::size_t n_trees, std::size_t n_rows);

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_trees() const { return n_rows_ == 0 ? 0 : leaves_.size() / n_rows_; }

    // The leaf of each row in a tree; below `nowhere` where the row is in parts.
    std::span<const std::int32_t> leaves(std::size_t tree) const { return {leaves_.data() + tree * n_rows_, n_rows_}; }
    std::span<std::int32_t> leaves(std::size_t tree) { return {leaves_.data() + tree * n_rows_, n_rows_}; }

    void set_parts(std::size_t tree, std::size_t row, std::span<const End> parts);
    // Writes the ends of some rows in some trees, which this has, from a place of the other on.
    void copy_to(Ends& other, Range trees, Range rows, std::size_t other_row) const;

    std::size_t n_bytes() const {
        return leaves_.size() * sizeof(std::int32_t) + runs_.size() * sizeof(std::size_t) + parts_.size() * sizeof(End);
    }

    // The parts of a row that is in parts.
    std::span<const End> parts(std::int32_t leaf) const {
        const auto run = static_cast<std::size_t>(first_run - leaf);
        return {parts_.data() + runs_[run], runs_[run + 1] - runs_[run]};
    }

    // Calls visit(leaf, share) for each leaf that a row reached in a tree.
    template <class Visit>
    void each(std::size_t tree, std::size_t row, Visit&& visit) const {
        const std::int32_t leaf = leaves(tree)[row];
        if (leaf >= 0) return visit(static_cast<std::size_t>(leaf), 1.0);
        if (leaf == nowhere) return;
        for (const End& end : parts(leaf)) visit(static_cast<std::size_t>(end.leaf), end.share);
    }

  private:
    static constexpr std::int32_t first_run = nowhere - 1;

    std::size_t n_rows_ = 0;
    std::vector<std::int32_t> leaves_;
    std::vector<std::size_t> runs_;
    std::vector<End> parts_;
};

class ForestWays {
  public:
    // The leaf of every row in every tree, trees x rows; `Ends::nowhere` for a row that a tree is not asked about.
    ForestWays(std::span<const std::int32_t> leaves, std::size_t n_trees);
    // The ways of new rows.
    ForestWays(std::span<const Tree* const> trees, PredictRows rows);
    // The ways of the rows of the table that the trees were grown from, kept as far as they fit into so many bytes.
    ForestWays(std::span<const Tree* const> trees, const CodedTable& table, std::size_t most_bytes,
               std::size_t n_threads, const StopToken& stop);

    ForestWays(const ForestWays&) = delete;  // walks know where the rows are
    ForestWays& operator=(const ForestWays&) = delete;

    std::size_t n_trees() const { return n_trees_; }
    std::size_t n_rows() const { return n_rows_; }

    // Writes where some rows end in some trees.
    void fill(Range trees, Range rows, Ends& ends) const;

    // Calls visit(row, leaf, share) for each leaf that a row reaches in a tree, row after row.
    template <class Visit>
    void each(std::size_t tree, const StopToken& stop, Visit&& visit) const {
        Ends ends;
        for (std::size_t begin = 0; begin < n_rows_; begin += rows_per_task) {
            check_stop(stop);
            fill({tree, tree + 1}, {begin, std::min(n_rows_, begin + rows_per_task)}, ends);
            for (std::size_t i = 0; i < ends.n_rows(); ++i) {
                ends.each(0, i, [&](std::size_t leaf, double share) { visit(begin + i, leaf, share); });
            }
        }
    }

    // Calls body(rows, ends) for blocks of rows with their ends in some trees, shared among threads.
    template <class Body>
    void in_blocks(Range trees, std::size_t n_threads, const StopToken& stop, Body&& body) const {
        const std::size_t size = block_size(trees.size(), n_threads);
        std::vector<Ends> ends(std::max<std::size_t>(n_threads, 1));
        parallel_for((n_rows_ + size - 1) / size, n_threads, stop, [&](std::size_t block, std::size_t worker) {
            const Range rows{block * size, std::min(n_rows_, (block + 1) * size)};
            fill(trees, rows, ends[worker]);
            body(rows, ends[worker]);
        });
    }

  private:
    // Not so many rows that their ends in all trees take much memory.
    std::size_t block_size(std::size_t n_trees, std::size_t n_threads) const {
        constexpr std::size_t most_ends = std::size_t{1} << 22, fewest_rows = 256;
        return std::min(rows_at_once(n_rows_, n_threads),
                        std::max(fewest_rows, most_ends / std::max<std::size_t>(n_trees, 1)));
    }
    void keep(std::size_t most_bytes, std::size_t n_threads, const StopToken& stop);
    // Writes the ends of rows of one block from a row of `ends` on.
    void fill_piece(Range trees, Range rows, std::size_t first, Ends& ends) const;
    void walk(std::size_t tree, std::size_t place, Range rows, std::size_t first, Ends& ends) const;

    std::size_t n_trees_, n_rows_;
    std::span<const std::int32_t> leaves_;
    std::unique_ptr<const WideCodes> codes_;
    PredictRows rows_;
    std::deque<Walk> walks_;
    std::size_t kept_rows_ = 0;  // in a block of those that are kept
    std::vector<Ends> kept_;     // of each block, without trees where it is not kept
};

}  // namespace calibrant
