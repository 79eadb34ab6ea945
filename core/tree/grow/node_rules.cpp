#include "tree/grow/node_rules.hpp"

#include <algorithm>
#include <numeric>

#include "tree/grow/split_search.hpp"

namespace calibrant {

void NodeRules::start_root(PendingNode& root) const {
    root.key = mix64(options_.seed);
    root.label = majority(root.counts);
    root.is_leaf = must_be_leaf(root);
}

void NodeRules::start_child(const PendingNode& parent, std::size_t branch, PendingNode& child) const {
    child.branch = branch;
    child.key = mix64(parent.key ^ (branch + 1));
    child.label = child.weight > 0 ? majority(child.counts) : parent.label;
    child.is_leaf = must_be_leaf(child);
}

std::int32_t NodeRules::majority(std::span<const double> counts) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < counts.size(); ++k) {
        if (counts[k] > counts[best] + tolerances_.label) best = k;
    }
    return static_cast<std::int32_t>(best);
}

bool NodeRules::must_be_leaf(const PendingNode& node) const {
    const double largest = *std::max_element(node.counts.begin(), node.counts.end());
    const bool is_pure = node.weight - largest <= 1e-9 * std::max(1.0, node.weight);
    const bool is_small = node.weight < 2 * options_.min_leaf - size_tolerance;
    return is_pure || is_small || (options_.max_depth > 0 && node.depth >= options_.max_depth);
}

ColumnDraw::ColumnDraw(std::size_t n_columns, const GrowOptions& options)
    : at_once_(options.max_features == 0 ? n_columns : options.max_features),
      redraw_(options.redraw),
      columns_(n_columns) {
    std::iota(columns_.begin(), columns_.end(), std::size_t{0});
}

// So that every node draws from the same order on any thread.
void ColumnDraw::undo() {
    for (std::size_t i = swaps_.size(); i-- > 0;) std::swap(columns_[i], columns_[swaps_[i]]);
    swaps_.clear();
}

std::uint32_t write_test(Tree& tree, std::size_t node, std::size_t column, const CodedColumn& coded,
                         const FoundTest& test, Thresholds& thresholds) {
    std::uint32_t cut = 0;
    if (is_multiway(coded, test)) {
        std::vector<std::int32_t> identity(coded.n_values);
        std::iota(identity.begin(), identity.end(), 0);
        tree.make_nominal(node, column, test.n_branches, identity, test.missing_branch);
    } else if (coded.kind == Kind::nominal) {
        tree.make_nominal(node, column, test.n_branches, test.branches, test.missing_branch);
    } else {
        const auto [value, code] = thresholds.of(column, test);
        tree.make_numeric(node, column, value, code, test.missing_branch);
        cut = code;
    }
    tree.set_log_prior(node, test.log_prior);
    return cut;
}

}  // namespace calibrant
