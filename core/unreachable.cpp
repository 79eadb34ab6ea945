#include "pruning.hpp"

namespace calibrant {
namespace {

bool last_is_empty(const Tree& tree, std::size_t node) {
    return tree.n_values[node] > 0 && !(tree.weight[tree.child(node, tree.n_children[node] - 1)] > 0);
}

// Whether a value that the last branch of a node asks for can arrive there, by the tests of the same column above.
bool last_is_reachable(const Tree& tree, std::size_t node, const std::vector<std::int32_t>& branch_at_parent) {
    const auto branch_of = [&](std::size_t at, std::size_t value) { return tree.branch_of_value[tree.first_value[at] + value]; };
    std::vector<bool> possible(tree.n_values[node]);
    for (std::size_t value = 0; value < possible.size(); ++value) {
        possible[value] = branch_of(node, value) == static_cast<std::int32_t>(tree.n_children[node]) - 1;
    }
    for (std::size_t below = node; tree.parent[below] != Tree::no_node;) {
        const auto above = static_cast<std::size_t>(tree.parent[below]);
        for (std::size_t value = 0; tree.feature[above] == tree.feature[node] && value < possible.size(); ++value) {
            if (branch_of(above, value) != branch_at_parent[below]) possible[value] = false;
        }
        below = above;
    }
    for (const bool is_possible : possible) {
        if (is_possible) return true;
    }
    return false;
}

}  // namespace

Tree drop_unreachable(const Tree& tree) {
    std::vector<std::int32_t> branch_at_parent(tree.n_nodes());
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        for (std::size_t branch = 0; branch < tree.n_children[node]; ++branch) {
            branch_at_parent[tree.child(node, branch)] = static_cast<std::int32_t>(branch);
        }
    }
    Tree kept = tree;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if (!last_is_empty(tree, node) || last_is_reachable(tree, node, branch_at_parent)) continue;
        const auto last = static_cast<std::int32_t>(--kept.n_children[node]);
        for (std::size_t value = 0; value < tree.n_values[node]; ++value) {
            std::int32_t& branch = kept.branch_of_value[tree.first_value[node] + value];
            if (branch == last) branch = -1;
        }
    }
    return copy_below(kept, 0, std::vector<bool>(tree.n_nodes()));
}

}  // namespace calibrant
