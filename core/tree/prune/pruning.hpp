// Pruning: each kind its own step from a grown tree to a smaller one, in preorder, the counts of every node kept.
#pragma once

#include <cstddef>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"
#include "tree/grow/grower.hpp"
#include "tree/tree.hpp"

namespace calibrant {

// The subtree at `root`, the marked nodes made leaves.
Tree copy_below(const Tree& tree, std::size_t root, const std::vector<bool>& is_leaf_now);
inline Tree prune_to(const Tree& tree, const std::vector<bool>& is_leaf_now) {
    return copy_below(tree, 0, is_leaf_now);
}

// The training weight that a node gets wrong as a leaf.
double errors_as_leaf(const Tree& tree, std::size_t node);

// Collapsing: a node whose leaves together make no fewer training errors than it would make as a leaf becomes one. C4.5
// does it bottom-up and J48 top-down, with the same result: both compare with the leaves that were grown.
Tree collapse(const Tree& tree);

// C4.5's error-based pruning (Quinlan 1993). A leaf's errors are an upper confidence limit; a node becomes a leaf, or
// is replaced by its largest branch, where that is expected to make at most 0.1 more errors.
struct PessimisticOptions {
    double confidence = 0.25;
    double z =
        0.6925;  // the normal deviate of the confidence: interpolated in a table by C4.5, the exact quantile in J48
    bool raising = true;  // try the largest branch too, with all cases of the node
    Dialect dialect = Dialect::c45;
};

// The upper limit of `errors` among `weight` cases, less `errors`.
double extra_errors(double weight, double errors, const PessimisticOptions& options);

// `examples` are those from which the tree was grown; without raising they are not used.
Tree prune_pessimistic(const Tree& tree, const Examples& examples, const PessimisticOptions& options,
                       const StopToken& stop);

// Quinlan's pessimistic pruning (1987) with half an error added for each leaf, as C4 had it before C4.5. A node becomes
// a leaf where e + 1/2 < m + sqrt(m (n - m) / n): e its errors as a leaf, m those of the leaves below with 1/2 each,
// n its weight.
Tree prune_continuity(const Tree& tree);

// C4.5's last step on trees that group values: a last branch keeps the values that can reach it, and is removed where
// none can.
Tree drop_unreachable(const Tree& tree);

// Reduced-error pruning (Quinlan 1987): bottom-up, a node becomes a leaf where that makes no more errors on the
// holdout. `holdout` has the tests of `tree` and the counts of the holdout rows.
Tree prune_reduced_error(const Tree& tree, const Tree& holdout);

// Weakest-link pruning (Breiman, Friedman, Olshen & Stone 1984) with R = misclassified weight / total weight. A node
// becomes a leaf as soon as alpha reaches its link strength, (R(leaf) - R(subtree)) / (leaves - 1); equal links go
// together. Empty leaves count as leaves.
struct CostComplexity {
    std::vector<double> node_alpha;     // from this alpha on the node tests nothing: it is a leaf or gone; 0 for a leaf
    std::vector<double> alphas;         // where the pruned tree changes, ascending from 0
    std::vector<std::size_t> n_leaves;  // of the tree pruned at each of them
    std::vector<double> risks;          // and its R
};

CostComplexity cost_complexity(const Tree& tree);
Tree prune_cost_complexity(const Tree& tree, double alpha);

// The subtree of at most `max_leaves` leaves that has the least log-loss on its own rows: the sum of weight times
// entropy over its leaves, from the leaves up for every number of leaves (Bohanec & Bratko 1994, whose risk is errors).
// Of equal ones the smallest. O(nodes * max_leaves).
Tree prune_to_leaves(const Tree& tree, std::size_t max_leaves);

// Minimum description length, after Quinlan & Rivest 1989. In bits:
//   leaf  1 + log2 of (n + K - 1)! / ((K - 1)! n_1! ... n_K!), the adaptive code of its classes (for two classes, log2
//   (n + 1) and
//         the choice of the exceptions), the factorials being gamma functions where weights are fractions
//   test  1 + log2(columns of two values or more) + the value + the branches, where the value takes log2(distinct
//   values - 1) for
//         a cut, nothing for a branch to each value, log2(values) for one value against the rest, and values *
//         log2(branches) for groups
// A node becomes a leaf where that is not longer.
Tree prune_mdl(const Tree& tree, const CodedTable& table);

}  // namespace calibrant
