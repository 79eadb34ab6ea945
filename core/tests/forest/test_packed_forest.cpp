#include "forest/packed_forest.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "hand_made.hpp"
#include "harness.hpp"
#include "stop.hpp"
#include "tables.hpp"
#include "tree/grow/grower.hpp"

using namespace calibrant;
using tables::Problem;

namespace test_packed_forest {
namespace {

constexpr std::size_t n_rows = 61;
constexpr GrowOptions plain{
    .ratio = false, .min_leaf = 1, .c45_cuts = false, .penalty = false, .n_declared_classes = 3};

std::vector<double> drawn_values(std::mt19937& random, std::size_t n) {
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<double> values(n);
    for (auto& value : values) value = uniform(random);
    return values;
}

// Trees of three classes, each grown on other values of four columns, with a table of random predictions.
struct Forest {
    std::vector<Tree> trees;
    std::vector<std::vector<double>> tables;
    std::vector<Member> members;

    explicit Forest(std::size_t n_trees) {
        std::mt19937 random(7);
        for (std::size_t t = 0; t < n_trees; ++t) {
            Problem problem{std::vector<std::uint16_t>(200), 3};
            for (auto& label : problem.labels) label = static_cast<std::uint16_t>(random() % 3);
            for (int column = 0; column < 4; ++column) problem.add(drawn_values(random, 200));
            const CodedTable table(200, problem.columns);
            trees.push_back(grow({&table, problem.labels, {}, 3}, plain, StopToken{}));
            tables.push_back(drawn_values(random, 3 * trees.back().n_nodes()));
        }
        for (std::size_t t = 0; t < n_trees; ++t) members.push_back({&trees[t], tables[t]});
    }
};

// Rows of a matrix, row after row.
template <class T>
PredictRows rows_of(std::span<const T> values, std::size_t n_columns) {
    PredictRows rows{n_columns == 0 ? 1 : values.size() / n_columns, {}};
    for (std::size_t j = 0; j < n_columns; ++j)
        rows.columns.push_back(StridedView<T>{values.data() + j, rows.n_rows, static_cast<std::ptrdiff_t>(n_columns)});
    return rows;
}
PredictRows rows_of(std::span<const double> values, std::size_t n_columns) {
    return rows_of<double>(values, n_columns);
}

std::vector<std::vector<double>> by_column(std::span<const double> values, std::size_t n_columns) {
    std::vector<std::vector<double>> columns(n_columns);
    for (std::size_t i = 0; i < values.size(); ++i) columns[i % n_columns].push_back(values[i]);
    return columns;
}

}  // namespace

TEST(rows_that_come_together_have_the_sums_of_each_alone_to_the_bit) {
    std::mt19937 random(11);
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    for (const std::size_t n_trees : {1, 7, 8, 19}) {
        const Forest forest(n_trees);
        const PackedForest packed(forest.members, 3);
        auto values = drawn_values(random, 4 * n_rows);
        for (std::size_t i = 0; i < values.size(); i += 31) values[i] = missing;
        std::vector<double> together(3 * n_rows), alone(3), one_by_one(3), prediction(3);
        packed.sum(rows_of(values, 4), together, 2, {});
        for (std::size_t row = 0; row < n_rows; ++row) {
            const PredictRows one = rows_of({&values[4 * row], 4}, 4);
            packed.sum(one, alone, 1, {});
            std::ranges::fill(one_by_one, 0.0);
            for (const Member& member : forest.members) {
                const TableLookup lookup{member.table, prediction};
                predict(*member.tree, one, {&lookup, 1}, 1, {});
                for (std::size_t k = 0; k < 3; ++k) one_by_one[k] += prediction[k];
            }
            for (std::size_t k = 0; k < 3; ++k) CHECK(alone[k] == one_by_one[k] && together[3 * row + k] == alone[k]);
        }
    }
}

TEST(floats_columns_apart_and_mixed_types_have_the_sums_of_doubles) {
    std::mt19937 random(3);
    const Forest forest(9);
    const PackedForest packed(forest.members, 3);
    std::vector<float> floats(4 * n_rows);
    std::ranges::copy(drawn_values(random, floats.size()), floats.begin());
    const std::vector<double> doubles(floats.begin(), floats.end());
    std::vector<double> expected(3 * n_rows), found(3 * n_rows);
    packed.sum(rows_of(doubles, 4), expected, 1, {});
    packed.sum(rows_of(std::span<const float>(floats), 4), found, 1, {});
    CHECK(found == expected);
    PredictRows apart = rows_of(doubles, 4);
    const std::vector<std::vector<double>> columns = by_column(doubles, 4);
    for (std::size_t j = 0; j < 4; ++j) apart.columns[j] = StridedView<double>{columns[j].data(), n_rows, 1};
    packed.sum(apart, found, 1, {});
    CHECK(found == expected);
    apart.columns[2] = rows_of(std::span<const float>(floats), 4).columns[2];
    packed.sum(apart, found, 1, {});
    CHECK(found == expected);
}

TEST(a_value_at_the_cut_goes_to_the_first_side_and_infinity_to_an_end) {
    const Tree tree = hand_made({{-1, {1, 1}}, {0, {1, 0}}, {0, {0, 1}}});
    const std::vector<double> table{0, 0, 1, 2, 3, 4};
    const PackedForest packed({{&tree, table}}, 2);
    std::vector<double> out(2);
    for (const auto& [value, first] : {std::pair{0.5, 1.0}, {0.5000001, 3.0}, {-HUGE_VAL, 1.0}, {HUGE_VAL, 3.0}}) {
        packed.sum(rows_of({&value, 1}, 1), out, 1, {});
        CHECK(out[0] == first && out[1] == first + 1);
    }
}

TEST(a_tree_without_tests_predicts_at_its_root) {
    const Tree tree = hand_made({{-1, {1, 1}}});
    const std::vector<double> table{0.25, 0.75};
    const double value = 1;
    std::vector<double> out(2);
    PackedForest({{&tree, table}, {&tree, table}}, 2).sum(rows_of({&value, 1}, 1), out, 1, {});
    CHECK(out[0] == 0.5 && out[1] == 1.5);
}

TEST(tables_of_another_tree_and_tests_of_no_column_throw) {
    const Tree stump = hand_made({{-1, {1, 1}}, {0, {1, 0}}, {0, {0, 1}}});
    const std::vector<double> table(6), short_table(4), value{1.0};
    std::vector<double> out(2);
    CHECK_THROWS(PackedForest({}, 2), std::invalid_argument);
    CHECK_THROWS(PackedForest({{&stump, short_table}}, 2), std::invalid_argument);
    CHECK_THROWS(PackedForest({{&stump, table}}, 2).sum(rows_of({value.data(), 0}, 0), out, 1, {}),
                 std::invalid_argument);
}

}  // namespace test_packed_forest
