#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hand_made.hpp"
#include "harness.hpp"
#include "tree/prune/pruning.hpp"

using namespace calibrant;

namespace test_best_subtree {
namespace {

// The log-loss of the leaves on their own rows, by the definition.
double risk(const Tree& tree) {
    double loss = 0;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if (!tree.is_leaf(node)) continue;
        for (const double n : tree.counts_of(node)) loss -= n > 0 ? n * std::log(n / tree.weight[node]) : 0;
    }
    return loss;
}

// The least risk of all subtrees with at most 1, 2, ... leaves, by trying every set of nodes as leaves.
std::vector<double> least_risks(const Tree& tree) {
    std::vector<std::size_t> tests;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if (!tree.is_leaf(node)) tests.push_back(node);
    }
    std::vector<double> least(count_leaves(tree), std::numeric_limits<double>::infinity());
    for (std::size_t set = 0; set < std::size_t{1} << tests.size(); ++set) {
        std::vector<bool> is_leaf_now(tree.n_nodes());
        for (std::size_t i = 0; i < tests.size(); ++i) is_leaf_now[tests[i]] = (set >> i & 1) != 0;
        const Tree pruned = prune_to(tree, is_leaf_now);
        double& found = least[count_leaves(pruned) - 1];
        found = std::min(found, risk(pruned));
    }
    for (std::size_t k = 1; k < least.size(); ++k) least[k] = std::min(least[k], least[k - 1]);
    return least;
}

}  // namespace

TEST(the_best_subtree_is_that_of_brute_force) {
    std::mt19937 random(7);
    for (int i = 0; i < 100; ++i) {
        const Tree tree = random_tree(random, 1 + random() % 12);
        const std::vector<double> least = least_risks(tree);
        for (std::size_t k = 1; k <= least.size() + 1; ++k) {
            const Tree pruned = prune_to_leaves(tree, k);
            CHECK(count_leaves(pruned) <= k);
            CHECK(std::abs(risk(pruned) - least[std::min(k, least.size()) - 1]) <= 1e-9);
        }
    }
}

TEST(leaves_that_differ_in_probability_only_are_kept) {
    const Tree tree = hand_made({{-1, {60, 40}}, {0, {32, 8}}, {0, {28, 32}, 1}, {2, {28, 12}}, {2, {0, 20}}});
    CHECK(prune_to_leaves(tree, 3).n_nodes() == 5 && prune_to_leaves(tree, 1).n_nodes() == 1);
    CHECK(prune_cost_complexity(tree, 0).n_nodes() == 5);
    const Tree same_class = hand_made({{-1, {90, 10}}, {0, {50, 0}}, {0, {40, 10}}});
    CHECK(prune_cost_complexity(same_class, 0).n_nodes() == 1);  // no error is saved
    CHECK(prune_to_leaves(same_class, 2).n_nodes() == 3);
}

TEST(tests_that_save_nothing_are_removed) {
    const Tree tree = hand_made({{-1, {30, 60}}, {0, {10, 20}}, {0, {20, 40}, 1}, {2, {20, 0}}, {2, {0, 40}}});
    CHECK(count_leaves(prune_to_leaves(tree, 5)) == 3);
    CHECK(prune_to_leaves(hand_made({{-1, {30, 60}}, {0, {10, 20}}, {0, {20, 40}}}), 2).n_nodes() == 1);
}

TEST(a_node_with_more_branches_than_leaves_becomes_a_leaf) {
    const Tree tree = hand_made({{-1, {6, 3}}, {0, {3, 0}}, {0, {3, 0}}, {0, {0, 3}}});
    CHECK(prune_to_leaves(tree, 2).n_nodes() == 1 && prune_to_leaves(tree, 3).n_nodes() == 4);
}

}  // namespace test_best_subtree
