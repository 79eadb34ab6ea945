#include <algorithm>
#include <cstdint>

#include "tree/prune/pruning.hpp"

namespace calibrant {
namespace {

// A nominal test on the path, and the branch that the path takes.
struct Taken {
    std::int32_t node = Tree::no_node;
    std::int32_t branch = 0;
};

// A node to be entered through a branch, or to be left again.
struct Step {
    std::size_t node;
    std::int32_t branch;
    bool is_left = false;
};

bool is_nominal(const Tree& tree, std::size_t node) { return tree.n_values[node] > 0; }

// The nearest test of the same column above each nominal test.
std::vector<Taken> tests_above(const Tree& tree) {
    std::vector<Taken> above(tree.n_nodes());
    std::vector<Taken> last(
        1 + static_cast<std::size_t>(std::max(0, *std::max_element(tree.feature.begin(), tree.feature.end()))));
    const auto last_of = [&](std::size_t node) -> Taken& { return last[static_cast<std::size_t>(tree.feature[node])]; };
    std::vector<Step> steps{{0, 0}};
    while (!steps.empty()) {
        const Step step = steps.back();
        steps.pop_back();
        if (step.is_left) {
            last_of(step.node) = above[step.node];
            continue;
        }
        const std::int32_t parent = tree.parent[step.node];
        if (parent != Tree::no_node && is_nominal(tree, static_cast<std::size_t>(parent))) {
            last_of(static_cast<std::size_t>(parent)) = {parent, step.branch};
        }
        if (is_nominal(tree, step.node)) {
            above[step.node] = last_of(step.node);
            steps.push_back({step.node, 0, true});
        }
        for (std::size_t branch = tree.n_children[step.node]; branch-- > 0;) {
            steps.push_back({tree.child(step.node, branch), static_cast<std::int32_t>(branch)});
        }
    }
    return above;
}

// Removes the values from the last branch of a test that the test above sends elsewhere, and the branch where it is
// empty and no value is left.
void trim_last_branch(Tree& tree, std::size_t node, const Taken& above) {
    const auto last = static_cast<std::int32_t>(tree.n_children[node]) - 1;
    const auto values = tree.branch_of_value.begin() + tree.first_value[node];
    const auto arriving = tree.branch_of_value.begin() + tree.first_value[static_cast<std::size_t>(above.node)];
    std::vector<std::size_t> unreachable;
    for (std::size_t value = 0; value < tree.n_values[node]; ++value) {
        if (values[static_cast<std::ptrdiff_t>(value)] == last &&
            arriving[static_cast<std::ptrdiff_t>(value)] != above.branch) {
            unreachable.push_back(value);
        }
    }
    const bool none_left =
        tree.missing_branch[node] != last &&
        static_cast<std::ptrdiff_t>(unreachable.size()) == std::count(values, values + tree.n_values[node], last);
    const bool is_empty = !(tree.weight[tree.child(node, static_cast<std::size_t>(last))] > 0);
    if (none_left && !is_empty) return;
    if (!unreachable.empty()) {  // other tests may share the values
        const std::vector<std::int32_t> own(values, values + tree.n_values[node]);
        tree.first_value[node] = static_cast<std::uint32_t>(tree.branch_of_value.size());
        tree.branch_of_value.insert(tree.branch_of_value.end(), own.begin(), own.end());
    }
    for (const std::size_t value : unreachable) tree.branch_of_value[tree.first_value[node] + value] = -1;
    if (none_left) --tree.n_children[node];
}

}  // namespace

Tree drop_unreachable(const Tree& tree) {
    const std::vector<Taken> above = tests_above(tree);
    Tree kept = tree;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {  // tests above come first
        if (above[node].node != Tree::no_node) trim_last_branch(kept, node, above[node]);
    }
    return copy_below(kept, 0, std::vector<bool>(tree.n_nodes()));
}

}  // namespace calibrant
