#include <cmath>
#include <random>

#include "hand_made.hpp"
#include "harness.hpp"
#include "tree/prune/pruning.hpp"

using namespace calibrant;

namespace test_cost_complexity {
namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12; }

double risk(const Tree& tree) {
    double errors = 0;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node)
        errors += tree.is_leaf(node) ? errors_as_leaf(tree, node) : 0;
    return errors / tree.weight[0];
}

// Leaves and errors below every node of a tree, by the definition.
double weakest(const Tree& tree, std::vector<double>& strengths) {
    std::vector<double> errors(tree.n_nodes()), leaves(tree.n_nodes());
    strengths.assign(tree.n_nodes(), -1);
    double least = -1;
    for (std::size_t node = tree.n_nodes(); node-- > 0;) {
        if (tree.is_leaf(node)) {
            errors[node] = errors_as_leaf(tree, node);
            leaves[node] = 1;
        } else {
            strengths[node] = (errors_as_leaf(tree, node) - errors[node]) / (leaves[node] - 1) / tree.weight[0];
            if (least < 0 || strengths[node] < least) least = strengths[node];
        }
        if (node == 0) break;
        errors[static_cast<std::size_t>(tree.parent[node])] += errors[node];
        leaves[static_cast<std::size_t>(tree.parent[node])] += leaves[node];
    }
    return least;
}

// Breiman's procedure word for word: cut all weakest links, again and again.
Tree prune_slowly(Tree tree, double alpha) {
    std::vector<double> strengths;
    for (double least = weakest(tree, strengths); least >= 0 && least <= alpha + 1e-13;
         least = weakest(tree, strengths)) {
        std::vector<bool> is_leaf_now(tree.n_nodes());
        for (std::size_t node = 0; node < tree.n_nodes(); ++node)
            is_leaf_now[node] = strengths[node] >= 0 && strengths[node] <= least + 1e-13;
        tree = prune_to(tree, is_leaf_now);
    }
    return tree;
}

}  // namespace

// The left test saves 4 errors with 1 leaf, the right one none; the root's branches save 2 as leaves, 6 with 2 leaves.
TEST(weakest_links_by_hand) {
    const Tree tree = hand_made(
        {{-1, {10, 16}}, {0, {6, 4}, 1}, {1, {6, 0}}, {1, {0, 4}}, {0, {4, 12}, 2}, {4, {2, 3}}, {4, {2, 9}}});
    const CostComplexity result = cost_complexity(tree);
    CHECK(result.alphas.size() == 2 && result.alphas[0] == 0 && near(result.alphas[1], 3.0 / 26));
    CHECK(result.n_leaves[0] == 3 && result.n_leaves[1] == 1);
    CHECK(near(result.risks[0], 4.0 / 26) && near(result.risks[1], 10.0 / 26));
    CHECK(near(result.node_alpha[0], 3.0 / 26) && near(result.node_alpha[1], 3.0 / 26) && result.node_alpha[4] == 0);
    CHECK(prune_cost_complexity(tree, 0).n_nodes() == 5);
    CHECK(prune_cost_complexity(tree, 0.115).n_nodes() == 5 && prune_cost_complexity(tree, 0.1154).n_nodes() == 1);
    CHECK(prune_cost_complexity(tree, 3.0 / 26 * (1 - 1e-15)).n_nodes() == 1);  // rounding apart
    CHECK(prune_cost_complexity(tree, -1).n_nodes() == 7);
}

TEST(a_leaf_has_a_sequence_of_one) {
    const CostComplexity result = cost_complexity(hand_made({{-1, {3, 1}}}));
    CHECK(result.alphas == std::vector<double>{0} && result.n_leaves.front() == 1 && result.risks.front() == 0.25);
}

TEST(equal_links_are_cut_together) {
    const CostComplexity result = cost_complexity(chain(50));
    CHECK(result.alphas.size() == 2 && near(result.alphas[1], 1.0 / 101));
    for (const double alpha : result.node_alpha) CHECK(alpha == 0 || alpha == result.alphas[1]);
}

TEST(the_sequence_is_that_of_the_definition) {
    std::mt19937 random(5);
    for (int i = 0; i < 300; ++i) {
        const Tree tree = random_tree(random, 1 + random() % 40);
        const CostComplexity result = cost_complexity(tree);
        for (std::size_t step = 0; step < result.alphas.size(); ++step) {
            const Tree fast = prune_cost_complexity(tree, result.alphas[step]),
                       slow = prune_slowly(tree, result.alphas[step]);
            CHECK(fast.counts == slow.counts && fast.parent == slow.parent);
            CHECK(count_leaves(fast) == result.n_leaves[step] && near(risk(fast), result.risks[step]));
            const double next = step + 1 < result.alphas.size() ? result.alphas[step + 1] : result.alphas[step] + 1;
            const double between = (result.alphas[step] + next) / 2;
            CHECK(prune_slowly(tree, between).counts == fast.counts);
        }
        CHECK(result.n_leaves.back() == 1);
    }
}

}  // namespace test_cost_complexity
