#include "tree/prune/pruning.hpp"

#include <cmath>
#include <stdexcept>

#include "hand_made.hpp"
#include "harness.hpp"

using namespace calibrant;

namespace test_pruning {
namespace {

bool near(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

bool is_in_preorder(const Tree& tree) {
    std::size_t seen = 1;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if ((tree.n_children[node] == 0) != tree.is_leaf(node)) return false;
        for (std::size_t branch = 0; branch < tree.n_children[node]; ++branch) {
            const std::size_t child = tree.child(node, branch);
            if (child <= node || tree.parent[child] != static_cast<std::int32_t>(node)) return false;
            if (branch == 0 && child != node + 1) return false;
            ++seen;
        }
    }
    return seen == tree.n_nodes();
}

// 10 errors at the root; the left side saves 4 with one more test, the right side nothing.
Tree two_sides() {
    return hand_made(
        {{-1, {10, 16}}, {0, {6, 4}, 1}, {1, {6, 0}}, {1, {0, 4}}, {0, {4, 12}, 2}, {4, {2, 3}}, {4, {2, 9}}});
}

CodedTable columns_of_values(std::size_t n_values, std::size_t n_columns) {
    std::vector<double> values(n_values);
    std::iota(values.begin(), values.end(), 0.0);
    return CodedTable::code(
        n_values, std::vector<ColumnSource>(n_columns, StridedView<double>{values.data(), n_values, 1}), 1, {});
}

}  // namespace

TEST(a_pruned_tree_is_compact_and_keeps_its_counts) {
    const Tree tree = prune_to(two_sides(), {false, true, false, false, false, false, false});
    CHECK(tree.n_nodes() == 5 && is_in_preorder(tree));
    CHECK(tree.is_leaf(1) && tree.counts_of(1)[0] == 6 && tree.counts_of(1)[1] == 4);
    CHECK(tree.feature[2] == 2 && tree.counts_of(4)[1] == 9 && tree.children.size() == 4);
}

TEST(collapsing_takes_tests_that_save_no_errors) {
    const Tree tree = collapse(two_sides());
    CHECK(tree.n_nodes() == 5 && is_in_preorder(tree));
    CHECK(tree.feature[1] == 1 && tree.is_leaf(4) && tree.counts_of(4)[1] == 12);
}

TEST(collapsing_forgives_a_thousandth_of_an_error) {
    CHECK(collapse(hand_made({{-1, {2, 1.9995}}, {0, {1, 0.9995}}, {0, {1, 1}}})).n_nodes() == 1);
    CHECK(collapse(hand_made({{-1, {3, 1}}, {0, {3, 0.998}}, {0, {0, 0.002}}})).n_nodes() == 3);
}

TEST(an_empty_leaf_makes_no_errors) {
    const Tree tree = hand_made({{-1, {3, 2}}, {0, {3, 0}}, {0, {0, 0}}, {0, {0, 2}}});
    CHECK(collapse(tree).n_nodes() == 4);
    CHECK(near(cost_complexity(tree).node_alpha[0], 2.0 / 5 / 2));
}

TEST(reduced_error_prunes_ties_and_keeps_what_helps_on_the_holdout) {
    const Tree tree = two_sides();
    const Tree helps =
        hand_made({{-1, {5, 5}}, {0, {3, 2}, 1}, {1, {3, 0}}, {1, {0, 2}}, {0, {2, 3}, 2}, {4, {1, 1}}, {4, {1, 2}}});
    const Tree pruned = prune_reduced_error(tree, helps);
    CHECK(pruned.n_nodes() == 5 && pruned.is_leaf(4) && pruned.counts_of(4)[1] == 12);
    const Tree harms =
        hand_made({{-1, {0, 5}}, {0, {0, 5}, 1}, {1, {0, 5}}, {1, {0, 0}}, {0, {0, 0}, 2}, {4, {0, 0}}, {4, {0, 0}}});
    CHECK(prune_reduced_error(tree, harms).n_nodes() == 1);
    CHECK_THROWS(prune_reduced_error(tree, collapse(tree)), std::invalid_argument);
}

TEST(reduced_error_reads_the_labels_of_the_tree_not_of_the_holdout) {
    const Tree tree = hand_made({{-1, {6, 4}}, {0, {6, 1}}, {0, {0, 3}}});
    const Tree holdout = hand_made({{-1, {1, 4}}, {0, {1, 0}}, {0, {0, 4}}});
    CHECK(prune_reduced_error(tree, holdout).n_nodes() == 3);
}

// Leaf: 1 + log2(17 * C(16, 8)) = 18.74 bits. Test: 1 + log2(2) + log2(16 - 1) + two leaves of 1 + log2(9) = 14.25
// bits.
TEST(description_length_keeps_a_clean_cut) {
    const Tree clean = hand_made({{-1, {8, 8}}, {0, {8, 0}}, {0, {0, 8}}});
    CHECK(prune_mdl(clean, columns_of_values(16, 2)).n_nodes() == 3);
    CHECK(prune_mdl(clean, columns_of_values(16, 64)).n_nodes() == 1);  // five bits more to name the column
}

// Leaf: 1 + log2(5 * C(4, 2)) = 5.91 bits. Test: 2 + 2 * (1 + log2(3)) + log2(cuts) = 7.17 bits and more.
TEST(description_length_does_not_pay_for_four_rows) {
    const Tree tree = hand_made({{-1, {2, 2}}, {0, {2, 0}}, {0, {0, 2}}});
    CHECK(prune_mdl(tree, columns_of_values(4, 2)).n_nodes() == 1);
}

TEST(depth_is_no_problem) {
    const Tree deep = chain(100000);
    CHECK(deep.n_nodes() == 200001 && is_in_preorder(deep));
    CHECK(collapse(deep).n_nodes() == deep.n_nodes());
    CHECK(prune_reduced_error(deep, deep).n_nodes() == deep.n_nodes());
    CHECK(prune_mdl(deep, columns_of_values(4, 2)).n_nodes() <= deep.n_nodes());
    CHECK(prune_pessimistic(deep, {}, {.raising = false}, {}).n_nodes() <= deep.n_nodes());
    const CostComplexity all = cost_complexity(deep);
    CHECK(all.alphas.size() == 2 && all.n_leaves.front() == 100001 && all.n_leaves.back() == 1);
}

// The left side has no errors with a test more: 1 + sqrt(1 * 9 / 10) < 4.5. The right side saves none: 4.5 < 5 +
// sqrt(5 * 11 / 16). The root has 10.5 against 1 + 5 + sqrt(6 * 20 / 26).
TEST(half_an_error_for_each_leaf_prunes_what_saves_less_than_a_standard_error) {
    const Tree tree = prune_continuity(two_sides());
    CHECK(tree.n_nodes() == 5 && is_in_preorder(tree));
    CHECK(!tree.is_leaf(1) && tree.is_leaf(4) && tree.counts_of(4)[1] == 12);
}

}  // namespace test_pruning
