#include "forest/packed_forest.hpp"

#include <random>

#include "hand_made.hpp"
#include "harness.hpp"
#include "stop.hpp"
#include "tables.hpp"
#include "tree/grow/grower.hpp"

using namespace calibrant;
using tables::Problem;

namespace {

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

}  // namespace

TEST(the_mean_is_the_sum_of_the_predictions_to_the_bit) {
    std::mt19937 random(11);
    for (const std::size_t n_trees : {1, 7, 8, 19}) {
        const Forest forest(n_trees);
        const PackedForest packed(forest.members, 4, 3);
        for (int i = 0; i < 50; ++i) {
            const auto row = drawn_values(random, 4);
            PredictRows rows{1, {}};
            for (const double& value : row) rows.columns.push_back(StridedView<double>{&value, 1, 1});
            std::vector<double> sums(3), means(3);
            sum_predictions(forest.members, rows, sums, 1, StopToken{});
            packed.mean(row, means);
            for (std::size_t k = 0; k < 3; ++k) CHECK(means[k] == sums[k] / static_cast<double>(n_trees));
        }
    }
}

TEST(a_value_at_the_cut_goes_to_the_first_side_and_infinity_to_an_end) {
    const Tree tree = hand_made({{-1, {1, 1}}, {0, {1, 0}}, {0, {0, 1}}});
    const std::vector<double> table{0, 0, 1, 2, 3, 4};
    const std::vector<Member> members{{&tree, table}};
    const PackedForest packed(members, 1, 2);
    std::vector<double> out(2);
    for (const auto& [value, first] : {std::pair{0.5, 1.0}, {0.5000001, 3.0}, {-HUGE_VAL, 1.0}, {HUGE_VAL, 3.0}}) {
        packed.mean(std::vector{value}, out);
        CHECK(out[0] == first && out[1] == first + 1);
    }
}

TEST(a_tree_without_tests_predicts_at_its_root) {
    const Tree tree = hand_made({{-1, {1, 1}}});
    const std::vector<double> table{0.25, 0.75};
    const std::vector<Member> members{{&tree, table}, {&tree, table}};
    std::vector<double> out(2);
    PackedForest(members, 1, 2).mean(std::vector{1.0}, out);
    CHECK(out[0] == 0.25 && out[1] == 0.75);
}

TEST(nominal_tests_and_tables_of_another_tree_cannot_be_packed) {
    const Tree words = hand_made({{-1, {1, 1}}, {0, {1, 0}}, {0, {0, 1}}, {0, {0, 0}}}),
               numbers = hand_made({{-1, {1, 1}}});
    const std::vector<double> table(8);
    const std::vector<Member> of_words{{&words, table}}, of_others{{&numbers, table}};
    CHECK(!PackedForest::can_pack(of_words));
    CHECK(PackedForest::can_pack(of_others));
    CHECK_THROWS(PackedForest(of_words, 1, 2), std::invalid_argument);
    CHECK_THROWS(PackedForest(of_others, 1, 2), std::invalid_argument);
}
