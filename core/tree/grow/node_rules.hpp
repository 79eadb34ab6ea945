// The rules that every way of growing follows at a node: leaves, majorities, keys, the draw of columns, the test
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counter_random.hpp"
#include "tree/grow/c45_j48.hpp"
#include "tree/grow/grower.hpp"
#include "tree/grow/pending_node.hpp"
#include "tree/grow/thresholds.hpp"

namespace calibrant {

class NodeRules {
  public:
    explicit NodeRules(const GrowOptions& options) : options_(options), tolerances_(options.dialect) {}

    const Tolerances& tolerances() const { return tolerances_; }
    // Sets key, label and whether it is a leaf, of a node whose depth, class weights and their sum are set.
    void start_root(PendingNode& root) const;
    void start_child(const PendingNode& parent, std::size_t branch, PendingNode& child) const;

  private:
    bool must_be_leaf(const PendingNode& node) const;
    std::int32_t majority(std::span<const double> counts) const;

    const GrowOptions& options_;
    const Tolerances tolerances_;
};

// The columns in the order drawn at a node, from its key.
class ColumnDraw {
  public:
    ColumnDraw(std::size_t n_columns, const GrowOptions& options);

    std::size_t n_columns() const { return columns_.size(); }
    std::span<const std::size_t> all() const { return columns_; }
    std::size_t at_once() const { return at_once_; }

    // Calls is_done(columns) with those drawn, and with more of the others until it returns true or none are left.
    template <class IsDone>
    void draw(std::uint64_t key, IsDone&& is_done) {
        const std::size_t n = columns_.size();
        std::uint64_t random = mix64(key ^ column_stream);
        bool done = false;
        for (std::size_t first = 0, last = 0; first < n && !done && (first == 0 || redraw_); first = last) {
            last = std::min(n, first + at_once_);
            for (std::size_t i = first; at_once_ < n && i < last; ++i) {
                random = mix64(random);
                swaps_.push_back(i + random % (n - i));
                std::swap(columns_[i], columns_[swaps_.back()]);
            }
            done = is_done(std::span<const std::size_t>(columns_).subspan(first, last - first));
        }
        undo();
    }

  private:
    static constexpr std::uint64_t column_stream = 0x5851f42d4c957f2d;  // separates the draw of columns from ties
    void undo();

    const std::size_t at_once_;
    const bool redraw_;
    std::vector<std::size_t> columns_, swaps_;  // in the order drawn, and the swaps to undo
};

// Whether a test has a branch for each value of a nominal column, which can then not be tested again.
inline bool is_multiway(const CodedColumn& column, const FoundTest& test) {
    return column.kind == Kind::nominal && test.branches.empty();
}

// Turns a leaf of the tree into the test found; returns the greatest code that a cut sends to the first branch.
std::uint32_t write_test(Tree& tree, std::size_t node, std::size_t column, const CodedColumn& coded,
                         const FoundTest& test, Thresholds& thresholds);

}  // namespace calibrant
