#include "tree/predict.hpp"

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

namespace test_predict {
namespace {

void look_up(const Tree& tree, const PredictRows& rows, const std::vector<double>& table, std::vector<double>& out,
             std::size_t n_threads = 1, const StopToken& stop = {}) {
    const TableLookup lookup{table, out};
    predict(tree, rows, {&lookup, 1}, n_threads, stop);
}

std::vector<double> predicted(const Rows& rows) {
    const Small small;
    std::vector<double> out(rows.outlook.size());
    look_up(small.tree, rows.view(), small.table, out);
    return out;
}

}  // namespace

TEST(known_values_lead_to_one_leaf) {
    const auto out = predicted({{0, 0, 1, 2}, {70, 71, missing, missing}});
    CHECK((out == std::vector<double>{0.3, 0.4, 0.5, 0.6}));
}

TEST(a_missing_value_mixes_the_branches_by_their_weight) {
    CHECK(near(predicted({{0}, {missing}})[0], (2 * 0.3 + 3 * 0.4) / 5));
    CHECK(near(predicted({{-1}, {60}})[0], 0.5 * 0.3 + 0.5 * 0.6));
    CHECK(near(predicted({{-1}, {missing}})[0], 0.5 * (2 * 0.3 + 3 * 0.4) / 5 + 0.5 * 0.6));
}

TEST(a_value_beyond_those_declared_is_missing) { CHECK(near(predicted({{7}, {60}})[0], predicted({{-1}, {60}})[0])); }

TEST(apply_returns_the_leaf_with_most_of_the_weight) {
    const Small small;
    const Rows rows{{0, -1, 0, -1}, {60, 60, missing, missing}};
    std::vector<std::int32_t> out(4);
    apply(small.tree, rows.view(), out, 1, {});
    CHECK((out == std::vector<std::int32_t>{2, 2, 3, 5}));
}

TEST(any_number_of_threads_gives_the_same) {
    const Rows rows = many_rows(20000);
    const Small small;
    const auto one = predicted(rows);
    std::vector<double> four(rows.outlook.size());
    look_up(small.tree, rows.view(), small.table, four, 4);
    CHECK(one == four);
}

TEST(codes_lead_where_their_values_lead) {
    const Rows rows = many_rows(500);
    Small small;
    const CodedTable table = rows.coded(small.tree);
    std::vector<double> out(rows.outlook.size());
    look_up(small.tree, coded_rows(table), small.table, out);
    CHECK(out == predicted(rows));
}

TEST(one_descent_looks_up_tables_of_any_width) {
    const Rows rows = many_rows(5000);
    const Small small;
    const std::size_t n_rows = rows.outlook.size(), n_nodes = small.tree.n_nodes();
    std::vector<std::vector<double>> tables, outputs;
    std::vector<TableLookup> lookups;
    for (std::size_t width = 1; width <= 5; ++width) {
        auto& table = tables.emplace_back();
        for (std::size_t node = 0; node < n_nodes; ++node) {
            for (std::size_t k = 0; k < width; ++k) table.push_back(small.table[node] + static_cast<double>(k));
        }
        outputs.emplace_back(n_rows * width);
    }
    for (std::size_t i = 0; i < 5; ++i) lookups.push_back({tables[i], outputs[i]});
    predict(small.tree, rows.view(), lookups, 2, {});
    const auto one = predicted(rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        for (std::size_t k = 0; k < 5; ++k) CHECK(near(outputs[4][row * 5 + k], one[row] + static_cast<double>(k)));
        CHECK(near(outputs[1][row * 2 + 1], one[row] + 1) && outputs[0][row] == one[row]);
    }
}

TEST(a_chain_of_100000_nodes_is_no_problem) {
    constexpr std::size_t depth = 100000;
    Tree tree(1);
    const std::vector<double> none{0};
    for (std::size_t i = 0; i <= depth; ++i) {
        tree.add_node(i == 0 ? Tree::no_node : static_cast<std::int32_t>(2 * i - 2), none,
                      static_cast<double>(2 * (depth - i) + 1), 0);
        if (i == depth) break;
        tree.make_numeric(2 * i, 0, static_cast<double>(i), static_cast<std::uint32_t>(i));
        tree.add_node(static_cast<std::int32_t>(2 * i), none, 1, 0);
        tree.children[tree.first_child[2 * i]] = static_cast<std::int32_t>(2 * i + 1);
        tree.children[tree.first_child[2 * i] + 1] = static_cast<std::int32_t>(2 * i + 2);
    }
    const std::vector<double> table(tree.n_nodes(), 1.0), column{static_cast<double>(depth), missing};
    std::vector<double> out(2);
    look_up(tree, {2, {StridedView<double>{column.data(), 2, 1}}}, table, out);
    CHECK(out[0] == 1 && out[1] > 0);
}

TEST(tables_of_the_wrong_size_throw) {
    const Small small;
    const Rows rows{{0}, {60}};
    std::vector<double> out(1), five(5), none;
    CHECK_THROWS(look_up(small.tree, rows.view(), five, out), std::invalid_argument);
    CHECK_THROWS(look_up(small.tree, rows.view(), small.table, none), std::invalid_argument);
    CHECK_THROWS(look_up(Tree(1), rows.view(), none, out), std::invalid_argument);
}

TEST(a_stop_request_interrupts) {
    StopSource stop;
    stop.request_stop();
    const Small small;
    const Rows rows{{0}, {60}};
    std::vector<double> out(1);
    CHECK_THROWS(look_up(small.tree, rows.view(), small.table, out, 1, stop.token()), Interrupted);
}

}  // namespace test_predict
