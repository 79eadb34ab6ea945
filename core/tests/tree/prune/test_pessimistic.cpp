#include <cmath>
#include <numeric>
#include <stdexcept>

#include "hand_made.hpp"
#include "harness.hpp"
#include "tree/prune/pruning.hpp"

using namespace calibrant;

namespace test_pessimistic {
namespace {

bool near(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// 20 rows: the second column determines the class, the first is uninformative; it is 1 in the last four rows.
struct Data {
    std::vector<double> noise = std::vector<double>(20), signal = std::vector<double>(20);
    std::vector<std::uint16_t> labels = std::vector<std::uint16_t>(20);
    std::vector<double> weights{};

    Data() {
        for (std::size_t i = 0; i < 20; ++i) {
            noise[i] = i >= 16;
            labels[i] = i % 2;
            signal[i] = labels[i];
        }
    }
    CodedTable table() const {
        return CodedTable::code(
            20, {StridedView<double>{noise.data(), 20, 1}, StridedView<double>{signal.data(), 20, 1}}, 1, {});
    }
    Tree prune(const Tree& tree, const PessimisticOptions& options) const {
        const CodedTable coded = table();
        return prune_pessimistic(tree, {&coded, labels, weights, 2}, options, {});
    }
};

Tree noise_on_top() { return hand_made({{-1, {10, 10}, 0}, {0, {8, 8}, 1}, {1, {8, 0}}, {1, {0, 8}}, {0, {2, 2}}}); }

}  // namespace

// Quinlan 1993, page 42: U25%(0, 6) = .206, U25%(0, 9) = .143, U25%(0, 1) = .750, U25%(1, 16) = .157.
TEST(upper_limits_are_those_of_the_book) {
    const PessimisticOptions options;
    CHECK(near(extra_errors(6, 0, options) / 6, 0.206, 5e-4) && near(extra_errors(9, 0, options) / 9, 0.143, 5e-4));
    CHECK(near(extra_errors(1, 0, options), 0.75) && near((1 + extra_errors(16, 1, options)) / 16, 0.157, 5e-4));
}

TEST(the_dialects_differ_at_the_ends) {
    const PessimisticOptions c45, j48{.z = 0.6744897501960817, .dialect = Dialect::j48};
    CHECK(near(extra_errors(4, 3.75, c45), 0.67 * 0.25) && near(extra_errors(4, 3.75, j48), 0.25));
    CHECK(near(extra_errors(4, 0.5, c45), (extra_errors(4, 0, c45) + extra_errors(4, 1, c45)) / 2));
    CHECK(near(extra_errors(9, 0.99995, c45), extra_errors(9, 1, c45), 1e-4));
    CHECK(extra_errors(16, 1, c45) > extra_errors(16, 1, j48));
}

// The same page: the three leaves are expected to make 3.273 errors, one leaf 2.512.
TEST(the_example_of_the_book_becomes_a_leaf) {
    const Tree tree = hand_made({{-1, {15, 1}}, {0, {6, 0}}, {0, {9, 0}}, {0, {0, 1}}});
    const Tree pruned = prune_pessimistic(tree, {}, {.raising = false}, {});
    CHECK(pruned.n_nodes() == 1 && pruned.counts_of(0)[0] == 15 && pruned.label[0] == 0);
}

// 2 * 8 (1 - .25^(1/8)) + 4 U(2, 4) = 5.63 errors as it is, 2 * 10 (1 - .25^(1/10)) = 2.59 with the noise cut out.
TEST(the_largest_branch_replaces_a_useless_test) {
    for (const Dialect dialect : {Dialect::c45, Dialect::j48}) {
        const Tree pruned = Data().prune(noise_on_top(), {.dialect = dialect});
        CHECK(pruned.n_nodes() == 3 && pruned.feature[0] == 1 && pruned.parent[0] == Tree::no_node);
        CHECK(pruned.counts == (std::vector<double>{10, 10, 10, 0, 0, 10}) && pruned.weight[2] == 10);
        CHECK(Data().prune(noise_on_top(), {.raising = false, .dialect = dialect}).n_nodes() == 5);
    }
}

// The last row is unknown in the raised test: half of it goes each way.
TEST(missing_values_are_split_when_a_branch_is_raised) {
    Data data;
    data.signal[19] = missing;
    data.signal[18] = missing;
    const Tree pruned = data.prune(noise_on_top(), {});
    CHECK(pruned.n_nodes() == 3 && pruned.counts == (std::vector<double>{10, 10, 9.5, 0.5, 0.5, 9.5}));
}

TEST(rows_of_weight_zero_are_absent_and_weights_are_repetitions) {
    Data data;
    data.weights.assign(20, 2);
    data.weights[0] = data.weights[1] = 0;
    const Tree tree = hand_made({{-1, {18, 18}, 0}, {0, {14, 14}, 1}, {1, {14, 0}}, {1, {0, 14}}, {0, {4, 4}}});
    const Tree pruned = data.prune(tree, {});
    CHECK(pruned.n_nodes() == 3 && pruned.counts == (std::vector<double>{18, 18, 18, 0, 0, 18}));
}

TEST(equal_classes_keep_the_old_label_in_c45_and_take_the_first_in_j48) {
    Data data;
    Tree tree = noise_on_top();
    tree.label[1] = 1;
    CHECK(data.prune(tree, {}).label[0] == 1);
    CHECK(data.prune(tree, {.dialect = Dialect::j48}).label[0] == 0);
}

TEST(a_last_branch_that_no_value_can_reach_is_dropped) {
    Tree tree(2);
    const std::vector<double> some{2, 2}, none{0, 0};
    tree.add_node(Tree::no_node, some, 4, 0);
    tree.make_nominal(0, 0, 2, std::vector<std::int32_t>{0, 0, 0, 1});
    tree.children = {1, 5};
    tree.add_node(0, some, 4, 0);
    tree.make_nominal(1, 0, 3, std::vector<std::int32_t>{0, 0, 1, 2});
    tree.children = {1, 5, 2, 3, 4};
    tree.add_node(1, some, 4, 0);
    tree.add_node(1, some, 4, 0);
    tree.add_node(1, none, 0, 0);
    tree.add_node(0, none, 0, 0);
    const Tree kept = drop_unreachable(tree);
    CHECK(kept.n_nodes() == 5 && kept.n_children[1] == 2 && kept.n_children[0] == 2);
    CHECK(kept.branch_of_value == (std::vector<std::int32_t>{0, 0, 0, 1, 0, 0, 1, -1}));
}

TEST(a_last_branch_keeps_the_values_that_can_arrive) {
    Tree tree(2);
    const std::vector<double> some{2, 2};
    for (const std::int32_t parent : {Tree::no_node, 0, 1, 1, 0}) tree.add_node(parent, some, 4, 0);
    tree.make_nominal(0, 0, 2, std::vector<std::int32_t>{0, 0, 0, 1});
    tree.make_nominal(1, 0, 2, std::vector<std::int32_t>{0, 0, 1, 1});
    tree.children = {1, 4, 2, 3};
    const Tree kept = drop_unreachable(tree);
    CHECK(kept.n_nodes() == 5 && kept.branch_of_value == (std::vector<std::int32_t>{0, 0, 0, 1, 0, 0, 1, -1}));
}

TEST(a_test_of_another_column_or_on_another_branch_takes_no_value_away) {
    Tree tree(2);
    const std::vector<double> some{2, 2};
    for (const std::int32_t parent : {Tree::no_node, 0, 1, 1, 0, 4, 4}) tree.add_node(parent, some, 4, 0);
    tree.make_nominal(0, 1, 2, std::vector<std::int32_t>{0, 0, 1, 1});
    tree.make_nominal(1, 0, 2, std::vector<std::int32_t>{0, 0, 1, 1});
    tree.make_nominal(4, 0, 2, std::vector<std::int32_t>{0, 1, 1, 1});
    tree.children = {1, 4, 2, 3, 5, 6};
    CHECK(drop_unreachable(tree).branch_of_value == tree.branch_of_value);
}

TEST(a_deep_tree_is_raised_without_recursion) {
    const std::size_t depth = 400;
    std::vector<double> values(2 * depth + 1);
    std::vector<std::uint16_t> labels(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>(i);
        labels[i] = i % 2 == 1;
    }
    const auto table = CodedTable::code(values.size(), {StridedView<double>{values.data(), values.size(), 1}}, 1, {});
    const Examples examples{&table, labels, {}, 2};
    const Tree tree = grow(
        examples, {.ratio = false, .min_leaf = 1, .c45_cuts = false, .penalty = false, .n_declared_classes = 2}, {});
    const Tree pruned = prune_pessimistic(tree, examples, {}, {});
    CHECK(pruned.n_nodes() < tree.n_nodes() && pruned.weight[0] == tree.weight[0]);
}

TEST(mismatched_sizes_throw) {
    const Data data;
    const CodedTable table = data.table();
    const std::vector<std::uint16_t> short_labels(3), strange(20, 7);
    CHECK_THROWS(prune_pessimistic(noise_on_top(), {&table, short_labels, {}, 2}, {}, {}), std::invalid_argument);
    CHECK_THROWS(prune_pessimistic(noise_on_top(), {&table, strange, {}, 2}, {}, {}), std::invalid_argument);
    CHECK_THROWS(prune_pessimistic(noise_on_top(), {&table, data.labels, {}, 2}, {.confidence = 0}, {}),
                 std::invalid_argument);
    CHECK_THROWS(data.prune(noise_on_top(), {.confidence = 0.6, .dialect = Dialect::j48}), std::invalid_argument);
}

}  // namespace test_pessimistic
