#include "forest/mean_predictions.hpp"

#include <cmath>

#include "forest/packed_forest.hpp"
#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;
using tables::near;

namespace test_mean_predictions {
namespace {

const TreeVotes no_voting({}, 1);

}  // namespace

TEST(without_an_index_the_prediction_is_the_mean_of_the_tables) {
    for (const bool with_missing : {false, true}) {
        const Grown grown(5000, 4, with_missing, 3);
        std::vector<Member> members;
        PredictionLevels levels(1);
        for (std::size_t t = 0; t < 4; ++t) {
            members.push_back({&grown.trees[t], grown.frequencies[t]});
            levels[0].push_back({{}, grown.frequencies[t], 1});
        }
        std::vector<double> sums(5000 * 3), found(5000 * 3);
        PackedForest(members, 3).sum(coded_rows(grown.table), sums, 1, {});
        average_predictions(grown.paths(), no_voting, levels, nullptr, found, 3, {});
        for (std::size_t i = 0; i < sums.size(); ++i) CHECK(near(found[i], sums[i] / 4, 1e-12));
    }
}

TEST(trees_without_a_prediction_are_left_out_and_the_next_level_is_used_where_none_has_one) {
    const std::vector<std::int32_t> leaves{0, 0, 1, 0, 1, 1};  // two trees, three rows
    const std::vector<std::int32_t> index{1, -1}, nothing{-1, -1};
    const std::vector<double> table{0.0, 1.0, 0.4, 0.6}, other{0.25, 0.75, 0.5, 0.5};
    const PredictionLevels levels{{{index, table, 1}, {index, table, 1}}, {{nothing, other, 1}, {{}, other, 1}}};
    std::vector<double> out(6);
    average_predictions(LeafPaths(leaves, 2), no_voting, levels, nullptr, out, 1, {});
    CHECK(out == (std::vector{0.4, 0.6, 0.4, 0.6, 0.5, 0.5}));
    average_predictions(LeafPaths(leaves, 2), no_voting, {levels[0]}, nullptr, out, 1, {});
    CHECK(std::isnan(out[4]) && std::isnan(out[5]));
    CHECK_THROWS(average_predictions(LeafPaths(leaves, 2), no_voting, {{levels[0][0]}}, nullptr, out, 1, {}),
                 std::invalid_argument);
}

TEST(a_row_has_the_prediction_of_the_label_that_the_first_trees_vote_for) {
    const std::vector<std::int32_t> leaves{0, 1, 0, 1};
    const std::vector<double> votes{0.9, 0.1, 0.2, 0.8}, table{0.0, 1.0, 0.3, 0.7};
    const std::vector<std::int32_t> index{0, -1, -1, 1};
    const PredictionLevels levels{{{index, table, 2}, {index, table, 2}}};
    std::vector<double> out(4);
    average_predictions(LeafPaths(leaves, 2), TreeVotes({votes}, 2), levels, nullptr, out, 1, {});
    CHECK(out == (std::vector{0.0, 1.0, 0.3, 0.7}));
}

TEST(leaves_without_a_prediction_drop_their_share) {
    const Grown grown(3000, 1, true);
    const LeafPaths paths = grown.paths();
    std::vector<std::int32_t> index(grown.n_nodes[0]);
    std::vector<double> table(grown.n_nodes[0]), expected(3000), mass(3000), out(3000);
    for (std::size_t node = 0; node < index.size(); ++node) {
        index[node] = node % 3 == 0 ? -1 : static_cast<std::int32_t>(node);
        table[node] = static_cast<double>(node);
    }
    paths.each(0, {}, [&](std::size_t row, std::size_t leaf, double share) {
        if (index[leaf] < 0) return;
        expected[row] += share * table[leaf];
        mass[row] += share;
    });
    average_predictions(paths, no_voting, {{{index, table, 1}}}, nullptr, out, 2, {});
    for (std::size_t row = 0; row < 3000; ++row)
        CHECK(mass[row] > 0 ? near(out[row], expected[row] / mass[row], 1e-9) : std::isnan(out[row]));
}

TEST(tables_must_have_a_row_for_every_node) {
    const Grown grown(200, 2, false);
    const LeafPaths paths = grown.paths();
    const std::size_t n = grown.n_nodes[0];
    const std::vector<double> table(2 * n), other(2 * grown.n_nodes[1]), short_table(2 * n - 2);
    std::vector<double> out(400);
    const auto average = [&](const LeafPredictions& first) {
        average_predictions(paths, no_voting, {{first, {{}, other, 1}}}, nullptr, out, 1, {});
    };
    average({{}, table, 1});
    CHECK_THROWS(average({{}, short_table, 1}), std::invalid_argument);
    std::vector<std::int32_t> index(n);
    average({index, table, 1});
    index[n - 1] = static_cast<std::int32_t>(n);
    CHECK_THROWS(average({index, table, 1}), std::invalid_argument);
    index.resize(n - 1);
    CHECK_THROWS(average({index, table, 1}), std::invalid_argument);
    std::vector<std::int32_t> labels(200);
    CHECK_THROWS(vote(paths, TreeVotes({short_table}, 2), nullptr, {}, labels, 1, {}), std::invalid_argument);
}

}  // namespace test_mean_predictions
