#include "tree/prune/pruning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace calibrant {
namespace {

// A node to be copied, and the index of `children` that its number goes to.
struct ToCopy {
    std::size_t node;
    std::int32_t parent;
    std::size_t slot;
};

}  // namespace

Tree copy_below(const Tree& tree, std::size_t root, const std::vector<bool>& is_leaf_now) {
    Tree copy(tree.n_classes);
    std::vector<ToCopy> pending{{root, Tree::no_node, 0}};
    while (!pending.empty()) {
        const auto [node, parent, slot] = pending.back();
        pending.pop_back();
        const std::size_t id = copy.add_node(parent, tree.counts_of(node), tree.weight[node], tree.label[node]);
        if (parent != Tree::no_node) copy.children[slot] = static_cast<std::int32_t>(id);
        if (tree.is_leaf(node) || is_leaf_now[node]) continue;
        copy.copy_test(id, tree, node);
        for (std::size_t branch = tree.n_children[node]; branch-- > 0;) {
            pending.push_back({tree.child(node, branch), static_cast<std::int32_t>(id), copy.first_child[id] + branch});
        }
    }
    return copy;
}

double errors_as_leaf(const Tree& tree, std::size_t node) {
    if (!(tree.weight[node] > 0)) return 0;
    const auto counts = tree.counts_of(node);
    return std::max(0.0, tree.weight[node] - *std::max_element(counts.begin(), counts.end()));
}

Tree collapse(const Tree& tree) {
    constexpr double slack = 1e-3;
    std::vector<double> errors(tree.n_nodes());  // of the leaves below
    std::vector<bool> is_leaf_now(tree.n_nodes());
    for (std::size_t node = tree.n_nodes(); node-- > 0;) {
        const double as_leaf = errors_as_leaf(tree, node);
        if (tree.is_leaf(node))
            errors[node] = as_leaf;
        else
            is_leaf_now[node] = errors[node] >= as_leaf - slack;
        if (node > 0) errors[static_cast<std::size_t>(tree.parent[node])] += errors[node];
    }
    return prune_to(tree, is_leaf_now);
}

Tree prune_continuity(const Tree& tree) {
    constexpr double half = 0.5;
    std::vector<double> errors(tree.n_nodes());  // of the leaves below, half an error added for each
    std::vector<bool> is_leaf_now(tree.n_nodes());
    for (std::size_t node = tree.n_nodes(); node-- > 0;) {
        const double as_leaf = errors_as_leaf(tree, node) + half, m = errors[node], n = tree.weight[node];
        if (tree.is_leaf(node))
            errors[node] = as_leaf;
        else
            is_leaf_now[node] = !(n > 0) || as_leaf < m + std::sqrt(std::max(0.0, m * (n - m) / n));
        if (node > 0) errors[static_cast<std::size_t>(tree.parent[node])] += errors[node];
    }
    return prune_to(tree, is_leaf_now);
}

Tree prune_reduced_error(const Tree& tree, const Tree& holdout) {
    if (tree.feature != holdout.feature || tree.n_classes != holdout.n_classes)
        throw std::invalid_argument("the holdout counts must be of the same tree");
    constexpr double tolerance = 1e-9;
    std::vector<double> errors(tree.n_nodes());  // of the pruned tree below
    std::vector<bool> is_leaf_now(tree.n_nodes());
    for (std::size_t node = tree.n_nodes(); node-- > 0;) {
        const double as_leaf =
            holdout.weight[node] - holdout.counts_of(node)[static_cast<std::size_t>(tree.label[node])];
        is_leaf_now[node] = tree.is_leaf(node) || as_leaf <= errors[node] + tolerance;
        if (is_leaf_now[node]) errors[node] = as_leaf;
        if (node > 0) errors[static_cast<std::size_t>(tree.parent[node])] += errors[node];
    }
    return prune_to(tree, is_leaf_now);
}

}  // namespace calibrant
