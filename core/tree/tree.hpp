// A grown tree as a struct of arrays, nodes in preorder; the class counts of every node are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace calibrant {

struct Tree {
    static constexpr std::int32_t leaf = -1;          // the feature of a node that tests nothing
    static constexpr std::int32_t no_node = -1;       // the parent of the root
    static constexpr std::int32_t all_branches = -1;  // a missing value goes to each, by its training weight

    explicit Tree(std::size_t classes = 0) : n_classes(classes) {}

    std::size_t n_classes;
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> feature;
    std::vector<double> threshold;           // a numeric test sends value <= threshold to its first child
    std::vector<std::uint32_t> cut_code;     // the same test on codes: code <= cut_code
    std::vector<std::int32_t> label;         // the majority class; an empty leaf has its parent's
    std::vector<double> weight;              // the training weight that reached the node, fractions included
    std::vector<double> counts;              // nodes x classes
    std::vector<std::uint32_t> first_child;  // where the node's children begin in `children`
    std::vector<std::uint32_t> n_children;
    std::vector<std::int32_t> children;
    std::vector<std::uint32_t> first_value;  // where the node's values begin in `branch_of_value`
    std::vector<std::uint32_t> n_values;     // 0 for a numeric test
    std::vector<std::int32_t>
        branch_of_value;                       // a nominal test sends value v to child branch_of_value[first_value + v]
    std::vector<std::int32_t> missing_branch;  // of missing values and unseen categories, or `all_branches`
    // What a Bayesian criterion adds to the log prior probability of each test: for a cut, the mean of the posterior
    // probabilities of the cuts of its column over its own (Buntine 1992). Empty: 0 everywhere, as for other criteria.
    std::vector<double> log_prior;

    std::size_t n_nodes() const { return feature.size(); }
    bool is_leaf(std::size_t node) const { return feature[node] == leaf; }
    std::span<const double> counts_of(std::size_t node) const { return {counts.data() + node * n_classes, n_classes}; }
    std::size_t child(std::size_t node, std::size_t branch) const {
        return static_cast<std::size_t>(children[first_child[node] + branch]);
    }

    // The same tree with leaves replaced by subtrees, numbered in preorder again. `below[i]` is the subtree at node i,
    // or null.
    Tree with_subtrees(std::span<const Tree* const> below) const;

    // Adds a leaf and returns its number.
    std::size_t add_node(std::int32_t parent_node, std::span<const double> node_counts, double node_weight,
                         std::int32_t node_label);

    // Turns a leaf into a test; its children are added later and put into `children`.
    void make_numeric(std::size_t node, std::size_t column, double at, std::uint32_t code,
                      std::int32_t branch_of_missing = all_branches);
    void make_nominal(std::size_t node, std::size_t column, std::size_t n_branches,
                      std::span<const std::int32_t> branches, std::int32_t branch_of_missing = all_branches);
    // Value `alone` goes to the first branch, all others to the second; from n_categories on, no value goes to the
    // first.
    void make_one_against_rest(std::size_t node, std::size_t column, std::uint32_t n_categories, std::uint32_t alone,
                               std::int32_t branch_of_missing = all_branches);
    void set_log_prior(std::size_t node, double value);
    // Turns a leaf into a copy of the test at a node of another tree.
    void copy_test(std::size_t node, const Tree& from, std::size_t other);

    // Throws std::invalid_argument unless the arrays describe a tree; called for a tree restored from a file.
    void check() const;

  private:
    void make_test(std::size_t node, std::size_t column, std::size_t n_branches, std::int32_t branch_of_missing);

    // Tests of one of many values against the others are windows of the same entries, 1 but for a 0 in their middle, as
    // trees may split off thousands of values one by one: the number of values, and where the 0 lies.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> windows_;
};

// Adds the counts of every node (nodes x classes) to those of its parent, from the leaves up.
void add_to_parents(std::span<const std::int32_t> parent, std::size_t n_classes, std::span<double> counts);

}  // namespace calibrant
