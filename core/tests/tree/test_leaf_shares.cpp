#include "tree/leaf_shares.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "harness.hpp"
#include "parallel.hpp"
#include "small_golf.hpp"
#include "tables.hpp"

using namespace calibrant;
using small_golf::many_rows;
using small_golf::Rows;
using small_golf::Small;
using tables::missing;
using tables::near;

namespace test_leaf_shares {
namespace {

bool same(const LeafShares& a, const LeafShares& b) { return a.row == b.row && a.leaf == b.leaf && a.share == b.share; }

}  // namespace

TEST(a_row_without_missing_values_reaches_one_leaf) {
    const Small small;
    const Rows rows{{0, 0, 1, 2}, {70, 71, missing, missing}};
    const LeafShares found = leaf_shares(small.tree, rows.view(), {}, 1, {});
    CHECK((found.row == std::vector<std::int64_t>{0, 1, 2, 3}));
    CHECK((found.leaf == std::vector<std::int32_t>{2, 3, 4, 5}));
    CHECK((found.share == std::vector<double>{1, 1, 1, 1}));
}

TEST(a_missing_value_splits_the_row_by_training_weight) {
    const Small small;
    const Rows rows{{-1}, {missing}};
    const LeafShares found = leaf_shares(small.tree, rows.view(), {}, 1, {});
    CHECK((found.leaf == std::vector<std::int32_t>{2, 3, 5}));
    CHECK(near(found.share[0], 0.2) && near(found.share[1], 0.3) && near(found.share[2], 0.5));
}

TEST(leaf_shares_mix_to_the_prediction) {
    const Small small;
    const Rows rows = many_rows(9000);
    const LeafShares found = leaf_shares(small.tree, rows.view(), {}, 1, {});
    std::vector<double> mixed(rows.outlook.size()), out(rows.outlook.size());
    for (std::size_t i = 0; i < found.row.size(); ++i) {
        mixed[static_cast<std::size_t>(found.row[i])] +=
            found.share[i] * small.table[static_cast<std::size_t>(found.leaf[i])];
    }
    const TableLookup lookup{small.table, out};
    predict(small.tree, rows.view(), {&lookup, 1}, 1, {});
    CHECK(mixed == out);
    CHECK(near(std::accumulate(found.share.begin(), found.share.end(), 0.0), 9000, 1e-6));
}

TEST(numeric_rows_reach_the_same_leaves_in_lanes_and_one_by_one) {
    Tree tree(1);
    const std::vector<double> none{0};
    tree.add_node(Tree::no_node, none, 4, 0);
    tree.make_numeric(0, 0, 10, 10);
    tree.add_node(0, none, 1, 0);
    tree.add_node(0, none, 3, 0);
    tree.children = {1, 2};
    std::vector<double> column;
    for (int i = 0; i < 100; ++i) column.push_back(i % 5 == 0 ? missing : i % 21);
    const LeafShares all = leaf_shares(tree, {100, {StridedView<double>{column.data(), 100, 1}}}, {}, 1, {});
    LeafShares each;
    for (std::size_t row = 0; row < 100; ++row) {
        const LeafShares one = leaf_shares(tree, {1, {StridedView<double>{column.data() + row, 1, 1}}}, {}, 1, {});
        for (std::size_t i = 0; i < one.row.size(); ++i) {
            each.row.push_back(static_cast<std::int64_t>(row));
            each.leaf.push_back(one.leaf[i]);
            each.share.push_back(one.share[i]);
        }
    }
    CHECK(same(all, each));
}

TEST(codes_reach_the_leaves_of_their_values) {
    Small small;
    const Rows rows = many_rows(700);
    const CodedTable table = rows.coded(small.tree);
    CHECK(same(leaf_shares(small.tree, coded_rows(table), {}, 1, {}), leaf_shares(small.tree, rows.view(), {}, 1, {})));
}

TEST(only_wanted_rows_descend_and_they_keep_their_numbers) {
    const Small small;
    const Rows rows{{0, 1, 2}, {60, 60, 60}};
    const std::vector<std::uint8_t> wanted{1, 0, 1};
    CHECK((leaf_shares(small.tree, rows.view(), wanted, 1, {}).row == std::vector<std::int64_t>{0, 2}));
}

TEST(any_number_of_threads_gives_the_same_leaf_shares) {
    const Small small;
    const Rows rows = many_rows(30000);
    const LeafShares one = leaf_shares(small.tree, rows.view(), {}, 1, {});
    CHECK(same(one, leaf_shares(small.tree, rows.view(), {}, 4, {})));
}

TEST(no_rows_reach_no_leaves) {
    const Small small;
    CHECK(leaf_shares(small.tree, Rows{}.view(), {}, 2, {}).row.empty());
}

TEST(marks_of_the_wrong_size_and_trees_without_nodes_throw) {
    const Small small;
    const Rows rows{{0}, {60}};
    const std::vector<std::uint8_t> two{1, 1};
    CHECK_THROWS(leaf_shares(small.tree, rows.view(), two, 1, {}), std::invalid_argument);
    CHECK_THROWS(leaf_shares(Tree(1), rows.view(), {}, 1, {}), std::invalid_argument);
}

TEST(a_stop_request_interrupts) {
    StopSource stop;
    stop.request_stop();
    const Small small;
    const Rows rows{{0}, {60}};
    CHECK_THROWS(leaf_shares(small.tree, rows.view(), {}, 1, stop.token()), Interrupted);
}

}  // namespace test_leaf_shares
