#include "tree/lanes.hpp"
#include "tree/predict.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "harness.hpp"

using namespace calibrant;

namespace test_lanes {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// x0 <= 2 ? leaf 1 : (x1 <= 5 ? leaf 3 : leaf 4), with 4, 6, 2 and 4 cases.
Tree small_tree() {
    Tree tree(2);
    const double counts[][2] = {{5, 5}, {4, 0}, {1, 5}, {1, 1}, {0, 4}};
    const std::int32_t parents[] = {-1, 0, 0, 2, 2};
    for (std::size_t node = 0; node < 5; ++node) {
        tree.add_node(parents[node], counts[node], counts[node][0] + counts[node][1],
                      counts[node][0] < counts[node][1]);
        if (node == 0) tree.make_numeric(0, 0, 2.0, 0);
        if (node == 2) tree.make_numeric(2, 1, 5.0, 0);
    }
    tree.children = {1, 2, 3, 4};
    tree.check();
    return tree;
}

PredictRows rows_of(const std::vector<double>& first, const std::vector<double>& second) {
    return {first.size(),
            {StridedView<double>{first.data(), first.size(), 1}, StridedView<double>{second.data(), second.size(), 1}}};
}

}  // namespace

TEST(a_missing_value_goes_down_both_branches_by_their_weight) {
    const std::vector<double> first{missing}, second{9};
    std::vector<double> out(2);
    const std::vector<double> table{0, 0, 1, 0, 0, 0, .5, .5, 0, 1};
    const TableLookup lookup{table, out};
    predict(small_tree(), rows_of(first, second), {&lookup, 1}, 1, {});
    CHECK(std::abs(out[0] - 0.4) < 1e-15 && std::abs(out[1] - 0.6) < 1e-15);
}

TEST(many_rows_reach_the_leaves_that_each_reaches_alone) {
    std::mt19937 random(1);
    std::vector<double> first(1000), second(1000);
    for (auto* column : {&first, &second}) {
        for (double& value : *column) value = random() % 20 == 0 ? missing : static_cast<double>(random() % 9);
    }
    const Tree tree = small_tree();
    std::vector<std::int32_t> together(1000), alone(1);
    apply(tree, rows_of(first, second), together, 2, {});
    for (std::size_t row = 0; row < 1000; ++row) {
        const std::vector<double> a{first[row]}, b{second[row]};
        apply(tree, rows_of(a, b), alone, 1, {});
        CHECK(alone[0] == together[row]);
    }
}

TEST(counting_rows_again_adds_up_to_the_root) {
    const std::vector<double> first{1, 3, 3, 9}, second{0, 5, 6, 6}, weights{2, 1, 3, 0};
    const std::vector<std::uint16_t> labels{1, 0, 0, 1};
    const Tree counted = count_rows(small_tree(), rows_of(first, second), labels, weights, {});
    CHECK((counted.counts == std::vector<double>{4, 2, 0, 2, 4, 0, 1, 0, 3, 0}));
    CHECK((counted.weight == std::vector<double>{6, 2, 4, 1, 3}));
    CHECK((counted.label == std::vector<std::int32_t>{0, 1, 0, 0, 0}));
}

TEST(a_row_stays_where_no_row_was_counted_and_its_value_is_missing) {
    const std::vector<double> first{1}, second{0}, weights{1}, beyond{3}, unknown{missing};
    const std::vector<std::uint16_t> labels{1};
    const Tree counted = count_rows(small_tree(), rows_of(first, second), labels, weights, {});
    std::vector<std::int32_t> at(1);
    apply(counted, rows_of(beyond, unknown), at, 1, {});
    CHECK(at[0] == 2 && counted.label[3] == 1);
}

TEST(inconsistent_arrays_are_not_a_tree) {
    Tree tree = small_tree();
    tree.children[3] = 0;
    CHECK_THROWS(tree.check(), std::invalid_argument);
}

}  // namespace test_lanes
