#include "forest/answers.hpp"

#include <cmath>

#include "forest/predict.hpp"
#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;
using tables::near;

namespace {

const Ballots nobody({}, 1);

}  // namespace

TEST(without_places_the_answer_is_the_mean_of_the_tables) {
    for (const bool holes : {false, true}) {
        const Grown grown(5000, 4, holes, 3);
        std::vector<Member> members;
        Levels levels(1);
        for (std::size_t t = 0; t < 4; ++t) {
            members.push_back({&grown.trees[t], grown.frequencies[t]});
            levels[0].push_back({{}, grown.frequencies[t], 1});
        }
        std::vector<double> sums(5000 * 3), found(5000 * 3);
        sum_answers(members, coded_rows(grown.table), sums, 1, {});
        answer(grown.ways(), nobody, levels, {{}, 5000}, found, 3, {});
        for (std::size_t i = 0; i < sums.size(); ++i) CHECK(near(found[i], sums[i] / 4, 1e-12));
    }
}

TEST(trees_without_an_answer_are_left_out_and_the_next_level_asked_where_none_has_one) {
    const std::vector<std::int32_t> leaves{0, 0, 1, 0, 1, 1};  // two trees, three rows
    const std::vector<std::int32_t> place{1, -1}, nothing{-1, -1};
    const std::vector<double> table{0.0, 1.0, 0.4, 0.6}, other{0.25, 0.75, 0.5, 0.5};
    const Levels levels{{{place, table, 1}, {place, table, 1}}, {{nothing, other, 1}, {{}, other, 1}}};
    std::vector<double> out(6);
    answer(ForestWays(leaves, 2), nobody, levels, {{}, 3}, out, 1, {});
    CHECK(out == (std::vector{0.4, 0.6, 0.4, 0.6, 0.5, 0.5}));
    answer(ForestWays(leaves, 2), nobody, {levels[0]}, {{}, 3}, out, 1, {});
    CHECK(std::isnan(out[4]) && std::isnan(out[5]));
    CHECK_THROWS(answer(ForestWays(leaves, 2), nobody, {{levels[0][0]}}, {{}, 3}, out, 1, {}), std::invalid_argument);
}

TEST(a_row_is_answered_for_by_the_cell_of_the_label_that_the_first_trees_vote_for) {
    const std::vector<std::int32_t> leaves{0, 1, 0, 1};
    const std::vector<double> votes{0.9, 0.1, 0.2, 0.8}, table{0.0, 1.0, 0.3, 0.7};
    const std::vector<std::int32_t> place{0, -1, -1, 1};
    const Levels levels{{{place, table, 2}, {place, table, 2}}};
    std::vector<double> out(4);
    answer(ForestWays(leaves, 2), Ballots({votes}, 2), levels, {{}, 2}, out, 1, {});
    CHECK(out == (std::vector{0.0, 1.0, 0.3, 0.7}));
}

TEST(leaves_without_an_answer_drop_their_share) {
    const Grown grown(3000, 1, true);
    const ForestWays ways = grown.ways();
    std::vector<std::int32_t> place(grown.n_nodes[0]);
    std::vector<double> table(grown.n_nodes[0]), expected(3000), mass(3000), out(3000);
    for (std::size_t node = 0; node < place.size(); ++node) {
        place[node] = node % 3 == 0 ? -1 : static_cast<std::int32_t>(node);
        table[node] = static_cast<double>(node);
    }
    ways.each(0, {}, [&](std::size_t row, std::size_t leaf, double share) {
        if (place[leaf] < 0) return;
        expected[row] += share * table[leaf];
        mass[row] += share;
    });
    answer(ways, nobody, {{{place, table, 1}}}, {{}, 3000}, out, 2, {});
    for (std::size_t row = 0; row < 3000; ++row)
        CHECK(mass[row] > 0 ? near(out[row], expected[row] / mass[row], 1e-9) : std::isnan(out[row]));
}
