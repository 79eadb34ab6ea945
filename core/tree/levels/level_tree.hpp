// Grows the top of a tree level by level from histograms, whose rows may be anywhere: what the parts of the rows
// counted is added up and passed in. Nodes of few rows are left to be grown from their rows, gathered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/grow/grower.hpp"
#include "tree/grow/node_queue.hpp"
#include "tree/grow/table_search.hpp"
#include "tree/levels/level_rows.hpp"

namespace calibrant {

class LevelTree {
  public:
    // `columns` has the columns of the table of bytes, and no rows; `counts` are the class weights of all rows. A node
    // of about few_rows rows or fewer is left to be grown from its rows.
    LevelTree(const CodedTable& columns, std::span<const double> counts, const GrowOptions& options, WholeTree whole,
              double few_rows);
    LevelTree(const LevelTree&) = delete;
    LevelTree& operator=(const LevelTree&) = delete;

    // The histograms needed next; no nodes: the top is grown.
    HistogramRequest request();
    // Splits the nodes of the last request: its histograms, added up over all parts. Cells are whole numbers where all
    // weights are.
    template <class Cell>
    void grow(std::span<const Cell> cells, std::span<const std::uint32_t> rows);

    // The tree so far, nodes in the order in which they were made.
    const Tree& tree() const { return nodes_.tree(); }
    // The nodes left to be grown from their rows.
    std::span<const std::int32_t> left() const { return left_; }
    // Throws std::invalid_argument for a node that is not left.
    const SubtreeRoot& root_of(std::int32_t node) const;
    // The tree with the subtrees of left(), in preorder.
    Tree finished(std::span<const Tree* const> subtrees) const;

  private:
    struct OpenNode {
        std::size_t id;
        PendingNode node;
        bool needs_all = false;  // the columns drawn first have no test
        std::vector<std::uint32_t> columns{};
    };

    void open_pending();
    std::vector<std::uint32_t> columns_of(const OpenNode& open);
    template <class Cell>
    NodeHistogram take(const OpenNode& open, std::span<const Cell>& cells, std::span<const std::uint32_t>& rows);
    void split(const OpenNode& open, std::size_t column, const NodeHistogram& histogram);

    const CodedTable& columns_;
    const GrowOptions options_;
    const WholeTree whole_;
    const Examples examples_;
    const double few_rows_;
    const bool counts_rows_;
    const CutRules cut_rules_;
    const XLogX xlogx_;
    const std::vector<ValueGaps> gaps_;
    NodeQueue nodes_;
    TableSearch search_;
    std::vector<OpenNode> open_;
    std::vector<std::int32_t> left_;
    std::vector<SubtreeRoot> left_roots_;
    std::vector<std::size_t> first_;  // of each column in the histogram of a node
};

}  // namespace calibrant
