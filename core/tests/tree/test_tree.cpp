#include "tree/tree.hpp"

#include "harness.hpp"

using namespace calibrant;

namespace test_tree {

TEST(a_new_node_is_a_leaf) {
    Tree tree(2);
    const std::vector<double> counts{3, 1};
    CHECK(tree.add_node(Tree::no_node, counts, 4, 0) == 0);
    CHECK(tree.n_nodes() == 1 && tree.is_leaf(0) && tree.n_children[0] == 0);
    CHECK(tree.counts_of(0)[0] == 3 && tree.weight[0] == 4 && tree.parent[0] == Tree::no_node);
}

TEST(a_numeric_test_has_two_children) {
    Tree tree(1);
    const std::vector<double> counts{1};
    tree.add_node(Tree::no_node, counts, 1, 0);
    tree.make_numeric(0, 4, 2.5, 7);
    tree.children[tree.first_child[0] + 1] = static_cast<std::int32_t>(tree.add_node(0, counts, 1, 0));
    CHECK(!tree.is_leaf(0) && tree.feature[0] == 4 && tree.threshold[0] == 2.5 && tree.cut_code[0] == 7);
    CHECK(tree.n_children[0] == 2 && tree.n_values[0] == 0 && tree.child(0, 1) == 1);
}

TEST(tests_of_one_of_many_values_share_their_entries) {
    const std::uint32_t n = 100;
    Tree tree(1);
    const std::vector<double> counts{1};
    for (const std::uint32_t alone : {7U, 0U, 99U, 100U}) {  // the last tests whether a value is missing
        const std::size_t node = tree.add_node(Tree::no_node, counts, 1, 0);
        tree.make_one_against_rest(node, 0, n, alone);
        CHECK(tree.n_values[node] == n && tree.n_children[node] == 2);
        for (std::uint32_t value = 0; value < n; ++value)
            CHECK(tree.branch_of_value[tree.first_value[node] + value] == (value == alone ? 0 : 1));
    }
    CHECK(tree.branch_of_value.size() == 2 * n - 1 + n);
    Tree copy(1);
    for (std::size_t node = 0; node < 3; ++node) {
        copy.add_node(Tree::no_node, counts, 1, 0);
        copy.copy_test(node, tree, node);
    }
    CHECK(copy.branch_of_value.size() == 2 * n - 1 && copy.first_value[1] == tree.first_value[1]);
}

TEST(a_nominal_test_keeps_the_branch_of_each_value) {
    Tree tree(1);
    const std::vector<double> counts{1};
    tree.add_node(Tree::no_node, counts, 1, 0);
    tree.add_node(0, counts, 1, 0);
    const std::vector<std::int32_t> first{0, 1, 0}, second{1, 0};
    tree.make_nominal(0, 0, 2, first);
    tree.make_nominal(1, 1, 2, second);
    CHECK(tree.n_values[0] == 3 && tree.n_values[1] == 2 && tree.first_value[1] == 3);
    CHECK((tree.branch_of_value == std::vector<std::int32_t>{0, 1, 0, 1, 0}));
    CHECK(tree.first_child[1] == 2 && tree.children.size() == 4);
}

}  // namespace test_tree
