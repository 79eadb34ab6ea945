// Grows the top of a tree level by level from histograms, whose rows may be anywhere: what the parts of the rows
// counted is added up and passed in. Nodes of few rows are left to be grown from their rows, gathered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tree/grow/grower.hpp"
#include "tree/grow/node_rules.hpp"
#include "tree/grow/split_choice.hpp"
#include "tree/grow/table_search.hpp"
#include "tree/grow/thresholds.hpp"
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
    // Splits the nodes of the last request: its histograms, added up over all parts.
    void grow(std::span<const double> cells, std::span<const std::uint32_t> rows);

    // The tree so far, nodes in the order in which they were made.
    const Tree& tree() const { return tree_; }
    // The nodes left to be grown from their rows.
    std::span<const std::int32_t> left() const { return left_; }
    SubtreeRoot root_of(std::int32_t node) const;
    const PendingNode& state_of(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)]; }
    // The tree with the subtrees of left(), in preorder.
    Tree finished(std::span<const Tree* const> subtrees) const;

  private:
    struct OpenNode {
        std::int32_t node;
        bool needs_all = false;  // the columns drawn first have no test
        std::vector<std::uint32_t> columns{};
    };
    // The histograms of one node: where those of each column begin, in cells and in rows.
    struct NodeTables {
        std::span<const double> cells;
        std::span<const std::uint32_t> rows;
        std::vector<std::size_t> first;  // of each column, in values; none: not counted
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::int32_t add(PendingNode&& node);
    void open(std::int32_t node);
    std::vector<std::uint32_t> columns_of(const OpenNode& open);
    NodeTables tables_of(const OpenNode& open, std::span<const double>& cells, std::span<const std::uint32_t>& rows);
    // The column of the best test, the number of columns where there is none, or `none` where others must be counted.
    std::size_t best_column(const OpenNode& open, const NodeTables& tables);
    FoundTest best_test(std::size_t column, const PendingNode& node, const NodeTables& tables);
    double known_cases(std::size_t column, std::span<const double> cells, std::span<const std::uint32_t> rows) const;
    std::span<const double> cells_of(std::size_t column, const NodeTables& tables) const;
    std::span<const std::uint32_t> rows_of(std::size_t column, const NodeTables& tables) const;
    void split(std::int32_t node, std::size_t column, const NodeTables& tables);
    std::vector<bool> used_columns(const PendingNode& node) const;

    const CodedTable& columns_;
    const GrowOptions options_;
    const WholeTree whole_;
    const Examples examples_;
    const std::size_t n_classes_;
    const double few_rows_, least_rows_;
    const bool counts_rows_;
    const NodeRules rules_;
    const CutRules cut_rules_;
    const XLogX xlogx_;
    const std::vector<ValueGaps> gaps_;
    TableSearch search_;
    SplitChoice split_choice_;
    Thresholds thresholds_;
    ColumnDraw draw_;
    std::vector<PendingNode> nodes_;
    std::vector<OpenNode> open_;
    std::vector<std::int32_t> left_;
    std::vector<FoundTest> found_;
    std::vector<std::uint64_t> whole_cells_;
    Tree tree_;
};

}  // namespace calibrant
