#include "tree/tree.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

namespace calibrant {

std::size_t Tree::add_node(std::int32_t parent_node, std::span<const double> node_counts, double node_weight,
                           std::int32_t node_label) {
    parent.push_back(parent_node);
    feature.push_back(leaf);
    threshold.push_back(0.0);
    cut_code.push_back(0);
    label.push_back(node_label);
    weight.push_back(node_weight);
    counts.insert(counts.end(), node_counts.begin(), node_counts.end());
    first_child.push_back(static_cast<std::uint32_t>(children.size()));
    n_children.push_back(0);
    first_value.push_back(static_cast<std::uint32_t>(branch_of_value.size()));
    n_values.push_back(0);
    missing_branch.push_back(all_branches);
    if (!log_prior.empty()) log_prior.push_back(0.0);
    return n_nodes() - 1;
}

void Tree::make_test(std::size_t node, std::size_t column, std::size_t n_branches, std::int32_t branch_of_missing) {
    feature[node] = static_cast<std::int32_t>(column);
    missing_branch[node] = branch_of_missing;
    first_child[node] = static_cast<std::uint32_t>(children.size());
    n_children[node] = static_cast<std::uint32_t>(n_branches);
    children.insert(children.end(), n_branches, no_node);
}

void Tree::make_numeric(std::size_t node, std::size_t column, double at, std::uint32_t code,
                        std::int32_t branch_of_missing) {
    make_test(node, column, 2, branch_of_missing);
    threshold[node] = at;
    cut_code[node] = code;
}

void Tree::make_nominal(std::size_t node, std::size_t column, std::size_t n_branches,
                        std::span<const std::int32_t> branches, std::int32_t branch_of_missing) {
    make_test(node, column, n_branches, branch_of_missing);
    first_value[node] = static_cast<std::uint32_t>(branch_of_value.size());
    n_values[node] = static_cast<std::uint32_t>(branches.size());
    branch_of_value.insert(branch_of_value.end(), branches.begin(), branches.end());
}

void Tree::make_one_against_rest(std::size_t node, std::size_t column, std::uint32_t n_categories, std::uint32_t alone,
                                 std::int32_t branch_of_missing) {
    constexpr std::uint32_t many_values = 64;
    if (n_categories < many_values || alone >= n_categories) {
        std::vector<std::int32_t> branches(n_categories, 1);
        if (alone < n_categories) branches[alone] = 0;
        return make_nominal(node, column, 2, branches, branch_of_missing);
    }
    make_test(node, column, 2, branch_of_missing);
    auto window = std::ranges::find(windows_, n_categories, &std::pair<std::uint32_t, std::uint32_t>::first);
    if (window == windows_.end()) {
        const std::size_t middle = branch_of_value.size() + n_categories - 1;
        window = windows_.insert(window, {n_categories, static_cast<std::uint32_t>(middle)});
        branch_of_value.resize(middle + n_categories, 1);
        branch_of_value[middle] = 0;
    }
    n_values[node] = n_categories;
    first_value[node] = window->second - alone;
}

void Tree::set_log_prior(std::size_t node, double value) {
    if (log_prior.empty() && value == 0) return;
    log_prior.resize(n_nodes());
    log_prior[node] = value;
}

void Tree::copy_test(std::size_t node, const Tree& from, std::size_t other) {
    const auto column = static_cast<std::size_t>(from.feature[other]);
    const std::span branches(from.branch_of_value.data() + from.first_value[other], from.n_values[other]);
    const auto n = static_cast<std::ptrdiff_t>(branches.size());
    if (n == 0)
        make_numeric(node, column, from.threshold[other], from.cut_code[other], from.missing_branch[other]);
    else if (from.n_children[other] == 2 && std::ranges::count(branches, 0) == 1 &&
             std::ranges::count(branches, 1) == n - 1)
        make_one_against_rest(node, column, from.n_values[other],
                              static_cast<std::uint32_t>(std::ranges::find(branches, 0) - branches.begin()),
                              from.missing_branch[other]);
    else
        make_nominal(node, column, from.n_children[other], branches, from.missing_branch[other]);
    if (!from.log_prior.empty()) set_log_prior(node, from.log_prior[other]);
}

// Depth first, branches pushed in reverse: nodes are numbered in preorder, as those of a tree grown at once.
Tree Tree::with_subtrees(std::span<const Tree* const> below) const {
    struct Step {
        const Tree* from;
        std::size_t node;
        std::int32_t parent;
        std::size_t branch;
    };
    Tree whole(n_classes);
    std::vector<Step> steps{{this, 0, no_node, 0}};
    while (!steps.empty()) {
        Step step = steps.back();
        steps.pop_back();
        if (step.from == this && below[step.node] != nullptr) step = {below[step.node], 0, step.parent, step.branch};
        const Tree& from = *step.from;
        const std::size_t node = step.node;
        const std::size_t id = whole.add_node(step.parent, from.counts_of(node), from.weight[node], from.label[node]);
        if (step.parent != no_node)
            whole.children[whole.first_child[static_cast<std::size_t>(step.parent)] + step.branch] =
                static_cast<std::int32_t>(id);
        if (from.is_leaf(node)) continue;
        whole.copy_test(id, from, node);
        for (std::size_t branch = from.n_children[node]; branch-- > 0;) {
            steps.push_back({step.from, from.child(node, branch), static_cast<std::int32_t>(id), branch});
        }
    }
    return whole;
}

void Tree::check() const {
    const auto require = [](bool holds) {
        if (!holds) throw std::invalid_argument("the arrays do not describe a tree");
    };
    const std::size_t n = n_nodes();
    require(n > 0 && n_classes > 0 && counts.size() == n * n_classes);
    require(log_prior.empty() || log_prior.size() == n);
    for (const std::size_t size :
         {parent.size(), threshold.size(), cut_code.size(), label.size(), weight.size(), first_child.size(),
          n_children.size(), first_value.size(), n_values.size(), missing_branch.size()}) {
        require(size == n);
    }
    // parents before children, so that no path runs in a circle
    for (std::size_t node = 0; node < n; ++node) {
        require(parent[node] >= no_node && parent[node] < static_cast<std::int64_t>(node) &&
                (parent[node] == no_node) == (node == 0));
        require(label[node] >= 0 && static_cast<std::size_t>(label[node]) < n_classes && feature[node] >= leaf);
        require(std::size_t{first_child[node]} + n_children[node] <= children.size() &&
                is_leaf(node) == (n_children[node] == 0));
        require(std::size_t{first_value[node]} + n_values[node] <= branch_of_value.size());
        require(is_leaf(node) || n_values[node] > 0 || n_children[node] == 2);
        require(missing_branch[node] >= all_branches &&
                missing_branch[node] < static_cast<std::int64_t>(n_children[node]));
        for (std::size_t branch = 0; branch < n_children[node]; ++branch) {
            const std::int64_t below = children[first_child[node] + branch];
            require(below > static_cast<std::int64_t>(node) && below < static_cast<std::int64_t>(n));
            require(parent[static_cast<std::size_t>(below)] == static_cast<std::int64_t>(node));
        }
        for (std::size_t value = 0; value < n_values[node]; ++value) {
            require(branch_of_value[first_value[node] + value] < static_cast<std::int64_t>(n_children[node]));
        }
    }
}

// A child has a greater number than its parent: going down, each node is complete before it is added.
void add_to_parents(std::span<const std::int32_t> parent, std::size_t n_classes, std::span<double> counts) {
    for (std::size_t node = parent.size(); node-- > 1;) {
        const auto above = static_cast<std::size_t>(parent[node]);
        for (std::size_t k = 0; k < n_classes; ++k) counts[above * n_classes + k] += counts[node * n_classes + k];
    }
}

}  // namespace calibrant
