#include "tree/arrivals.hpp"

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
using tables::hole;
using tables::near;

namespace {

bool same(const Arrivals& a, const Arrivals& b) { return a.row == b.row && a.leaf == b.leaf && a.share == b.share; }

}  // namespace

TEST(a_row_without_holes_arrives_whole) {
    const Small small;
    const Rows rows{{0, 0, 1, 2}, {70, 71, hole, hole}};
    const Arrivals found = arrivals(small.tree, rows.view(), {}, 1, {});
    CHECK((found.row == std::vector<std::int64_t>{0, 1, 2, 3}));
    CHECK((found.leaf == std::vector<std::int32_t>{2, 3, 4, 5}));
    CHECK((found.share == std::vector<double>{1, 1, 1, 1}));
}

TEST(a_hole_shares_the_row_out_by_training_weight) {
    const Small small;
    const Rows rows{{-1}, {hole}};
    const Arrivals found = arrivals(small.tree, rows.view(), {}, 1, {});
    CHECK((found.leaf == std::vector<std::int32_t>{2, 3, 5}));
    CHECK(near(found.share[0], 0.2) && near(found.share[1], 0.3) && near(found.share[2], 0.5));
}

TEST(arrivals_mix_to_the_prediction) {
    const Small small;
    const Rows rows = many_rows(9000);
    const Arrivals found = arrivals(small.tree, rows.view(), {}, 1, {});
    std::vector<double> mixed(rows.outlook.size()), out(rows.outlook.size());
    for (std::size_t i = 0; i < found.row.size(); ++i) {
        mixed[static_cast<std::size_t>(found.row[i])] +=
            found.share[i] * small.table[static_cast<std::size_t>(found.leaf[i])];
    }
    const Reading reading{small.table, out};
    predict(small.tree, rows.view(), {&reading, 1}, 1, {});
    CHECK(mixed == out);
    CHECK(near(std::accumulate(found.share.begin(), found.share.end(), 0.0), 9000, 1e-6));
}

TEST(numbers_alone_arrive_in_lanes_as_they_do_one_by_one) {
    Tree tree(1);
    const std::vector<double> none{0};
    tree.add_node(Tree::no_node, none, 4, 0);
    tree.make_numeric(0, 0, 10, 10);
    tree.add_node(0, none, 1, 0);
    tree.add_node(0, none, 3, 0);
    tree.children = {1, 2};
    std::vector<double> column;
    for (int i = 0; i < 100; ++i) column.push_back(i % 5 == 0 ? hole : i % 21);
    const Arrivals all = arrivals(tree, {100, {StridedView<double>{column.data(), 100, 1}}}, {}, 1, {});
    Arrivals each;
    for (std::size_t row = 0; row < 100; ++row) {
        const Arrivals one = arrivals(tree, {1, {StridedView<double>{column.data() + row, 1, 1}}}, {}, 1, {});
        for (std::size_t i = 0; i < one.row.size(); ++i) {
            each.row.push_back(static_cast<std::int64_t>(row));
            each.leaf.push_back(one.leaf[i]);
            each.share.push_back(one.share[i]);
        }
    }
    CHECK(same(all, each));
}

TEST(codes_arrive_where_their_values_arrive) {
    Small small;
    const Rows rows = many_rows(700);
    const CodedTable table = rows.coded(small.tree);
    CHECK(same(arrivals(small.tree, coded_rows(table), {}, 1, {}), arrivals(small.tree, rows.view(), {}, 1, {})));
}

TEST(only_wanted_rows_are_followed_and_keep_their_numbers) {
    const Small small;
    const Rows rows{{0, 1, 2}, {60, 60, 60}};
    const std::vector<std::uint8_t> wanted{1, 0, 1};
    CHECK((arrivals(small.tree, rows.view(), wanted, 1, {}).row == std::vector<std::int64_t>{0, 2}));
}

TEST(any_number_of_threads_gives_the_same_arrivals) {
    const Small small;
    const Rows rows = many_rows(30000);
    const Arrivals one = arrivals(small.tree, rows.view(), {}, 1, {});
    CHECK(same(one, arrivals(small.tree, rows.view(), {}, 4, {})));
}

TEST(no_rows_arrive_nowhere) {
    const Small small;
    CHECK(arrivals(small.tree, Rows{}.view(), {}, 2, {}).row.empty());
}

TEST(marks_of_the_wrong_number_and_trees_without_nodes_are_refused) {
    const Small small;
    const Rows rows{{0}, {60}};
    const std::vector<std::uint8_t> two{1, 1};
    CHECK_THROWS(arrivals(small.tree, rows.view(), two, 1, {}), std::invalid_argument);
    CHECK_THROWS(arrivals(Tree(1), rows.view(), {}, 1, {}), std::invalid_argument);
}

TEST(a_stop_is_heeded_on_the_way) {
    StopSource stop;
    stop.request_stop();
    const Small small;
    const Rows rows{{0}, {60}};
    CHECK_THROWS(arrivals(small.tree, rows.view(), {}, 1, stop.token()), Interrupted);
}
