#include "predict.hpp"

#include <stdexcept>

#include "harness.hpp"
#include "parallel.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::hole;
using tables::near;

namespace {

// Golf cut by hand: outlook, and humidity under sunny; the probabilities of class 1 at the nodes.
struct Small {
    Tree tree{1};
    std::vector<double> table{0.1, 0.2, 0.3, 0.4, 0.5, 0.6};

    Small() {
        const std::vector<double> none{0};
        const auto add = [&](std::int32_t parent, double weight) { tree.add_node(parent, none, weight, 0); };
        add(Tree::no_node, 10);
        const std::vector<std::int32_t> branches{0, 1, 2};
        tree.make_nominal(0, 0, 3, branches);
        add(0, 5);
        tree.make_numeric(1, 1, 70, 0);
        add(1, 2);
        add(1, 3);
        add(0, 0);
        add(0, 5);
        tree.children = {1, 4, 5, 2, 3};
    }
};

struct Rows {
    std::vector<std::int32_t> outlook;
    std::vector<double> humidity;

    PredictRows view() const {
        return {outlook.size(), {StridedView<std::int32_t>{outlook.data(), outlook.size(), 1}, StridedView<double>{humidity.data(), humidity.size(), 1}}};
    }
};

std::vector<double> predicted(const Rows& rows) {
    const Small small;
    std::vector<double> out(rows.outlook.size());
    predict(small.tree, rows.view(), small.table, out, 1, {});
    return out;
}

}  // namespace

TEST(known_values_lead_to_one_leaf) {
    const auto out = predicted({{0, 0, 1, 2}, {70, 71, hole, hole}});
    CHECK((out == std::vector<double>{0.3, 0.4, 0.5, 0.6}));
}

TEST(an_unknown_value_mixes_the_branches_by_their_weight) {
    CHECK(near(predicted({{0}, {hole}})[0], (2 * 0.3 + 3 * 0.4) / 5));
    CHECK(near(predicted({{-1}, {60}})[0], 0.5 * 0.3 + 0.5 * 0.6));
    CHECK(near(predicted({{-1}, {hole}})[0], 0.5 * (2 * 0.3 + 3 * 0.4) / 5 + 0.5 * 0.6));
}

TEST(a_value_beyond_those_declared_is_unknown) { CHECK(near(predicted({{7}, {60}})[0], predicted({{-1}, {60}})[0])); }

TEST(apply_gives_the_leaf_with_most_of_the_weight) {
    const Small small;
    const Rows rows{{0, -1, 0, -1}, {60, 60, hole, hole}};
    std::vector<std::int32_t> out(4);
    apply(small.tree, rows.view(), out, 1, {});
    CHECK((out == std::vector<std::int32_t>{2, 2, 3, 5}));
}

TEST(any_number_of_threads_gives_the_same) {
    Rows rows;
    for (int i = 0; i < 20000; ++i) {
        rows.outlook.push_back(i % 4 - 1);
        rows.humidity.push_back(i % 7 == 0 ? hole : i % 100);
    }
    const Small small;
    const auto one = predicted(rows);
    std::vector<double> four(rows.outlook.size());
    predict(small.tree, rows.view(), small.table, four, 4, {});
    CHECK(one == four);
}

TEST(a_chain_of_100000_nodes_is_no_matter) {
    constexpr std::size_t depth = 100000;
    Tree tree(1);
    const std::vector<double> none{0};
    for (std::size_t i = 0; i <= depth; ++i) {
        tree.add_node(i == 0 ? Tree::no_node : static_cast<std::int32_t>(2 * i - 2), none, static_cast<double>(2 * (depth - i) + 1), 0);
        if (i == depth) break;
        tree.make_numeric(2 * i, 0, static_cast<double>(i), static_cast<std::uint32_t>(i));
        tree.add_node(static_cast<std::int32_t>(2 * i), none, 1, 0);
        tree.children[tree.first_child[2 * i]] = static_cast<std::int32_t>(2 * i + 1);
        tree.children[tree.first_child[2 * i] + 1] = static_cast<std::int32_t>(2 * i + 2);
    }
    const std::vector<double> table(tree.n_nodes(), 1.0), column{static_cast<double>(depth), hole};
    std::vector<double> out(2);
    predict(tree, {2, {StridedView<double>{column.data(), 2, 1}}}, table, out, 1, {});
    CHECK(out[0] == 1 && out[1] > 0);
}

TEST(tables_of_the_wrong_size_are_refused) {
    const Small small;
    const Rows rows{{0}, {60}};
    std::vector<double> out(1), five(5), none;
    CHECK_THROWS(predict(small.tree, rows.view(), five, out, 1, {}), std::invalid_argument);
    CHECK_THROWS(predict(small.tree, rows.view(), small.table, none, 1, {}), std::invalid_argument);
    CHECK_THROWS(predict(Tree(1), rows.view(), none, out, 1, {}), std::invalid_argument);
}

TEST(a_stop_is_heeded) {
    std::stop_source stop;
    stop.request_stop();
    const Small small;
    const Rows rows{{0}, {60}};
    std::vector<double> out(1);
    CHECK_THROWS(predict(small.tree, rows.view(), small.table, out, 1, stop.get_token()), Interrupted);
}
