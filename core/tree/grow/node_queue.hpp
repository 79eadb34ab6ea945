// The nodes of a tree that are still to be grown, and the test that is chosen and written at each. How the classes of a
// node's rows are counted and sent to the branches is up to the grower: from the rows of a table, or from sums of
// parts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "tree/grow/grower.hpp"
#include "tree/grow/node_rules.hpp"
#include "tree/grow/partition.hpp"

namespace calibrant {

struct Histogram;
class ValueIndex;

// A node that is still to be grown.
struct PendingNode {
    std::int32_t parent = Tree::no_node;
    std::size_t branch = 0;
    Segment segment{};
    bool is_leaf = false;
    bool is_presorted = false;    // its rows are renumbered and its columns sorted
    bool should_presort = false;  // and should be, however large
    std::size_t depth = 0;
    std::int32_t multiway_above = Tree::no_node;  // the nearest node above with a branch per value
    std::uint64_t key = 0;                        // identifies the path from the root
    double weight = 0;
    std::int32_t label = 0;
    std::vector<double> counts{};
    std::shared_ptr<Histogram> histogram{};  // where it was found by subtraction
    std::shared_ptr<ValueIndex> index{};     // where it was left by a node above
};

class NodeQueue {
  public:
    static constexpr std::size_t not_counted = static_cast<std::size_t>(-1);

    // `has_absent_rows`: some rows of the table weigh nothing.
    NodeQueue(const Examples& examples, const GrowOptions& options, bool has_absent_rows);
    // An empty one for a subtree, whose counts are added to those of the whole tree.
    NodeQueue(const NodeQueue& whole, std::nullptr_t);

    // Begins at a root, below columns that cannot be tested again; total_weight is that of the whole tree.
    void start(PendingNode&& root, std::vector<bool> used, double total_weight);

    // Adds the nodes of the queue to the tree in preorder. Calls grow(id, node) for those that may be split, which may
    // put their children into the queue.
    template <class Grow>
    void grow_pending(const StopToken& stop, Grow&& grow) {
        while (!queue_.empty()) {
            check_stop(stop);
            PendingNode node = std::move(queue_.back());
            queue_.pop_back();
            const std::size_t id = add(node);
            const bool has_few_rows = static_cast<double>(node.segment.size) < 2 * least_rows_ - size_tolerance;
            if (!node.is_leaf && !has_few_rows) grow(id, node);
        }
    }

    // Draws columns and calls search(columns, used, found), which writes the best test of each column that is not used,
    // until one has a test. Returns the column of the best test, the number of columns where there is none, or
    // not_counted where the search returned false because the columns drawn were not counted.
    template <class Search>
    std::size_t best_column(const PendingNode& node, Search&& search) {
        looked_at_.clear();
        std::size_t chosen = found_.size();
        mark_used(node, true);
        columns_.draw(node.key, [&](std::span<const std::size_t> drawn) {
            for (const std::size_t column : drawn) found_[column] = FoundTest{};
            if (!search(drawn, std::as_const(used_), std::span(found_))) {
                chosen = not_counted;
                return true;
            }
            looked_at_.insert(looked_at_.end(), drawn.begin(), drawn.end());
            std::sort(looked_at_.begin(), looked_at_.end());
            chosen = split_choice_->choose(found_, looked_at_, mix64(node.key));
            return chosen < found_.size();
        });
        mark_used(node, false);
        return chosen;
    }

    // Writes the test found for a column and makes the children, whose counts and sizes are still to be added. Returns
    // the greatest code that a cut sends to the first branch.
    std::uint32_t begin_split(std::size_t id, const PendingNode& node, std::size_t column);
    std::span<PendingNode> children() { return children_; }
    // Labels the children, and decides which are leaves, once they are counted.
    void start_children(const PendingNode& node);
    void push_children();

    const NodeRules& rules() const { return rules_; }
    FoundTest& found(std::size_t column) { return found_[column]; }
    ColumnDraw& columns() { return columns_; }
    double least_rows() const { return least_rows_; }
    double total_weight() const { return total_weight_; }
    // Nominal columns tested above with a branch per value have one value left: they cannot be tested again.
    std::vector<bool> used_columns(const PendingNode& node);
    Tree& tree() { return tree_; }
    const Tree& tree() const { return tree_; }

  private:
    std::size_t add(const PendingNode& node);
    void mark_used(const PendingNode& node, bool used);

    const Examples& examples_;
    const GrowOptions& options_;
    const NodeRules rules_;
    const double least_rows_;
    double total_weight_ = 0;
    std::shared_ptr<std::atomic<std::size_t>> n_counts_;  // class counts stored so far, by all threads
    ColumnDraw columns_;
    Thresholds thresholds_;
    std::optional<SplitChoice> split_choice_;
    std::vector<bool> used_;
    std::vector<FoundTest> found_;
    std::vector<std::size_t> looked_at_;  // the columns drawn at a node, in ascending order
    std::vector<PendingNode> queue_, children_;
    std::vector<std::int32_t> multiway_above_;  // of each node: the nearest one above with a branch per value
    Tree tree_;
};

}  // namespace calibrant
